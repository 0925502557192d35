import { EffectRejection } from '../failure.ts'
import { contentOf, READ_MAX_BYTES, type StandIn } from '../file-content.ts'
import { bytesOf, filesOf, putFile } from '../files.ts'
import { takeChars } from '../memory.ts'
import { settle } from '../settle.ts'
import { argsOf, type Handler, malformed, optionalVersion, text } from './handler.ts'

const NAME_MAX_CHARS = 1_000

export const filesRead: Handler = {
	async run(run, effect) {
		const args = argsOf<'files.read'>(effect.args)
		const id = text(args.file, 'file')
		const as = args.as
		if (as !== 'text' && as !== 'base64') throw malformed('have an `as` that is neither text nor base64')
		const file = (await filesOf(run, [id])).get(id)
		if (!file || run.over) return
		const end = Math.min(optionalVersion(args.end) ?? file.size, file.size)
		const start = Math.min(Math.max(optionalVersion(args.start) ?? 0, 0), end)
		if (end - start > READ_MAX_BYTES)
			throw new EffectRejection(
				'invalid_request',
				`${file.name} has ${file.size} bytes, and ${READ_MAX_BYTES / 1024 / 1024} MiB are read at once. Read it in parts: ctx.files.bytes(file, { start, end }).`,
			)
		const { url: _, ...info } = file
		const standIn: StandIn = { file: info, as, start, end }
		const content = contentOf(standIn, await bytesOf(run, file))
		if (run.over) return
		takeChars(run, content.length)
		effect.content = content
		settle(run, effect, {
			type: 'effect.completed',
			ok: true,
			result: JSON.stringify(standIn),
			data: { method: 'files.read', chars: content.length },
		})
	},
}

export const filesCreate: Handler = {
	async run(run, effect) {
		const args = argsOf<'files.create'>(effect.args)
		const name = text(args.name, 'name').slice(0, NAME_MAX_CHARS)
		const type = text(args.type, 'type')
		const base64 = text(args.base64, 'base64')
		const made = await putFile(run, { effect: effect.n, position: 0, name, type, base64 })
		if (run.over) return
		if (typeof made === 'string') throw new EffectRejection('invalid_request', made)
		const file = (await filesOf(run, [made.file])).get(made.file)
		settle(run, effect, {
			type: 'effect.completed',
			ok: true,
			result: JSON.stringify(file),
			data: { method: 'files.create', file: made },
		})
	},
}
