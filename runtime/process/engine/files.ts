/** Files of a run: the host says which it has and what they are; programs and models only name them. */
import { untilDone } from '../../lib/retry.ts'
import type { FileHostCalls, FileInfo } from '../../wire/files.ts'
import type { Message } from '../../wire/model.ts'
import { isShown, type ModelRequest, type ShownFile } from '../providers/index.ts'
import { EffectRejection, RunAbandoned, RunFailure } from './failure.ts'
import { fileStore } from './file-store.ts'
import type { Run } from './run.ts'

const ANSWER_MS = 30_000
/** In one model call. */
const CALL_FILES_MAX = 32
/** Of all that one model call shows: their base64 is what providers take in one request. */
const SHOWN_MAX_BYTES = 20 * 1024 * 1024
const ID_MAX_CHARS = 100

export type KnownFile = FileInfo & { url: string }

/** Rejects where the run has not all of them. */
export async function filesOf(run: Run, ids: string[]): Promise<Map<string, KnownFile>> {
	const ask = { run: run.begin.run, files: ids }
	const { files } = await asked(() => run.services.host.call('files.info', ask, { timeoutMs: ANSWER_MS }))
	const known = new Map(files.map((file) => [file.file, file]))
	const missing = ids.find((id) => !known.has(id))
	if (missing === undefined) return known
	throw new EffectRejection(
		'not_found',
		`The run has no file ${JSON.stringify(missing.slice(0, ID_MAX_CHARS))}.`,
	)
}

async function asked<T>(ask: () => Promise<T>): Promise<T> {
	return untilDone(ask).catch((cause: unknown) => {
		throw new RunAbandoned(`files cannot be reached: ${(cause as Error).message}`, { cause })
	})
}

/** What the messages of a model call name; undefined where they name none. */
export async function namedFiles(run: Run, messages: Message[]): Promise<ModelRequest['files'] | undefined> {
	const named = messages.flatMap((message) =>
		message.role === 'assistant' ? [] : (message.files ?? []).map(({ file }) => file),
	)
	if (named.length === 0) return undefined
	if (named.length > CALL_FILES_MAX)
		throw new EffectRejection('invalid_request', `A model call shows ${CALL_FILES_MAX} files at most.`)
	const files = await filesOf(run, [...new Set(named)])
	const bytes = named.reduce((sum, id) => sum + shownBytes(files.get(id) as KnownFile), 0)
	if (bytes <= SHOWN_MAX_BYTES) return files
	const text = `The files of a model call are over ${SHOWN_MAX_BYTES / 1024 / 1024} MiB together.`
	throw new EffectRejection('invalid_request', text)
}

const shownBytes = (file: KnownFile) => (isShown(file) ? file.size : 0)

export interface Loaded {
	files: ReadonlyMap<string, ShownFile>
	/** Once the call is over. */
	release(): void
}

/** Puts the bytes in, just before a request. */
export async function withBytes(run: Run, files: ReadonlyMap<string, ShownFile>): Promise<Loaded> {
	const store = fileStore(run.services.host)
	const shown = [...files.values()].filter(isShown)
	const release = await store.room(shown.reduce((sum, { size }) => sum + size, 0))
	try {
		const loaded = new Map(files)
		for (const file of shown) {
			if (run.over) break
			loaded.set(file.file, { ...file, bytes: await bytesOf(run, file) })
		}
		return { files: loaded, release }
	} catch (error) {
		release()
		throw error
	}
}

export async function bytesOf(run: Run, file: FileInfo): Promise<Buffer> {
	try {
		return await fileStore(run.services.host).bytes(run.begin.run, file)
	} catch (cause) {
		if ((cause as { code?: unknown }).code === 'closed')
			throw new RunAbandoned(`files cannot be reached: ${(cause as Error).message}`, { cause })
		throw new RunFailure('agent_error', `The file ${file.file} cannot be read any more.`, { cause })
	}
}

type Put = Parameters<FileHostCalls['files.put']>[0]

/** A file that an effect of the run makes; made again after a crash, it is the same one. Text: why it is refused. */
export async function putFile(run: Run, put: Omit<Put, 'run' | 'epoch'>): Promise<FileInfo | string> {
	const ask = { ...put, run: run.begin.run, epoch: run.begin.epoch }
	const answer = await asked(() => run.services.host.call('files.put', ask, { timeoutMs: ANSWER_MS }))
	return 'refused' in answer ? answer.refused : answer.file
}
