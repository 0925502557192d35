import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BudgetReport } from '../../../../host/api/budgets.ts'
import type { VersionList } from '../../../../host/api/deployments.ts'
import type { Schedule } from '../../../../host/api/schedules.ts'
import { bundleOf, deploy, type Running } from '../../../kit/agent.ts'
import { berth, temporary } from '../../../kit/berth.ts'
import type { TestAccount, TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

// Schedules, budgets and prices from the command line.

let host: TestHost
let model: ModelServer
let agent: Running
let env: Record<string, string>
let bundle: Uint8Array
let token: string
let account: TestAccount

beforeAll(async () => {
	model = await startModelServer({ poet: { text: 'a poem' } })
	host = await sharedHost()
	account = await host.account({ plan: 'pro' })
	token = account.token
	bundle = await bundleOf({
		model: models(),
		yaml: 'inputs: { type: object, required: [lines], properties: { lines: { type: integer } } }\n',
	})
	agent = await deploy(host, account, bundle, 'poet')
	env = { BERTH_URL: host.url, BERTH_TOKEN: account.token }
})
afterAll(async () => {
	await host?.close()
	await model?.close()
})

const models = () => `{ provider: openai, name: poet, base_url: "${model.openaiUrl}" }`
const written = (bytes: Uint8Array) => {
	const file = join(temporary(), 'a.agent')
	writeFileSync(file, bytes)
	return file
}
const run = (...args: string[]) => berth(args, { env })
const admin = (...args: string[]) => berth(args, { env: { ...env, BERTH_TOKEN: host.operator } })
async function json<T>(...args: string[]): Promise<T> {
	const result = await run(...args, '--json')
	if (result.code !== 0) throw new Error(`berth ${args.join(' ')}: ${result.code}\n${result.stderr}`)
	return JSON.parse(result.stdout) as T
}

describe('berth schedules', () => {
	it('adds, lists, pauses, resumes and removes when asked to', async () => {
		const cron = ['--cron', '0 9 * * 1-5', '--timezone', 'Europe/Berlin']
		const refused = await run('schedules', 'poet', 'add', ...cron, '--input', 'lines=many')
		expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('inputs_invalid')])
		const added = await json<Schedule>('schedules', 'poet', 'add', ...cron, '--input', 'lines=3')
		expect(added).toMatchObject({ inputs: { lines: 3 }, missed: 'skip', timezone: 'Europe/Berlin' })
		expect((await run('schedules', 'poet', 'list')).stdout).toMatch(
			/sch_\w{26} +0 9 \* \* 1-5 +Europe\/Berlin/,
		)
		expect((await run('schedules', 'poet', 'pause', added.id)).stdout).toMatch(/paused/)
		expect((await json<Schedule>('schedules', 'poet', 'resume', added.id)).next_times).toHaveLength(5)
		expect((await run('schedules', 'poet', 'remove', added.id)).code).toBe(0)
		expect((await run('schedules', 'poet', 'list')).stdout).toBe('No schedules.\n')
		expect((await run('schedules', 'poet', 'add')).code).toBe(2)
	})
})

describe('berth budgets', () => {
	it('shows what the month has used, and sets and removes a budget when asked to', async () => {
		expect((await run('budgets', 'poet')).stdout).toBe('No budgets.\n')
		const set = await json<BudgetReport>('budgets', 'poet', '--tokens', '0')
		expect(set.deployment?.budgets).toEqual({ tokens_per_month: 0 })
		const refused = await run('run', 'poet', '--input', 'lines=1')
		expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('budget_reached')])
		expect((await run('budgets', 'poet', '--no-limit')).stdout).toBe('No budgets.\n')
		expect((await run('run', 'poet', '--input', 'lines=1')).stdout).toBe('a poem\n')
		expect(agent.budgets).toBeNull()
	})

	// Proves: budget.unpriced-told
	it('tells at once that a model has no known price, and who can set one', async () => {
		const set = await run('budgets', 'poet', '--usd', '5')
		expect([set.code, set.stderr]).toEqual([
			0,
			expect.stringContaining('berth admin prices set poet --provider openai'),
		])
		expect(await json('budgets', 'poet')).toMatchObject({ unpriced_models: ['openai/poet'] })
		const price = ['--provider', 'openai', '--input', '1', '--output', '1']
		expect((await admin('admin', 'prices', 'set', 'poet', ...price)).code).toBe(0)
		expect((await run('budgets', 'poet')).stderr).toBe('')
		expect(await json('budgets', 'poet')).toMatchObject({ unpriced_models: [] })
		expect((await admin('admin', 'prices', 'reset', 'poet')).code).toBe(0)
		expect(await json('budgets', 'poet', '--no-limit')).not.toHaveProperty('unpriced_models')
	})
})

