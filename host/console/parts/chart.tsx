import { count, plural } from '../data/format.ts'

export interface Bar {
	/** What the bar stands for, as `14:00`. */
	label: string
	value: number
	/** Of the value, the part that went wrong. */
	bad?: number
}

const height = 28
const width = 4
const gap = 1

/** Small bars on one scale; what went wrong is below and in another colour. The sentence says the same to a reader. */
export function Bars({ bars, unit, tall = height }: { bars: Bar[]; unit: string; tall?: number }) {
	const most = Math.max(1, ...bars.map(({ value }) => value))
	const total = bars.reduce((sum, { value }) => sum + value, 0)
	const bad = bars.reduce((sum, bar) => sum + (bar.bad ?? 0), 0)
	const said = `${plural(total, unit)}${bad > 0 ? `, ${count(bad)} failed` : ''}`
	const length = (value: number) => (value === 0 ? 0 : Math.max(2, (value / most) * (tall - 1)))
	return (
		<svg
			class="bars"
			role="img"
			aria-label={said}
			viewBox={`0 0 ${bars.length * (width + gap)} ${tall}`}
			width={bars.length * (width + gap)}
			height={tall}
			preserveAspectRatio="none"
		>
			<line x1="0" x2="100%" y1={tall - 0.5} y2={tall - 0.5} />
			{bars.map(({ label, value, bad: wrong = 0 }, i) => (
				<g key={label}>
					<title>{`${label}: ${plural(value, unit)}${wrong > 0 ? `, ${count(wrong)} failed` : ''}`}</title>
					<rect x={i * (width + gap)} y={tall - length(value)} width={width} height={length(value)} />
					<rect
						class="bad"
						x={i * (width + gap)}
						y={tall - length(wrong)}
						width={width}
						height={length(wrong)}
					/>
				</g>
			))}
		</svg>
	)
}
