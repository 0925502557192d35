import { useEffect } from 'preact/hooks'
import { LocationProvider } from 'preact-iso'
import { tellSignedIn } from '../data/whose.ts'
import { useKeptFocus } from './focus.ts'
import { Notices } from './notices.tsx'
import { Pages } from './pages.tsx'
import { Palette } from './palette.tsx'
import { PhoneBar, Rail } from './rail.tsx'
import { Said } from './said.tsx'

/** Addresses of ours; what else a link names is the host's own page, such as the sign-in. */
const scope = /^\/($|\?|(deploy|failures|runs|agents|approvals|hub|admin|docs)(\/|\?|$))/

export function App() {
	useEffect(tellSignedIn, [])
	useKeptFocus()
	// What a pop-up of a sign-in shows stands alone.
	if (location.pathname.startsWith('/connect'))
		return (
			<LocationProvider scope={scope}>
				<main class="alone">
					<Pages />
				</main>
			</LocationProvider>
		)
	return (
		<LocationProvider scope={scope}>
			<a class="skip" href="#main">
				Skip to the page
			</a>
			<Rail />
			<main id="main" tabIndex={-1}>
				<PhoneBar />
				<Notices />
				<Pages />
			</main>
			<Palette />
			<Said />
		</LocationProvider>
	)
}
