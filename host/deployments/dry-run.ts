import type { DryRun } from '../api/deployments.ts'
import type { Sql } from '../db/index.ts'
import { Problem } from '../http/errors.ts'
import { requireSeed } from '../memory/index.ts'
import { type Places, requirePlace } from '../places/index.ts'
import { refusePlatform, requireCeilings, requireDefaults } from './bundle.ts'
import { readFields, requireName } from './create.ts'
import { needsOf } from './needs.ts'
import type { BundleParts } from './parts.ts'
import { loadPrograms, openWhole } from './programs.ts'
import { requireSlot } from './slots.ts'
import type { Upload } from './upload.ts'
import { viewAgent } from './view.ts'

/** Everything a create would check, all of it, with nothing created (spec deployment.dry-run). */
export async function dryRun(
	parts: BundleParts & { sql: Sql; places: Places },
	accountId: string,
	upload: Upload,
	requestId: string,
): Promise<DryRun> {
	const faults: DryRun['faults'] = []
	const collect = async <T>(check: () => T | Promise<T>): Promise<T | null> => {
		try {
			return await check()
		} catch (error) {
			if (!(error instanceof Problem)) throw error
			faults.push(error.body('/v1/deployments', requestId) as DryRun['faults'][number])
			return null
		}
	}
	const bundle = await collect(() => openWhole(parts, accountId, upload))
	let tools: DryRun['tools'] = []
	if (bundle) {
		await collect(() => requireCeilings(parts.config, bundle.agent))
		await collect(() => requireDefaults(bundle.agent))
		await collect(() => requireSeed(bundle.memory))
		await collect(() => refusePlatform(bundle.agent))
		tools = (await collect(() => loadPrograms(parts, accountId, bundle))) ?? []
	}
	const fields = await collect(() => readFields(upload.fields))
	const place = fields?.place
	if (place !== undefined) await collect(() => requirePlace(parts.sql, parts.places, place))
	await parts.sql.begin(async (tx) => {
		await collect(() => requireSlot(tx, accountId))
		if (fields) await collect(() => requireName(tx, accountId, fields.name))
	})
	return {
		ok: faults.length === 0,
		faults,
		agent: bundle && viewAgent(bundle.agent, bundle.digest, bundle.commit),
		tools,
		credentials: bundle ? needsOf(bundle.agent) : [],
	}
}
