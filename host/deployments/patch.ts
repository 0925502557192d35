import type { Budgets } from '../api/budgets.ts'
import type { Deployment } from '../api/deployments.ts'
import { budgetChanged } from '../budgets/index.ts'
import { requireName } from './create.ts'
import type { StopParts } from './parts.ts'
import { lockAccount } from './slots.ts'
import { announce, ownDeployment } from './store.ts'
import { viewDeployment } from './view.ts'

interface Patch {
	name?: string | undefined
	budgets?: Budgets | null | undefined
}

/** Absent members stay as they are; the address never changes. */
export async function patchDeployment(
	parts: Omit<StopParts, 'runs'>,
	accountId: string,
	id: string,
	patch: Patch,
): Promise<Deployment> {
	const row = await parts.sql.begin(async (tx) => {
		await lockAccount(tx, accountId)
		const before = await ownDeployment(tx, accountId, id)
		if (patch.name !== undefined) await requireName(tx, accountId, patch.name, id)
		const budgets = patch.budgets === undefined ? before.budgets : patch.budgets
		await tx`
			update deployments
			set name = ${patch.name ?? before.name}, budgets = ${budgets as never}, rev = rev + 1
			where id = ${id}`
		if (patch.budgets !== undefined)
			await budgetChanged(tx, { deployment: id, lineage: null }, before.budgets, budgets)
		await announce(tx, id)
		return ownDeployment(tx, accountId, id)
	})
	await parts.deployments.changed(id)
	return viewDeployment(parts.places, row)
}
