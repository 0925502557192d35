import type { FastifyRequest } from 'fastify'
import type { Caller } from '../auth/index.ts'
import { enterUpload, type KnownDeployment } from '../deployments/index.ts'
import { inPace } from '../http/pace.ts'

/** Of one upload, in memory: it is stored as it comes. */
const heldBytes = 2 * 1024 * 1024

/** `read` reads the files of the request's body, for which there is room until it is done. */
export async function takeUpload<T>(
	request: FastifyRequest,
	by: { deployment: KnownDeployment; caller: Caller },
	read: () => Promise<T>,
): Promise<T> {
	const leave = enterUpload(uploader(by), heldBytes)
	try {
		return await inPace(request.raw, read())
	} finally {
		leave()
	}
}

function uploader({ deployment, caller }: Parameters<typeof takeUpload>[1]) {
	const { accountId: account, id } = deployment
	if (caller.kind === 'run_key') return { account, key: caller.key.lineage }
	return caller.agent ? { account, key: id } : { account }
}
