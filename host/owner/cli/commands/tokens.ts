import type { Command } from 'commander'
import type { Client } from '../../client/index.ts'
import { command, does } from '../command.ts'
import { UsageError } from '../failure.ts'
import type { Io } from '../io.ts'
import { tellList } from '../list.ts'
import { session } from '../session.ts'
import { until, untilHelp } from '../time.ts'

interface Context {
	io: Io
	account: Client['account']
	/** Name of a new one, id of one to revoke. */
	value: string | undefined
	expires: string | undefined
}

const actions = { list, create, revoke }

export function tokensCommand(program: Command): void {
	command(program, 'tokens [action] [value]', 'personal access tokens', actions)
		.option('--expires <time>', `with create: when it ends: ${untilHelp} (default: never)`, until)
		.addHelpText('after', '\n  list · create NAME · revoke ID')
		.action(
			does<{ expires?: string }>(async (io, { expires }, action = 'list', value) => {
				await actions[action as keyof typeof actions]({ io, account: session(io).account, value, expires })
			}),
		)
}

async function list({ io, account }: Context): Promise<void> {
	tellList(io, await account.tokens(), {
		none: 'No tokens.',
		head: ['ID', 'NAME', 'CREATED', 'LAST USED', 'ENDS'],
		row: ({ id, name, created_at, last_used_at, expires_at }) => [
			id,
			name,
			created_at,
			last_used_at ?? 'never',
			expires_at ?? 'never',
		],
	})
}

async function create({ io, account, value, expires }: Context): Promise<void> {
	if (!value) throw new UsageError('tokens create takes a name for it')
	const issued = await account.createToken(value, expires)
	io.result(issued, `Personal access token (shown this once): ${issued.token}`)
}

async function revoke({ io, account, value }: Context): Promise<void> {
	if (!value) throw new UsageError('tokens revoke takes the id of a token')
	await account.revokeToken(value)
	io.result({ id: value, revoked: true }, `${value} is revoked`)
}
