import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, type Client, type Deployment, type Run } from '../client/index.ts'
import type { Io } from './io.ts'

/** A call whose connection broke is made again for so long: a host that is started again takes less. */
const REPEAT_FOR_MS = 60_000
const WAIT_FIRST_MS = 250
const WAIT_MAX_MS = 4_000
/** The connection was there: the call may have arrived. */
const BROKEN = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']
/** What a host, or a proxy before it, answers while there is none. */
const PASSING = [0, 429, 502, 503, 504]

interface Call {
	inputs: object
	idempotencyKey?: string
	repeatForMs?: number
}

/** Begins one run, however often its call must be made: each has the same `Idempotency-Key`. */
export async function beginRun(io: Io, client: Client, to: Deployment, call: Call): Promise<Run> {
	const { inputs, idempotencyKey = crypto.randomUUID(), repeatForMs = REPEAT_FOR_MS } = call
	const until = performance.now() + repeatForMs
	let lost: ApiError | undefined
	for (let wait = WAIT_FIRST_MS; ; wait = Math.min(wait * 2, WAIT_MAX_MS)) {
		try {
			return await client.runs.runAsync(to.url, inputs, { idempotencyKey })
		} catch (error) {
			if (!(error instanceof ApiError)) throw error
			// The key's run has ended already, and failed.
			if (error.problem.run) return error.problem.run as Run
			if (!mayHaveBegun(error) && !(lost && PASSING.includes(error.status))) throw error
			if (!lost) io.note(`${error.message}; trying again`)
			lost ??= error
			if (performance.now() >= until) throw unknownRun(lost, to, idempotencyKey)
		}
		await sleep(wait)
	}
}

/** False where nothing was sent, and where the host itself refused. */
function mayHaveBegun({ status, code, cause }: ApiError): boolean {
	if (status !== 0) return code === 'unexpected_answer' && [502, 504].includes(status)
	const broken = (cause as { cause?: { code?: string } } | undefined)?.cause?.code
	return code === 'timed_out' || BROKEN.includes(broken ?? '')
}

function unknownRun({ status, code, message }: ApiError, { name }: Deployment, key: string): ApiError {
	const next = `see berth runs ${name}, or repeat the command with --idempotency-key ${key}, which begins no second run`
	return new ApiError(status, code, `${message}. A run may have begun: ${next}`)
}
