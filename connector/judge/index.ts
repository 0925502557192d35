/** What answers the guard's questions: one backend, or a chain in which the next is asked where the one before is unsure. */
import { builtinJudge } from './builtin/index.ts'
import type { PoolSettings } from './builtin/pool.ts'
import type { Judge } from './types.ts'

export { type ClaimVerdict, type Judge, type Judged, JudgeError, type ScreenResult } from './types.ts'

export interface JudgeSettings extends PoolSettings {
	/** In the order they are asked: `builtin`, `openai`, `onnx`. */
	backends: string[]
	/** `openai`: base address of the server, model and key. */
	url?: string
	model?: string
	key?: string
	/** `onnx`: folder of the operator's models. */
	dir?: string
}

export const BACKENDS = ['builtin', 'openai', 'onnx']

/** Throws where a backend is unknown, lacks a setting, or fails its start-up test. */
export async function createJudge(settings: JudgeSettings): Promise<Judge> {
	const unknown = settings.backends.find((name) => !BACKENDS.includes(name))
	if (unknown !== undefined)
		throw new Error(`Unknown judge "${unknown}": choose from ${BACKENDS.join(', ')}.`)
	return builtinJudge(settings)
}
