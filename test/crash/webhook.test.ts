import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import type { EndpointWithSecret } from '../../host/api/endpoints.ts'
import { until, withSql } from '../kit/agent.ts'
import { begin, made, pair, read, third, withOne } from '../kit/pair.ts'
import { startReceiver } from '../kit/receiver.ts'

// The delivery is written with the end of the run, and a wake-up may get lost.

withOne({ m: { text: 'Hello.' } })

const lock = 4711

// Proves: webhook.survives-host
test('a webhook is received though its host is killed between the commit and the wake-up', async () => {
	const receiver = await startReceiver()
	const victim = await third()
	const agent = await made('m')
	const { body: endpoint } = await pair.one.call<EndpointWithSecret>(
		`/v1/deployments/${agent.id}/endpoints`,
		{
			token: pair.account.token,
			json: { url: receiver.url },
		},
	)
	await withSql(pair.one, async (sql) => {
		await sql.unsafe(`
			create function wait_for_test() returns trigger language plpgsql as
				$$ begin perform pg_advisory_xact_lock(${lock}); return null; end $$;
			create trigger wait_for_test after insert on deliveries execute function wait_for_test()`)
		const held = await sql.reserve()
		await held`select pg_advisory_lock(${lock})`
		const id = await begin(victim, agent)
		// The statement that ends the run is under way; its host will not hear that it was committed.
		await until(async () => {
			const [row] =
				await sql`select count(*)::int as n from pg_locks where locktype = 'advisory' and not granted`
			return row?.n === 1
		})
		process.kill(victim.pid, 'SIGSTOP')
		await held`select pg_advisory_unlock(${lock})`
		held.release()
		await until(async () => (await read(pair.one, agent, id)).status === 'succeeded')
		await victim.kill('SIGKILL')
		const [delivery] = await sql`select event_id from deliveries where run_id = ${id}`
		const received = await until(async () => receiver.received[0])
		expect(received.headers['webhook-id']).toBe(delivery?.event_id)
		expect(new Webhook(endpoint.secret).verify(received.body, received.headers)).toMatchObject({
			type: 'run.completed',
			data: { id },
		})
	})
	await victim.close()
	await receiver.close()
})
