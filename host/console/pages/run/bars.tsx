import { useSignal } from '@preact/signals'
import { duration } from '../../data/format.ts'
import { Button } from '../../parts/button.tsx'
import type { Effect, Row, Timeline } from './timeline/index.ts'

const shownMax = 300
const axisSteps = [0, 0.25, 0.5, 0.75, 1]
export const kindWords = {
	model: 'model',
	tool: 'tool',
	http: 'http',
	memory: 'memory',
	waiting: 'waiting',
} as const

interface BarsProps {
	timeline: Timeline
	rows: Row[]
	now: number
	selected: string | null
	onSelect(id: string): void
	onKeyDown(event: KeyboardEvent): void
}

/** One bar a call, on one axis from the run's begin to its end, or to now. */
export function Bars({ timeline, rows, now, selected, onSelect, onKeyDown }: BarsProps) {
	const shown = useSignal(shownMax)
	const from = timeline.from ?? now
	const span = Math.max(1, (timeline.to ?? now) - from)
	const place = (at: number) => `${(Math.min(Math.max(0, at - from), span) / span) * 100}%`
	// One that was chosen from elsewhere is among them.
	const at = rows.findIndex(({ effect }) => effect.id === selected)
	const upTo = Math.max(shown.value, at + 1)
	return (
		<div class="timeline">
			<div class="axis" aria-hidden="true">
				<span />
				<div>
					{axisSteps.map((step) => (
						<span key={step} class={step % 0.5 === 0 ? '' : 'wide-only'}>
							{step === 0 ? '0' : duration(span * step)}
						</span>
					))}
				</div>
			</div>
			<ol aria-label="Calls, in the order of their causes" onKeyDown={onKeyDown}>
				{rows.slice(0, upTo).map(({ effect, depth }) => (
					<li key={effect.id}>
						<button
							type="button"
							id={rowId(effect.id)}
							class={`effect-row of-${effect.kind}`}
							aria-current={effect.id === selected}
							onClick={() => onSelect(effect.id)}
						>
							<span class="effect-name" style={{ paddingLeft: `${Math.min(depth, 6) * 16}px` }}>
								<span class="kind">{kindWords[effect.kind]}</span>
								<span class="cut" title={effect.name}>
									{effect.name || '–'}
								</span>
								<span class="visually-hidden">{inWords(effect, from, now)}</span>
							</span>
							<span class="track" aria-hidden="true">
								<Bar effect={effect} now={now} place={place} />
								{timeline.restarts.map(
									({ at: when, lost, attempt }) =>
										lost && <span key={attempt} class="lost-mark" style={{ left: place(when) }} />,
								)}
							</span>
						</button>
					</li>
				))}
			</ol>
			{rows.length > upTo && (
				<Button
					small
					onClick={() => {
						shown.value = upTo + shownMax
					}}
				>
					{`Show more of ${rows.length - upTo}`}
				</Button>
			)}
		</div>
	)
}

export const rowId = (effect: string) => `effect-${effect.replaceAll(' ', '-')}`

interface BarProps {
	effect: Effect
	now: number
	place(at: number): string
}

function Bar({ effect: { from, to, state, tries }, now, place }: BarProps) {
	const end = to ?? now
	return (
		<>
			<span
				class={`bar ${state}`}
				style={{
					left: `min(${place(from)}, calc(100% - 3px))`,
					width: `calc(${place(end)} - ${place(from)})`,
				}}
			/>
			{tries.slice(1).map((one, i) => (
				<span key={i} class="tick" style={{ left: place(one.from) }} />
			))}
		</>
	)
}

function inWords({ from, to, state, tries }: Effect, begin: number, now: number): string {
	const retries = tries.length > 1 ? `, ${tries.length} attempts` : ''
	return `${state}, after ${duration(from - begin)}, took ${duration((to ?? now) - from)}${retries}`
}
