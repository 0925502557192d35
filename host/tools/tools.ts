import type { FastifyBaseLogger } from 'fastify'
import { canonicalUrl } from '../../bundles/index.ts'
import type { RuntimeClient } from '../../runtime/supervisor/client.ts'
import type { ToolOffer } from '../../runtime/wire/connectors.ts'
import type { HostCalls } from '../../runtime/wire/host-calls.ts'
import type { AcceptTools, ToolLock } from '../api/tools.ts'
import type { Rows, Sql } from '../db/index.ts'
import {
	announce,
	type DeploymentRow,
	iso,
	type KnownDeployments,
	ownDeployment,
	requireHere,
} from '../deployments/index.ts'
import { Problem } from '../http/errors.ts'
import type { Places } from '../places/index.ts'
import { differenceOf } from './difference.ts'

// The tool lock (spec connector.lock): what a connector offered first, what it offers now, and the owner's consent to
// the latter.

/** What it takes to ask the connectors of a deployment. */
interface AskParts {
	runtime: Pick<RuntimeClient, 'call'>
	deployments: Pick<KnownDeployments, 'hold' | 'refresh' | 'put'>
}

export interface ToolParts extends AskParts {
	sql: Sql
	places: Places
	deployments: Pick<KnownDeployments, 'hold' | 'refresh' | 'put' | 'changed'>
}

type LockRow = Omit<Rows['tool_locks'], 'deployment_id'>

const listingTimeoutMs = 30_000

/** Asked by the runtime at a listing. A lock that is there already stays. */
export async function lockTools(
	sql: Sql,
	{ deployment, connector, tools }: Parameters<HostCalls['tools.lock']>[0],
): Promise<ReturnType<HostCalls['tools.lock']>> {
	await sql.begin(async (tx) => {
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
	const rows = await sql<{ tool: string; hash: string }[]>`
		select tool, hash from tool_locks where deployment_id = ${deployment} and connector = ${connector}`
	return { locks: Object.fromEntries(rows.map(({ tool, hash }) => [tool, hash])) }
}

/** Nobody waits for it: at a start, and when a connector was connected. A connector that is down is locked by its first run. */
export function lockSoon(
	parts: AskParts & { log: FastifyBaseLogger; signal: AbortSignal },
	row: Pick<DeploymentRow, 'id' | 'slug' | 'digest' | 'agent'>,
): void {
	if (row.agent.requires.length === 0) return
	const told = offersOf(parts, row).then((offers) => {
		for (const { connector, tools } of offers)
			for (const { name: tool, warning } of tools)
				if (warning)
					parts.log.warn({ deployment: row.id, connector, tool, warning }, 'a tool cannot work here')
	})
	told.catch((error) => {
		if (!parts.signal.aborted) parts.log.info({ err: error, deployment: row.id }, 'tools were not locked yet')
	})
}

/** Locked and offered definitions with their difference. Asks the connectors now. */
export async function readTools(parts: ToolParts, accountId: string, id: string): Promise<ToolLock[]> {
	const row = await ownDeployment(parts.sql, accountId, id)
	requireHere(parts.places, row, '/tools')
	const offers = await offersOf(parts, row)
	return view(row, offers, await readLocks(parts.sql, id))
}

/** What was shown, and nothing else: an offer that has changed again since is refused. */
export async function acceptTools(
	parts: ToolParts,
	accountId: string,
	id: string,
	{ tools }: AcceptTools,
): Promise<ToolLock[]> {
	const row = await ownDeployment(parts.sql, accountId, id)
	requireHere(parts.places, row, '/tools/accept')
	const offers = await offersOf(parts, row)
	const accepted = tools.map(({ connector, tool, hash }) => {
		const offered = offers.find((one) => one.connector === connector)?.tools.find(({ name }) => name === tool)
		if (offered?.hash === hash) return { connector, ...offered }
		throw new Problem(
			'conflict',
			`${tool} of ${connector} is not offered as it was shown. Look at it again; nothing has been accepted.`,
		)
	})
	await parts.sql.begin(async (tx) => {
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
	await parts.deployments.changed(id)
	return view(row, offers, await readLocks(parts.sql, id))
}

async function offersOf(
	{ runtime, deployments }: AskParts,
	{ id, slug, digest }: Pick<DeploymentRow, 'id' | 'slug' | 'digest'>,
): Promise<ToolOffer[]> {
	const release = deployments.hold(id)
	try {
		const known = await deployments.refresh(slug)
		if (known) deployments.put(known)
		const args = { deployment: id, digest }
		return (await runtime.call('tools.offered', args, { timeoutMs: listingTimeoutMs })).offers
	} finally {
		release()
	}
}

function readLocks(sql: Sql, id: string): Promise<LockRow[]> {
	return sql<LockRow[]>`
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
