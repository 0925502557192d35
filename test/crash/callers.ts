import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Deployed } from './agents.ts'
import type { KeptHost } from './processes.ts'
import { type Kind, noteOf } from './world.ts'

export interface Caller {
	kind: Kind
	tag: string
	/** Every run id it was ever told; there may be one only. */
	ids: Set<string>
	/** Its answer; null as long as it has none. */
	answer: { status: string; output: unknown; code: string | null } | null
	/** Answers that no caller should get. */
	odd: string[]
	tries: number
	/** Answers that there was no room, or no database, just then. */
	refused: number
	/** It sends no key, so it asks once and, if told of a run, looks at that alone: its answer may be lost. */
	keyless: boolean
}

/** Only the runs of such callers ask their model before they are stored. */
const KEYLESS_EVERY = 3

const waitSeconds = 8
/** First, and at most; between them half as much more each time. */
const againMs = { first: 150, most: 1_000 }
/** Through all of the troubles, and a machine with other work. */
const patienceMs = 300_000

type Answer = {
	id?: string
	status?: unknown
	output?: unknown
	code?: string
	run?: { id: string; status: string; error: { code: string } | null }
}

let made = 0

/** Calls once, and asks again with the same key or for the same run, here or there, until there is an answer. */
export async function callOnce(deployed: Deployed, hosts: KeptHost[]): Promise<Caller> {
	const n = made++
	const caller: Caller = {
		kind: deployed.kind,
		tag: `run-${n}`,
		ids: new Set(),
		answer: null,
		odd: [],
		tries: 0,
		refused: 0,
		keyless: n % KEYLESS_EVERY === 0,
	}
	const key = caller.keyless ? null : randomUUID()
	const inputs: Record<string, unknown> = { tag: caller.tag }
	const until = Date.now() + patienceMs
	while (!caller.answer && Date.now() < until) {
		const host = hosts[(n + caller.tries++) % hosts.length] as KeptHost
		const asking = async () => {
			if (deployed.kind === 'files') inputs.note ??= await upload(host, deployed, caller)
			const [known] = caller.ids
			if (caller.keyless && known) await look(host, deployed, known, caller)
			else await ask(host, deployed, key, caller, inputs)
		}
		await asking().catch((error) => {
			if (!(error instanceof TypeError) && (error as Error).name !== 'TimeoutError')
				caller.odd.push(String(error))
		})
		if (caller.keyless && caller.ids.size === 0) break
		if (!caller.answer) await sleep(Math.min(againMs.first * 1.5 ** caller.tries, againMs.most))
	}
	return caller
}

async function look(host: KeptHost, { path, running }: Deployed, id: string, caller: Caller): Promise<void> {
	const answer = await fetch(`${host.url}${path}/runs/${id}`, {
		headers: { authorization: `Bearer ${running.run_key}` },
		signal: AbortSignal.timeout(waitSeconds * 1000),
	})
	if (!answer.ok) return
	const { status, output, error } = (await answer.json()) as Looked
	if (['succeeded', 'failed', 'cancelled'].includes(status))
		caller.answer = { status, output, code: error?.code ?? null }
}

interface Looked {
	status: string
	output: unknown
	error: { code: string } | null
}

/** Undefined: it is tried again. */
async function upload(host: KeptHost, { path, running }: Deployed, caller: Caller) {
	const answer = await fetch(`${host.url}${path}/files?name=note.txt`, {
		method: 'POST',
		headers: { authorization: `Bearer ${running.run_key}`, 'content-type': 'text/plain' },
		body: noteOf(caller.tag),
		signal: AbortSignal.timeout(waitSeconds * 1000),
	})
	const text = await answer.text()
	if (answer.status === 201) return { file: (JSON.parse(text) as { file: string }).file }
	if (answer.status !== 503 && answer.status !== 408)
		caller.odd.push(`${answer.status} ${text.slice(0, 300)}`)
	throw new TypeError('the file was not taken')
}

async function ask(
	host: KeptHost,
	{ path, running }: Deployed,
	key: string | null,
	caller: Caller,
	inputs: Record<string, unknown>,
): Promise<void> {
	const answer = await fetch(`${host.url}${path}/run`, {
		method: 'POST',
		headers: {
			authorization: `Bearer ${running.run_key}`,
			'content-type': 'application/json',
			...(key !== null && { 'idempotency-key': key }),
			prefer: `wait=${waitSeconds}`,
		},
		body: JSON.stringify({ inputs }),
		signal: AbortSignal.timeout((waitSeconds + 20) * 1000),
	})
	const text = await answer.text()
	const body = JSON.parse(text) as Answer
	const run = body.run ?? (answer.ok ? body : undefined)
	if (run?.id) caller.ids.add(run.id)
	if (answer.status === 200) caller.answer = { status: 'succeeded', output: body.output, code: null }
	else if (body.run)
		caller.answer = { status: body.run.status, output: null, code: body.run.error?.code ?? null }
	else if (answer.status === 503 && answer.headers.has('retry-after')) caller.refused++
	// The host stood still while the request came.
	else if (answer.status === 408 && body.code === 'invalid_request') caller.refused++
	else if (answer.status !== 202) caller.odd.push(`${answer.status} ${text.slice(0, 300)}`)
}

/** So many runs in flight at a time, one after the other, until it is to end. Answers with all of them. */
export async function keepCalling(
	inFlight: number,
	all: Deployed[],
	hosts: KeptHost[],
	over: () => boolean,
): Promise<Caller[]> {
	const callers: Caller[] = []
	await Promise.all(
		Array.from({ length: inFlight }, async (_, lane) => {
			for (let i = 0; !over(); i++)
				callers.push(await callOnce(all[(lane + i) % all.length] as Deployed, hosts))
		}),
	)
	return callers
}
