import { useAction } from '../../../data/action.ts'
import { client } from '../../../data/client.ts'
import { forgetAll } from '../../../data/load.ts'
import { ConfirmName } from '../../../parts/confirm-name.tsx'
import type { TabProps } from '../tabs.tsx'

export function EraseMemory({ agent, changed, onClose }: TabProps & { onClose(): void }) {
	const erase = useAction(async () => {
		await client.memory.clear(agent.url)
		forgetAll()
		await changed()
	})
	return (
		<ConfirmName
			title="Erase all memory"
			name={agent.name}
			action="Erase all"
			busy={erase.busy}
			error={erase.error}
			onConfirm={() => erase.run()}
			onClose={onClose}
		>
			<p>Every file goes, with all its versions. A run that is under way finds nothing there from then on.</p>
		</ConfirmName>
	)
}
