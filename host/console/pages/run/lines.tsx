import { useSignal } from '@preact/signals'
import { duration } from '../../data/format.ts'
import { Button } from '../../parts/button.tsx'
import { Filter } from '../../parts/filters.tsx'
import { Card } from '../../parts/page.tsx'
import { Folded } from '../../parts/value/value.tsx'
import { Stack } from './problem.tsx'
import type { Line } from './timeline/index.ts'

const shownMax = 200
const levels = ['debug', 'info', 'warn', 'error']

/** What the program wrote, from a level on. */
export function Lines({ of: lines, from }: { of: Line[]; from: number | null }) {
	const least = useSignal('debug')
	const shown = useSignal(shownMax)
	if (lines.length === 0) return null
	const wanted = levels.slice(levels.indexOf(least.value))
	const kept = lines.filter(({ level }) => wanted.includes(level) || !levels.includes(level))
	const filter = (
		<Filter
			label="Level"
			options={[
				['debug', 'All levels'],
				['info', 'Info and above'],
				['warn', 'Warnings and errors'],
				['error', 'Errors'],
			]}
			value={least.value}
			onChoice={(level) => {
				least.value = level
			}}
		/>
	)
	return (
		<Card title="Logs" actions={filter}>
			<div class="log-lines" tabIndex={0}>
				{kept.slice(0, shown.value).map((line) => (
					<div key={line.seq} class={`log-line ${line.level}`}>
						<span class="at soft number">{duration(line.at - (from ?? line.at))}</span>
						<span>{line.level}</span>
						<div class="text">
							<Folded text={line.message} />
							{line.data !== undefined && (
								<Folded text={typeof line.data === 'string' ? line.data : JSON.stringify(line.data)} />
							)}
							{line.stack && <Stack of={line.stack} />}
						</div>
					</div>
				))}
				{kept.length === 0 && <p class="soft">No line of this level.</p>}
			</div>
			{kept.length > shown.value && (
				<Button
					small
					onClick={() => {
						shown.value += shownMax
					}}
				>
					{`Show more of ${kept.length - shown.value}`}
				</Button>
			)}
		</Card>
	)
}
