import { ErrorBoundary, Route, Router } from 'preact-iso'
import { Agents } from '../pages/agents/page.tsx'
import { lazyPage } from '../parts/lazy-part.tsx'
import { Missing } from './missing.tsx'
import { arrive } from './place.ts'

// Every address; the host serves the same ones (host/pages/routes.ts). A page is loaded when it is first shown.

const Admin = lazyPage(() => import('../pages/admin/page.tsx'))
const Docs = lazyPage(() => import('../pages/docs/page.tsx'))
const Hub = lazyPage(() => import('../pages/hub/page.tsx'))
const Agent = lazyPage(() => import('../pages/agent/page.tsx'))
const Deploy = lazyPage(() => import('../pages/deploy/page.tsx'))
const Connect = lazyPage(() => import('../pages/connect/page.tsx'))
const ConnectCallback = lazyPage(() => import('../pages/connect/callback.tsx'))
const Approvals = lazyPage(() => import('../pages/approvals/page.tsx'))
const Failures = lazyPage(() => import('../pages/failures/page.tsx'))
const Run = lazyPage(() => import('../pages/run/page.tsx'))
const Runs = lazyPage(() => import('../pages/runs/page.tsx'))

export function Pages() {
	return (
		<ErrorBoundary>
			<Router onRouteChange={arrive}>
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
