import { useMemo, useRef } from 'preact/hooks'
import type { AccountApproval } from '../../../owner/client/index.ts'
import { useFilters } from '../../data/address.ts'
import { client } from '../../data/client.ts'
import { plural } from '../../data/format.ts'
import { useList } from '../../data/list.ts'
import { useOverview } from '../../data/shell.ts'
import { Button } from '../../parts/button.tsx'
import { Decision } from '../../parts/decision/decision.tsx'
import { More } from '../../parts/more.tsx'
import { Failure } from '../../parts/note.tsx'
import { Empty, Page, Skeleton } from '../../parts/page.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { useHeld } from './held.ts'

const pageMax = 20
const refreshMs = 5_000
let visits = 0

/** `/approvals`: what waits for a decision over all agents, and what was decided. */
export default function Approvals() {
	const { of: chosen } = useFilters<'status'>()
	const status = chosen.status === 'all' ? 'all' : 'pending'
	const overview = useOverview()
	// What an earlier visit has read is not shown: its cards would hold the places of those that wait now.
	const visit = useMemo(() => ++visits, [])
	const approvals = useList(
		`approvals ${status} ${visit}`,
		(cursor) => client.overview.approvals({ status, limit: pageMax, ...(cursor && { cursor }) }),
		refreshMs,
	)
	const { rows, fresh, decided, showFresh } = useHeld(status, approvals.rows)
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
			{rows === undefined ? (
				approvals.error === undefined && <Skeleton lines={8} />
			) : rows.length === 0 ? (
				<Empty title={status === 'all' ? 'Nothing was ever asked' : 'Nothing waits for you'}>
					<p class="soft">
						Tools with <code>approval: required</code> in agent.yaml, and programs that call{' '}
						<code>ctx.approve</code>, ask here.
					</p>
				</Empty>
			) : (
				<div class="stack">
					<Fresh count={fresh} onShow={showFresh} />
					{rows.map((one) => (
						<Decision
							key={one.id}
							of={one}
							url={one.deployment_url}
							where={<Where of={one} />}
							expires={one.expires_at}
							onDecided={async (approval) => {
								decided(approval)
								await overview.reload()
							}}
						/>
					))}
					<More of={approvals} />
				</div>
			)}
			{/* Below: above it would move what is decided. */}
			<Failure of={approvals.error} />
		</Page>
	)
}

/** Always as tall, so that a new approval moves nothing. */
function Fresh({ count, onShow }: { count: number; onShow(): void }) {
	const line = useRef<HTMLDivElement>(null)
	return (
		<div ref={line} class="fresh row" tabIndex={-1}>
			<span role="status" class={count === 0 ? 'soft' : ''}>
				{count === 0 ? 'New approvals wait behind this line.' : `${plural(count, 'new approval')}:`}
			</span>
			{count > 0 && (
				<Button
					small
					onClick={() => {
						line.current?.focus()
						onShow()
					}}
				>
					Show
				</Button>
			)}
		</div>
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
