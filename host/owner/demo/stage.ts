import { join } from 'node:path'
import { freePort } from '../../lib/free-port.ts'
import type { Person } from './browser.ts'
import { type CommandOptions, type CommandResult, runCommand, startHost } from './processes.ts'
import type { DemoProvider } from './provider.ts'
import type { Report } from './report.ts'

export type Cleanup = () => Promise<void>

export interface Stage {
	report: Report
	provider: DemoProvider
	/** Where everything of the demo lies. */
	folder: string
	/** The package's own folder. */
	root: string
	cleanups: Cleanup[]
}

/** What a part of the story goes on with. */
export interface Told {
	/** `base_url` of the host. */
	url: string
	person: Person
	berth: CommandLine
}

export type CommandJson = Record<string, unknown> & { stderr: string }
export type CommandLine = (args: string[], options?: CommandOptions) => Promise<CommandJson>

const RUN_TIMEOUT_MS = 150_000

/** `berth serve` on an empty database, and an account on it. */
export async function serve(stage: Stage, egress: string[]): Promise<Told> {
	const { report, folder, root, cleanups } = stage
	const launcher = join(root, 'host/owner/cli/bin/berth.mjs')
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
	const person = { email: 'you@example.com', password: crypto.randomUUID() }
	const create = ['admin', 'accounts', 'create', '--email', person.email, '--password-stdin', '--plan', 'pro']
	const args = [...create, '--tester', '--token', '--json']
	const env = { BERTH_URL: host.url, DATA_DIR: settings.DATA_DIR, XDG_CONFIG_HOME: folder }
	const created = await runCommand(launcher, args, { env, input: person.password })
	report.command(args, created.stdout, created.stderr)
	const account = parsed(args, created)
	report.check('the account has a personal token', typeof account.token === 'string')
	return { url: host.url, person, berth: commandLine(stage, host.url, String(account.token)) }
}

/** Runs a command as the owner, shows it, and gives its one JSON document. */
function commandLine({ report, folder, root }: Stage, url: string, token: string): CommandLine {
	const launcher = join(root, 'host/owner/cli/bin/berth.mjs')
	return async (args, options = {}) => {
		const base = { BERTH_URL: url, BERTH_TOKEN: token, XDG_CONFIG_HOME: folder }
		const env = { ...base, ...options.env, ...passedOn() }
		const result = await runCommand(launcher, args, { ...options, env })
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
	return JSON.parse(stdout)
}

export interface RunAnswer {
	id: string
	status: string | number
	output: unknown
	/** Of a problem. */
	code?: string
}

export async function call(
	report: Report,
	url: string,
	runKey: string,
	inputs: Record<string, unknown>,
): Promise<RunAnswer> {
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
	return JSON.parse(text) as RunAnswer
}
