import { ended, lost } from '../data/line.ts'
import { another } from '../data/whose.ts'
import { Button } from '../parts/button.tsx'
import { Note } from '../parts/note.tsx'

/** The host is away, or the session is over: said once, above whatever page it is, which stays as it is. */
export function Notices() {
	if (!isSecureContext)
		return (
			<Note tone="warn">
				<p role="status">
					This address is not encrypted, so your browser lets this page neither seal keys nor deploy or change
					anything. Open the console by https, or on the host's own machine by localhost. From afar, a tunnel
					leads there: <code>ssh -L 8787:localhost:8787 HOST</code>.
				</p>
			</Note>
		)
	if (another.value)
		return (
			<Note tone="warn">
				<p role="status">
					This browser is signed in to another account now. What this page shows is of the former one.{' '}
					<Button small onClick={() => location.reload()}>
						Reload
					</Button>
				</p>
			</Note>
		)
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
