import { ApiError, type Client, type Run, type RunEvent } from '../client/index.ts'
import type { Io } from './io.ts'

/** A run that takes longer goes on alone, as one does after `POST {deployment_url}/run`. */
const PATIENCE_MS = 100_000

interface Awaited {
	client: Client
	/** `deployment_url`. */
	url: string
	run: string
}

/** What `awaitRun` knows at the end. */
export interface Outcome {
	run: Run
	/** Of the program's own error. */
	stack: string | undefined
}

/** The run as it ended, or as it is when the patience ends; a connection that breaks is made again. */
export async function awaitRun(io: Io, { client, url, run }: Awaited): Promise<Outcome> {
	const patience = AbortSignal.timeout(PATIENCE_MS)
	let stack: unknown
	try {
		for await (const { type, data } of eventsOf(io, { client, url, run }, patience))
			if (type === 'run.failed') stack = data.stack
	} catch (error) {
		if (!patience.aborted) throw error
	}
	try {
		const ended = await client.runs.get(url, run)
		return { run: ended, stack: typeof stack === 'string' ? stack : undefined }
	} catch (error) {
		throw named(error, run)
	}
}

/** All events of the run. Says on stderr each decision that the run waits for. */
export async function* eventsOf(
	io: Io,
	{ client, url, run }: Awaited,
	signal?: AbortSignal,
): AsyncGenerator<RunEvent> {
	const told = new Set<string>()
	try {
		for await (const event of client.runs.follow(url, run, { signal })) {
			yield event
			if (event.type === 'approval.requested') await tellAsked(io, { client, url, run }, told)
		}
	} catch (error) {
		throw named(error, run)
	}
}

/** Asked of the host, because an event of the past may be decided by now. */
async function tellAsked(io: Io, { client, url, run }: Awaited, told: Set<string>): Promise<void> {
	const asked = await client.runs.approvals(url, run).catch(() => undefined)
	if (!asked) return io.note(`${run} waits for a decision; see: berth approvals ${run}`)
	for (const { id, status, kind, question, schema } of asked.data) {
		if (status !== 'pending' || told.has(id)) continue
		told.add(id)
		const what = kind === 'question' ? 'an answer' : 'an approval'
		const content = schema ? " --content '{…}'" : ''
		io.note(
			`${run} waits for ${what}: ${question.replace(/\s+/g, ' ').trim()} Look: berth approvals ${run}. Agree: berth approve ${run} ${id}${content}`,
		)
	}
}

/** The run needs no connection, and is found by its id. */
function named(error: unknown, run: string): unknown {
	if (!(error instanceof ApiError)) return error
	const detail = `${error.message}. The run is not lost: berth events ${run} --follow`
	return new ApiError(error.status, error.code, detail, { run_id: run }, error)
}
