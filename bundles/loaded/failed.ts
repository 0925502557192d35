import { type BundleFault, fault } from '../fault.ts'
import type { LoadedScript } from './found.ts'
import { placesOf } from './place.ts'

/** How loading a script ended in its sandbox. */
export interface FailedLoad {
	code: 'agent_error' | 'memory_limit_reached' | 'cpu_limit_reached'
	message: string
	stack: string
}

/** Of CPU, for the top level of all programs together: it is spent again at the beginning of every run. */
export const LOAD_CPU_MS = 500
const MESSAGE_MAX_CHARS = 1_000

export function failedFault(script: LoadedScript, { code, message, stack }: FailedLoad): BundleFault {
	const { file, line } = placesOf(script).inStack(`${stack}\n${message}`)
	return fault(file, reason(code, message), line)
}

function reason(code: FailedLoad['code'], message: string): string {
	if (code === 'cpu_limit_reached') return `takes over ${LOAD_CPU_MS} ms of CPU time to load`
	if (code === 'memory_limit_reached') return 'uses more memory than limits.memory_mb allows to load'
	const told = message.replace(/ \[berth:[^\]]*\]$/, '').slice(0, MESSAGE_MAX_CHARS)
	return `fails when it is loaded: ${told.toWellFormed()}`
}
