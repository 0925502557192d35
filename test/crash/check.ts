import type postgres from 'postgres'
import { Webhook } from 'standardwebhooks'
import type { Entry, Usage } from '../../runtime/wire/journal.ts'
import type { Deployed } from './agents.ts'
import type { Caller } from './callers.ts'
import { checkApprovals, checkMemory, checkShop, checkSignIn } from './check-kinds.ts'
import { checkAgents, checkFiles } from './check-parts.ts'
import type { Decided } from './decide.ts'
import { explain, heldUp, isOutage, starved } from './explain.ts'
import type { Fault } from './faults.ts'
import type { Front } from './front.ts'
import type { KeptHost } from './processes.ts'
import { answerOf, callIn, unrepeatable, type World } from './world.ts'

// What must hold after any number of kills and troubles.

export interface Seen {
	callers: Caller[]
	faults: Fault[]
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
	depth: number | null
	usage: Usage | null
}

/** Before a host finds that its lease had run out. */
const lapsedMs = 6_000

export async function checkAll(seen: Seen) {
	const every = await seen.sql<Row[]>`
		select id, deployment_id, coalesce(inputs->>'tag', inputs->>'of') as tag, status, output, error_code, error_message,
			attempt, depth, usage from runs`
	const isCalled = ({ deployment_id }: Row) =>
		seen.deployed.find(({ running }) => running.id === deployment_id)?.kind !== 'callee'
	const rows = every.filter(isCalled)
	const journals = await readJournals(seen.sql)
	const violations: string[] = []
	const explained: string[] = []
	const byTag = new Map(rows.map((row) => [row.tag, row]))
	if (byTag.size < rows.length) violations.push(`${rows.length} runs for ${byTag.size} calls`)
	for (const caller of seen.callers) {
		const row = byTag.get(caller.tag)
		const wrong = checkCaller(caller, row, seen.world.called)
		violations.push(...wrong.map((text) => `${text} [${storyOf(journals.get(row?.id ?? '') ?? [], seen)}]`))
	}
	for (const row of rows) {
		const caller = seen.callers.find(({ tag }) => tag === row.tag)
		const journal = journals.get(row.id) ?? []
		violations.push(
			...[
				...checkEnd(row, caller, journal, seen, explained),
				...checkJournal(journal),
				...checkModel(row.tag, journal, seen),
				...checkTools(row, caller, journal, seen),
			].map(
				(text) => `${caller?.kind} ${row.tag} ${row.id} (${row.status}): ${text} [${storyOf(journal, seen)}]`,
			),
		)
	}
	violations.push(...checkWebhooks(every, journals, seen))
	violations.push(...(await checkApprovals(rows, journals, seen)))
	violations.push(...(await checkMemory(rows, seen)), ...(await checkSignIn(seen)), ...checkShop(seen))
	violations.push(...(await checkFiles(rows, seen)))
	const below = every.filter((row) => !isCalled(row))
	violations.push(
		...checkAgents(rows, below, journals, seen),
		...below.flatMap(({ id }) => checkJournal(journals.get(id) ?? [])),
	)
	return {
		violations,
		explained,
		succeeded: rows.filter(({ status }) => status === 'succeeded').length,
		outcomeUnknown: rows.filter(({ error_code }) => error_code === 'outcome_unknown').length,
		denied: rows.filter(({ error_code }) => error_code === 'approval_denied').length,
		refreshed: seen.front.tokens.answers.filter(({ status }) => status === 200).length,
		lapses: starved(seen).length,
		calledByAgents: below.length,
		resumed: rows.reduce((sum, { attempt }) => sum + attempt - 1, 0),
		askedAgain: [...seen.world.asked.values()].reduce((sum, times) => sum + times.length - 1, 0),
		caughtUpMs: await caughtUp(seen),
		cutStreams: seen.world.cut(),
		webhooks: seen.world.hooks.received.length,
	}
}

/** What happened to a run, in seconds since the first fault. */
const storyOf = (journal: Entry[], { faults }: Seen) =>
	journal.map(({ type, at }) => `${((at - (faults[0]?.at ?? 0)) / 1000).toFixed(1)} ${type}`).join(', ')

async function readJournals(sql: postgres.Sql): Promise<Map<string, Entry[]>> {
	const journals = new Map<string, Entry[]>()
	for (const { run_id, entries } of await sql`
		select run_id, entries from journal order by run_id, first_seq`) {
		journals.set(run_id, [...(journals.get(run_id) ?? []), ...(JSON.parse(entries) as Entry[])])
	}
	return journals
}

