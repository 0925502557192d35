import { writeSync } from 'node:fs'
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

const againMs = 10
/** Of a pipe whose reader is slow. */
const patienceMs = 5_000
const stdout = (bytes: Buffer): number => writeSync(1, bytes)

/**
 * JSON to a file or a pipe, each record before the next statement. One that cannot be written, as on a full disk, is lost:
 * pino's own destination tries it for ever and holds the host up. How many were lost is told once there is room.
 */
export function logRecords(write = stdout): { write(record: string): void } {
	let lost = 0
	let why = ''
	let cut = false
	const put = (record: string): boolean => {
		let rest = Buffer.from(cut ? `\n${record}` : record)
		const until = performance.now() + (lost === 0 ? patienceMs : 0)
		while (rest.length > 0) {
			try {
				rest = rest.subarray(write(rest))
				cut = rest.length > 0
			} catch (error) {
				why = (error as NodeJS.ErrnoException).code ?? String(error)
				if (why !== 'EAGAIN' || performance.now() >= until) return false
				Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, againMs)
			}
		}
		return true
	}
	const tellLost = () => {
		const told = {
			level: 40,
			time: Date.now(),
			pid: process.pid,
			lost,
			code: why,
			msg: 'log lines were lost',
		}
		if (put(`${JSON.stringify(told)}\n`)) lost = 0
	}
	return {
		write(record) {
			if (lost > 0) tellLost()
			if (lost > 0 || !put(record)) lost++
		},
	}
}
