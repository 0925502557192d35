import type { Command } from 'commander'
import { type Client, runKeyScopes } from '../../client/index.ts'
import { command, does } from '../command.ts'
import { UsageError } from '../failure.ts'
import type { Io } from '../io.ts'
import { someOf, tellList } from '../list.ts'
import { findDeployment, session } from '../session.ts'
import { until, untilHelp } from '../time.ts'

interface Options {
	name?: string
	scopes?: string[]
	expires?: string
}

interface Context {
	io: Io
	deployments: Client['deployments']
	deployment: string
	key: string | undefined
	options: Options
}

const actions = { list, create, revoke }

/** Run keys. Their values are shown once, when they are made. */
export function keysCommand(program: Command): void {
	command(program, 'keys <name> [action] [id]', 'run keys of a deployment', actions)
		.option('--name <name>', 'with create: what you know it by')
		.option(
			'--scopes <scope...>',
			`with create: ${runKeyScopes.join(', ')} (default: the first three)`,
			someOf(runKeyScopes),
		)
		.option('--expires <time>', `with create: when it ends: ${untilHelp} (default: never)`, until)
		.addHelpText('after', '\n  list · create · revoke ID')
		.action(
			does<Options>(async (io, options, name, action = 'list', key) => {
				const { deployments } = session(io)
				const { id } = await findDeployment({ deployments }, name)
				await actions[action as keyof typeof actions]({ io, deployments, deployment: id, key, options })
			}),
		)
}

async function list({ io, deployments, deployment }: Context): Promise<void> {
	tellList(io, await deployments.keys(deployment), {
		none: 'No run keys.',
		head: ['ID', 'NAME', 'SCOPES', 'LAST USED', ''],
		row: ({ id, name, scopes, last_used_at, expires_at, revoked_at }) => [
			id,
			name,
			scopes.join(','),
			last_used_at ?? 'never',
			revoked_at ? `revoked ${revoked_at}` : expires_at ? `ends ${expires_at}` : '',
		],
	})
}

async function create({ io, deployments, deployment, options }: Context): Promise<void> {
	const { name, scopes, expires } = options
	const issued = await deployments.createKey(deployment, {
		...(name !== undefined && { name }),
		...(scopes && { scopes }),
		...(expires !== undefined && { expires_at: expires }),
	})
	io.result(issued, `Run key (shown this once): ${issued.run_key}`)
}

async function revoke({ io, deployments, deployment, key }: Context): Promise<void> {
	if (!key) throw new UsageError('keys revoke takes the id of a run key')
	const revoked = await deployments.revokeKey(deployment, key)
	io.result(revoked, `${revoked.id} is revoked`)
}
