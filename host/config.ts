import { isIP } from 'node:net'
import { resolve } from 'node:path'

// Settings are environment variables: one row each with default, help and reader. Types, `berth settings`, the start's
// check and the README's table (a test compares) all come from this table.

interface Setting<T> {
	/** As shown; read when the variable is unset or empty. */
	default: string
	help: string
	read: (text: string, base: Record<string, unknown>) => T
}

const setting = <T>(byDefault: string, help: string, read: Setting<T>['read']): Setting<T> => ({
	default: byDefault,
	help,
	read,
})
const text = (byDefault: string, help: string) => setting(byDefault, help, (value) => value)
const whole = (byDefault: number, min: number, max: number, help: string) =>
	setting(String(byDefault), help, (value) => {
		const n = Number(value)
		if (!/^\d+$/.test(value) || n < min || n > max)
			throw new Error(`must be a whole number from ${min} to ${max}`)
		return n
	})
const seconds = (byDefault: number, min: number, max: number, help: string) =>
	setting(String(byDefault), help, (value) => {
		const n = Number(value)
		if (!/^\d+(\.\d+)?$/.test(value) || n < min || n > max)
			throw new Error(`must be seconds from ${min} to ${max}`)
		return n
	})
const oneOf = <const T extends string>(choices: readonly T[], help: string) =>
	setting(choices[0] as string, help, (value) => {
		if (!(choices as readonly string[]).includes(value))
			throw new Error(`must be one of ${choices.join(', ')}`)
		return value as T
	})
const list = (help: string) =>
	setting('', help, (value) =>
		value
			.split(',')
			.map((part) => part.trim())
			.filter((part) => part !== ''),
	)
const addresses = (help: string) =>
	setting('', help, (value) => {
		const parts = value
			.split(',')
			.map((part) => part.trim())
			.filter((part) => part !== '')
		const bad = parts.find((part) => isIP(part.replace(/\/\d{1,3}$/, '')) === 0)
		if (bad !== undefined) throw new Error(`${bad} is neither an address nor a CIDR`)
		return parts
	})
/** As `berth doctor` names them. */
const layers = [
	'user',
	'privileges',
	'files',
	'network',
	'processes',
	'descriptors',
	'dumps',
	'memory',
] as const
const layerNamed = (name: string) => {
	const layer = layers.find((one) => one === name)
	if (!layer) throw new Error(`there is no layer ${name}; there are ${layers.join(', ')}`)
	return layer
}
const httpUrl = (value: string): string => {
	const url = URL.canParse(value) ? new URL(value) : null
	if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
		throw new Error('must be an http or https URL')
	if (url.search || url.hash || url.username) throw new Error('must be a URL without query, fragment or user')
	return url.href.replace(/\/$/, '')
}

