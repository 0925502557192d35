import type postgres from 'postgres'
import { Webhook } from 'standardwebhooks'
import type { Entry } from '../../runtime/index.ts'
import type { Deployed } from './agents.ts'
import type { Caller } from './callers.ts'
import { checkApprovals, checkMemory, checkSignIn } from './checkKinds.ts'
import type { Decided } from './decide.ts'
import type { Front } from './front.ts'
import type { Kill } from './kills.ts'
import type { KeptHost } from './processes.ts'
import { answerOf, harmful, type World } from './world.ts'

// What must hold after any number of kills (contract 8, guarantees; contract 9, at least once).

export interface Seen {
	callers: Caller[]
	kills: Kill[]
	deployed: Deployed[]
	world: World
	front: Front
	hosts: KeptHost[]
	decided: Decided
	sql: postgres.Sql
}

export interface Row {
	id: string
	deployment_id: string
	tag: string
	status: string
	output: unknown
	error_code: string | null
	error_message: string | null
	attempt: number
}

/** What happens within so many milliseconds of a call belongs to it: it is written down a little later than it ends. */
const marginMs = 1_000
/** After an outage, until every host has connected and written what waited. */
const caughtUpMs = 3_000
/** Before a host finds that its lease had run out. */
const lapsedMs = 6_000

export async function checkAll(seen: Seen) {
	const rows = await seen.sql<Row[]>`
		select id, deployment_id, inputs->>'tag' as tag, status, output, error_code, error_message, attempt from runs`
	const journals = await readJournals(seen.sql)
	const violations: string[] = []
	const byTag = new Map(rows.map((row) => [row.tag, row]))
	if (byTag.size < rows.length) violations.push(`${rows.length} runs for ${byTag.size} calls`)
	for (const caller of seen.callers) {
		const row = byTag.get(caller.tag)
		const wrong = checkCaller(caller, row)
		violations.push(...wrong.map((text) => `${text} [${storyOf(journals.get(row?.id ?? '') ?? [], seen)}]`))
	}
	for (const row of rows) {
		const caller = seen.callers.find(({ tag }) => tag === row.tag)
		const journal = journals.get(row.id) ?? []
		violations.push(
			...[
				...checkEnd(row, caller, journal, seen),
				...checkJournal(journal),
				...checkModel(row.tag, journal, seen),
				...checkTools(row, caller, journal, seen),
			].map(
				(text) => `${caller?.kind} ${row.tag} ${row.id} (${row.status}): ${text} [${storyOf(journal, seen)}]`,
			),
		)
	}
	violations.push(...checkWebhooks(rows, journals, seen))
	violations.push(...(await checkApprovals(rows, journals, seen)))
	violations.push(...(await checkMemory(rows, seen)), ...(await checkSignIn(seen)))
	return {
		violations,
		succeeded: rows.filter(({ status }) => status === 'succeeded').length,
		outcomeUnknown: rows.filter(({ error_code }) => error_code === 'outcome_unknown').length,
		denied: rows.filter(({ error_code }) => error_code === 'approval_denied').length,
		refreshed: seen.front.tokens.answers.filter(({ status }) => status === 200).length,
		lapses: starved(seen).length,
		resumed: rows.reduce((sum, { attempt }) => sum + attempt - 1, 0),
		askedAgain: [...seen.world.asked.values()].reduce((sum, times) => sum + times.length - 1, 0),
		caughtUpMs: await caughtUp(seen),
		webhooks: seen.world.hooks.received.length,
	}
}

/** What happened to a run, in seconds since the first kill. */
const storyOf = (journal: Entry[], { kills }: Seen) =>
	journal.map(({ type, at }) => `${((at - (kills[0]?.at ?? 0)) / 1000).toFixed(1)} ${type}`).join(', ')

async function readJournals(sql: postgres.Sql): Promise<Map<string, Entry[]>> {
	const journals = new Map<string, Entry[]>()
	for (const { run_id, entries } of await sql`
		select run_id, entries from journal order by run_id, first_seq`) {
		journals.set(run_id, [...(journals.get(run_id) ?? []), ...(JSON.parse(entries) as Entry[])])
	}
	return journals
}

