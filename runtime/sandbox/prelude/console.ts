/** `console` writes to the run's log: bounded, and like everything else in the order it was written. */
import { issue } from './bridge.ts'
import { define } from './globals.ts'

export type Level = 'debug' | 'info' | 'warn' | 'error'

const MAX_LINES = 1_000
const MAX_MESSAGE_CHARS = 8_192
const MAX_DATA_CHARS = 16_384

const { stringify } = JSON
let lines = 0

export function log(level: Level, message: string, data?: unknown): void {
	lines += 1
	if (lines > MAX_LINES) return
	if (lines === MAX_LINES)
		return void issue('log', { level: 'warn', message: `after ${MAX_LINES} lines nothing more is logged` })
	const text = cut(String(message), MAX_MESSAGE_CHARS)
	if (data === undefined) return void issue('log', { level, message: text })
	const json = toJson(data)
	const shown = json.length > MAX_DATA_CHARS ? cut(json, MAX_DATA_CHARS) : JSON.parse(json)
	issue('log', { level, message: text, data: shown })
}

export function installConsole(): void {
	const write =
		(level: Level) =>
		(...values: unknown[]) =>
			log(level, values.map(show).join(' '))
	const nothing = () => {}
	define(globalThis, 'console', {
		debug: write('debug'),
		trace: write('debug'),
		log: write('info'),
		info: write('info'),
		dir: write('info'),
		table: write('info'),
		warn: write('warn'),
		error: write('error'),
		assert: (holds: unknown, ...values: unknown[]) => {
			if (!holds) log('error', ['Assertion failed', ...values.map(show)].join(' '))
		},
		group: nothing,
		groupEnd: nothing,
		time: nothing,
		timeEnd: nothing,
	})
}

export function show(value: unknown): string {
	if (typeof value === 'string') return value
	if (value instanceof Error) return `${value.name}: ${value.message}`
	return typeof value === 'object' && value !== null ? toJson(value) : String(value)
}

/** JSON of anything: what cannot be written becomes its description. */
export function toJson(value: unknown): string {
	try {
		return stringify(value) ?? 'null'
	} catch (error) {
		return stringify(`[not JSON: ${error instanceof Error ? error.message : 'it throws'}]`)
	}
}

export function cut(text: string, maxChars: number): string {
	if (text.length <= maxChars) return text
	return `${text.slice(0, maxChars).toWellFormed()} … [${text.length - maxChars} more characters]`
}
