import { useAction } from '../../data/action.ts'
import { Button } from '../../parts/button.tsx'
import { Failure } from '../../parts/note.tsx'
import type { Dropped } from './dropped.ts'

const providers = { openai: 'OpenAI', anthropic: 'Anthropic' }

/** For whoever has no bundle yet: one that the host brings, which goes the way of every other file. */
export function Examples({ onFile }: { onFile(dropped: Dropped): void }) {
	const read = useAction(async (provider: string) => {
		const fileName = `${provider}.agent`
		const answer = await fetch(`/console/examples/${fileName}`)
		if (!answer.ok) throw new Error(`This host has no example for ${provider} (${answer.status}).`)
		onFile({ bytes: new Uint8Array(await answer.arrayBuffer()), fileName })
	})
	return (
		<div class="stack tight">
			<p class="soft small">No bundle yet? Take an agent that answers questions with exact arithmetic:</p>
			<div class="actions">
				{Object.entries(providers).map(([provider, name]) => (
					<Button key={provider} small busy={read.busy} onClick={() => void read.run(provider)}>
						Example on {name}
					</Button>
				))}
			</div>
			<Failure of={read.error} />
		</div>
	)
}
