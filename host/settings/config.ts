import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { alertFaults, alertSettings } from './alerts.ts'
import { nearestName } from './near.ts'
import { openIdFaults, openIdSettings } from './openid.ts'
import {
	addresses,
	domain,
	httpUrl,
	keyFile,
	layerNamed,
	list,
	listenAddress,
	oneOf,
	origins,
	placeName,
	rootUrl,
	type Setting,
	seconds,
	setting,
	text,
	token,
	whole,
} from './readers.ts'
import { traceSettings } from './traces.ts'

export { judgeHint, localJudgeHint, plain } from './judge-hint.ts'

// Settings are environment variables: one row each with default, help and reader. Types, `berth settings`, the start's
// check and the table in OPERATING.md (`npm run generate`) all come from this table.

export const settings = {
	HOST: setting('127.0.0.1', 'Address to listen on', listenAddress),
	PORT: whole(8787, 0, 65_535, 'Port to listen on; 0 takes a free one'),
	BASE_URL: setting(
		'',
		'Public address of this host; unset: made from HOST and PORT',
		(value) => value && rootUrl(value),
	),
	DATA_DIR: setting(
		'./.berth',
		'Folder of the embedded database, the master key and the local operator token',
		(value) => resolve(value),
	),
	DATABASE_URL: {
		...text('', 'Postgres to use; unset: the embedded one in DATA_DIR'),
		secret: true as const,
	},
	DISK_MIN_FREE_MB: whole(
		256,
		0,
		1_000_000_000,
		'Free MB on the disk of DATA_DIR below which nothing new is stored (embedded database); 0: no check',
	),
	MASTER_KEY_FILE: setting('', 'File of the master key; unset: master.key in DATA_DIR', (value, base) =>
		value ? keyFile(value) : resolve(`${base.DATA_DIR}/master.key`),
	),
	PLACE: setting('local', 'Place of this host: deployments run on hosts of their place only', placeName),
	PLACE_URL: setting(
		'',
		'Public address of the place, the same on all its hosts; unset: BASE_URL',
		(value) => value && rootUrl(value),
	),
	DEPLOYMENT_DOMAIN: setting(
		'',
		'Domain whose subdomains are deployments; unset: {BASE_URL}/d/{slug}',
		domain,
	),
	EGRESS_ALLOW: list(
		'Non-public hosts that outbound calls may reach: comma-separated host, host:port, address or CIDR',
	),
	TRUST_PROXY: addresses('Proxies whose X-Forwarded-For is trusted: comma-separated addresses or CIDR'),
	...openIdSettings,
	GUARD_ACCESS: oneOf(
		['testers', 'everyone'],
		'Who may use the guard: testers (tester accounts) or everyone (for credits)',
	),
	GUARD_CLIENT_METADATA: oneOf(
		['auto', 'on', 'off'],
		'OAuth clients whose client_id is the address of a metadata document: auto (announced while documents can be fetched), on, off (refused)',
	),
	GUARD_ORIGINS: origins(
		'Further origins of browser clients that may call the guard, comma-separated; * for all',
	),
	GUARD_JUDGE: setting(
		'builtin',
		'Judge of the guard: builtin, openai or onnx; comma-separated: each is asked where the one before is unsure',
		(value) => {
			const judges = value.split(',').map((name) => name.trim())
			const known = new Set(['builtin', 'openai', 'onnx'])
			if (!judges.every((name) => known.delete(name)))
				throw new Error('must be builtin, openai or onnx, or several of them, comma-separated, each once')
			return judges
		},
	),
	GUARD_JUDGE_URL: setting(
		'',
		'Base URL of an OpenAI-compatible server, for GUARD_JUDGE=openai',
		(value) => value && httpUrl(value),
	),
	GUARD_JUDGE_MODEL: text('', 'Name of the model at GUARD_JUDGE_URL'),
	GUARD_JUDGE_KEY: token('API key for GUARD_JUDGE_URL'),
	GUARD_JUDGE_SECONDS: seconds(
		25,
		0.05,
		55,
		'With GUARD_JUDGE=openai, time-out of one guard call; in a chain the judge before answers then',
	),
	GUARD_JUDGE_TOKENS: whole(
		100_000,
		1_000,
		10_000_000,
		'With GUARD_JUDGE=openai, input tokens of one guard call at most, all its prompts together',
	),
	GUARD_JUDGE_DIR: text(
		'',
		'Folder with the cross-encoders nli, injection and reranker, for GUARD_JUDGE=onnx',
	),
	PROVIDER_TIMEOUT_SECONDS: seconds(
		120,
		0.05,
		3600,
		'Time-out of a silent provider, and of a connector call unless agent.yaml sets one',
	),
	PROVIDER_CALL_SECONDS: seconds(1800, 0.05, 86_400, 'Time-out of one whole answer of a provider'),
	CONNECTOR_CALL_SECONDS: seconds(
		600,
		0.05,
		3600,
		'Ceiling of timeout_seconds of a connector, or of an origin of http, in agent.yaml',
	),
	CONNECTOR_QUESTION_SECONDS: seconds(600, 0.05, 3000, 'Time-out of a question of an older connector'),
	HOST_LEASE_SECONDS: seconds(12, 1, 300, 'How long a host may be silent before another takes over its runs'),
	SHUTDOWN_SECONDS: seconds(30, 0, 3600, 'How long a stop waits for runs in flight'),
	STOP_GRACE_SECONDS: seconds(120, 0, 3600, 'How long a stop then waits for tool calls under way'),
	SANDBOX_REQUIRE: setting(
		'',
		'Sandbox layers without which the host does not start, comma-separated (names: berth doctor)',
		(value) => {
			const wanted = value.split(',').map((name) => name.trim())
			return wanted.filter((name) => name !== '').map(layerNamed)
		},
	),
	WARM_SPARES: whole(2, 0, 64, 'Number of sandboxes kept ready'),
	IDLE_STOP_SECONDS: seconds(
		300,
		0.1,
		86_400,
		'How long a sandbox lives after the last run of its deployment',
	),
	MAX_CONCURRENT_RUNS: whole(
		1000,
		1,
		100_000,
		'Maximum of runs in flight on this host; further calls get 503',
	),
	MAX_RUN_STEPS: whole(200, 1, 10_000, 'Ceiling of an agent’s limits.steps'),
	MAX_RUN_SECONDS: whole(3600, 1, 86_400, 'Ceiling of limits.seconds'),
	MAX_RUN_TOKENS: whole(10_000_000, 1, 1_000_000_000, 'Ceiling of limits.tokens'),
	MAX_RUN_MEMORY_MB: whole(512, 16, 1024, 'Ceiling of limits.memory_mb'),
	MAX_RUN_USD: setting(
		'',
		'Ceiling of limits.usd (US dollars), and the limit of agents that set none; unset: no ceiling',
		(value) => {
			if (value === '') return undefined
			const n = Number(value)
			if (!/^\d+(\.\d+)?$/.test(value) || n <= 0 || n > 100_000)
				throw new Error('must be dollars over 0, at most 100000')
			return n
		},
	),
	RETAIN_RUNS_DAYS: whole(
		30,
		0,
		36_500,
		'Days that ended runs are kept, with journal and deliveries; 0: for ever',
	),
	RETAIN_LEDGER_DAYS: whole(
		0,
		0,
		36_500,
		'Days that single entries of the ledger are kept; older ones become one; 0: for ever',
	),
	RETAIN_AUDIT_DAYS: whole(0, 0, 36_500, 'Days that the audit log is kept; 0: for ever'),
	WEBHOOK_RETRY_SECONDS: setting(
		'5,300,1800,7200,18000,36000,50400,72000,86400',
		'Seconds before each retry of a webhook, comma-separated',
		(value) =>
			value.split(',').map((part) => {
				const seconds = Number(part)
				if (part.trim() === '' || !(seconds >= 0 && seconds <= 604_800))
					throw new Error('must be seconds, comma-separated')
				return seconds
			}),
	),
	WEBHOOK_TIMEOUT_SECONDS: seconds(15, 0.05, 60, 'Time-out of a webhook receiver'),
	...alertSettings,
	METRICS_TOKEN: token('Bearer token for /metrics; unset: /metrics is open'),
	...traceSettings,
	LOG_LEVEL: setting('info', 'Log level: fatal, error, warn, info, debug, trace or silent', (value) => {
		const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']
		if (!levels.includes(value)) throw new Error(`must be one of ${levels.join(', ')}`)
		return value
	}),
} satisfies Record<string, Setting<unknown>>

