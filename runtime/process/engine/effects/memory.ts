import type { EventType } from '../../../wire/journal.ts'
import type { Effect } from '../../../wire/recorded-effect.ts'
import { askMemory, changeOf, takeRead } from '../memory.ts'
import type { Run } from '../run.ts'
import { settle } from '../settle.ts'
import { argsOf, type Handler, optionalVersion, text } from './handler.ts'

function answer(run: Run, effect: Effect, value: object, changed?: Record<string, unknown>): void {
	const type: EventType = changed ? 'memory.changed' : 'effect.completed'
	const data = changed ?? { method: effect.method }
	const result = JSON.stringify(value)
	settle(run, effect, { type, ok: true, result: changed ? result : takeRead(run, result), data })
}

export const memoryList: Handler = {
	async run(run, effect) {
		const path = text(argsOf<'memory.list'>(effect.args).path ?? '', 'path')
		const { entries } = await askMemory(run, 'memory.list', { deployment: run.begin.deployment, path })
		answer(run, effect, { entries })
	},
}

export const memoryRead: Handler = {
	async run(run, effect) {
		const path = text(argsOf<'memory.read'>(effect.args).path, 'path')
		const file = await askMemory(run, 'memory.read', { deployment: run.begin.deployment, path })
		run.guest.known.set(path, file.version)
		answer(run, effect, file)
	},
	replayed: learn,
}

/**
 * What led to a write is committed before it is made: a program that is run again after a crash asks for the very same
 * write, and is answered as the first time. Without a version it goes over what this program has read or written last,
 * else only where there is nothing.
 */
export const memoryWrite: Handler = {
	async run(run, effect) {
		const args = argsOf<'memory.write'>(effect.args)
		const path = text(args.path, 'path')
		const content = text(args.content, 'content')
		const expected = optionalVersion(args.version) ?? run.guest.known.get(path) ?? 0
		await run.recorder.barrier()
		if (run.over) return
		const change = changeOf(run, effect, path, expected)
		const { version, size } = await askMemory(run, 'memory.write', { ...change, content })
		run.guest.known.set(path, version)
		answer(run, effect, { version }, { path, version, size })
	},
	replayed: learn,
}

/** Without a version: what this program has read or written last, else whatever is there. */
export const memoryDelete: Handler = {
	async run(run, effect) {
		const args = argsOf<'memory.delete'>(effect.args)
		const path = text(args.path, 'path')
		const expected = optionalVersion(args.version) ?? run.guest.known.get(path)
		await run.recorder.barrier()
		if (run.over) return
		const { version } = await askMemory(run, 'memory.delete', changeOf(run, effect, path, expected))
		run.guest.known.delete(path)
		answer(run, effect, {}, { path, version, deleted: true })
	},
	replayed(run, effect, args) {
		if (effect.closing?.ok) run.guest.known.delete(pathOf(args))
	},
}

function learn(run: Run, effect: Effect, args: string): void {
	if (!effect.closing?.ok) return
	const { version } = JSON.parse(effect.closing.result ?? '{}') as { version: number }
	run.guest.known.set(pathOf(args), version)
}

const pathOf = (args: string) => text(argsOf<'memory.read'>(args).path, 'path')
