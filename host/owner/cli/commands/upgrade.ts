import type { Command } from 'commander'
import type { Where } from '../backups.ts'
import { built, distDir } from '../built.ts'
import { command, does } from '../command.ts'
import { CommandError } from '../failure.ts'
import { withPlace } from '../place.ts'

/** As host/upgrade says it, which the client's package does not hold. */
interface Upgrade {
	berth: string
	made_by: string | null
	pending_migrations: number
	hosts: { id: string; version: string | null; address: string | null }[]
	live_runs: number
	lost_runs: number
	fault: string | null
}
interface Program {
	check(where: Where, guests: string[]): Promise<Upgrade>
	upgrade(where: Where, guests: string[]): Promise<Upgrade>
	guestsIn(dist: string): string[]
}

export function upgradeCommand(program: Command): void {
	command(program, 'upgrade', 'bring the database of the hosts to the schema of this build, while they run')
		.option('--check', 'say what it would do, and change nothing')
		.action(
			does<{ check?: true }>(async (io, options) => {
				await withPlace(async (where) => {
					const { check, upgrade, guestsIn } = await built<Program>('upgrade.mjs')
					const found = await (options.check ? check : upgrade)(where, guestsIn(distDir))
					if (found.fault !== null) throw new CommandError(found.fault)
					io.result({ ...found, done: !options.check }, words(found, !options.check))
				})
			}),
		)
}

function words(found: Upgrade, done: boolean): string {
	const { berth, made_by, pending_migrations: pending, hosts, live_runs, lost_runs } = found
	const steps = pending === 1 ? '1 migration' : `${pending} migrations`
	const lines = [
		pending === 0
			? `The schema is that of this build, Berth ${berth}.`
			: done
				? `${steps} applied. The schema is now that of Berth ${berth}.`
				: `${steps} to apply: from Berth ${made_by ?? '(none)'} to ${berth}.`,
		...hosts.map(
			({ id, version, address }) => `Host ${id}, Berth ${version ?? '?'}, ${address ?? '?'} runs on it.`,
		),
	]
	if (pending > 0 && hosts.length > 0)
		lines.push('Hosts that run go on. One that is started with an older build refuses to start.')
	if (live_runs > 0)
		lines.push(
			live_runs === 1
				? '1 run has not ended; it continues.'
				: `${live_runs} runs have not ended; they continue.`,
		)
	if (lost_runs > 0)
		lines.push(
			`${lost_runs} of them began two releases ago: ${lost_runs === 1 ? 'it' : 'they'} may end as replay_diverged. Wait for the end first.`,
		)
	if (pending > 0 && !done) lines.push('Back up first: berth backup FOLDER')
	return lines.join('\n')
}
