import type { Agent } from '../../bundles/index.ts'
import type { ActivatedDeployment, DryRun, Version } from '../api/deployments.ts'
import type { Tx } from '../db/index.ts'
import { notFound } from '../http/errors.ts'
import { acceptBundle, refusePlatform, requireCeilings } from './bundle.ts'
import { insertBundle, insertVersion, setNeeds } from './create.ts'
import { dryBundle } from './dry-run.ts'
import type { LifecycleParts } from './parts.ts'
import { ruleOf } from './states.ts'
import { announce, type DeploymentRow, iso, ownDeployment } from './store.ts'
import type { Upload } from './upload.ts'
import { viewAgent, viewDeployment } from './view.ts'

/**
 * A new bundle, active at once; runs in flight finish on theirs (spec deployment.version-in-flight). The one that is
 * active changes nothing.
 */
export async function addVersion(
	parts: LifecycleParts,
	accountId: string,
	id: string,
	upload: Upload,
): Promise<{ added: boolean; deployment: ActivatedDeployment }> {
	const before = await ownDeployment(parts.sql, accountId, id)
	ruleOf(before.state, 'activate')
	const bundle = await acceptBundle(parts, accountId, upload)
	if (bundle.digest === before.digest) return { added: false, deployment: await activated(parts, before) }
	const deployment = await change(parts, accountId, id, async (tx) => {
		const [last] = await tx<{ version: number }[]>`
			select max(version) as version from versions where deployment_id = ${id}`
		const version = (last?.version ?? 0) + 1
		await insertBundle(tx, bundle.digest, upload.bundle)
		await insertVersion(tx, id, version, bundle)
		return { version, agent: bundle.agent }
	})
	return { added: true, deployment }
}

/** Rolls back, or forward again. */
export async function activateVersion(
	parts: LifecycleParts,
	accountId: string,
	id: string,
	version: number,
): Promise<ActivatedDeployment> {
	const before = await ownDeployment(parts.sql, accountId, id)
	ruleOf(before.state, 'activate')
	return change(parts, accountId, id, async (tx) => {
		const [row] = await tx<{ agent: Agent }[]>`
			select agent from versions where deployment_id = ${id} and version = ${version}`
		if (!row) throw notFound('There is no such version.')
		refusePlatform(row.agent)
		requireCeilings(parts.config, row.agent)
		return { version, agent: row.agent }
	})
}

/** The deployment's own row is the lock: versions are numbered and activated one after the other. */
async function change(
	parts: LifecycleParts,
	accountId: string,
	id: string,
	choose: (tx: Tx) => Promise<{ version: number; agent: Agent }>,
): Promise<ActivatedDeployment> {
	const row = await parts.sql.begin(async (tx) => {
		await tx`select id from deployments where id = ${id} for no key update`
		const locked = await ownDeployment(tx, accountId, id)
		ruleOf(locked.state, 'activate')
		const { version, agent } = await choose(tx)
		// While it runs, the reason is about the schema of the version before.
		await tx`
			update deployments set version = ${version}, rev = rev + 1,
				state_reason = case when state = 'running' then null else state_reason end
			where id = ${id}`
		await setNeeds(tx, id, { agent })
		await announce(tx, id)
		return ownDeployment(tx, accountId, id)
	})
	await parts.deployments.changed(id)
	return activated(parts, row)
}

async function activated(
	{ places, versions }: LifecycleParts,
	row: DeploymentRow,
): Promise<ActivatedDeployment> {
	const deployment = viewDeployment(places, row)
	return { ...deployment, unfit_schedules: await versions.unfitSchedules(deployment, row.agent) }
}

/** All that `addVersion` would check, with nothing changed (spec deployment.version-dry-run). */
export async function dryVersion(
	parts: LifecycleParts,
	accountId: string,
	id: string,
	upload: Upload,
	requestId: string,
): Promise<DryRun> {
	const before = await ownDeployment(parts.sql, accountId, id)
	ruleOf(before.state, 'activate')
	const checked = await dryBundle(parts, accountId, upload, {
		address: `/v1/deployments/${id}/versions`,
		requestId,
	})
	if (!checked.bundle) return checked.report
	const { url } = viewDeployment(parts.places, before)
	const unfit_schedules = await parts.versions.unfitSchedules({ id, url }, checked.bundle.agent)
	return { ...checked.report, unfit_schedules }
}

/** Newest first. */
export async function listVersions(parts: LifecycleParts, accountId: string, id: string): Promise<Version[]> {
	const { version: active } = await ownDeployment(parts.sql, accountId, id)
	const rows = await parts.sql<
		{ version: number; digest: string; commit: string; agent: Agent; created_at: Date }[]
	>`
		select version, digest, commit, agent, created_at from versions where deployment_id = ${id} order by version desc`
	return rows.map((row) => ({
		version: row.version,
		active: row.version === active,
		created_at: iso(row.created_at),
		agent: viewAgent(row.agent, row.digest, row.commit),
	}))
}
