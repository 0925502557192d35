// Calls of /run that are refused before there is a run: counted, with their last reason, and shown to the owner.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { DeploymentPage } from '../../../../host/api/deployments.ts'
import { type Refusal, RefusalList } from '../../../../host/api/runs.ts'
import { Problem } from '../../../../host/http/errors.ts'
import {
	forgetOldRefusals,
	openRefusals,
	type Refused,
	writeRefusals,
} from '../../../../host/runs/accept/refusals.ts'
import { bundleOf, deploy, type Running, run, until, withSql } from '../../../kit/agent.ts'
import { berth } from '../../../kit/berth.ts'
import type { TestAccount, TestHost } from '../../../kit/host.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

let host: TestHost
let account: TestAccount
let agent: Running

const yaml = `inputs:
  type: object
  required: [who]
  properties: { who: { type: string, maxLength: 5 } }
`

beforeAll(async () => {
	host = await sharedHost()
})
beforeEach(async () => {
	account = await host.account()
	agent = await deploy(host, account, await bundleOf({ yaml }), 'door')
})
afterAll(async () => host?.close())

const listed = async (token = account.token) =>
	host.call<RefusalList>(`/v1/deployments/${agent.id}/refusals`, { token })
const counted = (code: string, count: number) =>
	until(async () =>
		(await listed()).body.data.find((one: Refusal) => one.code === code && one.count === count),
	)

// Proves: run.refusals-listed
test('refused calls are counted by code, with the reason of the last and no value of the inputs', async () => {
	for (let n = 0; n < 3; n++) expect((await run(host, agent, { who: 'a secret name' })).status).toBe(422)
	const json = { input: { who: 'a secret name' } }
	expect((await host.call(`${agent.url}/run`, { token: agent.run_key, json })).body.code).toBe(
		'invalid_request',
	)
	// Nobody's key: no call of this deployment.
	expect((await run(host, agent, {}, {}, `${agent.run_key}x`)).status).toBe(401)
	expect((await host.call(`${agent.url}/run`, { token: 'brk_x', json })).status).toBe(401)
	const refusal = await counted('inputs_invalid', 3)
	expect(refusal.paths).toEqual(['/inputs/who'])
	expect(refusal.detail).toMatch(/^The inputs do not fit the agent: \/who /)
	expect((await counted('invalid_request', 1)).paths).toContain('/input')
	const all = await listed()
	expect(RefusalList.parse(all.body)).toEqual(all.body)
	expect(all.body.data.map(({ code }) => code).sort()).toEqual(['inputs_invalid', 'invalid_request'])
	expect(all.text).not.toContain('secret')
	expect((await listed((await host.account()).token)).status).toBe(404)
})

// Proves: run.refusals-listed
test('a deployment that is stopped counts its refusals, and both show in berth list and berth runs', async () => {
	expect((await run(host, agent, { who: 'a long name' })).status).toBe(422)
	await counted('inputs_invalid', 1)
	const path = `/v1/deployments/${agent.id}/stop`
	await host.call(path, { method: 'POST', token: account.token, json: { drain_seconds: 0 } })
	expect((await run(host, agent, { who: 'Ada' })).body.code).toBe('deployment_not_running')
	await counted('deployment_not_running', 1)
	// Of the day before yesterday: listed, and no part of the last 24 hours.
	await withSql(
		host,
		(sql) => sql`
		insert into refusals (deployment_id, hour, code, count, last_at, detail, paths)
		select ${agent.id}, now() - age, 'overloaded', 7, now() - age, 'Full.', '[]'
		from unnest('{2 days,8 days}'::interval[]) as age`,
	)
	const { body } = await host.call<DeploymentPage>('/v1/deployments', { token: account.token })
	expect(body.data[0]?.activity).toMatchObject({ refused_24h: 2, runs_24h: 0 })
	const call = async (...args: string[]) =>
		(await berth(args, { env: { BERTH_URL: host.url, BERTH_TOKEN: account.token } })).stdout
	expect(await call('list')).toMatch(/^NAME .* REFUSED .*\ndoor +stopped +- +0 +2 +/)
	const lines = await call('runs', 'door', '--refused')
	expect(lines).toMatch(/Z +1 +inputs_invalid +.*The inputs do not fit/)
	expect(lines.match(/ 7 +overloaded /g)).toHaveLength(2)
	await withSql(host, (sql) => forgetOldRefusals(sql as never))
	expect((await listed()).body.data.filter(({ code }) => code === 'overloaded')).toHaveLength(1)
})

// Proves: run.refusals-listed, retention.erase-account
test('what is counted of a deployment that is deleted before it is written is not written', async () => {
	const gone = agent.id
	agent = await deploy(host, await host.account(), await bundleOf({ yaml }), 'window')
	const path = `/v1/deployments/${gone}`
	expect((await host.call(path, { method: 'DELETE', token: account.token })).status).toBe(204)
	const one = { hour: 0, code: 'overloaded', count: 1, last: 1, detail: 'Full.', paths: '[]' }
	const rows = await withSql(host, async (sql) => {
		await writeRefusals(sql as never)(
			[gone, agent.id, 'dep_none'].map((deployment) => ({ deployment, ...one })),
		)
		return sql`select deployment_id from refusals where deployment_id in (${gone}, ${agent.id}, 'dep_none')`
	})
	expect(rows.map(({ deployment_id }) => deployment_id)).toEqual([agent.id])
})

test('a flood is one statement, kept where it could not be written, and written at the stop', async () => {
	const written: Refused[][] = []
	let away = true
	const write = async (batch: Refused[]) => {
		if (away) throw new Error('away')
		written.push(batch)
	}
	const warned = Promise.withResolvers<void>()
	const refusals = openRefusals(write, { warn: () => warned.resolve() })
	const flood = () => {
		for (let n = 0; n < 1000; n++) refusals.count('dep_1', new Problem('overloaded', `Full\0 ${n}`))
	}
	flood()
	await warned.promise
	flood()
	away = false
	await refusals.close()
	expect(written.flat().reduce((sum, { count }) => sum + count, 0)).toBe(2000)
	expect(written).toHaveLength(1)
	expect(written[0]?.at(-1)).toMatchObject({ code: 'overloaded', detail: 'Full\ufffd 999', paths: '[]' })
})
