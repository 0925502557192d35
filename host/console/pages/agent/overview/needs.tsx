import type { DeploymentOverview, DeploymentWithActivity } from '../../../../owner/client/index.ts'
import { plural } from '../../../data/format.ts'
import { LinkButton } from '../../../parts/button.tsx'
import { Note } from '../../../parts/note.tsx'

/** What only its owner can do, with the way there. Nothing where it needs nothing. */
export function Needs({
	agent: { name, credentials },
	overview,
}: {
	agent: DeploymentWithActivity
	overview: DeploymentOverview
}) {
	const needing = credentials.filter((one) => overview.credentials_needing.includes(one.name))
	const { approvals_waiting } = overview
	if (needing.length === 0 && approvals_waiting === 0) return null
	return (
		<Note tone="warn">
			{needing.map((one) => (
				<p key={one.name}>
					The credential <code>{one.name}</code> is {one.state.replaceAll('_', ' ')}
					{one.last_error ? `: ${one.last_error}` : '.'}
				</p>
			))}
			{approvals_waiting > 0 && (
				<p>
					{plural(approvals_waiting, 'approval')} {approvals_waiting === 1 ? 'waits' : 'wait'} for your
					decision.
				</p>
			)}
			<div class="actions">
				{needing.length > 0 && (
					<LinkButton small href={`/agents/${encodeURIComponent(name)}/credentials`}>
						Open credentials
					</LinkButton>
				)}
				{approvals_waiting > 0 && (
					<LinkButton small href="/approvals">
						Decide
					</LinkButton>
				)}
			</div>
		</Note>
	)
}