describe('berth alerts', () => {
	// Proves: alert.no-mail-told
	it('switches e-mails on, and says that this host sends none', async () => {
		const on = await run('alerts', '--email', 'on')
		expect([on.code, on.stdout, on.stderr]).toEqual([
			0,
			'Alerts by e-mail are on.\n',
			'This host sends no e-mails: its operator has not set SMTP_URL.\n',
		])
		expect((await run('alerts', '--email', 'off')).stderr).toBe('')
	})
})

describe('berth update', () => {
	// Proves: deployment.same-version
	it('changes nothing where the version is the active one, and says so', async () => {
		const again = await run('update', 'poet', written(bundle))
		expect([again.code, again.stdout]).toEqual([
			0,
			expect.stringMatching(/^Nothing has changed: poet is at version 1 \(/),
		])
		const versions = await host.call<VersionList>(`/v1/deployments/${agent.id}/versions`, { token })
		expect(versions.body.data).toHaveLength(1)
	})

	// Proves: cli.rollback-credentials
	it('and a rollback name the credentials that the version lacks', async () => {
		const lines = 'inputs: { type: object, required: [lines], properties: { lines: { type: integer } } }\n'
		const address = model.openaiUrl.replace('127.0.0.1', 'localhost')
		const elsewhere = { model: `{ provider: openai, name: poet, base_url: "${address}" }`, yaml: lines }
		const next = written(await bundleOf(elsewhere))
		const told = 'provider is missing for openai: berth credentials moved --set\n'
		await deploy(host, account, await bundleOf({ ...elsewhere, model: models() }), 'moved')
		expect((await run('update', 'moved', next)).stderr).toContain(told)
		expect((await run('rollback', 'moved')).stderr).toContain(told)
		expect((await run('delete', 'moved', '--yes')).code).toBe(0)
	})

	// Proves: schedule.unfit
	it('names the live schedules that do not fit the version, and with --dry-run changes nothing', async () => {
		const added = await json<Schedule>(
			'schedules',
			'poet',
			'add',
			'--cron',
			'0 9 * * *',
			'--input',
			'lines=3',
		)
		const yaml = 'inputs: { type: object, required: [lines], properties: { lines: { type: string } } }\n'
		const next = written(await bundleOf({ model: models(), yaml }))
		const told = `The schedule ${added.id} (0 9 * * *, UTC) does not fit this version (/inputs/lines must be string, is number): its runs are refused`
		const dry = await run('update', 'poet', next, '--dry-run')
		expect([dry.code, dry.stdout]).toEqual([0, expect.stringContaining(told)])
		expect(await json('update', 'poet', written(bundle))).toMatchObject({ version: 1, unfit_schedules: [] })
		const updated = await run('update', 'poet', next)
		expect([updated.code, updated.stderr]).toEqual([0, expect.stringContaining(told)])
		expect((await run('rollback', 'poet')).stderr).not.toContain(added.id)
		expect((await run('rollback', 'poet', '--to', '2')).stderr).toContain(told)
		expect((await run('rollback', 'poet')).code).toBe(0)
		expect((await run('schedules', 'poet', 'remove', added.id)).code).toBe(0)
	})
})

describe('berth admin prices', () => {
	it('sets, lists and resets a price when an operator asks', async () => {
		const set = await admin(
			'admin',
			'prices',
			'set',
			'poet',
			'--input',
			'2',
			'--output',
			'10',
			'--cached',
			'0.5',
		)
		expect([set.code, set.stdout]).toEqual([
			0,
			'poet: 2 in, 0.5 cached, 10 out, 1,000 searches unknown (--search)\n',
		])
		expect((await admin('admin', 'prices', 'list')).stdout).toMatch(/openai +poet +2 +0.5 +10 +– +own/)
		expect((await admin('admin', 'prices', 'reset', 'poet')).code).toBe(0)
		expect((await admin('admin', 'prices', 'list')).stdout).not.toMatch(/poet/)
	})
})
