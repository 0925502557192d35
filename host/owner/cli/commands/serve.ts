import type { Command } from 'commander'
import { command, does } from '../command.ts'
import { UsageError } from '../failure.ts'

/** For the help alone: the launcher starts the host itself, without this program and without its environment. */
export function serveCommand(program: Command): void {
	command(program, 'serve', 'run a host; its settings are environment variables (berth settings)')
		.allowExcessArguments()
		.action(
			does(async () => {
				throw new UsageError(
					'serve takes no arguments; its settings are environment variables: berth settings',
				)
			}),
		)
}
