import type { VersionDetail } from '../../../../owner/client/index.ts'
import { LinkButton } from '../../../parts/button.tsx'
import { Note } from '../../../parts/note.tsx'

interface Props {
	of: VersionDetail['unfit_schedules']
	/** Name of the deployment. */
	name: string
}

/** Schedules are kept by another version, and their runs may be refused by it. */
export function Unfit({ of, name }: Props) {
	if (of.length === 0) return null
	return (
		<Note tone="warn">
			{of.map(({ schedule, cron, timezone, errors: [first] }) => (
				<p key={schedule}>
					The schedule <code>{cron}</code> ({timezone}) does not fit this version
					{first && (
						<>
							: <code>{first.path}</code> {first.message}
						</>
					)}
					. Its runs are refused until its inputs or the version are changed.
				</p>
			))}
			<div class="actions">
				<LinkButton small href={`/agents/${encodeURIComponent(name)}/schedules`}>
					Open schedules
				</LinkButton>
			</div>
		</Note>
	)
}