export type SettingName = keyof typeof settings
export type Config = { [K in SettingName]: ReturnType<(typeof settings)[K]['read']> }

/** What no agent's `limits` may pass (spec deployment.ceilings). */
export type CeilingSettings = Pick<Config, Extract<keyof Config, `MAX_RUN_${string}`>>

export function runCeilings(config: CeilingSettings) {
	return {
		steps: config.MAX_RUN_STEPS,
		seconds: config.MAX_RUN_SECONDS,
		tokens: config.MAX_RUN_TOKENS,
		memory_mb: config.MAX_RUN_MEMORY_MB,
		usd: config.MAX_RUN_USD,
	}
}

/** Every fault at once, each naming its setting. */
export class ConfigError extends Error {
	constructor(faults: string[]) {
		super(faults.join('\n'))
		this.name = 'ConfigError'
	}
}

/** Families that are ours alone, so that an unknown name in one is a slip of the pen and not somebody else's setting. */
const ours = /^(GUARD_|OIDC_|SMTP_|ALERT_|EGRESS_|MASTER_KEY|MAX_RUN|DEPLOYMENT_|PLACE_|BERTH_)/
/** Read by the command line and its launcher, not by the host. */
const elsewhere = new Set(['BERTH_URL', 'BERTH_TOKEN'])