/** For each outage of the database, how long after its end the last was written of what had to wait for it. */
async function caughtUp({ sql, kills }: Seen): Promise<number[]> {
	const rows = await sql<{ entries: string; at: number }[]>`
		select entries, (extract(epoch from pg_xact_commit_timestamp(xmin)) * 1000)::float8 as at from journal`
	return kills.flatMap(({ victim, at, backAt }) => {
		if (victim !== 'postgres') return []
		const waited = rows.filter((row) => {
			const last = (JSON.parse(row.entries) as Entry[]).at(-1)?.at ?? 0
			return last > at && last < backAt && row.at > backAt
		})
		return [Math.round(Math.max(0, ...waited.map((row) => row.at - backAt)))]
	})
}

function checkCaller({ kind, tag, ids, answer, odd }: Caller, row: Row | undefined): string[] {
	const wrong = odd.map((text) => `${tag}: an answer nobody should get: ${text}`)
	if (!row) return [...wrong, `${tag}: there is no run`]
	if (ids.size !== 1 || !ids.has(row.id)) wrong.push(`${tag}: told ${[...ids]}, stored ${row.id}`)
	if (!answer) wrong.push(`${kind} ${tag}: no answer ever came (${row.status})`)
	else if (answer.status !== row.status) wrong.push(`${tag}: answered ${answer.status}, stored ${row.status}`)
	return wrong
}

/** It succeeded like an undisturbed run, or a call that may not be repeated was in flight at a kill. */
function checkEnd(
	row: Row,
	caller: Caller | undefined,
	journal: Entry[],
	{ world, kills, hosts }: Seen,
): string[] {
	if (row.status === 'succeeded') {
		const right = caller && answerOf(caller.kind, row.tag)
		return row.output === right ? [] : [`its output is ${JSON.stringify(row.output)}`]
	}
	// Whether that is right, its decision says.
	if (row.error_code === 'approval_denied' && caller?.kind === 'approval') return []
	if (row.error_code !== 'outcome_unknown') return [`it ended as ${row.error_code}: ${row.error_message}`]
	const name = caller && harmful[caller.kind]
	const begun = journal.find(({ type, data }) => type === 'tool.started' && data.name === name)
	if (!begun) return ['outcome_unknown without a call']
	const [call] = world.called.get(`${name} ${row.tag}`) ?? []
	// While the database is down, what is done cannot be written down: it counts as in flight until then.
	const ended = call?.endedAt ?? Number.POSITIVE_INFINITY
	const outage = kills.find(
		(k) => k.victim === 'postgres' && k.at <= ended + marginMs && ended <= k.backAt + caughtUpMs,
	)
	const until = Math.max(ended + marginMs, outage ? outage.backAt + caughtUpMs : 0)
	const lapsed = heldUp({ kills, hosts }, begun.at, until)
	const hit =
		lapsed ||
		kills.some(
			({ victim, at }) =>
				(victim === 'host' || victim === 'runtime') && at >= begun.at - marginMs && at <= until,
		)
	const near = kills.filter(({ at }) => Math.abs(at - begun.at) < 6_000)
	const times = near.map(({ victim, host, at }) => `${victim} ${host ?? ''} ${at - begun.at} ms`).join(', ')
	const took = call ? `${call.at - begun.at} to ${ended - begun.at} ms` : 'never'
	return hit
		? []
		: [`outcome_unknown, and no call was in flight at a kill (called ${took}, kills near it: ${times})`]
}

/** When hosts found that their lease had run out, though the database was there. */
const starved = ({ kills, hosts }: Pick<Seen, 'kills' | 'hosts'>) =>
	hosts
		.flatMap(({ lapses }) => lapses)
		.filter((at) => !kills.some((k) => k.victim === 'postgres' && at >= k.at && at <= k.backAt + caughtUpMs))

const isTerminal = ({ type }: Entry) =>
	type === 'run.completed' || type === 'run.failed' || type === 'run.cancelled'

