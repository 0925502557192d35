import { bundleOf, create, deploy, type Running, run, until, withSql } from '../../../kit/agent.ts'
import type { TestAccount, TestHost } from '../../../kit/host.ts'
import type { McpServer } from '../../../kit/mcp-server.ts'
import type { ModelServer, Turn } from '../../../kit/model-server.ts'

/** What the models of the office say, by name. */
export const scripts: Record<string, Turn | Turn[]> = {
	triage: [
		{ calls: [{ name: 'weather', input: { city: 'Lisbon' } }], usage: { input: 812, output: 41 } },
		{
			calls: [{ name: 'echo', input: { text: 'ticket 4711: delayed by the storm' } }],
			usage: { input: 930, output: 52 },
		},
		{
			text: 'The parcel is delayed by the storm in Lisbon. Offer a refund of the shipping.',
			usage: { input: 1012, output: 64 },
		},
	],
	payer: [
		{ calls: [{ name: 'charge', input: { key: 'invoice-2093', amount: '1,240.00 EUR' } }] },
		{ text: 'Paid.' },
	],
	auditor: { text: '{"approve": 11, "question": 2}', usage: { input: 2100, output: 88 } },
	reader: { fault: { status: 401 } },
}

/** An account with agents as an owner has them: some work, one waits, one fails, one was never finished. */
export async function fillOffice(
	host: TestHost,
	account: TestAccount,
	models: ModelServer,
	mcp: McpServer,
): Promise<{ triage: Running; failed: string; done: string; waiting: string }> {
	const model = (name: string) => `{ provider: openai, name: ${name}, base_url: "${models.openaiUrl}" }`
	const tools = (names: string) =>
		`requires:\n  - { connector: "${mcp.url}", scopes: [], auth: none, kind: connector, tools: [${names}] }\n`
	const inputs = `inputs:
  type: object
  required: [ticket]
  additionalProperties: false
  properties:
    ticket: { type: string, description: What the customer wrote., examples: [Where is my parcel?] }
    priority: { enum: [low, normal, high], default: normal }
`
	const triage = await deploy(
		host,
		account,
		await bundleOf({
			model: model('triage'),
			yaml: `description: Reads a ticket and says what to do.\n${inputs}${tools('weather, echo')}`,
		}),
		'support-triage',
	)
	const payer = await deploy(
		host,
		account,
		await bundleOf({
			model: model('payer'),
			yaml: `${tools('charge')}tools: { "${mcp.url}/charge": { approval: required } }\n`,
		}),
		'invoice-payer',
	)
	const auditor = await deploy(host, account, await bundleOf({ model: model('auditor') }), 'expense-auditor')
	const reader = await deploy(host, account, await bundleOf({ model: model('reader') }), 'contract-reader')
	await create(host, account, await bundleOf({ model: model('auditor') }), 'night-report')
	const async = { prefer: 'respond-async' }
	const waiting = (await run(host, payer, {}, async)).body.id
	const done = (await run(host, triage, { ticket: 'Where is my parcel?' })).body.id
	for (let n = 0; n < 4; n++) await run(host, triage, { ticket: 'Where is my parcel?', priority: 'high' })
	for (let n = 0; n < 6; n++) await run(host, auditor)
	await run(host, triage, { tiket: 'a typo' })
	const failed = (await run(host, reader, {}, async)).body.id
	await run(host, reader)
	await until(async () => {
		const { body } = await host.call(`${reader.url}/runs/${failed}`, { token: reader.run_key })
		return body.status === 'failed'
	})
	await host.call(`/v1/deployments/${auditor.id}/schedules`, {
		token: account.token,
		json: { cron: '0 7 * * 1-5', timezone: 'Europe/Berlin', inputs: {} },
	})
	await host.call(`/v1/deployments/${triage.id}/endpoints`, {
		token: account.token,
		json: { url: 'https://example.com/hooks' },
	})
	await until(async () => {
		const { body } = await host.call(`${payer.url}/runs/${waiting}`, { token: payer.run_key })
		return body.status === 'waiting'
	})
	await spread(host)
	return { triage, failed, done, waiting }
}

/** Over the day, as the charts show it. */
async function spread(host: TestHost): Promise<void> {
	await withSql(
		host,
		(sql) => sql`
			update runs r set created_at = r.created_at - o.hours * interval '1 hour'
			from (select id, (row_number() over (order by id) * 5 % 22)::int as hours from runs) o
			where o.id = r.id and r.status = 'succeeded'`,
	)
}
