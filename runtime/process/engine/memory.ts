/**
 * The deployment's memory, as one execution of a program asks for it. It lies with the host; here is only what this
 * execution knows: which version of a file it has read or written last. A write that names no version is made from
 * that one, so that it never goes over what the program has not seen.
 */

import { untilDone } from '../../lib/retry.ts'
import type { HostCalls } from '../../wire/host-calls.ts'
import type { Entry } from '../../wire/journal.ts'
import type { Effect } from '../../wire/recorded-effect.ts'
import { EffectRejection, RunAbandoned, RunFailure } from './failure.ts'
import type { Run } from './run.ts'

const ANSWER_MS = 30_000
/** What a run may read of it, and of files, all answers together: they are kept until the run has ended. */
const READ_MAX_CHARS = 64 * 1024 * 1024

type MemoryCall = 'memory.list' | 'memory.read' | 'memory.write' | 'memory.delete'
type MemoryReply<M extends MemoryCall> = Exclude<ReturnType<HostCalls[M]>, { refused: unknown }>

/** Rejects `EffectRejection` where the host refuses. A host without its database is asked again: nothing happens twice. */
export async function askMemory<M extends MemoryCall>(
	run: Run,
	method: M,
	args: Parameters<HostCalls[M]>[0],
): Promise<MemoryReply<M>> {
	const ask = () => run.services.host.call(method, args as never, { timeoutMs: ANSWER_MS })
	const answer: ReturnType<HostCalls[MemoryCall]> = await untilDone(ask).catch((cause: unknown) => {
		throw new RunAbandoned(`memory cannot be reached: ${(cause as Error).message}`, { cause })
	})
	if ('refused' in answer) throw new EffectRejection(answer.refused.code, answer.refused.message)
	return answer as MemoryReply<M>
}

/** Of the answers to `memory.list` and `memory.read`, also those of earlier attempts. */
export function takeRead(run: Run, result: string): string {
	takeChars(run, result.length)
	return result
}

export function takeChars(run: Run, chars: number): void {
	run.memoryChars += chars
	if (run.memoryChars <= READ_MAX_CHARS) return
	throw new RunFailure(
		'memory_limit_reached',
		`The run has read over ${READ_MAX_CHARS / 1024 / 1024} MiB of its memory and files.`,
	)
}

export function charsRead(journal: readonly Entry[]): number {
	const read = journal.filter(({ data }) => data.method === 'memory.read' || data.method === 'memory.list')
	const ofFiles = journal.filter(({ data }) => data.method === 'files.read')
	return (
		read.reduce((sum, { result = '' }) => sum + result.length, 0) +
		ofFiles.reduce((sum, { data }) => sum + Number(data.chars ?? 0), 0)
	)
}

/** Who writes, and what it may write over. */
export function changeOf(run: Run, effect: Effect, path: string, expected: number | undefined) {
	const { run: id, epoch, deployment } = run.begin
	return { deployment, path, expected, run: id, epoch, effect: effect.n }
}
