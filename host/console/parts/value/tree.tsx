import { useSignal } from '@preact/signals'

const firstMax = 100
const openDepth = 2
const textMax = 300

/** A JSON value whose parts fold; what is folded is not there until it is opened. */
export function Tree({ of: value }: { of: unknown }) {
	return (
		<div class="tree">
			<Part value={value} depth={0} />
		</div>
	)
}

function Part({ name, value, depth }: { name?: string; value: unknown; depth: number }) {
	const isList = Array.isArray(value)
	const open = useSignal(depth < openDepth)
	if (typeof value !== 'object' || value === null)
		return (
			<>
				{name !== undefined && <span class="name">{name}: </span>}
				<Leaf value={value} />
			</>
		)
	const size = isList ? value.length : Object.keys(value).length
	return (
		<details
			open={open.value}
			onToggle={(event) => {
				open.value = event.currentTarget.open
			}}
		>
			<summary>
				{name !== undefined && <span class="name">{name}: </span>}
				<span class="soft">{isList ? `[${size}]` : `{${size}}`}</span>
			</summary>
			{open.value && <Members of={value} depth={depth} />}
		</details>
	)
}

function Members({ of: value, depth }: { of: object; depth: number }) {
	const shown = useSignal(firstMax)
	const entries = Object.entries(value)
	return (
		<ul>
			{entries.slice(0, shown.value).map(([key, part]) => (
				<li key={key}>
					<Part name={key} value={part} depth={depth + 1} />
				</li>
			))}
			{entries.length > shown.value && (
				<li>
					<button
						type="button"
						onClick={() => {
							shown.value += firstMax
						}}
					>
						{entries.length - shown.value} more
					</button>
				</li>
			)}
		</ul>
	)
}

function Leaf({ value }: { value: unknown }) {
	const whole = useSignal(false)
	const text = typeof value === 'string' ? JSON.stringify(value) : String(value)
	if (text.length <= textMax || whole.value) return <span>{text}</span>
	return (
		<span>
			{text.slice(0, textMax)}…{' '}
			<button
				type="button"
				onClick={() => {
					whole.value = true
				}}
			>
				show all
			</button>
		</span>
	)
}
