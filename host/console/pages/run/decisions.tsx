import { useEffect } from 'preact/hooks'
import type { RunDetail } from '../../../owner/client/index.ts'
import { client } from '../../data/client.ts'
import { useLoad } from '../../data/load.ts'
import { Decision } from '../../parts/decision/decision.tsx'

/** What the run asks a person now. What was decided is in the timeline. */
export function Decisions({ run, asked }: { run: RunDetail; asked: number }) {
	const approvals = useLoad(`approvals of ${run.id}`, async () =>
		asked === 0 ? [] : (await client.runs.approvals(run.deployment_url, run.id)).data,
	)
	// Another question, another state: there may be something else to decide.
	useEffect(() => {
		if (asked > 0) void approvals.reload()
	}, [asked, run.status])
	const pending = (approvals.data ?? []).filter(({ status }) => status === 'pending')
	if (run.completed_at !== null || pending.length === 0) return null
	return (
		<section class="stack" aria-label="Waits for your decision">
			{pending.map((one) => (
				<Decision key={one.id} of={one} url={run.deployment_url} onDecided={approvals.reload} />
			))}
		</section>
	)
}
