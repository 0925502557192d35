import type { Listed } from '../data/list.ts'
import { Button } from './button.tsx'

/** Below a list: the button for the rows after these, while there are any. */
export function More({
	of: list,
}: {
	of: Pick<Listed<unknown>, 'more' | 'busy' | 'still' | 'next' | 'reload'>
}) {
	if (!list.more && !list.still) return null
	return (
		<div class="more">
			{list.still && (
				<p class="small soft" role="status">
					This long list stands still: what changes is not shown.{' '}
					<Button small onClick={list.reload}>
						Start again with the newest
					</Button>
				</p>
			)}
			{list.more && (
				<Button small busy={list.busy} onClick={list.next}>
					Show more
				</Button>
			)}
		</div>
	)
}
