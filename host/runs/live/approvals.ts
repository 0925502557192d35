import type { Decision } from '../../../runtime/wire/host-calls.ts'
import type { Entry } from '../../../runtime/wire/journal.ts'
import type { Approval, DecideApproval } from '../../api/approvals.ts'
import type { Rows, Sql } from '../../db/index.ts'
import { notFound, Problem } from '../../http/errors.ts'
import { requireContent } from './answers.ts'
import { channel } from './feed.ts'
import { readJournal } from './read.ts'
import type { RunRecord } from './types.ts'
import { isTerminal } from './wait.ts'
import { released } from './waiting.ts'

export type DecisionRow = Omit<Rows['approvals'], 'run_id' | 'content'> & {
	content: Record<string, unknown> | null
}

/** What the run asked for is in its journal; what was decided is a row. */
export async function listApprovals(sql: Sql, run: RunRecord): Promise<Approval[]> {
	const journal = await readJournal(sql, run.id, 0)
	const decisions = await sql<DecisionRow[]>`
		select id, approved, note, content, account_id, decided_at from approvals where run_id = ${run.id}`
	return journal
		.filter(({ type }) => type === 'approval.requested')
		.map((entry) => {
			const ended = journal.some(({ effect, ok }) => effect === entry.effect && ok !== undefined)
			return viewOf(run, entry, decisions, ended || isTerminal(run))
		})
}

/** `ended`: nobody needs a decision any more. */
export function viewOf(
	run: Pick<RunRecord, 'id'>,
	{ at, data }: Entry,
	decisions: DecisionRow[],
	ended: boolean,
): Approval {
	const { id, question, tool = null, connector = null, digest } = data as Record<string, string>
	const asked = (data.kind === 'question' ? data.arguments : {}) as { requestedSchema?: object; url?: string }
	const made = decisions.find((decision) => decision.id === id)
	const open = ended ? 'withdrawn' : 'pending'
	return {
		id: id as string,
		run: run.id,
		kind: data.kind === 'question' ? 'question' : 'approval',
		question: question as string,
		tool,
		connector,
		schema: (asked.requestedSchema as Approval['schema']) ?? null,
		url: asked.url ?? null,
		arguments: data.arguments,
		digest: digest as string,
		status: made ? (made.approved ? 'approved' : 'denied') : open,
		note: made?.note ?? null,
		content: made?.content ?? null,
		requested_at: new Date(at).toISOString(),
		decided_at: made?.decided_at.toISOString() ?? null,
		decided_by: made?.account_id ?? null,
	}
}

/**
 * Decides once, about exactly these arguments. A run that waits is anybody's from then on, and goes on by its journal; one
 * that is still at work elsewhere is told.
 */
export async function decide(
	sql: Sql,
	run: RunRecord,
	id: string,
	body: DecideApproval,
	account: string,
): Promise<Approval> {
	const { decision, digest, note } = body
	const found = (await listApprovals(sql, run)).find((approval) => approval.id === id)
	if (!found) throw notFound('The run has asked for no such approval.')
	if (isTerminal(run)) throw new Problem('conflict', 'The run has ended.')
	if (found.digest !== digest) {
		throw new Problem('conflict', `The digest is not that of the arguments, which is ${found.digest}.`)
	}
	if (found.status === 'withdrawn') throw new Problem('conflict', 'The call that asked this has ended.')
	const content = await requireContent(run, found, body, account)
	const approved = decision === 'approve'
	const decidedAt = await sql.begin(async (tx) => {
		const [row] = await tx<{ status: RunRecord['status'] }[]>`
			select status from runs where id = ${run.id} for update`
		if (!row || isTerminal(row)) throw new Problem('conflict', 'The run has ended.')
		const [made] = await tx<{ decided_at: Date }[]>`
			insert into approvals (run_id, id, approved, note, content, account_id)
			values (${run.id}, ${id}, ${approved}, ${note ?? null}, ${content && JSON.stringify(content)}::text::json,
				${account})
			on conflict do nothing returning decided_at`
		if (!made) throw new Problem('conflict', 'This has been decided already.')
		const [woken] = await tx<{ free: boolean }[]>`
			update runs set status = 'running', attempt = 0, waiting_for = null
			where id = ${run.id} and status = 'waiting' and cancel_requested_at is null
			returning host_id is null as free`
		await tx`select pg_notify(${channel}, ${woken?.free ? released : `decided:${run.id}`})`
		return made.decided_at
	})
	return {
		...found,
		status: approved ? 'approved' : 'denied',
		note: note ?? null,
		content,
		decided_at: decidedAt.toISOString(),
		decided_by: account,
	}
}

/** For the runtime. */
export async function readDecision(sql: Sql, run: string, id: string): Promise<Decision | null> {
	const [row] = await sql<
		Decision[]
	>`select approved, note, content from approvals where run_id = ${run} and id = ${id}`
	return row ?? null
}
