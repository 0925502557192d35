import type { FastifyBaseLogger } from 'fastify'
import type { HostNotes } from '../../runtime/wire/host-calls.ts'
import type { Sql } from '../db/index.ts'
import { Problem } from '../http/errors.ts'
import type { KnownDeployments } from './cache.ts'
import { announce } from './store.ts'

export interface FailParts {
	sql: Sql
	log: FastifyBaseLogger
	deployments: Pick<KnownDeployments, 'changed'>
}

/**
 * Nothing sealed to its key can be opened: the deployment is `failed`, with the reason, and its credentials stay as they
 * are, for none of them is at fault. Answers with what to tell whoever asked for something.
 */
export async function failDeployment(
	{ sql, log, deployments }: FailParts,
	{ deployment, kid, reason }: HostNotes['sealing_key.unreadable'],
): Promise<Problem> {
	const done = await sql.begin(async (tx) => {
		const rows = await tx`
			update deployments set state = 'failed', state_reason = ${reason}, state_since = now(), rev = rev + 1
			where id = ${deployment} and sealing_kid = ${kid} and state in ('creating', 'running') returning 1`
		if (rows.length > 0) await announce(tx, deployment)
		return rows.length > 0
	})
	if (done) {
		log.error({ deployment, reason }, 'a deployment has failed')
		await deployments.changed(deployment)
	}
	return new Problem('internal_error', reason)
}
