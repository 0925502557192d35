import { useLocation } from 'preact-iso'
import { useAction } from '../../../data/action.ts'
import { client } from '../../../data/client.ts'
import { plural } from '../../../data/format.ts'
import { forgetAll, useLoad } from '../../../data/load.ts'
import { ConfirmName } from '../../../parts/confirm-name.tsx'
import type { TabProps } from '../tabs.tsx'

/** Says what is erased, what stays, and what is in flight. */
export function DeleteDialog({ agent, changed, onClose }: TabProps & { onClose(): void }) {
	const { route } = useLocation()
	const live = useLoad(`live ${agent.id}`, () =>
		client.runs.all({ status: 'live', deployment: agent.id, limit: 100 }),
	)
	const remove = useAction(async () => {
		await client.deployments.remove(agent.id)
		forgetAll()
		route('/')
		await changed()
	})
	const flying = live.data?.data.length ?? 0
	return (
		<ConfirmName
			title={`Delete ${agent.name}`}
			name={agent.name}
			action="Delete agent"
			busy={remove.busy}
			error={remove.error}
			onConfirm={() => remove.run()}
			onClose={onClose}
		>
			<p>
				Erased for good: its sealed credentials with their key, its run keys, its memory with all versions,
				its schedules, and the lock of its tools. Runs and deliveries that are recorded stay in the database
				of the host.
			</p>
			{flying > 0 && (
				<p>
					{plural(flying, 'run')} {flying === 1 ? 'is' : 'are'} in flight. They get 30 seconds to end, then
					they are cancelled.
				</p>
			)}
		</ConfirmName>
	)
}