function checkJournal(journal: Entry[]): string[] {
	const wrong: string[] = []
	if (journal.some(({ seq }, i) => seq !== i + 1))
		wrong.push(`gaps in its journal: ${journal.map(({ seq }) => seq)}`)
	if (journal.filter(isTerminal).length !== 1 || !journal.at(-1) || !isTerminal(journal.at(-1) as Entry))
		wrong.push(`${journal.filter(isTerminal).length} terminal events`)
	const closed = journal.filter(({ ok }) => ok !== undefined).map(({ effect }) => effect)
	if (new Set(closed).size < closed.length) wrong.push('an effect was answered twice')
	return wrong
}

/**
 * A host that the machine held up goes on with its runs as long as it does not know that another host has them: in that
 * time, calls that may be repeated are.
 */
const heldUp = (seen: Pick<Seen, 'kills' | 'hosts'>, from: number, to: number) =>
	starved(seen).some((at) => from <= at && to >= at - lapsedMs)

/** Nobody is asked again what is answered and committed. */
function checkModel(tag: string, journal: Entry[], seen: Seen): string[] {
	return journal
		.filter(({ type }) => type === 'model.completed')
		.toSorted((a, b) => (a.effect as number) - (b.effect as number))
		.flatMap(({ at }, i) => {
			const times = seen.world.asked.get(`${tag} ${i}`) ?? []
			const after = times.filter((time) => time > at && !heldUp(seen, at - lapsedMs, time))
			return after.length === 0 ? [] : [`model call ${i} was made again after its answer was committed`]
		})
}

function checkTools(
	{ tag, status, error_code }: Row,
	caller: Caller | undefined,
	journal: Entry[],
	seen: Seen,
): string[] {
	const { called } = seen.world
	const wrong: string[] = []
	for (const { type, effect, at, data } of journal) {
		if (type !== 'tool.completed') continue
		const begun = journal.find((entry) => entry.type === 'tool.started' && entry.effect === effect)
		const { key } = (begun?.data.input ?? {}) as { key?: string }
		const after = (called.get(`${data.name} ${key}`) ?? []).filter(
			(call) => call.at > at && !heldUp(seen, at - lapsedMs, call.at),
		)
		if (after.length > 0) wrong.push(`${data.name} ${key} was called again after its result was committed`)
	}
	const name = caller && harmful[caller.kind]
	if (!name) return wrong
	const calls = (called.get(`${name} ${tag}`) ?? []).length
	const begun = journal.some(({ type, data }) => type === 'tool.started' && data.name === name)
	if (calls > 1) wrong.push(`${name} was called ${calls} times`)
	if (calls === 0 && status === 'succeeded') wrong.push(`succeeded without its ${name}`)
	if (calls === 1 && !begun) wrong.push(`${name} without a word before (${error_code})`)
	return wrong
}

function checkWebhooks(rows: Row[], journals: Map<string, Entry[]>, { deployed, world }: Seen): string[] {
	const wrong: string[] = []
	const ids = new Map<string, Set<string>>()
	for (const { body, headers } of world.hooks.received) {
		const { type, data } = JSON.parse(body) as { type: string; data: { id: string; deployment: string } }
		const secret = deployed.find(({ running }) => running.id === data.deployment)?.secret ?? ''
		try {
			new Webhook(secret).verify(body, headers)
		} catch (error) {
			wrong.push(`a webhook of ${data.id} does not verify: ${(error as Error).message}`)
		}
		const about = `${data.id} ${type === 'run.waiting' ? 'waiting' : 'end'}`
		ids.set(about, (ids.get(about) ?? new Set()).add(headers['webhook-id'] ?? ''))
	}
	for (const { id } of rows) {
		const waits = (journals.get(id) ?? []).filter(({ type }) => type === 'run.waiting').length
		for (const [about, events] of [
			['end', 1],
			['waiting', waits],
		] as const) {
			const found = ids.get(`${id} ${about}`)?.size ?? 0
			if (found !== events)
				wrong.push(`${found} webhooks of the ${about} of ${id}, where there were ${events}`)
		}
	}
	return wrong
}
