import { said } from '../data/said.ts'

/** There from the start: a region that comes with its text is not read out. */
export function Said() {
	const { text, turn } = said.value
	return (
		<div class="visually-hidden" role="status" aria-label="What was done">
			<p key={turn}>{text}</p>
		</div>
	)
}