/** What a launcher is to hand to the host: its settings, and what was meant to be one. */
export function isForHost(name: string): boolean {
	if (elsewhere.has(name)) return false
	return name in settings || ours.test(name) || nearestName(name, Object.keys(settings)) !== undefined
}

/** `more`: faults in grammars that belong to the rooms which use them. What could not be read is missing there. */
export function readConfig(
	env: NodeJS.ProcessEnv,
	more: (config: Partial<Config>) => string[] = () => [],
): Config {
	const config: Partial<Config> & Record<string, unknown> = {}
	const faults: string[] = []
	for (const [name, row] of Object.entries<Setting<unknown>>(settings)) {
		try {
			config[name] = row.read(env[name]?.trim() || row.default, config)
		} catch (error) {
			faults.push(`${name}${row.secret ? '' : `=${env[name]}`}: ${(error as Error).message}`)
		}
	}
	faults.push(...unknownNames(env), ...faultsTogether(config), ...more(config))
	if (faults.length > 0) throw new ConfigError(faults)
	return config as Config
}

/** Of names that are anybody's, only those that are nearly a setting which is not set itself. */
function unknownNames(env: NodeJS.ProcessEnv): string[] {
	const unset = Object.keys(settings).filter((name) => env[name] === undefined)
	return Object.keys(env).flatMap((name) => {
		if (name in settings || elsewhere.has(name)) return []
		const meant = nearestName(name, unset)
		if (meant) return [`${name}: there is no such setting, but ${meant}: rename it, or unset it`]
		return ours.test(name) ? [`${name}: there is no such setting`] : []
	})
}

/** Settings that are right one by one, and not beside each other. */
function faultsTogether(config: Partial<Config>): string[] {
	const { GUARD_JUDGE = [], GUARD_JUDGE_URL, GUARD_JUDGE_MODEL, GUARD_JUDGE_DIR } = config
	const { DEPLOYMENT_DOMAIN } = config
	const faults: string[] = []
	if (GUARD_JUDGE.includes('openai')) {
		if (GUARD_JUDGE_URL === '') faults.push('GUARD_JUDGE_URL: GUARD_JUDGE=openai needs it')
		if (GUARD_JUDGE_MODEL === '') faults.push('GUARD_JUDGE_MODEL: GUARD_JUDGE=openai needs it')
	}
	if (GUARD_JUDGE.includes('onnx')) {
		const models = ['nli', 'injection', 'reranker']
		if (!GUARD_JUDGE_DIR) faults.push('GUARD_JUDGE_DIR: GUARD_JUDGE=onnx needs it')
		else if (!models.some((model) => existsSync(join(GUARD_JUDGE_DIR, model))))
			faults.push(`GUARD_JUDGE_DIR=${GUARD_JUDGE_DIR}: holds none of the folders ${models.join(', ')}`)
	}
	for (const name of ['BASE_URL', 'PLACE_URL'] as const) {
		const url = config[name]
		if (url && DEPLOYMENT_DOMAIN && new URL(url).host.endsWith(`.${DEPLOYMENT_DOMAIN}`))
			faults.push(`${name}=${url}: must not be below DEPLOYMENT_DOMAIN, where every name is a deployment`)
	}
	faults.push(...openIdFaults(config), ...alertFaults(config))
	return faults
}
