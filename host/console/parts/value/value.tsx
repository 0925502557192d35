import './value.css'
import { useSignal } from '@preact/signals'
import { Button } from '../button.tsx'
import { Copy } from '../copy.tsx'
import { Tree } from './tree.tsx'
import { visible } from './visible.ts'

type Mode = 'text' | 'tree' | 'raw'

const foldedMax = 2_000

interface ValueProps {
	of: unknown
	title: string
	/** The events hold only its beginning. */
	cut?: boolean | undefined
	/** All of it is to be read: nothing is folded or hidden. */
	whole?: boolean
}

/** What went in or came out: as text that folds, as a tree where it is JSON, or as it was sent. */
export function Value({ of: value, title, cut, whole }: ValueProps) {
	const parsed = typeof value === 'string' ? jsonIn(value) : value
	const isTree = typeof parsed === 'object' && parsed !== null && Object.keys(parsed).length > 0
	const mode = useSignal<Mode | undefined>(undefined)
	const shown = mode.value ?? (isTree && typeof value === 'object' && !whole ? 'tree' : 'text')
	const modes: Mode[] = isTree ? ['text', 'tree', 'raw'] : ['text', 'raw']
	const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? 'null')
	const raw = JSON.stringify(value) ?? 'null'
	const written = shown === 'raw' ? raw : text
	return (
		<div class="value">
			<header>
				<h3>{title}</h3>
				<span class="modes">
					{modes.map((one) => (
						<button
							key={one}
							type="button"
							aria-pressed={one === shown}
							onClick={() => {
								mode.value = one
							}}
						>
							{one === 'tree' ? 'Tree' : one === 'raw' ? 'Raw' : 'Text'}
						</button>
					))}
					<Copy text={text} label={`Copy ${title.toLowerCase()}`} />
				</span>
			</header>
			<div class="body" tabIndex={0}>
				{shown === 'tree' && isTree ? (
					<Tree of={parsed} />
				) : (
					<Folded key={shown} open={whole ?? false} text={whole ? visible(written) : written} />
				)}
			</div>
			{cut && <p class="small soft">Only the first 16 Ki characters are kept in the events.</p>}
		</div>
	)
}

/** Its beginning, and all of it once that is asked for. */
export function Folded({ text, open = false }: { text: string; open?: boolean }) {
	const whole = useSignal(open)
	const long = text.length > foldedMax
	return (
		<>
			<pre>{long && !whole.value ? `${text.slice(0, foldedMax)}…` : text}</pre>
			{long && (
				<Button
					kind="quiet"
					small
					onClick={() => {
						whole.value = !whole.value
					}}
				>
					{whole.value ? 'Show less' : `Show all ${text.length.toLocaleString('en-US')} characters`}
				</Button>
			)}
		</>
	)
}

function jsonIn(text: string): unknown {
	if (!/^\s*[[{]/.test(text)) return undefined
	try {
		return JSON.parse(text) as unknown
	} catch {
		return undefined
	}
}
