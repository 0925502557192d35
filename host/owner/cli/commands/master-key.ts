import type { Command } from 'commander'
import type { Where } from '../backups.ts'
import { built } from '../built.ts'
import { command, does } from '../command.ts'
import { CommandError } from '../failure.ts'
import { type Io, table } from '../io.ts'
import { withPlace } from '../place.ts'

interface Status {
	check: string | null
	previous: string | null
	done: boolean
	hosts: { id: string; address: string | null; keys: string[] | null }[]
}
interface State {
	status(where: Where): Promise<Status>
	rotate(where: Where, to: string): Promise<void>
}
interface KeyFile {
	checksIn(file: string): string[]
	addKey(file: string): string
	keepKey(file: string, check: string): void
}

/** Check values tell keys apart, and are no secrets. */
const short = (check: string) => check.slice(0, 8)

type Keys = State & KeyFile & { where: Where }

const withKeys = (work: (keys: Keys) => Promise<void>): Promise<void> =>
	withPlace(async (where) => {
		const programs = [built<State>('master-key-state.mjs'), built<KeyFile>('master-key.mjs')] as const
		const [state, keys] = await Promise.all(programs)
		await work({ ...state, ...keys, where })
	})

const actions = { status, add, rotate, drop }

export function masterKeyCommand(program: Command): void {
	const summary = 'change the master key while the hosts run'
	command(program, 'master-key <action>', summary, actions).action(
		does(async (io, _options, action = '') =>
			withKeys((keys) => actions[action as keyof typeof actions](io, keys)),
		),
	)
}

/** Which keys the hosts hold, and whether the old one is still needed. */
async function status(io: Io, { status, where }: Keys): Promise<void> {
	const found = await status(where)
	const { check, previous, done, hosts } = found
	const rows = [
		['in use', check === null ? 'none yet' : short(check)],
		...(previous === null
			? []
			: [['before', `${short(previous)}, ${done ? 'needed no more' : 'still needed'}`]]),
		...hosts.map(({ id, keys }) => [id, keys?.map(short).join(', ') ?? 'not known']),
	]
	io.result(found, table(rows))
}

/** A new key in the file, beside the one in use. */
async function add(io: Io, { addKey, checksIn, status, where }: Keys): Promise<void> {
	const [first, second] = checksIn(where.MASTER_KEY_FILE)
	if (second !== undefined) {
		const found = await status(where).catch(() => null)
		const used = [first, second].includes(found?.previous ?? '') || found?.check === second
		if (found?.check && used)
			throw new CommandError(
				`a change is under way, to the key ${short(found.check)}: run berth master-key drop first`,
			)
	}
	const check = addKey(where.MASTER_KEY_FILE)
	const next = 'Copy the file to all hosts (mode 0600), then: berth master-key rotate'
	io.result({ check }, `The new key is ${short(check)}. Nothing uses it yet.\n${next}`)
}

/** All hosts use the new key, and encrypt every stored secret anew. */
async function rotate(io: Io, { rotate, checksIn, status, where }: Keys): Promise<void> {
	const [first, check] = checksIn(where.MASTER_KEY_FILE)
	if (!check) throw new CommandError('there is no new key in MASTER_KEY_FILE: berth master-key add')
	const found = await status(where)
	// Asked again in the middle of a change, it is the same change.
	if (found.check === check && found.previous !== first)
		throw new CommandError(
			`the second line of MASTER_KEY_FILE, ${short(check)}, is the key in use: the new key must be the second line`,
		)
	await rotate(where, check)
	const next = 'When berth master-key status says that the old one is needed no more: berth master-key drop'
	io.result({ check }, `The key in use is ${short(check)}. Hosts encrypt stored secrets anew.\n${next}`)
}

/** The key before leaves the file; a new one, which comes second or is held by hosts beside the one in use, does not. */
async function drop(io: Io, { status, checksIn, keepKey, where }: Keys): Promise<void> {
	const { check, previous, done, hosts } = await status(where)
	if (check === null || !done)
		throw new CommandError('stored secrets still need the old key; see berth master-key status')
	const keys = checksIn(where.MASTER_KEY_FILE)
	const other = keys.find((key) => key !== check)
	const isNew = other === keys[1] || hosts.some(({ keys }) => keys?.includes(other ?? ''))
	if (other !== undefined && other !== previous && keys.includes(check) && isNew)
		throw new CommandError(`the new key ${short(other)} is not in use yet: run berth master-key rotate first`)
	keepKey(where.MASTER_KEY_FILE, check)
	io.result({ check }, `MASTER_KEY_FILE holds the key in use alone, ${short(check)}. Copy it to all hosts.`)
}
