import type { EventType } from '../../protocol.ts'
import type { Effect } from '../effect.ts'
import type { Run } from '../run.ts'
import { settle } from '../settle.ts'
import { argsOf, type Handler, optionalVersion, text } from './handler.ts'

function answer(run: Run, effect: Effect, value: object, changed?: Record<string, unknown>): void {
	const type: EventType = changed ? 'memory.changed' : 'effect.completed'
	const data = changed ?? { method: effect.method }
	settle(run, effect, { type, ok: true, result: JSON.stringify(value), data })
}

export const memoryList: Handler = {
	run(run, effect) {
		const { path } = argsOf<'memory.list'>(effect.args)
		answer(run, effect, { entries: run.guest.memory.list(text(path ?? '', 'path')) })
	},
}

export const memoryRead: Handler = {
	run(run, effect) {
		const { path } = argsOf<'memory.read'>(effect.args)
		answer(run, effect, run.guest.memory.read(text(path, 'path')))
	},
}

export const memoryWrite: Handler = {
	run(run, effect) {
		const path = write(run, effect.args)
		const { content, version } = run.guest.memory.read(path)
		answer(run, effect, { version }, { path, version, size: Buffer.byteLength(content) })
	},
	replayed(run, effect, args) {
		if (effect.closing?.ok) write(run, args)
	},
}

export const memoryDelete: Handler = {
	run(run, effect) {
		const path = remove(run, effect.args)
		answer(run, effect, {}, { path, deleted: true })
	},
	replayed(run, effect, args) {
		if (effect.closing?.ok) remove(run, args)
	},
}

function write(run: Run, json: string): string {
	const args = argsOf<'memory.write'>(json)
	const path = text(args.path, 'path')
	run.guest.memory.write(path, text(args.content, 'content'), optionalVersion(args.version))
	return path
}

function remove(run: Run, json: string): string {
	const args = argsOf<'memory.delete'>(json)
	const path = text(args.path, 'path')
	run.guest.memory.remove(path, optionalVersion(args.version))
	return path
}
