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
import type { OpenedBundle, Upload } from './upload.ts'
import { viewAgent } from './view.ts'

/** Everything a create would check, all of it, with nothing created (spec deployment.dry-run). */
export async function dryRun(
	parts: BundleParts & { sql: Sql; places: Places },
	accountId: string,
	upload: Upload,
	requestId: string,
): Promise<DryRun> {
	const asked = { address: '/v1/deployments', requestId }
	const { report, bundle, collect } = await dryBundle(parts, accountId, upload, asked)
	if (bundle) await collect(() => requireSeed(bundle.memory))
	const fields = await collect(() => readFields(upload.fields))
	const place = fields?.place
	if (place !== undefined) await collect(() => requirePlace(parts.sql, parts.places, place))
	await parts.sql.begin(async (tx) => {
		await collect(() => requireSlot(tx, accountId))
		if (fields) await collect(() => requireName(tx, accountId, fields.name))
	})
	return { ...report, ok: report.faults.length === 0 }
}

interface Checked {
	report: DryRun
	/** Null: it cannot be read. */
	bundle: OpenedBundle | null
	/** Adds what a check refuses to the report's faults, and goes on. */
	collect<T>(check: () => T | Promise<T>): Promise<T | null>
}

/** What is checked of a bundle, whatever becomes of it. */
export async function dryBundle(
	parts: BundleParts,
	accountId: string,
	upload: Upload,
	{ address, requestId }: { address: string; requestId: string },
): Promise<Checked> {
	const faults: DryRun['faults'] = []
	const collect: Checked['collect'] = async (check) => {
		try {
			return await check()
		} catch (error) {
			if (!(error instanceof Problem)) throw error
			faults.push(error.body(address, requestId) as DryRun['faults'][number])
			return null
		}
	}
	const bundle = await collect(() => openWhole(parts, accountId, upload))
	let tools: DryRun['tools'] = []
	if (bundle) {
		await collect(() => requireCeilings(parts.config, bundle.agent))
		await collect(() => requireDefaults(bundle.agent))
		await collect(() => refusePlatform(bundle.agent))
		tools = (await collect(() => loadPrograms(parts, accountId, bundle))) ?? []
	}
	const report: DryRun = {
		ok: faults.length === 0,
		faults,
		agent: bundle && viewAgent(bundle.agent, bundle.digest, bundle.commit),
		tools,
		credentials: bundle ? needsOf(bundle.agent) : [],
		unfit_schedules: [],
	}
	return { report, bundle, collect }
}
