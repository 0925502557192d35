/** `ctx.files`, and the files among a run's inputs. Their bytes cross as base64; the isolate's memory limit holds. */
import type { Context, FileRef } from '../../bundles/types/index.d.ts'
import { EffectFailure, effect } from './bridge.ts'
import type { RunState } from './state.ts'

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const values = new Uint8Array(128)
for (let i = 0; i < LETTERS.length; i++) values[LETTERS.charCodeAt(i)] = i
/** Letters of base64, so that a call's arguments stay within their bound. */
const CREATE_MAX_BYTES = 2 * 1024 * 1024
const PIECE = 0x6000

export function filesOf(run: RunState): Context['files'] {
	return {
		text: async ({ file }) => (await effect(run, 'files.read', { file, as: 'text' })).text ?? '',
		async bytes({ file }, { start, end } = {}) {
			const range = { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) }
			const { base64 = '' } = await effect(run, 'files.read', { file, as: 'base64', ...range })
			return fromBase64(base64)
		},
		async create(name, type, data) {
			const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data
			if (bytes.length > CREATE_MAX_BYTES)
				throw new EffectFailure({ code: 'invalid_request', message: 'ctx.files.create: over 2 MiB' })
			return effect(run, 'files.create', { name, type, base64: toBase64(bytes) })
		},
	}
}

/** Those that `agent.yaml` declares, in its order. */
export function inputFiles({ agent, inputs }: RunState): FileRef[] {
	const { properties = {} } = agent.inputs as { properties?: Record<string, Declared> }
	const files: FileRef[] = []
	for (const name of Object.keys(properties)) {
		const declared = properties[name]
		if (!Object.hasOwn(inputs, name)) continue
		if (declared?.['x-berth-file']) files.push(inputs[name] as FileRef)
		else if (declared?.items?.['x-berth-file']) files.push(...(inputs[name] as FileRef[]))
	}
	return files
}

interface Declared {
	'x-berth-file'?: object
	items?: { 'x-berth-file'?: object }
}

function fromBase64(text: string): Uint8Array {
	const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
	const bytes = new Uint8Array((text.length / 4) * 3 - padding)
	for (let i = 0, at = 0; i < text.length; i += 4) {
		const four =
			(valueAt(text, i) << 18) |
			(valueAt(text, i + 1) << 12) |
			(valueAt(text, i + 2) << 6) |
			valueAt(text, i + 3)
		bytes[at++] = four >> 16
		bytes[at++] = four >> 8
		bytes[at++] = four
	}
	return bytes
}

const valueAt = (text: string, i: number) => values[text.charCodeAt(i)] ?? 0

function toBase64(bytes: Uint8Array): string {
	const pieces: string[] = []
	for (let from = 0; from < bytes.length; from += PIECE) {
		const to = Math.min(from + PIECE, bytes.length)
		let piece = ''
		for (let i = from; i < to; i += 3) {
			const three = ((bytes[i] ?? 0) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0)
			piece += LETTERS[three >> 18]
			piece += LETTERS[(three >> 12) & 63]
			piece += i + 1 < bytes.length ? LETTERS[(three >> 6) & 63] : '='
			piece += i + 2 < bytes.length ? LETTERS[three & 63] : '='
		}
		pieces.push(piece)
	}
	return pieces.join('')
}
