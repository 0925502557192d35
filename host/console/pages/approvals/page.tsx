import type { AccountApproval } from '../../../owner/client/index.ts'
import { useFilters } from '../../data/address.ts'
import { client } from '../../data/client.ts'
import { useList } from '../../data/list.ts'
import { useOverview } from '../../data/shell.ts'
import { Decision } from '../../parts/decision/decision.tsx'
import { More } from '../../parts/more.tsx'
import { Failure } from '../../parts/note.tsx'
import { Empty, Page, Skeleton } from '../../parts/page.tsx'
import { Tabs } from '../../parts/tabs.tsx'

const pageMax = 20
const refreshMs = 5_000

/** `/approvals`: what waits for a decision over all agents, and what was decided. */
export default function Approvals() {
	const { of: chosen } = useFilters<'status'>()
	const status = chosen.status === 'all' ? 'all' : 'pending'
	const overview = useOverview()
	const approvals = useList(
		`approvals ${status}`,
		(cursor) => client.overview.approvals({ status, limit: pageMax, ...(cursor && { cursor }) }),
		refreshMs,
	)
	const decided = async () => {
		await Promise.all([approvals.reload(), overview.reload()])
	}
	return (
		<Page title="Approvals">
			<Tabs
				label="Approvals"
				at={status === 'all' ? '/approvals?status=all' : '/approvals'}
				tabs={[
					{ href: '/approvals', name: 'Waiting', count: overview.data?.approvals_waiting ?? 0 },
					{ href: '/approvals?status=all', name: 'All' },
				]}
			/>
			<Failure of={approvals.error} />
			{approvals.rows === undefined ? (
				approvals.error === undefined && <Skeleton lines={8} />
			) : approvals.rows.length === 0 ? (
				<Empty title={status === 'all' ? 'Nothing was ever asked' : 'Nothing waits for you'}>
					<p class="soft">
						Tools with <code>approval: required</code> in agent.yaml, and programs that call{' '}
						<code>ctx.approve</code>, ask here.
					</p>
				</Empty>
			) : (
				<div class="stack">
					{approvals.rows.map((one) => (
						<Decision
							key={one.id}
							of={one}
							url={one.deployment_url}
							where={<Where of={one} />}
							expires={one.expires_at}
							onDecided={decided}
						/>
					))}
					<More of={approvals} />
				</div>
			)}
		</Page>
	)
}

function Where({ of: { deployment_name: agent, run } }: { of: AccountApproval }) {
	return (
		<>
			<a href={`/agents/${encodeURIComponent(agent)}`}>{agent}</a>
			<a href={`/runs/${run}`}>{run}</a>
		</>
	)
}
