import { join } from 'node:path'
import { commitExample } from './agent.ts'
import { tellClaims } from './claims.ts'
import { startReceiver, verifyWebhook } from './receiver.ts'
import { call, type Stage, serve } from './stage.ts'

const NAME = 'expense-auditor'
const WEBHOOK_TIMEOUT_MS = 30_000

/** A report with three things wrong in it: a duplicate, a gift over the limit, a missing receipt. */
const inputs = {
	employee: 'Ada',
	lines: [
		{ date: '2026-03-02', merchant: 'Rail & Co', category: 'travel', amount: '84.50 EUR', receipt: true },
		{ date: '2026-03-02', merchant: 'Hotel Nord', category: 'hotel', amount: '149,00 EUR', receipt: true },
		{ date: '2026-03-02', merchant: 'hotel nord', category: 'hotel', amount: '149.00 EUR', receipt: true },
		{ date: '2026-03-03', merchant: 'Wine Shop', category: 'gift', amount: '68 USD', receipt: true },
		{ date: '2026-03-03', merchant: 'Bistro', category: 'meal', amount: '31.20 EUR', receipt: false },
	],
}

/** From nothing to a verified webhook. Returns the ready-made request, to paste. */
export async function tellStory(stage: Stage): Promise<string> {
	const { report, provider, folder, cleanups } = stage
	const receiver = await startReceiver()
	cleanups.push(receiver.close)
	const told = await serve(stage, [...provider.egress, new URL(receiver.url).host])
	const { berth } = told

	report.step(`An agent is built from its commit`)
	const agent = join(folder, NAME)
	const commit = await commitExample(join(stage.root, 'bundles/examples', NAME), agent, {
		model: provider.model,
	})
	const bundle = await berth(['bundle', agent, '--output', join(folder, `${NAME}.agent`), '--json'])
	report.check('the bundle names the commit it was built from', bundle.commit === commit)

	report.step('It is deployed; the provider key is sealed on this machine')
	const keyEnv = provider.keyValue === undefined ? {} : { [provider.keyVariable]: provider.keyValue }
	const deployed = await berth(
		['deploy', agent, '--name', NAME, '--provider-key-env', provider.keyVariable, '--verbose', '--json'],
		{ env: keyEnv },
	)
	const request = deployed.request as { url: string; curl: string }
	const key = provider.keyValue ?? process.env[provider.keyVariable] ?? ''
	report.check('the deployment runs', deployed.state === 'running')
	report.check('the provider key went over the wire only sealed', !deployed.stderr.includes(key))

	report.step('A webhook endpoint is added')
	const endpoint = await berth(['webhooks', NAME, 'add', receiver.url, '--json'])

	report.step('The agent is called over HTTP with its run key')
	const run = await call(report, request.url, String(deployed.run_key), inputs)
	report.check('the run succeeded', run.status === 'succeeded')
	const output = run.output as { decision?: string; findings?: { rule: string }[] }
	report.check(
		'the gift over the tax limit was found by the agent’s own tool, in the sandbox',
		Boolean(output?.findings?.some(({ rule }) => rule === 'gift')),
	)
	report.check('so the report is refused', output?.decision === 'refuse')
	if (provider.scripted) report.check('the provider got its key', provider.scripted.calls().keys.has(key))

	report.step('The webhook arrives, and its signature is verified')
	const delivery = await receiver.next('run.completed', WEBHOOK_TIMEOUT_MS)
	const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = delivery.headers
	report.request(
		'POST',
		receiver.url,
		{ 'webhook-id': String(id), 'webhook-timestamp': String(at), 'webhook-signature': String(signature) },
		delivery.body,
	)
	const secret = String(endpoint.secret)
	report.check('the signature fits the secret', verifyWebhook(delivery, secret))
	report.check('a changed body would not', !verifyWebhook({ ...delivery, body: `${delivery.body} ` }, secret))
	report.check(
		'it tells of this run',
		(JSON.parse(delivery.body) as { data: { id: string } }).data.id === run.id,
	)

	await tellClaims(stage, told)
	return request.curl
}
