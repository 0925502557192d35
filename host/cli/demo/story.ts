import { join } from 'node:path'
import { commitExample } from './agent.ts'
import { type CommandResult, freePort, runCommand, startHost } from './processes.ts'
import type { DemoProvider } from './provider.ts'
import { startReceiver, verifyWebhook } from './receiver.ts'
import type { Report } from './report.ts'

export type Cleanup = () => Promise<void>

interface Stage {
	report: Report
	provider: DemoProvider
	/** Where everything of the demo lies. */
	folder: string
	/** The package's own folder. */
	root: string
	cleanups: Cleanup[]
}

const NAME = 'expense-auditor'
const RUN_TIMEOUT_MS = 150_000
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
	const { url, token } = await serve(stage, [...provider.egress, new URL(receiver.url).host])
	const berth = commandLine(stage, url, token)

	report.step(`An agent is built from its commit`)
	const agent = join(folder, NAME)
	const commit = await commitExample(join(stage.root, 'bundles/examples', NAME), agent, provider.model)
	const bundle = await berth(['bundle', agent, '--output', join(folder, `${NAME}.agent`), '--json'])
	report.check('the bundle names the commit it was built from', bundle.commit === commit)

	report.step('It is deployed; the provider key is sealed on this machine')
	const keyEnv = provider.keyValue === undefined ? {} : { [provider.keyVariable]: provider.keyValue }
	const deployed = await berth(
		['deploy', agent, '--name', NAME, '--provider-key-env', provider.keyVariable, '--verbose', '--json'],
		keyEnv,
	)
	const request = deployed.request as { url: string; curl: string }
	const key = provider.keyValue ?? process.env[provider.keyVariable] ?? ''
	report.check('the deployment runs', deployed.state === 'running')
	report.check('the provider key went over the wire only sealed', !deployed.stderr.includes(key))

	report.step('A webhook endpoint is added')
	const endpoint = await berth(['webhooks', NAME, 'add', receiver.url, '--json'])

	report.step('The agent is called over HTTP with its run key')
	const run = await call(report, request.url, String(deployed.run_key))
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
	return request.curl
}

/** `berth serve` on an empty database, and an account on it. */
async function serve(
	{ report, folder, root, cleanups }: Stage,
	egress: string[],
): Promise<{ url: string; token: string }> {
	const launcher = join(root, 'host/cli/bin/berth.mjs')
	const settings = {
		PORT: String(await freePort()),
		DATA_DIR: join(folder, 'data'),
		EGRESS_ALLOW: egress.join(','),
		LOG_LEVEL: 'warn',
	}
	report.step('The host starts, on an embedded database in a temporary folder')
	report.text(
		`$ ${Object.entries(settings)
			.map(([name, value]) => `${name}=${value}`)
			.join(' ')} berth serve`,
	)
	const host = await startHost(launcher, settings, report.text)
	cleanups.push(host.stop)
	report.check(`it is ready at ${host.url}`, true)

	report.step('The operator makes an account')
	const args = [
		'admin',
		'accounts',
		'create',
		'--email',
		'you@example.com',
		'--plan',
		'pro',
		'--token',
		'--json',
	]
	const env = { BERTH_URL: host.url, DATA_DIR: settings.DATA_DIR, XDG_CONFIG_HOME: folder }
	const created = await runCommand(launcher, args, env)
	report.command(args, created.stdout, created.stderr)
	const account = parsed(args, created)
	report.check('the account has a personal token', typeof account.token === 'string')
	return { url: host.url, token: String(account.token) }
}

type Answer = Record<string, unknown> & { stderr: string }

/** Runs a command as the owner, shows it, and gives its one JSON document. */
function commandLine({ report, folder, root }: Stage, url: string, token: string) {
	return async (args: string[], more: Record<string, string> = {}): Promise<Answer> => {
		const env = { BERTH_URL: url, BERTH_TOKEN: token, XDG_CONFIG_HOME: folder, ...more, ...passedOn() }
		const result = await runCommand(join(root, 'host/cli/bin/berth.mjs'), args, env)
		report.command(args, result.stdout, result.stderr)
		return { ...parsed(args, result), stderr: result.stderr }
	}
}

/** The owner's own keys, for the command that seals them. */
function passedOn(): Record<string, string> {
	const { OPENAI_API_KEY, ANTHROPIC_API_KEY } = process.env
	return { ...(OPENAI_API_KEY && { OPENAI_API_KEY }), ...(ANTHROPIC_API_KEY && { ANTHROPIC_API_KEY }) }
}

function parsed(args: string[], { code, stdout }: CommandResult): Record<string, unknown> {
	if (code !== 0) throw new Error(`berth ${args[0]} ended with ${code}; see above`)
	return JSON.parse(stdout) as Record<string, unknown>
}

async function call(
	report: Report,
	url: string,
	runKey: string,
): Promise<{ id: string; status: string; output: unknown }> {
	const headers = { Authorization: `Bearer ${runKey}`, 'Content-Type': 'application/json' }
	const body = JSON.stringify({ inputs })
	report.request('POST', url, headers, body)
	const response = await fetch(url, {
		method: 'POST',
		headers,
		body,
		signal: AbortSignal.timeout(RUN_TIMEOUT_MS),
	})
	const text = await response.text()
	report.response(
		`${response.status} ${response.statusText}`,
		{ 'content-type': String(response.headers.get('content-type')) },
		text,
	)
	return JSON.parse(text) as { id: string; status: string; output: unknown }
}
