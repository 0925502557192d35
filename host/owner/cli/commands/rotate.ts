import type { Command } from 'commander'
import type { RunKey } from '../../client/index.ts'
import { command, does } from '../command.ts'
import { CommandError } from '../failure.ts'
import { findDeployment, session } from '../session.ts'
import { duration } from '../time.ts'

export function rotateCommand(program: Command): void {
	command(program, 'rotate <name>', 'issue a new run key; the old one works on for a while')
		.option('--key <id>', 'which key (default: the newest that was not rotated)')
		.option(
			'--overlap <time>',
			'how long the old key still works: seconds, or 90m, 24h, 30d (default: a day)',
			duration(30 * 86_400),
		)
		.action(
			does<{ key?: string; overlap?: number }>(async (io, { key, overlap }, name) => {
				const client = session(io)
				const { id } = await findDeployment(client, name)
				const { data } = await client.deployments.keys(id)
				const live = data.filter(({ revoked_at }) => revoked_at === null)
				// Ids sort by the time they were made.
				const old =
					key ??
					live
						.filter(
							(known) => !live.some((other) => other.lineage === known.lineage && outlives(other, known)),
						)
						.filter((known) => until(known) > Date.now())
						.map((known) => known.id)
						.sort()
						.at(-1)
				if (key !== undefined && !live.some((known) => known.id === key)) {
					throw new CommandError(`${name} has no live key ${key}`)
				}
				const issued = old
					? await client.deployments.rotateKey(id, old, overlap && Math.round(overlap))
					: await client.deployments.createKey(id)
				const place = old ? `${issued.name}: ${issued.id} in place of ${old}` : `${issued.name}: ${issued.id}`
				io.result(issued, `${place}\nRun key (shown this once): ${issued.run_key}`)
			}),
		)
}

type Key = Pick<RunKey, 'expires_at'>
const until = ({ expires_at }: Key) =>
	expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at)
/** As a successor does its key, which works on for the overlap only. */
const outlives = (one: Key, other: Key) => until(one) > until(other)
