import './text-diff.css'
import { plural } from '../data/format.ts'
import { lineChanges, nearChanges } from '../data/lines.ts'

const marks = { same: ' ', removed: '−', added: '+' }
const words = { same: '', removed: 'removed: ', added: 'added: ' }

/** Two texts, line by line: what went, what came, and a little of what is around it. */
export function TextDiff({ label, before, after }: { label: string; before: string; after: string }) {
	// The end of the last line is no line.
	const end = before.endsWith('\n') && after.endsWith('\n') ? -1 : undefined
	const lines = lineChanges(before.slice(0, end), after.slice(0, end))
	return (
		<section class="text-diff" aria-label={label} tabIndex={0}>
			{nearChanges(lines).map((line, i) =>
				line.kind === 'hole' ? (
					<div key={i} class="hole">
						{plural(line.lines, 'line')} without a change
					</div>
				) : (
					<div key={i} class={line.kind}>
						<span aria-hidden="true">{marks[line.kind]}</span>
						<span>
							<span class="visually-hidden">{words[line.kind]}</span>
							{line.text}
						</span>
					</div>
				),
			)}
		</section>
	)
}
