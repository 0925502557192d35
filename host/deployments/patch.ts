import type { Budgets } from '../api/budgets.ts'
import type { Deployment } from '../api/deployments.ts'
import { budgetChanged } from '../budgets/index.ts'
import type { Tx } from '../db/index.ts'
import { Problem } from '../http/errors.ts'
import { requireName } from './create.ts'
import type { StopParts } from './parts.ts'
import { mostDays, type RetentionSettings } from './retention.ts'
import { lockAccount } from './slots.ts'
import { announce, ownDeployment } from './store.ts'
import { viewDeployment } from './view.ts'

interface Patch {
	name?: string | undefined
	budgets?: Budgets | null | undefined
	retain_days?: number | null | undefined
}

/** Absent members stay as they are; the address never changes. */
export async function patchDeployment(
	parts: Omit<StopParts, 'runs'> & { config: RetentionSettings },
	accountId: string,
	id: string,
	patch: Patch,
): Promise<Deployment> {
	const row = await parts.sql.begin(async (tx) => {
		await lockAccount(tx, accountId)
		const before = await ownDeployment(tx, accountId, id)
		if (patch.name !== undefined) await requireName(tx, accountId, patch.name, id)
		if (patch.retain_days) await requireKeepable(tx, parts.config, id, patch.retain_days)
		const retain = patch.retain_days === undefined ? before.retain_days : patch.retain_days
		const budgets = patch.budgets === undefined ? before.budgets : patch.budgets
		await tx`
			update deployments
			set name = ${patch.name ?? before.name}, budgets = ${budgets as never}, retain_days = ${retain}, rev = rev + 1
			where id = ${id}`
		if (patch.budgets !== undefined)
			await budgetChanged(tx, { deployment: id, lineage: null }, before.budgets, budgets)
		await announce(tx, id)
		return ownDeployment(tx, accountId, id)
	})
	await parts.deployments.changed(id)
	return viewDeployment(parts.places, row)
}

async function requireKeepable(tx: Tx, config: RetentionSettings, id: string, days: number): Promise<void> {
	const most = await mostDays(tx, config, id)
	if (most === null || days <= most) return
	const message = `must be at most ${most}: plan and host keep ended runs no longer`
	throw new Problem('invalid_request', `/retain_days ${message}.`, {
		errors: [{ path: '/retain_days', message }],
	})
}
