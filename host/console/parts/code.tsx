import { Copy } from './copy.tsx'

/** Text to be copied whole. Scrolls within itself, by keyboard as well. */
export function Code({ text, label }: { text: string; label: string }) {
	return (
		<figure class="code">
			<section tabIndex={0} aria-label={label}>
				<pre>{text}</pre>
			</section>
			<Copy text={text} label={`Copy ${label}`} />
		</figure>
	)
}
