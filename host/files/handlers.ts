import type { HostHandlers } from '../../runtime/supervisor/client.ts'
import type { FileHostCalls } from '../../runtime/wire/files.ts'
import type { Sql } from '../db/index.ts'
import { Problem } from '../http/errors.ts'
import type { LiveRuns } from './parts.ts'
import { filesOfRun, madeBefore, madeBy, readChunk } from './read.ts'
import { storeFile } from './store.ts'

const fail = (code: string, message: string) => Object.assign(new Error(message), { code })

/** What runs ask of their files. */
export function fileHandlers({ sql, runs }: { sql: Sql; runs: LiveRuns }) {
	return {
		calls: {
			'files.info': async ({ run, files }) => {
				const url = runs.live.get(run)?.deployment.url ?? ''
				const rows = await filesOfRun(sql, run, files)
				return { files: rows.map(({ blob: _, ...info }) => ({ ...info, url: `${url}/files/${info.file}` })) }
			},
			'files.chunk': async ({ run, file, n }) => {
				const [row] = await filesOfRun(sql, run, [file])
				const chunk = row && (await readChunk(sql, row.blob, n))
				if (chunk) return chunk
				throw fail('not_found', `the run has no file ${file}`)
			},
			'files.put': async (put) => {
				const live = runs.live.get(put.run)
				if (live?.epoch !== put.epoch) throw fail('fenced', `another host owns ${put.run}`)
				const before = await madeBefore(sql, put)
				return before ? { file: before } : made(sql, live, put)
			},
		},
	} satisfies { calls: Pick<HostHandlers['calls'], keyof FileHostCalls> }
}

/** By one run. */
const madeMax = 200

type Live = LiveRuns['live'] extends ReadonlyMap<string, infer Run> ? Run : never

async function made(sql: Sql, { lineage, deployment }: Live, put: Parameters<FileHostCalls['files.put']>[0]) {
	const { run, effect, position, name, type } = put
	if ((await madeBy(sql, run)) >= madeMax)
		return { refused: `A run makes ${madeMax} files at most, results of tools included.` }
	const file = {
		...{ account: deployment.accountId, deployment: deployment.id, lineage, name, type },
		bytes: once(Buffer.from(put.base64, 'base64')),
		by: { run, effect, position },
	}
	try {
		return { file: await storeFile(sql, file) }
	} catch (error) {
		if (error instanceof Problem) return { refused: error.message }
		// Asked twice at once: the other one has made it.
		const there = await madeBefore(sql, put)
		if (there) return { file: there }
		throw error
	}
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
	yield bytes
}
