import { canonicalUrl } from '../../bundles/index.ts'
import type { ToolOffer } from '../../runtime/wire/connectors.ts'
import type { HostCalls } from '../../runtime/wire/host-calls.ts'
import type { AcceptTools, ToolLock } from '../api/tools.ts'
import type { Host } from '../context.ts'
import type { Rows } from '../db/index.ts'
import { announce, type DeploymentRow, iso, ownDeployment } from '../deployments/store.ts'
import { Problem } from '../http/errors.ts'
import { differenceOf } from './difference.ts'

// The tool lock (spec connector.lock): what a connector offered first, what it offers now, and the owner's consent to
// the latter.

type LockRow = Omit<Rows['tool_locks'], 'deployment_id'>

const listingTimeoutMs = 30_000

/** Asked by the runtime at a listing. A lock that is there already stays. */
export async function lockTools(
	host: Host,
	{ deployment, connector, tools }: Parameters<HostCalls['tools.lock']>[0],
): Promise<ReturnType<HostCalls['tools.lock']>> {
	await host.sql.begin(async (tx) => {
		await tx`select id from deployments where id = ${deployment} for no key update`
		const made = await tx`
			insert into tool_locks (deployment_id, connector, tool, hash, definition)
			select ${deployment}, ${connector}, name, hash, definition
			from json_to_recordset(${JSON.stringify(tools)}::text::json) as t(name text, hash text, definition json)
			on conflict do nothing returning 1`
		if (made.length === 0) return
		await tx`update deployments set rev = rev + 1 where id = ${deployment}`
		await announce(tx, deployment)
	})
	const rows = await host.sql<{ tool: string; hash: string }[]>`
		select tool, hash from tool_locks where deployment_id = ${deployment} and connector = ${connector}`
	return { locks: Object.fromEntries(rows.map(({ tool, hash }) => [tool, hash])) }
}

/** Nobody waits for it: at a start, and when a connector was connected. A connector that is down is locked by its first run. */
export function lockSoon(host: Host, row: Pick<DeploymentRow, 'id' | 'slug' | 'digest' | 'agent'>): void {
	if (row.agent.requires.length === 0) return
	const told = offersOf(host, row).then((offers) => {
		for (const { connector, tools } of offers)
			for (const { name: tool, warning } of tools)
				if (warning)
					host.log.warn({ deployment: row.id, connector, tool, warning }, 'a tool cannot work here')
	})
	told.catch((error) => {
		if (!host.signal.aborted) host.log.info({ err: error, deployment: row.id }, 'tools were not locked yet')
	})
}

/** Locked and offered definitions with their difference. Asks the connectors now. */
export async function readTools(host: Host, accountId: string, id: string): Promise<ToolLock[]> {
	const row = await ownDeployment(host.sql, accountId, id)
	const offers = await offersOf(host, row)
	return view(row, offers, await readLocks(host, id))
}

/** What was shown, and nothing else: an offer that has changed again since is refused. */
export async function acceptTools(
	host: Host,
	accountId: string,
	id: string,
	{ tools }: AcceptTools,
): Promise<ToolLock[]> {
	const row = await ownDeployment(host.sql, accountId, id)
	const offers = await offersOf(host, row)
	const accepted = tools.map(({ connector, tool, hash }) => {
		const offered = offers.find((one) => one.connector === connector)?.tools.find(({ name }) => name === tool)
		if (offered?.hash === hash) return { connector, ...offered }
		throw new Problem(
			'conflict',
			`${tool} of ${connector} is not offered as it was shown. Look at it again; nothing has been accepted.`,
		)
	})
	await host.sql.begin(async (tx) => {
		await tx`select id from deployments where id = ${id} for no key update`
		await tx`
			insert into tool_locks (deployment_id, connector, tool, hash, definition)
			select ${id}, connector, name, hash, definition
			from json_to_recordset(${JSON.stringify(accepted)}::text::json)
				as t(connector text, name text, hash text, definition json)
			on conflict (deployment_id, connector, tool) do update
			set hash = excluded.hash, definition = excluded.definition, locked_at = now()`
		await tx`update deployments set rev = rev + 1 where id = ${id}`
		await announce(tx, id)
	})
	await host.deployments.changed(id)
	return view(row, offers, await readLocks(host, id))
}

async function offersOf(
	host: Host,
	{ id, slug, digest }: Pick<DeploymentRow, 'id' | 'slug' | 'digest'>,
): Promise<ToolOffer[]> {
	const release = host.deployments.hold(id)
	try {
		const known = await host.deployments.refresh(slug)
		if (known) host.deployments.put(known)
		const args = { deployment: id, digest }
		return (await host.runtime.call('tools.offered', args, { timeoutMs: listingTimeoutMs })).offers
	} finally {
		release()
	}
}

function readLocks(host: Host, id: string): Promise<LockRow[]> {
	return host.sql<LockRow[]>`
		select connector, tool, hash, definition, locked_at from tool_locks where deployment_id = ${id}`
}

function view({ agent }: DeploymentRow, offers: ToolOffer[], locks: LockRow[]): ToolLock[] {
	return agent.requires.flatMap((requirement) => {
		const connector = canonicalUrl(requirement.connector)
		const offer = offers.find((one) => one.connector === connector)
		return requirement.tools.map((tool) => {
			const lock = locks.find((row) => row.connector === connector && row.tool === tool)
			const offered = offer?.tools.find(({ name }) => name === tool)
			return viewTool(connector, tool, lock, offered, offer?.error ?? null)
		})
	})
}

function viewTool(
	connector: string,
	tool: string,
	lock: LockRow | undefined,
	offered: ToolOffer['tools'][number] | undefined,
	error: ToolOffer['error'],
): ToolLock {
	const changed = lock !== undefined && offered !== undefined && lock.hash !== offered.hash
	const state = error ? 'unknown' : !offered ? 'missing' : changed ? 'changed' : 'locked'
	return {
		connector,
		tool,
		state,
		locked: lock ? { hash: lock.hash, definition: lock.definition, locked_at: iso(lock.locked_at) } : null,
		offered: offered ? { hash: offered.hash, definition: offered.definition } : null,
		difference: changed ? differenceOf(lock.definition, offered.definition) : [],
		warning: offered?.warning ?? null,
		error: error && { code: error.code, detail: error.message },
	}
}
