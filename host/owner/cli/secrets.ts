import type { Command } from 'commander'
import { type Client, type Credential, seal } from '../client/index.ts'
import { CommandError, UsageError } from './failure.ts'
import type { Io } from './io.ts'

export interface SecretOptions {
	providerKeyEnv?: string
	bearerEnv?: string[]
}

type Need = Pick<Credential, 'name' | 'kind' | 'needed_by' | 'aud'>

/** Values never come as arguments: those are seen by every process of the machine and kept in shell histories. */
export function secretOptions(command: Command): Command {
	return command
		.option('--provider-key-env <var>', 'environment variable that holds the provider key')
		.option(
			'--bearer-env <name=var...>',
			"environment variable with a connector's token, by the credential's name",
		)
}

/** The values for what the agent needs; connectors with OAuth are signed in later (`berth connect`). */
export async function gatherSecrets(
	io: Io,
	needs: Need[],
	options: SecretOptions,
): Promise<Map<string, Record<string, string>>> {
	const secrets = new Map<string, Record<string, string>>()
	const variables = new Map((options.bearerEnv ?? []).map(assignment))
	for (const { name, kind, needed_by } of needs) {
		if (kind === 'oauth') continue
		const variable = kind === 'provider' ? options.providerKeyEnv : variables.get(name)
		if (variable !== undefined) secrets.set(name, secretOf(kind, fromEnvironment(variable)))
		else if (io.interactive)
			secrets.set(
				name,
				secretOf(kind, await askFor(io, `${kind === 'provider' ? 'Key' : 'Token'} for ${needed_by}`)),
			)
		else {
			const option = kind === 'provider' ? '--provider-key-env VAR' : `--bearer-env ${name}=VAR`
			throw new UsageError(`the agent needs ${name} (${needed_by}): ${option}`)
		}
	}
	return secrets
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

function secretOf(kind: Need['kind'], value: string): Record<string, string> {
	return kind === 'provider' ? { api_key: value } : { token: value }
}

export function fromEnvironment(variable: string): string {
	const value = process.env[variable]?.trim()
	if (!value) throw new CommandError(`the environment variable ${variable} is not set`)
	return value
}

function assignment(text: string): [string, string] {
	const cut = text.lastIndexOf('=')
	if (cut < 1) throw new UsageError(`--bearer-env takes NAME=VAR, not "${text}"`)
	return [text.slice(0, cut), text.slice(cut + 1)]
}
