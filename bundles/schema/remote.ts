import { Worker } from 'node:worker_threads'
import type { SchemaError } from './compile.ts'

/** Longest validation of one value; a pattern may need exponential time. */
const VALIDATION_MAX_MS = 250
const START_MAX_MS = 10_000
const QUEUE_MAX = 1000
const WORKER_HEAP_MB = 128

export interface Question {
	key: string
	schema: string
	value: unknown
}
export type Answer = { errors: SchemaError[] } | { failed: string }

interface Job extends Question {
	resolve(errors: SchemaError[]): void
}

/** One worker thread a process, started when first needed, replaced when it had to be stopped, holding no process up. */
const queue: Job[] = []
let worker: Worker | null = null
let ready = false
let current: Job | null = null
let timer: NodeJS.Timeout | undefined

export function remoteValidator(key: string, schema: string): (value: unknown) => Promise<SchemaError[]> {
	return (value) =>
		new Promise((resolve) => {
			if (queue.length >= QUEUE_MAX) return resolve(refusal('too many values are waiting to be checked'))
			queue.push({ key, schema, value, resolve })
			pump()
		})
}

/** Ends the worker; a later validation starts another. */
export async function closeSchemaWorker(): Promise<void> {
	const ended = worker
	drop(refusal('the check was stopped'))
	await ended?.terminate()
}

function pump(): void {
	if (current || queue.length === 0) return
	if (!worker) start()
	if (!worker || !ready) return
	current = queue.shift() as Job
	const { key, schema, value } = current
	timer = setTimeout(
		() => stop(`takes over ${VALIDATION_MAX_MS} ms to check against its schema`),
		VALIDATION_MAX_MS,
	)
	worker.ref()
	worker.postMessage({ key, schema, value } satisfies Question)
}

function start(): void {
	const mine = new Worker(workerFile(), {
		env: {},
		resourceLimits: { maxOldGenerationSizeMb: WORKER_HEAP_MB },
	})
	worker = mine
	const guard = (act: () => void) => () => void (worker === mine && act())
	timer = setTimeout(
		guard(() => stop('could not be checked: the checker did not start')),
		START_MAX_MS,
	)
	mine.on('message', (answer: Answer | 'ready') => {
		if (worker !== mine) return
		clearTimeout(timer)
		if (answer === 'ready') ready = true
		else settle('errors' in answer ? answer.errors : refusal(answer.failed))
		mine.unref()
		pump()
	})
	mine.on(
		'error',
		guard(() => stop('needs too much memory to check against its schema')),
	)
	mine.on(
		'exit',
		guard(() => stop('could not be checked')),
	)
}

function settle(errors: SchemaError[]): void {
	const done = current
	current = null
	done?.resolve(errors)
}

/** The job at hand pays for its worker; one that never started fails everything that waits for it. */
function stop(message: string): void {
	const ended = worker
	if (ready) {
		forget()
		settle(refusal(message))
	} else drop(refusal(message))
	void ended?.terminate()
	pump()
}

function drop(errors: SchemaError[]): void {
	forget()
	settle(errors)
	for (const job of queue.splice(0)) job.resolve(errors)
}

function forget(): void {
	clearTimeout(timer)
	worker = null
	ready = false
}

const refusal = (message: string): SchemaError[] => [{ path: '', message }]

/** The source beside this one, or its bundle beside the process's own (`dist/`, whose shared parts lie in `chunks/`). */
function workerFile(): URL {
	const here = import.meta.url
	if (here.endsWith('.ts')) return new URL('./worker.ts', here)
	return new URL(here.includes('/chunks/') ? '../schema-worker.mjs' : './schema-worker.mjs', here)
}
