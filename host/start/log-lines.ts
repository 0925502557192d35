import type { WriteStream } from 'node:tty'

/** Every record has these; a person at the terminal knows them. */
const known = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'err'])
const levels: Record<string, string> = { 40: 'WARN ', 50: 'ERROR ', 60: 'FATAL ' }
/** Texts of strangers must not steer the terminal. */
const controls = /[^\P{Cc}\n\t]/gu

/** In place of JSON where the log goes to a terminal: a line for people, and the stack of an error below it. */
export function logLines(to: WriteStream): { write(record: string): void } {
	return { write: (record) => void to.write(lineOf(record)) }
}

export function lineOf(record: string): string {
	const { level, time, msg = '', err, ...rest } = JSON.parse(record) as Record<string, unknown>
	const at = new Date(Number(time)).toTimeString().slice(0, 8)
	const more = Object.entries(rest)
		.filter(([name]) => !known.has(name))
		.map(([name, value]) => `  ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
	const stack = err ? `\n${(err as Error).stack ?? JSON.stringify(err)}`.replaceAll('\n', '\n    ') : ''
	return `${at} ${levels[String(level)] ?? ''}${msg}${more.join('')}${stack}\n`.replace(controls, '')
}
