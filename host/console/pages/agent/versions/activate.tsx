import type { DeploymentWithActivity } from '../../../../owner/client/index.ts'
import { useAction } from '../../../data/action.ts'
import { client } from '../../../data/client.ts'
import { useLoad } from '../../../data/load.ts'
import { Confirm } from '../../../parts/dialog.tsx'
import { Shown } from '../../../parts/page.tsx'
import { ChangeList } from './change-list.tsx'
import { changesOf } from './changes.ts'
import { Unfit } from './unfit.tsx'
import { verbOf } from './verb.ts'

interface Props {
	agent: DeploymentWithActivity
	version: number
	onDone(): Promise<void>
	onClose(): void
}

/** Another version for new runs, with what that changes. */
export function Activate({ agent, version, onDone, onClose }: Props) {
	const both = useLoad(`versions ${agent.id} ${agent.version} ${version}`, () =>
		Promise.all([
			client.deployments.version(agent.id, agent.version),
			client.deployments.version(agent.id, version),
		]),
	)
	const activate = useAction(async () => {
		await client.deployments.activate(agent.id, version)
		await onDone()
	})
	return (
		<Confirm
			title={verbOf(version, agent.version)}
			action={verbOf(version, agent.version)}
			busy={activate.busy}
			error={activate.error}
			onConfirm={() => activate.run()}
			onClose={onClose}
		>
			<p>
				New runs get v{version}. Runs in flight end on the version that they began with. A credential whose
				address is another there must be given again.
			</p>
			<Shown of={both}>
				{([before, after]) => (
					<>
						<Unfit of={after.unfit_schedules} name={agent.name} />
						<ChangeList of={changesOf(before, after)} brief />
					</>
				)}
			</Shown>
		</Confirm>
	)
}
