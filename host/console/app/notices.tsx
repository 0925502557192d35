import { ended, lost } from '../data/line.ts'
import { Note } from '../parts/note.tsx'

/** The host is away, or the session is over: said once, above whatever page it is, which stays as it is. */
export function Notices() {
	if (ended.value)
		return (
			<Note tone="warn">
				<p role="status">
					Your session is over. What you typed is still here:{' '}
					<a href="/sign-in" target="_blank" rel="noopener">
						sign in in a new tab
					</a>
					, then come back.
				</p>
			</Note>
		)
	if (lost.value)
		return (
			<Note tone="warn">
				<p role="status">The host cannot be reached. Trying again; what you typed is still here.</p>
			</Note>
		)
	return null
}
