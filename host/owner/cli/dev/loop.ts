/** What happens while `berth dev` is open: saves, runs, and what the terminal shows of them. */

import { relative, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { ApiError } from '../../client/index.ts'
import { faultLines } from '../failure.ts'
import { withFiles } from '../files.ts'
import { type InputOptions, inputsOf } from '../inputs.ts'
import { type Io, writeTo } from '../io.ts'
import { faultsOf, type Session } from './session.ts'
import { createTimeline } from './timeline.ts'
import { openTypeChecks } from './types.ts'
import { watchFolder } from './watch.ts'

export interface LoopOptions extends InputOptions {
	folders: string[]
	watch: boolean
	/** Files that are written here. */
	ignored: string[]
}

export function createRuns(io: Io, session: Session, options: LoopOptions) {
	const [main = '.'] = options.folders
	const from = relative(process.cwd(), main)
	const timeline = createTimeline(
		(text) => writeTo(process.stdout, text),
		// As a terminal can open them.
		(text) =>
			from === ''
				? text
				: text.replace(/(?<=^|[\s(])((?:skills\/|node_modules\/|agent\.ts)[^\s():]*:\d+)/gm, `${from}/$1`),
	)
	const note = (text: string) => (io.json ? io.note(text) : timeline.note(text))
	let current: AbortController | undefined
	let running: Promise<unknown> = Promise.resolve()
	let stopped = false

	/** Resolves with whether it succeeded; a run that is under way is cancelled. */
	function run(since?: number): Promise<boolean> {
		current?.abort()
		if (stopped) return Promise.resolve(false)
		current = new AbortController()
		const done = runOf(current, since)
		running = done.catch(() => undefined)
		return done
	}

	async function runOf(own: AbortController, since?: number): Promise<boolean> {
		let id: string | undefined
		try {
			let ok = false
			const at = session.main()
			const inputs = await withFiles(session.client, at, inputsOf(options, at), options.file)
			for await (const event of session.run(inputs, own.signal)) {
				id = event.run
				if (io.json) io.line(event, '')
				else timeline.event(event)
				if (event.type === 'run.completed') ok = true
			}
			if (since !== undefined)
				note(`  ${Math.round(performance.now() - since)} ms from the save to the result`)
			if (ok && id && !io.json) await tellOutput(id)
			return ok
		} catch (error) {
			if (own.signal.aborted) {
				if (id) await session.client.runs.cancel(session.main().url, id).catch(() => undefined)
				return false
			}
			if (!(error instanceof ApiError)) throw error
			for (const line of faultLines(error.problem as never)) note(`  ${line}`)
			return false
		}
	}

	/** Unless it stands there as the model's last words. */
	async function tellOutput(id: string): Promise<void> {
		const { output } = await session.client.runs.get(session.main().url, id)
		if (output === timeline.said()) return
		const text = typeof output === 'string' ? output : JSON.stringify(output, null, 2)
		note(`  ${text.replaceAll('\n', '\n  ')}`)
	}

	return {
		run,
		note,
		isStopped: () => stopped,
		/** Once the run that is under way is cancelled. None begins after it. */
		async stop() {
			stopped = true
			current?.abort()
			await running
		},
	}
}

export type Runs = ReturnType<typeof createRuns>

/** Until the session ends. `onRun`: whether a save, or Enter, begins a run. */
export function follow(io: Io, session: Session, options: LoopOptions, runs: Runs): () => void {
	let turn: Promise<unknown> = Promise.resolve()
	const next = (work: () => Promise<unknown>) => {
		turn = turn.then(work).catch((error: Error) => runs.note(`berth: ${error.message}`))
	}
	const types = openTypeChecks(runs.note)
	const ignored = new Set(options.ignored.map((file) => resolve(file)))
	const stops = options.folders.map((folder) =>
		watchFolder(
			folder,
			(file) => ignored.has(file),
			(since) => next(() => saved(folder, since)),
		),
	)
	async function saved(folder: string, since: number): Promise<void> {
		const before = session.version(folder)
		try {
			await session.update(folder)
		} catch (error) {
			const faults = faultsOf(error, folder)
			if (!faults) throw error
			for (const line of faults) runs.note(`✖ ${line}`)
			return runs.note(`  version ${before} goes on`)
		}
		types.check(folder)
		const version = session.version(folder)
		if (options.watch) void runs.run(since).catch((error: Error) => runs.note(`berth: ${error.message}`))
		else if (version !== before) {
			const ms = Math.round(performance.now() - since)
			runs.note(`version ${version} after ${ms} ms${process.stdin.isTTY ? '; Enter runs it' : ''}`)
		}
	}
	if (process.stdin.isTTY && !io.json) {
		const lines = createInterface({ input: process.stdin })
		lines.on('line', () => next(() => runs.run()))
		stops.push(() => lines.close())
	}
	for (const folder of options.folders) types.check(folder)
	return () => {
		types.close()
		for (const stop of stops) stop()
	}
}
