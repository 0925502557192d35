import { resolve } from 'node:path'
import type { Command } from 'commander'
import { filePlaces } from '../../../../bundles/index.ts'
import type { Credential } from '../../client/index.ts'
import { command, does } from '../command.ts'
import { createRuns, follow, type LoopOptions, type Runs } from '../dev/loop.ts'
import { agentFolders, openSession, type Session } from '../dev/session.ts'
import { strange } from '../dev/team.ts'
import { openTypeChecks } from '../dev/types.ts'
import { UsageError } from '../failure.ts'
import { checkedInputs, type InputOptions } from '../inputs.ts'
import { Interrupted, watchInterrupts } from '../interrupt.ts'
import type { Io } from '../io.ts'
import {
	fromEnvironment,
	type SecretOptions,
	secretFrom,
	secretOption,
	secretOptions,
	variableOf,
} from '../secrets.ts'
import { connectAll } from './connect.ts'

interface Options extends InputOptions, SecretOptions {
	watch?: boolean
	once?: boolean
	connect?: boolean
	browser: boolean
	record?: string
	replay?: string
}

export function devCommand(program: Command): void {
	secretOptions(
		command(
			program,
			'dev [dir...]',
			'run an agent as it is on disk, on a private host, and again when it is saved',
		),
	)
		.option('-i, --input <name=value...>', "an input; JSON unless the agent's schema says text")
		.option('--inputs <json>', 'all inputs as one JSON object; @FILE reads a file, - standard input')
		.option('-f, --file <name=path...>', 'a file for an input of type file')
		.option('--watch', 'run again on each save')
		.option('--once', 'end after the first run')
		.option('--connect', 'sign in to the connectors that need it')
		.option('--no-browser', 'with --connect, only print the address to open')
		.option('--record <file>', 'write what the model answers to a file')
		.option('--replay <file>', 'answer from such a file: offline, without a key')
		.action(
			does<Options>(async (io, given, ...args) => {
				const options = checkedInputs(given)
				const directories = [args[0] ?? []].flat()
				if (options.record && options.replay) throw new UsageError('--record and --replay exclude each other')
				if (options.watch && options.once) throw new UsageError('--watch and --once exclude each other')
				const folders = agentFolders(directories.length === 0 ? ['.'] : directories)
				const interrupts = watchInterrupts()
				let session: Session | undefined
				let runs: Runs | undefined
				try {
					const begun = performance.now()
					const { record, replay } = options
					const opening = openSession(io, {
						folders,
						record: record && resolve(record),
						replay: replay && resolve(replay),
						keyVariables: keyVariables(options.providerKeyEnv),
						secretOf: (need, others) => secretOf(io, options, need, others),
						onNote: io.note,
					})
					session = await interrupts.race(opening).catch(async (error: unknown) => {
						void opening.then(({ close }) => close()).catch(() => undefined)
						throw error
					})
					io.step(
						`Ready after ${((performance.now() - begun) / 1000).toFixed(1)} s. Console, signs in once: ${session.link}`,
					)
					if (options.connect) await interrupts.race(connectAll(io, session.client, session.main(), options))
					const { watch = false } = options
					const loop = { ...options, folders, watch, ignored: record ? [record] : [] }
					runs = createRuns(io, session, loop)
					await interrupts.race(Promise.race([session.broken, work(io, session, runs, loop)]))
				} catch (error) {
					// A person has had enough; that is how it ends, but for what ends by itself.
					if (options.once || !(error instanceof Interrupted)) throw error
				} finally {
					// First: a host that is told to end lets a run go on.
					await runs?.stop()
					await session?.close()
					interrupts.close()
				}
			}),
		)
}

/** `VAR` for the first model's key, `NAME=VAR` for another's. */
function keyVariables(given: string[] = []): Map<string, string> {
	return new Map(
		given.map((one) => {
			const at = one.indexOf('=')
			return [one.slice(0, Math.max(0, at)), one.slice(at + 1)]
		}),
	)
}

async function work(io: Io, session: Session, runs: Runs, options: Options & LoopOptions): Promise<void> {
	const { folders, watch } = options
	const { name, url, agent } = session.main()
	const given = [options.input, options.inputs, options.file].some((one) => one !== undefined)
	const required = (agent.inputs.required ?? []) as string[]
	const runnable = given || required.length === 0
	const takes = `${name} takes inputs: ${required.map((one) => optionOf(agent.inputs, one)).join(' ')}`
	if (options.once) {
		if (!runnable) throw new UsageError(takes)
		return runOnce(session, runs, folders)
	}
	if (runnable) await runs.run()
	else runs.note(takes)
	if (runs.isStopped()) return
	const stop = follow(io, session, options, runs)
	runs.note(`${name} answers at ${url}; saves are built${watch ? ' and run' : ''}, Ctrl-C ends`)
	try {
		await session.broken
	} finally {
		stop()
	}
}

/** A fault of the types is told, and does not make a run that succeeded a failed one. */
async function runOnce(session: Session, runs: Runs, folders: string[]): Promise<void> {
	const types = openTypeChecks(runs.note)
	try {
		for (const folder of folders) types.check(folder)
		if (!(await runs.run()) && !runs.isStopped()) process.exitCode = 1
		await Promise.race([types.told(), session.broken])
	} finally {
		types.close()
	}
}

function optionOf(inputs: object, name: string): string {
	const isFile = filePlaces(inputs).some((place) => place.name === name)
	return isFile ? `--file ${name}=PATH` : `--input ${name}=…`
}

/** From the environment, or asked for. Without one the run says what is missing. */
async function secretOf(
	io: Io,
	options: Options,
	need: Credential,
	others: string[],
): Promise<Record<string, string> | undefined> {
	const variable = variableOf(need, options)
	if (variable !== undefined) return secretFrom(need.kind, fromEnvironment(variable))
	const hint = need.kind === 'oauth' ? 'berth dev --connect' : secretOption(need)
	const meant = strange(need.needed_by, others)
	io.note(`${need.name} is missing for ${need.needed_by}: ${hint}${meant ? ` (${meant})` : ''}`)
	return undefined
}
