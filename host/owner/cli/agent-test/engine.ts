import { built, distDir } from '../built.ts'

/** As `trials.mjs` gives it (runtime/process/trial). */
export interface Trials {
	run(request: TrialRequest): Promise<Trial>
	close(): Promise<void>
}

export interface TrialRequest {
	digest: string
	bundle: Uint8Array
	inputs: string
	memory: Record<string, string>
	files: { file: string; name: string; type: string; bytes: Uint8Array }[]
	model(request: object, call: number): unknown
	tool(
		connector: string,
		name: string,
		input: unknown,
	): Promise<{ ok: boolean; output: string; structured?: unknown }>
	embed(texts: string[]): Promise<number[][]>
	http(request: HttpRequest): Promise<{ status: number; headers: Record<string, string>; body: string }>
	schemaOf(connector: string, name: string): object | undefined
	approve(asked: object): unknown
}

export interface HttpRequest {
	method: string
	url: string
	headers: Record<string, string>
	body?: string
}

export interface Entry {
	seq: number
	at: number
	type: string
	data: Record<string, unknown>
}

export interface Trial {
	outcome: { status: string; output?: string; error?: { code: string; message: string } }
	usage: Record<string, number>
	entries: Entry[]
	requests: object[]
	memory: Record<string, string>
	files: Record<string, Uint8Array>
}

/** Sandboxes keep a process alive: they are ended so long after the last run, and begun again by the next. */
const LINGER_MS = 200

let open: Promise<Trials> | undefined
let running = 0
let timer: NodeJS.Timeout | undefined

export async function trial(request: TrialRequest): Promise<Trial> {
	clearTimeout(timer)
	running++
	open ??= begin()
	try {
		return await (await open).run(request)
	} finally {
		if (--running === 0) timer = setTimeout(end, LINGER_MS)
	}
}

async function begin(): Promise<Trials> {
	const { openTrials } = await built<{ openTrials(distDir: string): Promise<Trials> }>('trials.mjs')
	return openTrials(distDir)
}

async function end(): Promise<void> {
	const trials = open
	open = undefined
	await (await trials)?.close()
}
