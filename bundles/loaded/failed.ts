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
/** Of browsers and of Node: packages take them for granted. */
export const LACKING: ReadonlySet<string> = new Set(
	'process Buffer require setTimeout setInterval setImmediate fetch window document self navigator localStorage Blob File FormData Headers Request Response ReadableStream WebSocket Event EventTarget WebAssembly'.split(
		' ',
	),
)

export function failedFault(script: LoadedScript, { code, message, stack }: FailedLoad): BundleFault {
	const { file, line } = placesOf(script).inStack(`${stack}\n${message}`)
	return fault(file, reason(code, message), line)
}

function reason(code: FailedLoad['code'], message: string): string {
	if (code === 'cpu_limit_reached') return `takes over ${LOAD_CPU_MS} ms of CPU time to load`
	if (code === 'memory_limit_reached') return 'uses more memory than limits.memory_mb allows to load'
	const told = message.replace(/ \[berth:[^\]]*\]$/, '').slice(0, MESSAGE_MAX_CHARS)
	const lacking = /(\w+) is not defined$/.exec(told)?.[1]
	const hint = lacking !== undefined && LACKING.has(lacking) ? ', which an isolate does not have' : ''
	return `fails when it is loaded: ${told.toWellFormed()}${hint}`
}
