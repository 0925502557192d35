import type { Command } from 'commander'
import { canonicalUrl } from '../../../../bundles/index.ts'
import {
	beginConnect,
	type Client,
	type ConnectOptions,
	type Credential,
	type Deployment,
} from '../../client/index.ts'
import { command, does } from '../command.ts'
import { CommandError, UsageError } from '../failure.ts'
import type { Io } from '../io.ts'
import { tellList } from '../list.ts'
import {
	fromEnvironment,
	gatherSecrets,
	isNamed,
	requireNamed,
	type SecretOptions,
	secretOptions,
	upload,
} from '../secrets.ts'
import { findDeployment, session } from '../session.ts'
import { requirePerson, signInBy } from '../sign-in.ts'

interface Options extends SecretOptions {
	browser: boolean
	all?: boolean
	connector?: string
	clientId?: string
	clientSecretEnv?: string
}

/**
 * Signs in to the connectors that need it (spec connect.sign-in); the tokens are sealed here and only the runtime opens
 * them.
 */
export function connectCommand(program: Command): void {
	secretOptions(command(program, 'connect <name>', 'sign in to the connectors of a deployment'))
		.option('--all', 'also those that are signed in already')
		.option('--connector <name>', 'only this one, by its address or the name that berth credentials shows')
		.option('--client-id <id>', 'the client you registered at its authorization server')
		.option('--client-secret-env <var>', "environment variable with that client's secret")
		.option('--no-browser', 'only print the address to open')
		.action(
			does<Options>(async (io, options, name) => {
				const client = session(io)
				const deployment = await findDeployment(client, name)
				requireNamed(deployment.credentials, options)
				await connectAll(io, client, deployment, options)
				const { credentials } = await client.deployments.get(deployment.id)
				const connectors = credentials.filter(isConnector)
				tellList(
					io,
					{ data: connectors },
					{
						none: `${deployment.name} has no connector that needs a sign-in (auth: oauth or bearer in agent.yaml)`,
						head: ['CONNECTOR', 'STATE', ''],
						row: ({ needed_by, state, last_error }) => [needed_by, state, last_error ?? ''],
					},
				)
			}),
		)
}

const isConnector = ({ kind }: Credential) => kind === 'oauth' || kind === 'bearer'

/** One by one, each stored before the next: what is done stays done. */
export async function connectAll(
	io: Io,
	client: Client,
	deployment: Deployment,
	options: Options,
): Promise<void> {
	const needs = needed(deployment, options)
	const known = clientOf(needs, options)
	if (needs.some(({ kind }) => kind === 'oauth'))
		requirePerson(io, options.browser, '--no-browser prints the address to open')
	for (const need of needs) {
		const how = { browser: options.browser, host: client.baseUrl, client: known }
		const secret =
			need.kind === 'oauth'
				? new Map([[need.name, await signIn(io, deployment, need, how)]])
				: await gatherSecrets(io, [need], options)
		await upload(io, client, deployment, secret)
		io.note(`Connected: ${need.needed_by}`)
	}
}

function needed({ name, credentials }: Deployment, { all, connector }: Options): Credential[] {
	const connectors = credentials.filter(isConnector)
	if (connector !== undefined && !connectors.some((one) => isNamed(one, connector))) {
		const names = connectors.map((one) => one.name).join(', ') || 'none'
		throw new UsageError(`${name} has no connector ${connector}; it has ${names}`)
	}
	return connectors.filter(
		(one) => (all || one.state !== 'ready') && (connector === undefined || isNamed(one, connector)),
	)
}

/** A client is one server's: it is never shown to another. */
function clientOf(needs: Credential[], { clientId, clientSecretEnv }: Options): ConnectOptions['client'] {
	if (clientId === undefined) {
		if (clientSecretEnv !== undefined) throw new UsageError('--client-secret-env needs --client-id')
		return undefined
	}
	const names = needs.filter(({ kind }) => kind === 'oauth').map(({ name }) => name)
	if (names.length > 1)
		throw new UsageError(`--client-id is for one connector: --connector ${names.join(' or --connector ')}`)
	return {
		id: clientId,
		secret: clientSecretEnv === undefined ? undefined : fromEnvironment(clientSecretEnv),
	}
}

async function signIn(
	io: Io,
	{ agent }: Deployment,
	{ needed_by, scope, missing_scope }: Credential,
	{ browser, host, client }: { browser: boolean; host: string; client: ConnectOptions['client'] },
): Promise<Record<string, unknown>> {
	const required = agent.requires.find(({ connector }) => canonicalUrl(String(connector)) === needed_by)
	if (!required) throw new CommandError(`the agent no longer requires ${needed_by}`)
	io.progress(`Looking at ${needed_by} …`)
	const more = missing_scope === null ? [] : `${scope ?? ''} ${missing_scope}`.split(' ').filter(Boolean)
	if (missing_scope !== null) io.note(`${needed_by} asks for more than it was allowed: ${missing_scope}`)
	const signedIn = await signInBy(io, browser, (redirectUri) =>
		beginConnect(needed_by, redirectUri, {
			scopes: required.scopes as string[],
			more,
			host,
			...(client && { client }),
		}),
	)
	const given = String(signedIn.scope ?? '').split(' ')
	const refused = missing_scope?.split(' ').filter((name) => !given.includes(name)) ?? []
	if (refused.length > 0)
		io.note(
			`${needed_by} still does not allow ${refused.join(' ')}: calls that need it fail. Connecting again does not help; ask who runs it.`,
		)
	return signedIn
}
