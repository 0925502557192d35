import { ErrorBoundary, lazy, Route, Router } from 'preact-iso'
import { Agents } from '../pages/agents/page.tsx'
import { Missing } from './missing.tsx'

// Every address; the host serves the same ones (host/pages/routes.ts). A page is loaded when it is first shown.

const Admin = lazy(() => import('../pages/admin/page.tsx'))
const Docs = lazy(() => import('../pages/docs/page.tsx'))
const Hub = lazy(() => import('../pages/hub/page.tsx'))
const Agent = lazy(() => import('../pages/agent/page.tsx'))
const Deploy = lazy(() => import('../pages/deploy/page.tsx'))
const Connect = lazy(() => import('../pages/connect/page.tsx'))
const ConnectCallback = lazy(() => import('../pages/connect/callback.tsx'))
const Approvals = lazy(() => import('../pages/approvals/page.tsx'))
const Failures = lazy(() => import('../pages/failures/page.tsx'))
const Run = lazy(() => import('../pages/run/page.tsx'))
const Runs = lazy(() => import('../pages/runs/page.tsx'))

export function Pages() {
	return (
		<ErrorBoundary>
			<Router onRouteChange={toTop}>
				<Route path="/" component={Agents} />
				<Route path="/agents/:agent/:tab?" component={Agent} />
				<Route path="/hub/:tab?" component={Hub} />
				<Route path="/admin/:tab?" component={Admin} />
				<Route path="/docs/:agent?" component={Docs} />
				<Route path="/deploy" component={Deploy} />
				<Route path="/connect" component={Connect} />
				<Route path="/connect/callback" component={ConnectCallback} />
				<Route path="/approvals" component={Approvals} />
				<Route path="/failures" component={Failures} />
				<Route path="/runs" component={Runs} />
				<Route path="/runs/:run" component={Run} />
				<Route default component={Missing} />
			</Router>
		</ErrorBoundary>
	)
}

function toTop(): void {
	scrollTo(0, 0)
}
