import { ErrorBoundary, lazy, Route, Router } from 'preact-iso'
import { Agents } from '../pages/agents/page.tsx'
import { Missing } from './missing.tsx'

// Every address; the host serves the same ones (host/pages/routes.ts). A page is loaded when it is first shown.

const agent = lazy(() => import('../pages/agent/page.tsx'))

export function Pages() {
	return (
		<ErrorBoundary>
			<Router onRouteChange={toTop}>
				<Route path="/" component={Agents} />
				<Route path="/agents/:agent/:tab?" component={agent} />
				<Route default component={Missing} />
			</Router>
		</ErrorBoundary>
	)
}

function toTop(): void {
	scrollTo(0, 0)
}
