import type { Listed } from '../data/list.ts'
import { Button } from './button.tsx'

/** Below a list: the button for the rows after these, while there are any. */
export function More({ of: list }: { of: Pick<Listed<unknown>, 'more' | 'busy' | 'next'> }) {
	if (!list.more) return null
	return (
		<div class="more">
			<Button small busy={list.busy} onClick={list.next}>
				Show more
			</Button>
		</div>
	)
}
