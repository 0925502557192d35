import type { Command } from 'commander'
import { canonicalUrl, keyName, PROVIDER } from '../../../bundles/index.ts'
import { type Client, type Credential, seal } from '../client/index.ts'
import { CommandError, UsageError } from './failure.ts'
import type { Io } from './io.ts'

export interface SecretOptions {
	providerKeyEnv?: string[]
	bearerEnv?: string[]
	secretEnv?: string[]
}

type Need = Pick<Credential, 'name' | 'kind' | 'needed_by' | 'aud'>

/** Values never come as arguments: those are seen by every process of the machine and kept in shell histories. */
export function secretOptions(command: Command): Command {
	return command
		.option(
			'--provider-key-env <var>',
			"environment variable that holds the provider's key; NAME=VAR: another key of the agent (may be repeated)",
			(text: string, before: string[] = []) => [...before, text],
		)
		.option(
			'--bearer-env <name=var...>',
			"environment variable with a connector's token, by its address or the name that berth credentials shows",
		)
		.option('--secret-env <name=var...>', 'environment variable with a secret of `http` in agent.yaml')
}

/** The values for what the agent needs; connectors with OAuth are signed in later (`berth connect`). */
export async function gatherSecrets(
	io: Io,
	needs: Need[],
	options: SecretOptions,
): Promise<Map<string, Record<string, string>>> {
	const secrets = new Map<string, Record<string, string>>()
	for (const need of needs) {
		const { name, kind, needed_by } = need
		if (kind === 'oauth') continue
		const variable = variableOf(need, options)
		if (variable !== undefined) secrets.set(name, secretFrom(kind, fromEnvironment(variable)))
		else if (io.interactive)
			secrets.set(name, secretFrom(kind, await askFor(io, `${wordOf(need)} for ${needed_by}`)))
		else throw new UsageError(`the agent needs ${name} (${needed_by}): ${secretOption(need)}`)
	}
	return secrets
}

/** Undefined: its owner is asked. */
export function variableOf(
	need: Pick<Need, 'name' | 'kind' | 'aud'>,
	options: SecretOptions,
): string | undefined {
	const { name, kind } = need
	if (kind === 'provider') return providerKeys(options.providerKeyEnv).get(name)
	if (kind === 'secret') return assigned(options.secretEnv, '--secret-env').get(secretName(name))
	return [...assigned(options.bearerEnv, '--bearer-env')].findLast(([given]) => isNamed(need, given))?.[1]
}

/** A connector's credential goes by its name, with or without `connector:`, and by the connector's address. */
export function isNamed({ name, aud }: Pick<Need, 'name' | 'aud'>, given: string): boolean {
	// An address with a password is none of a connector.
	const url = /^https?:\/\/[^@]+$/i.test(given) && URL.canParse(given)
	return url ? canonicalUrl(given) === aud : [name, name.replace(/^connector:/, '')].includes(given)
}

/** A name that stands for nothing is a typing error. `needs`: all that the agent has. */
export function requireNamed(needs: Need[], { providerKeyEnv, bearerEnv, secretEnv }: SecretOptions): void {
	const keys = needs.filter(({ kind }) => kind === 'provider')
	for (const name of providerKeys(providerKeyEnv).keys())
		if (!keys.some((need) => need.name === name))
			throw new UsageError(
				`--provider-key-env ${keyName(name)}: the agent needs ${keys.map(secretOption).join(', ') || 'no key of a model'}`,
			)
	for (const [option, given, wanted, isMeant] of [
		['--bearer-env', bearerEnv, 'bearer', isNamed],
		['--secret-env', secretEnv, 'secret', (need: Need, name: string) => secretName(need.name) === name],
	] as const) {
		const known = needs.filter(({ kind }) => kind === wanted)
		for (const name of assigned(given, option).keys()) {
			if (known.some((need) => isMeant(need, name))) continue
			const words = known.map(secretOption).join(', ') || `no ${option}`
			const wants = needs.some((need) => need.kind === 'oauth' && isMeant(need, name))
				? 'this connector takes no token: it wants a sign-in with OAuth (`berth connect`)'
				: `the agent needs ${words}`
			throw new UsageError(`${option} ${name}: ${wants}`)
		}
	}
}

/** Of a dry run: what is given is needed, and is there. Nobody is asked for the rest. */
export function requireGiven(needs: Need[], options: SecretOptions): void {
	requireNamed(needs, options)
	for (const need of needs) {
		const variable = need.kind === 'oauth' ? undefined : variableOf(need, options)
		if (variable !== undefined) fromEnvironment(variable)
	}
}

/** By credential. The one without a name is of the agent's first model. */
function providerKeys(texts: string[] = []): Map<string, string> {
	const [plain, named] = [
		texts.filter((text) => !text.includes('=')),
		texts.filter((text) => text.includes('=')),
	]
	if (plain.length > 1)
		throw new UsageError(`--provider-key-env has ${plain.length} keys without a name: write NAME=VAR`)
	const others = [...assigned(named, '--provider-key-env')].map(
		([name, variable]) => [`${PROVIDER}:${name}`, variable] as const,
	)
	return new Map([...plain.map((variable) => [PROVIDER, variable] as const), ...others])
}

/** As `agent.yaml` names it: `crm` of the credential `http:crm`. */
const secretName = (credential: string) => credential.replace(/^http:/, '')

function wordOf({ name, kind }: Need): string {
	if (kind === 'provider') return name === PROVIDER ? 'Key' : `Key ${keyName(name)}`
	return kind === 'secret' ? `Secret ${secretName(name)}` : 'Token'
}

/** To be typed. */
export function secretOption({ name, kind }: Pick<Need, 'name' | 'kind'>): string {
	if (kind === 'provider') return `--provider-key-env ${name === PROVIDER ? 'VAR' : `${keyName(name)}=VAR`}`
	return kind === 'secret' ? `--secret-env ${secretName(name)}=VAR` : `--bearer-env ${name}=VAR`
}

/** Seals each on this machine and sends the ciphertext. */
export async function upload(
	io: Io,
	client: Client,
	deployment: { id: string; url: string; sealing_key: Record<string, string>; credentials: Need[] },
	secrets: Map<string, Record<string, unknown>>,
	token?: string,
): Promise<void> {
	for (const { name, aud } of deployment.credentials) {
		const secret = secrets.get(name)
		if (!secret) continue
		io.step(`Sealing ${name} for ${aud}, and uploading it …`)
		const jwe = await seal(deployment.sealing_key, { deployment: deployment.id, name, aud }, secret)
		await client.deployments.putCredential(deployment.url, name, jwe, token)
	}
}

/** An empty one could never work. */
async function askFor(io: Io, question: string): Promise<string> {
	for (;;) {
		const value = await io.askSecret(question)
		if (value !== '') return value
		io.note('Nothing was typed; Ctrl-C gives up.')
	}
}

export function secretFrom(kind: Need['kind'], value: string): Record<string, string> {
	if (kind === 'provider') return { api_key: value }
	return kind === 'secret' ? { secret: value } : { token: value }
}

export function fromEnvironment(variable: string): string {
	const value = process.env[variable]?.trim()
	if (!value) throw new CommandError(`the environment variable ${variable} is not set`)
	return value
}

function assigned(texts: string[] = [], option: string): Map<string, string> {
	return new Map(
		texts.map((text) => {
			const cut = text.lastIndexOf('=')
			if (cut < 1) throw new UsageError(`${option} takes NAME=VAR, not "${text}"`)
			return [text.slice(0, cut), text.slice(cut + 1)]
		}),
	)
}
