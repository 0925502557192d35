import { createInterface } from 'node:readline/promises'
import type { Writable } from 'node:stream'
import { Interrupted } from './interrupt.ts'

/** Where a command speaks: results on stdout, everything else on stderr, progress on a terminal only. */
export interface Io {
	json: boolean
	/** What goes over the wire is told. */
	verbose: boolean
	/** A person sits there and can be asked. */
	interactive: boolean
	/** The command's answer: one JSON document, or text for people. */
	result(value: unknown, text: string | (() => string)): void
	/** One line of an answer that comes bit by bit; as JSON, a line of its own (NDJSON). */
	line(value: unknown, text: string): void
	/** Something the caller should know but did not ask for. */
	note(text: string): void
	progress(text: string): void
	/** A step of work that takes long: told in a pipe, too. */
	step(text: string): void
	/** Rejects with `Interrupted` where the person gives up, as all questions do. */
	ask(question: string, preset?: string): Promise<string>
	/** Typed without being shown. */
	askSecret(question: string): Promise<string>
	confirm(question: string): Promise<boolean>
}

/** What a model, a tool or a host says may be shown on a terminal, and must not steer it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

export function writeTo(to: Writable & { isTTY?: boolean }, text: string): void {
	to.write(to.isTTY ? text.replace(controls, '') : text)
}

export function createIo({ json = false, verbose = false }: { json?: boolean; verbose?: boolean }): Io {
	const { stdin, stdout, stderr } = process
	const say = (to: Writable & { isTTY?: boolean }, text: string) =>
		writeTo(to, text.endsWith('\n') ? text : `${text}\n`)
	const interactive = Boolean(stdin.isTTY && stderr.isTTY && !json)
	// After lines of a stream a failure is a line, too.
	let lines = false
	return {
		json,
		verbose,
		interactive,
		result: (value, text) =>
			say(
				stdout,
				json ? JSON.stringify(value, null, lines ? undefined : 2) : typeof text === 'string' ? text : text(),
			),
		line: (value, text) => {
			lines = true
			say(stdout, json ? JSON.stringify(value) : text)
		},
		note: (text) => say(stderr, text),
		progress: (text) => {
			if (stderr.isTTY && !json) say(stderr, text)
		},
		step: (text) => say(stderr, text),
		ask,
		askSecret,
		confirm: async (question) => /^y(es)?$/i.test(await ask(`${question} (y/n)`)),
	}
}

// Node's own readline. A package for prompts (@inquirer/password with /input) takes 80 ms, 13 MB and 14 packages, and it
// writes colours.

async function ask(question: string, preset = ''): Promise<string> {
	const readline = createInterface({ input: process.stdin, output: process.stderr })
	const { promise, reject } = Promise.withResolvers<never>()
	readline.once('SIGINT', () => readline.close())
	readline.once('close', () => reject(new Interrupted()))
	try {
		const hint = preset === '' ? '' : ` [${preset}]`
		return (await Promise.race([promise, readline.question(`${question}${hint}: `)])).trim() || preset
	} catch (error) {
		process.stderr.write('\n')
		throw error
	} finally {
		promise.catch(() => {})
		readline.close()
	}
}

const CTRL_C = '\u0003'
const CTRL_D = '\u0004'
const BACKSPACE = ['\u0008', '\u007f']

function askSecret(question: string): Promise<string> {
	const { stdin, stderr } = process
	// Before the question: what is typed at once is not shown either, and Ctrl-C is a key and no signal.
	stdin.setRawMode(true)
	stderr.write(`${question} (not shown): `)
	return new Promise((resolve, reject) => {
		let text = ''
		const end = () => {
			stdin.setRawMode(false)
			stdin.off('data', onData)
			stdin.pause()
			stderr.write('\n')
		}
		const onData = (data: string) => {
			for (const key of data) {
				if (key === CTRL_C || (key === CTRL_D && text === '')) {
					end()
					return reject(new Interrupted())
				}
				if (key === '\r' || key === '\n' || key === CTRL_D) {
					end()
					return resolve(text.trim())
				}
				text = BACKSPACE.includes(key) ? text.slice(0, -1) : text + key
			}
		}
		stdin.setEncoding('utf8')
		stdin.on('data', onData)
		stdin.resume()
	})
}

/** Columns as wide as they need to be; the last one runs on. */
export function table(rows: string[][]): string {
	const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
	return rows
		.map((row) =>
			row
				.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
				.join('  '),
		)
		.join('\n')
}
