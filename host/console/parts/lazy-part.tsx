import type { FunctionComponent } from 'preact'
import { useEffect } from 'preact/hooks'
import { lazy } from 'preact-iso'
import { lostHost, renewed } from '../data/line.ts'
import { Button } from './button.tsx'
import { Note } from './note.tsx'
import { Page } from './page.tsx'

/** Stands while a page was loaded anew for a missing part: it is not done twice in a row. */
const triedKey = 'berth-part-missing'

type Load<P> = () => Promise<{ default: FunctionComponent<P> }>

/** A part of a page that is loaded when it is first shown; where it cannot be, it says so, and comes with the host. */
export const lazyPart = <P,>(load: Load<P>): FunctionComponent<P> =>
	lazy(() => load().then(came, () => NotLoaded))

/** The same for a whole page. */
export const lazyPage = <P,>(load: Load<P>): FunctionComponent<P> =>
	lazy(() => load().then(came, () => PageNotLoaded))

function came<T>(part: T): T {
	sessionStorage.removeItem(triedKey)
	return part
}

function PageNotLoaded() {
	return (
		<Page title="Not loaded">
			<NotLoaded />
		</Page>
	)
}

function NotLoaded() {
	useEffect(() => void mend(), [renewed.value])
	return (
		<Note tone="bad">
			<p>This page could not be loaded from the host.</p>
			<div>
				<Button small onClick={() => location.reload()}>
					Try again
				</Button>
			</div>
		</Note>
	)
}

/** A host that answers may be of a newer version, without the files of this page: the page is loaded anew. */
async function mend(): Promise<void> {
	const answer = await fetch('/healthz').catch(() => null)
	if (!answer?.ok) return lostHost()
	if (sessionStorage.getItem(triedKey) !== null) return
	sessionStorage.setItem(triedKey, '1')
	location.reload()
}
