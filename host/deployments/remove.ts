import { eraseMemory } from '../memory/index.ts'
import { requireStopper } from './here.ts'
import type { LifecycleParts } from './parts.ts'
import { ruleOf } from './states.ts'
import { bringToStop } from './stop.ts'
import { announce, ownDeployment } from './store.ts'

const drainSeconds = 30

/**
 * Stops first; then the wrapped sealing key, every sealed credential and every run key are gone for good
 * (spec deployment.deleted-erased). Deliveries that are written are still sent. From here on it answers 410.
 */
export async function deleteDeployment(parts: LifecycleParts, accountId: string, id: string): Promise<void> {
	const row = await ownDeployment(parts.sql, accountId, id)
	ruleOf(row.state, 'delete')
	requireStopper(parts.places, row, '')
	await bringToStop(parts, row, drainSeconds, null)
	const keys = await parts.sql.begin(async (tx) => {
		const [done] = await tx`
			update deployments
			set state = 'deleted', deleted_at = now(), state_since = now(), rev = rev + 1,
				sealing_kid = null, sealing_wrapped = null, sealing_jwk = null
			where id = ${id} and state = 'stopped' returning id`
		if (!done) return null
		await tx`update credentials set jwe = null, state = 'missing', version = version + 1 where deployment_id = ${id}`
		await tx`delete from tool_locks where deployment_id = ${id}`
		await tx`update tokens set revoked_at = now() where deployment_id = ${id} and revoked_at is null`
		await tx`delete from refusals where deployment_id = ${id}`
		await tx`delete from schedules where deployment_id = ${id}`
		await announce(tx, id)
		return tx<{ id: string }[]>`
			update run_keys set revoked_at = now() where deployment_id = ${id} and revoked_at is null returning id`
	})
	// Started again since it was stopped: stop that one too. Deleted by another call: there is nothing left to do.
	if (!keys) {
		const now = await ownDeployment(parts.sql, accountId, id, { evenDeleted: true })
		return now.state === 'deleted' ? undefined : deleteDeployment(parts, accountId, id)
	}
	await eraseMemory(parts.sql, id)
	await parts.deployments.changed(id)
	await Promise.all(keys.map((key) => parts.secrets.forget(key.id)))
}