/** For each outage of the database, how long after its end the last was written of what had to wait for it. */
async function caughtUp({ sql, faults }: Seen): Promise<number[]> {
	const rows = await sql<{ entries: string; at: number }[]>`
		select entries, (extract(epoch from pg_xact_commit_timestamp(xmin)) * 1000)::float8 as at from journal`
	return faults.filter(isOutage).map(({ at, backAt }) => {
		const waited = rows.filter((row) => {
			const last = (JSON.parse(row.entries) as Entry[]).at(-1)?.at ?? 0
			return last > at && last < backAt && row.at > backAt
		})
		return Math.round(Math.max(0, ...waited.map((row) => row.at - backAt)))
	})
}

/** `called`: of tools. */
function checkCaller(
	{ kind, tag, ids, answer, odd, keyless }: Caller,
	row: Row | undefined,
	called: World['called'],
): string[] {
	const wrong = odd.map((text) => `${tag}: an answer nobody should get: ${text}`)
	if (keyless && ids.size === 0) {
		const acted = row ? [] : [...called.keys()].filter((id) => id.endsWith(` ${tag}`))
		return [...wrong, ...acted.map((id) => `${id} was called for a run that is not there`)]
	}
	if (!row) return [...wrong, `${tag}: there is no run`]
	if (ids.size !== 1 || !ids.has(row.id)) wrong.push(`${tag}: told ${[...ids]}, stored ${row.id}`)
	if (!answer) wrong.push(`${kind} ${tag}: no answer ever came (${row.status})`)
	else if (answer.status !== row.status) wrong.push(`${tag}: answered ${answer.status}, stored ${row.status}`)
	return wrong
}

/** It succeeded like an undisturbed run, or something explains why it did not. */
function checkEnd(
	row: Row,
	caller: Caller | undefined,
	journal: Entry[],
	seen: Seen,
	explained: string[],
): string[] {
	if (row.status === 'succeeded') {
		const right = caller && answerOf(caller.kind, row.tag)
		// Its other member is a file.
		const said = caller?.kind === 'files' ? (row.output as { text: unknown }).text : row.output
		return said === right ? [] : [`its output is ${JSON.stringify(row.output)}`]
	}
	// Whether that is right, its decision says.
	if (row.error_code === 'approval_denied' && caller?.kind === 'approval') return []
	const because = explain(row, caller?.kind, journal, seen)
	if (because === null)
		return [`it ended as ${row.error_code}, and no fault explains it: ${row.error_message}`]
	explained.push(`${caller?.kind} ${row.tag}: ${row.error_code}, by ${because}`)
	return []
}

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
	for (const { type, effect, at } of journal) {
		if (type !== 'tool.completed' && type !== 'http.completed') continue
		const begun = journal.find((entry) => entry.effect === effect && callIn(entry) !== undefined)
		const id = begun && callIn(begun)
		const after = (called.get(id ?? '') ?? []).filter(
			(call) => call.at > at && !heldUp(seen, at - lapsedMs, call.at),
		)
		if (after.length > 0) wrong.push(`${id} was called again after its result was committed`)
	}
	const name = caller && unrepeatable[caller.kind]
	if (!name) return wrong
	const calls = (called.get(`${name} ${tag}`) ?? []).length
	const begun = journal.some((entry) => callIn(entry) === `${name} ${tag}`)
	if (calls > 1) wrong.push(`${name} was called ${calls} times`)
	if (calls === 0 && status === 'succeeded') wrong.push(`succeeded without its ${name}`)
	if (calls === 1 && !begun) wrong.push(`${name} without a word before (${error_code})`)
	return wrong
}

function checkWebhooks(rows: Row[], journals: Map<string, Entry[]>, { deployed, world }: Seen): string[] {
	const wrong: string[] = []
	const ids = new Map<string, Set<string>>()
	for (const { body, headers, at } of world.hooks.received) {
		const { type, data } = JSON.parse(body) as { type: string; data: { id: string; deployment: string } }
		const secret = deployed.find(({ running }) => running.id === data.deployment)?.secret ?? ''
		try {
			verifyAt(at, () => new Webhook(secret).verify(body, headers))
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

/** A receiver refuses what is dated five minutes off: as it was when it came. */
function verifyAt(at: number, verify: () => unknown): void {
	const now = Date.now
	Date.now = () => at
	try {
		verify()
	} finally {
		Date.now = now
	}
}