export const settings = {
	HOST: text('127.0.0.1', 'Address to listen on'),
	PORT: whole(8787, 0, 65_535, 'Port to listen on; 0 takes a free one'),
	BASE_URL: setting(
		'',
		'Address the outside reaches this host by; unset: from HOST and PORT',
		(value) => value && httpUrl(value),
	),
	DATA_DIR: setting(
		'./.berth',
		'Folder of the embedded database, the master key and the local operator token',
		(value) => resolve(value),
	),
	DATABASE_URL: text('', 'Postgres to use; unset: the embedded one in DATA_DIR'),
	MASTER_KEY_FILE: setting('', 'File of the master key; unset: master.key in DATA_DIR', (value, base) =>
		resolve(value || `${base.DATA_DIR}/master.key`),
	),
	DEPLOYMENT_DOMAIN: text('', 'Domain whose subdomains are deployments; unset: {BASE_URL}/d/{slug}'),
	EGRESS_ALLOW: list(
		'Hosts, host:port or CIDR, by commas, that outbound calls may reach though they are not public',
	),
	TRUST_PROXY: addresses('Addresses or CIDR, by commas, of proxies whose X-Forwarded-For is believed'),
	GUARD_ACCESS: oneOf(
		['testers', 'everyone'],
		'Who may use the guard: tester accounts only, or everyone for credits',
	),
	GUARD_JUDGE: setting(
		'builtin',
		'What answers the guard’s questions: builtin, openai, onnx, or several by commas, each asked where the one before is unsure',
		(value) => {
			const judges = value.split(',').map((name) => name.trim())
			const known = new Set(['builtin', 'openai', 'onnx'])
			if (!judges.every((name) => known.delete(name)))
				throw new Error('must be builtin, openai, onnx, or several of them by commas, each once')
			return judges
		},
	),
	GUARD_JUDGE_URL: text('', 'Base URL of an OpenAI-compatible server, for GUARD_JUDGE=openai'),
	GUARD_JUDGE_MODEL: text('', 'Model name there'),
	GUARD_JUDGE_KEY: text('', 'Key for it'),
	GUARD_JUDGE_DIR: text(
		'',
		'Folder that holds the cross-encoders nli, injection and reranker, for GUARD_JUDGE=onnx',
	),
	PROVIDER_TIMEOUT_SECONDS: seconds(120, 0.05, 3600, 'How long a provider or connector may stay silent'),
	HOST_LEASE_SECONDS: seconds(
		12,
		1,
		300,
		'How long a silent host keeps its runs before another takes them over',
	),
	SHUTDOWN_SECONDS: seconds(30, 0, 3600, 'How long a stop waits for runs in flight'),
	SANDBOX_REQUIRE: setting(
		'',
		'Layers, by commas, without which the host does not start: user, privileges, files, … (see berth doctor)',
		(value) => {
			const wanted = value.split(',').map((name) => name.trim())
			return wanted.filter((name) => name !== '').map(layerNamed)
		},
	),
	WARM_SPARES: whole(2, 0, 64, 'Sandboxes kept ready for the next busy deployment'),
	IDLE_STOP_SECONDS: seconds(300, 0.1, 86_400, 'How long a deployment’s sandbox outlives its last run'),
	MAX_CONCURRENT_RUNS: whole(1000, 1, 100_000, 'Runs in flight on this host; more answer 503'),
	MAX_RUN_STEPS: whole(200, 1, 10_000, 'Ceiling of an agent’s limits.steps'),
	MAX_RUN_SECONDS: whole(3600, 1, 86_400, 'Ceiling of limits.seconds'),
	MAX_RUN_TOKENS: whole(10_000_000, 1, 1_000_000_000, 'Ceiling of limits.tokens'),
	MAX_RUN_MEMORY_MB: whole(512, 16, 1024, 'Ceiling of limits.memory_mb'),
	MAX_RUN_USD: setting(
		'',
		'Ceiling of limits.usd in US dollars, and the limit of an agent that sets none; unset: no ceiling',
		(value) => {
			if (value === '') return undefined
			const n = Number(value)
			if (!/^\d+(\.\d+)?$/.test(value) || n <= 0 || n > 100_000)
				throw new Error('must be dollars over 0, at most 100000')
			return n
		},
	),
	WEBHOOK_RETRY_SECONDS: setting(
		'5,300,1800,7200,18000,36000,50400,72000,86400',
		'Seconds between one failed attempt of a webhook and the next, by commas',
		(value) =>
			value.split(',').map((part) => {
				const seconds = Number(part)
				if (part.trim() === '' || !(seconds >= 0 && seconds <= 604_800))
					throw new Error('must be seconds by commas')
				return seconds
			}),
	),
	WEBHOOK_TIMEOUT_SECONDS: seconds(15, 0.05, 60, 'How long a webhook’s receiver may take to answer'),
	METRICS_TOKEN: text('', 'Bearer token that /metrics asks for; unset: it is open to whoever reaches it'),
	LOG_LEVEL: setting('info', 'fatal, error, warn, info, debug, trace or silent', (value) => {
		const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']
		if (!levels.includes(value)) throw new Error(`must be one of ${levels.join(', ')}`)
		return value
	}),
} satisfies Record<string, Setting<unknown>>

export type SettingName = keyof typeof settings
export type Config = { [K in SettingName]: ReturnType<(typeof settings)[K]['read']> }

/** What no agent's `limits` may pass (contract 5). */
export function runCeilings(config: Config) {
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
const ours = /^(GUARD_|EGRESS_|MASTER_KEY|MAX_RUN|DEPLOYMENT_|BERTH_)/
/** Read by the command line and its launcher, not by the host. */
const elsewhere = new Set(['BERTH_URL', 'BERTH_TOKEN'])

/** What a launcher is to hand to the host: its settings, and what was meant to be one. */
export function isForHost(name: string): boolean {
	return name in settings || (ours.test(name) && !elsewhere.has(name))
}

export function readConfig(env: NodeJS.ProcessEnv): Config {
	const config: Record<string, unknown> = {}
	const faults: string[] = []
	for (const [name, row] of Object.entries<Setting<unknown>>(settings)) {
		try {
			config[name] = row.read(env[name]?.trim() || row.default, config)
		} catch (error) {
			faults.push(`${name}=${env[name]}: ${(error as Error).message}`)
		}
	}
	for (const name of Object.keys(env)) {
		if (isForHost(name) && !(name in settings)) faults.push(`${name}: there is no such setting`)
	}
	if (faults.length > 0) throw new ConfigError(faults)
	return config as Config
}
