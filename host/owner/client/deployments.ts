import { BudgetReport, type Budgets } from '../../api/budgets.ts'
import { Credential, CredentialList } from '../../api/credentials.ts'
import {
	ActivatedDeployment,
	CreatedDeployment,
	Deployment,
	DeploymentPage,
	DeploymentWithActivity,
	DryRun,
	StartedDeployment,
	StoppedDeployment,
	VersionList,
} from '../../api/deployments.ts'
import { IssuedKey, KeyList, RunKey } from '../../api/keys.ts'
import { PlaceList } from '../../api/places.ts'
import { OpenApiDocument, RefusalList } from '../../api/runs.ts'
import { ToolLockList } from '../../api/tools.ts'
import { VersionDetail } from '../../api/versions.ts'
import { type Http, post } from './http.ts'
import { type Encoded, multipart } from './multipart.ts'

export interface BundleFile {
	bytes: Uint8Array
	fileName: string
}

export interface NewDeployment extends BundleFile {
	name: string
	place?: string | undefined
}

/** A stop waits for runs in flight, and the call with it. */
const STOP_MARGIN_MS = 60_000
/** Starting asks the provider once; its patience is a setting of the host. */
const START_TIMEOUT_MS = 180_000

export function deploymentCalls(http: Http, base: string) {
	const root = `${base}/v1/deployments`
	const at = (id: string, rest = '') => `${root}/${encodeURIComponent(id)}${rest}`
	return {
		places: () => http.json(PlaceList, { method: 'GET', url: `${base}/v1/places` }),
		list: (query: { name?: string; limit?: number; cursor?: string } = {}) =>
			http.json(DeploymentPage, { method: 'GET', url: root, query }),
		get: (id: string) => http.json(DeploymentWithActivity, { method: 'GET', url: at(id) }),
		/** Checks all that can be checked without credentials and creates nothing. */
		dryRun: (deployment: NewDeployment) =>
			http.json(DryRun, { ...post(root), encoded: form(deployment), query: { dry_run: 'true' } }),
		create: (deployment: NewDeployment) =>
			http.json(CreatedDeployment, { ...post(root), encoded: form(deployment) }),
		patch: (id: string, change: { name?: string; budgets?: Budgets | null; retain_days?: number | null }) =>
			http.json(Deployment, { method: 'PATCH', url: at(id), body: change }),
		start: (id: string) =>
			http.json(StartedDeployment, { ...post(at(id, '/start')), timeoutMs: START_TIMEOUT_MS }),
		stop: (id: string, drainSeconds = 30) =>
			http.json(StoppedDeployment, {
				...post(at(id, '/stop'), { drain_seconds: drainSeconds }),
				timeoutMs: drainSeconds * 1000 + STOP_MARGIN_MS,
			}),
		/** Ends one that was never started, or whose creation failed. */
		cancel: (id: string) => http.json(Deployment, post(at(id, '/cancel'))),
		remove: async (id: string) =>
			void (await http.send({ method: 'DELETE', url: at(id), timeoutMs: 2 * STOP_MARGIN_MS })),
		versions: (id: string) => http.json(VersionList, { method: 'GET', url: at(id, '/versions') }),
		/** From its bundle: what a diff by meaning needs. */
		version: (id: string, version: number) =>
			http.json(VersionDetail, { method: 'GET', url: at(id, `/versions/${version}`) }),
		addVersion: (id: string, bundle: BundleFile) =>
			http.json(ActivatedDeployment, { ...post(at(id, '/versions')), encoded: form(bundle) }),
		/** Checks what `addVersion` checks, and changes nothing. */
		dryVersion: (id: string, bundle: BundleFile) =>
			http.json(DryRun, { ...post(at(id, '/versions')), encoded: form(bundle), query: { dry_run: 'true' } }),
		activate: (id: string, version: number) =>
			http.json(ActivatedDeployment, post(at(id, `/versions/${version}/activate`))),
		/** OpenAPI of one deployment, typed for its agent. */
		document: (deploymentUrl: string) =>
			http.json(OpenApiDocument, { method: 'GET', url: `${deploymentUrl}/openapi.json` }),
		/** OpenAPI of the whole host. */
		hostDocument: () => http.json(OpenApiDocument, { method: 'GET', url: `${base}/openapi.json` }),
		/** Calls that were refused before there was a run. */
		refusals: (id: string) => http.json(RefusalList, { method: 'GET', url: at(id, '/refusals') }),
		keys: (id: string) => http.json(KeyList, { method: 'GET', url: at(id, '/keys') }),
		createKey: (
			id: string,
			key: { name?: string; scopes?: string[]; expires_at?: string | null; budgets?: Budgets | null } = {},
		) => http.json(IssuedKey, post(at(id, '/keys'), key)),
		rotateKey: (id: string, key: string, overlapSeconds?: number) =>
			http.json(
				IssuedKey,
				post(
					at(id, `/keys/${key}/rotate`),
					overlapSeconds === undefined ? {} : { overlap_seconds: overlapSeconds },
				),
			),
		patchKey: (id: string, key: string, change: { name?: string; budgets?: Budgets | null }) =>
			http.json(RunKey, { method: 'PATCH', url: at(id, `/keys/${key}`), body: change }),
		budgets: (id: string) => http.json(BudgetReport, { method: 'GET', url: at(id, '/budgets') }),
		revokeKey: (id: string, key: string) =>
			http.json(RunKey, { method: 'DELETE', url: at(id, `/keys/${key}`) }),

		/** Asks the connectors now. */
		tools: (id: string) => http.json(ToolLockList, { method: 'GET', url: at(id, '/tools') }),
		/** Offers as they were shown. */
		acceptTools: (id: string, tools: { connector: string; tool: string; hash: string }[]) =>
			http.json(ToolLockList, post(at(id, '/tools/accept'), { tools })),
		credentials: (deploymentUrl: string) =>
			http.json(CredentialList, { method: 'GET', url: `${deploymentUrl}/credentials` }),
		/** `jwe`: sealed on this machine (`seal`). Safe to repeat. `token`: the upload token of the create, if not the owner's. */
		putCredential: (deploymentUrl: string, name: string, jwe: string, token?: string) =>
			http.json(Credential, {
				method: 'PUT',
				url: `${deploymentUrl}/credentials/${encodeURIComponent(name)}`,
				body: { jwe },
				...(token !== undefined && { token }),
			}),
	}
}

export function form({
	bytes,
	fileName,
	name,
	place,
}: BundleFile & { name?: string; place?: string }): Encoded {
	return multipart([
		...(name === undefined ? [] : [{ name: 'name', content: name }]),
		...(place === undefined ? [] : [{ name: 'place', content: place }]),
		{ name: 'bundle', content: bytes, fileName, type: 'application/zip' },
	])
}
