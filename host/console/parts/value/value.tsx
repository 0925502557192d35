import './value.css'
import { useSignal } from '@preact/signals'
import { Button } from '../button.tsx'
import { Copy } from '../copy.tsx'
import { Tree } from './tree.tsx'

type Mode = 'text' | 'tree' | 'raw'

const foldedMax = 2_000

/** What went in or came out: as text that folds, as a tree where it is JSON, or as it was sent. */
export function Value({ of: value, title, cut }: { of: unknown; title: string; cut?: boolean | undefined }) {
	const parsed = typeof value === 'string' ? jsonIn(value) : value
	const isTree = typeof parsed === 'object' && parsed !== null
	const mode = useSignal<Mode | undefined>(undefined)
	const shown = mode.value ?? (typeof value === 'object' && value !== null ? 'tree' : 'text')
	const modes: Mode[] = isTree ? ['text', 'tree', 'raw'] : ['text', 'raw']
	const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? 'null')
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
			<section class="body" tabIndex={0} aria-label={`${title}, ${shown}`}>
				{shown === 'tree' && isTree ? (
					<Tree of={parsed} />
				) : (
					<Folded key={shown} text={shown === 'raw' ? (JSON.stringify(value) ?? 'null') : text} />
				)}
			</section>
			{cut && <p class="small soft">Only the first 16 Ki characters are kept in the events.</p>}
		</div>
	)
}

/** Its beginning, and all of it once that is asked for. */
export function Folded({ text }: { text: string }) {
	const whole = useSignal(false)
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
