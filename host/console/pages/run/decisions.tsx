import { useEffect, useRef } from 'preact/hooks'
import type { RunDetail } from '../../../owner/client/index.ts'
import { client } from '../../data/client.ts'
import { useLoad } from '../../data/load.ts'
import { Decision } from '../../parts/decision/decision.tsx'

/** What the run asks a person, and what was decided here: it stays in its place. Older decisions are in the timeline. */
export function Decisions({ run, asked }: { run: RunDetail; asked: number }) {
	const approvals = useLoad(`approvals of ${run.id}`, async () =>
		asked === 0 ? [] : (await client.runs.approvals(run.deployment_url, run.id)).data,
	)
	const shown = useRef(new Set<string>())
	// Another question, another state: there may be something else to decide.
	useEffect(() => {
		if (asked > 0) void approvals.reload()
	}, [asked, run.status])
	for (const { id, status } of approvals.data ?? [])
		if (status === 'pending' && run.completed_at === null) shown.current.add(id)
	const rows = (approvals.data ?? []).filter(({ id }) => shown.current.has(id))
	if (rows.length === 0) return null
	return (
		<section class="stack" aria-label="Waits for your decision">
			{rows.map((one) => (
				<Decision
					key={one.id}
					of={run.completed_at !== null && one.status === 'pending' ? { ...one, status: 'withdrawn' } : one}
					url={run.deployment_url}
					onDecided={approvals.reload}
				/>
			))}
		</section>
	)
}
