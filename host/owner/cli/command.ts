import type { Command } from 'commander'
import { fail } from './failure.ts'
import { Interrupted } from './interrupt.ts'
import { createIo, type Io } from './io.ts'

type CommandAction<Options> = (io: Io, options: Options, ...args: string[]) => Promise<void>

/** A command with what all have: `--json`, one way to speak, one way to fail. `actions`: what its `action` may be. */
export function command(program: Command, spec: string, summary: string, actions: object = {}): Command {
	const names = Object.keys(actions)
	const made = program.command(spec)
	made.registeredArguments.find((argument) => argument.name() === 'action')?.choices(names)
	return made
		.description(names.length === 0 ? summary : `${summary}: ${names.join(', ')}`)
		.option('--json', 'one JSON document on stdout')
		.option('--verbose', 'show what goes over the wire, secrets shortened')
}

export function does<Options extends object>(
	run: CommandAction<Options>,
): (...args: unknown[]) => Promise<void> {
	return async (...args) => {
		const [options, called] = args.splice(-2) as [Options & { json?: boolean; verbose?: boolean }, Command]
		const io = createIo(options)
		try {
			await run(io, options, ...(args as string[]))
		} catch (error) {
			process.exitCode = fail(io, error, called.options)
			// The call that was given up would keep the process until it is answered.
			if (error instanceof Interrupted) process.exit()
		}
	}
}
