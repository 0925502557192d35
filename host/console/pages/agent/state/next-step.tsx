import { z } from 'zod'
import { Slot } from '../../../../api/deployments.ts'
import { ApiError } from '../../../../owner/client/index.ts'

const Slots = z.array(Slot)

/** After a start that was refused: the page on which that can be mended. */
export function NextStep({ of: error, name }: { of: unknown; name: string }) {
	if (!(error instanceof ApiError)) return null
	if (['credentials_missing', 'credential_rejected', 'connector_not_connected'].includes(error.code))
		return <a href={`/agents/${encodeURIComponent(name)}/credentials`}>Open credentials</a>
	const slots = Slots.safeParse(error.problem.slots)
	if (!slots.success) return null
	return (
		<ul>
			{slots.data.map((slot) => (
				<li key={slot.deployment}>
					<a href={`/agents/${encodeURIComponent(slot.name)}`}>{slot.name}</a> is {slot.state}
				</li>
			))}
		</ul>
	)
}
