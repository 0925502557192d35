/**
 * `ctx.log` and `console` write to the run's log: bounded, and like everything else in the order it was written. Lines
 * past a bound are counted. Nothing that is written fails the program.
 */
import { countNotKept, issue } from './bridge.ts'
import { format } from './format.ts'
import { define } from './globals.ts'
import { brokenOff, cut, show, showJson, toJson } from './inspect.ts'
import { stackOf } from './stack.ts'
import { own } from './state.ts'

export type Level = 'debug' | 'info' | 'warn' | 'error'

const MAX_LINES = 1_000
const MAX_MESSAGE_CHARS = 8_192
const MAX_DATA_CHARS = 16_384

const { parse } = JSON
const levels: { [level: string]: Level | undefined } = {
	__proto__: null as never,
	debug: 'debug',
	info: 'info',
	warn: 'warn',
	error: 'error',
}
let lines = 0

/** `stack`: of an error that is written. */
export function log(level: Level, message: string, data?: unknown, stack?: string): void {
	const { run } = own
	if (!run) return
	if (lines >= MAX_LINES) {
		countNotKept(run)
		return
	}
	const text = cut(message, MAX_MESSAGE_CHARS)
	try {
		if (data === undefined) issue(run, 'log', { level, message: text }, stack)
		else issue(run, 'log', { level, message: text, data: shownData(data) }, stack)
		lines++
	} catch {
		// The run has sent too much, or asked for too much: the next effect that matters says so.
		countNotKept(run)
	}
}

function shownData(data: unknown): unknown {
	if (typeof data === 'string') {
		const json = toJson(data)
		return json.length > MAX_DATA_CHARS ? cut(json, MAX_DATA_CHARS) : data
	}
	const json = isError(data) ? toJson(show(data)) : showJson(data, MAX_DATA_CHARS)
	return json.length > MAX_DATA_CHARS ? brokenOff(json, MAX_DATA_CHARS) : parse(json)
}

/** `ctx.log`: one text alone is a line of level info. */
export function contextLog(
	...[first, message, data]: [first: string, message?: unknown, data?: unknown]
): void {
	const level = typeof first === 'string' ? levels[first] : undefined
	if (message === undefined) log('info', show(first), undefined, firstStack([first]))
	else if (level) log(level, show(message), data, firstStack([message, data]))
	else log('info', `${show(first)} ${show(message)}`, data)
}

export function installConsole(): void {
	const write =
		(level: Level) =>
		(...values: unknown[]) =>
			log(level, format(values), undefined, firstStack(values))
	const counts: { [label: string]: number } = { __proto__: null as never }
	const times: { [label: string]: number } = { __proto__: null as never }
	const { now } = Date
	const nothing = () => {}
	const timePassed = (label: unknown = 'default', ...values: unknown[]) => {
		const name = show(label)
		if (times[name] === undefined) return
		log('info', [`${name}: ${now() - times[name]} ms`, ...values.map(show)].join(' '))
	}
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
			if (!holds)
				log('error', values.length === 0 ? 'Assertion failed' : `Assertion failed: ${format(values)}`)
		},
		count: (label: unknown = 'default') => {
			const name = show(label)
			counts[name] = (counts[name] ?? 0) + 1
			log('info', `${name}: ${counts[name]}`)
		},
		countReset: (label: unknown = 'default') => {
			delete counts[show(label)]
		},
		dirxml: write('info'),
		group: write('info'),
		groupCollapsed: write('info'),
		groupEnd: nothing,
		clear: nothing,
		time: (label: unknown = 'default') => {
			times[show(label)] = now()
		},
		timeLog: timePassed,
		timeEnd: (label: unknown = 'default') => {
			timePassed(label)
			delete times[show(label)]
		},
	})
}

function firstStack(values: unknown[]): string | undefined {
	for (const value of values) if (isError(value)) return stackOf(value)
	return undefined
}

function isError(value: unknown): value is Error {
	return typeof value === 'object' && value instanceof Error
}
