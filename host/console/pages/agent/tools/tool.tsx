import type { ToolLock } from '../../../../owner/client/index.ts'
import { Code } from '../../../parts/code.tsx'
import { State } from '../../../parts/state.tsx'
import { TextDiff } from '../../../parts/text-diff.tsx'
import { Time } from '../../../parts/time.tsx'

interface Props {
	of: ToolLock
	/** To be accepted, where it changed. */
	chosen: boolean
	onChosen(yes: boolean): void
}

export function Tool({ of, chosen, onChosen }: Props) {
	const { tool, state, locked, offered, difference, warning, error } = of
	const { definition = {} } = offered ?? locked ?? {}
	return (
		<li>
			<div class="row">
				<strong>{tool}</strong>
				<State of={state} />
				{locked && (
					<span class="soft small">
						locked <Time at={locked.locked_at} />
					</span>
				)}
				{state === 'changed' && (
					<label class="check">
						<input
							type="checkbox"
							checked={chosen}
							onChange={(event) => onChosen(event.currentTarget.checked)}
						/>
						Accept {tool}
					</label>
				)}
			</div>
			{typeof definition.description === 'string' && <p class="soft">{definition.description}</p>}
			{warning && <p class="warning">{warning}</p>}
			{error && (
				<p class="fault">
					{error.code}: {error.detail}
				</p>
			)}
			{difference.map((one) => (
				<div key={one.path} class="stack tight">
					<code>{one.path === '' ? 'the whole tool' : one.path}</code>
					<TextDiff
						label={`Change of ${tool} at ${one.path}`}
						before={written(one.locked)}
						after={written(one.offered)}
					/>
				</div>
			))}
			<details>
				<summary>Definition</summary>
				<Code label={`definition of ${tool}`} text={JSON.stringify(definition, null, 2)} />
			</details>
		</li>
	)
}

const written = (value: unknown) =>
	value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value, null, 2)
