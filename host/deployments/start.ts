import { sharedNow } from '../../runtime/lib/clock.ts'
import type { StartedDeployment } from '../api/deployments.ts'
import type { IssuedSecret } from '../auth/index.ts'
import { Problem } from '../http/errors.ts'
import { refusePlatform } from './bundle.ts'
import { requireHere } from './here.ts'
import { needsOf } from './needs.ts'
import type { LifecycleParts } from './parts.ts'
import { readyRequest } from './request.ts'
import { requireSlot } from './slots.ts'
import { changedMeanwhile, ruleOf } from './states.ts'
import { announce, type DeploymentRow, ownDeployment } from './store.ts'
import { viewDeployment } from './view.ts'

/** The provider's answer, and ours to it. */
const probeTimeoutMs = 60_000

/**
 * `creating` or `stopped` → `running` (spec deployment.states). Safe to repeat: of several at once one takes the slot
 * and gets the run key, the others find it running.
 */
export async function startDeployment(
	parts: LifecycleParts,
	accountId: string,
	id: string,
): Promise<StartedDeployment> {
	const row = await ownDeployment(parts.sql, accountId, id)
	requireHere(parts.places, row, '/start')
	refusePlatform(row.agent)
	if (ruleOf(row.state, 'start') === 'done') return answer(parts, row, null, skipped)
	requireProviderKeys(row)
	// Asked again when it takes its slot; here so that no provider is asked in vain.
	await parts.sql.begin((tx) => requireSlot(tx, accountId, id))
	const release = parts.deployments.hold(id)
	const provider = await probe(parts, row).finally(release)
	const key = row.run_key_issued_at ? null : await parts.secrets.issue('run_key')
	const started = await begin(parts, row, key)
	await parts.deployments.changed(id)
	if (started) parts.starting.lockSoon(started.row)
	if (started) return answer(parts, started.row, started.issued ? key : null, provider)
	const now = await ownDeployment(parts.sql, accountId, id)
	if (ruleOf(now.state, 'start') === 'done') return answer(parts, now, null, skipped)
	throw changedMeanwhile()
}

const skipped = { status: 'skipped' as const, detail: 'It was running already.' }

/** Null: another call has changed the state since `row` was read. */
async function begin(parts: LifecycleParts, row: DeploymentRow, key: IssuedSecret | null) {
	const { id, account_id: accountId } = row
	return parts.sql.begin(async (tx) => {
		await requireSlot(tx, accountId, id)
		const [before] = await tx<{ issued: boolean }[]>`
			update deployments d
			set state = 'running', state_reason = null, state_since = now(), rev = d.rev + 1, drain_until = null,
				run_key_issued_at = coalesce(d.run_key_issued_at, ${key ? new Date(sharedNow()) : null})
			from (select id, run_key_issued_at from deployments where id = ${id} for no key update) old
			where d.id = old.id and d.state = ${row.state} and d.version = ${row.version}
			returning old.run_key_issued_at is null as issued`
		if (!before) return null
		const issued = before.issued && key !== null
		if (issued)
			await parts.starting.insertKey(tx, id, key, {
				name: 'first run key',
				scopes: ['run', 'read', 'cancel'],
			})
		await announce(tx, id)
		return { row: await ownDeployment(tx, accountId, id), issued }
	})
}

/** Of each provider that the agent's models are at. */
const keyNeeds = ({ agent }: DeploymentRow) => needsOf(agent).filter(({ kind }) => kind === 'provider')
const keyOf = ({ credentials }: DeploymentRow, key: string) => credentials.find(({ name }) => name === key)

function requireProviderKeys(row: DeploymentRow): void {
	const missing = keyNeeds(row).filter(({ name }) => (keyOf(row, name)?.state ?? 'missing') === 'missing')
	const [first] = missing
	if (!first) return
	throw new Problem(
		'credentials_missing',
		`The provider’s key is missing: seal it to the deployment’s sealing_key and upload it as \`${first.name}\`.`,
		{ errors: missing.map(({ name }) => ({ path: `credentials/${name}`, message: 'is missing' })) },
	)
}

/** Asks each provider once: what the first says that did not take its key, or could not be asked. */
async function probe(parts: LifecycleParts, row: DeploymentRow): Promise<StartedDeployment['provider']> {
	const known = await parts.deployments.refresh(row.slug)
	if (known) parts.deployments.put(known)
	const answers = await Promise.all(keyNeeds(row).map(({ name }) => probeKey(parts, row, name)))
	const answer = answers.find(({ status }) => status !== 'ok') ?? answers[0]
	return answer as StartedDeployment['provider']
}

/** Asks the provider once. Only a refusal keeps the deployment from starting: a provider may be down for now. */
async function probeKey(
	parts: LifecycleParts,
	row: DeploymentRow,
	credential: string,
): Promise<StartedDeployment['provider']> {
	const args = { deployment: row.id, digest: row.digest, credential }
	const { version = 0 } = keyOf(row, credential) ?? {}
	const use = { deployment: row.id, name: credential, version, used_at: sharedNow() }
	const answer = await parts.runtime
		.call('provider.probe', args, { timeoutMs: probeTimeoutMs })
		.catch(async (error) => {
			if (error.code === 'credential_rejected') return { status: 'rejected' as const, detail: error.message }
			// The runtime is down, or has just come back and knows nothing yet.
			if (['closed', 'timeout', 'credentials_missing'].includes(error.code))
				return { status: 'unreachable' as const, detail: error.message }
			throw await failed(parts, row, error)
		})
	if (answer.status === 'ok') await parts.starting.noteCredential({ ...use, state: 'ready', error: null })
	if (answer.status !== 'rejected') return { status: answer.status, detail: answer.detail }
	await parts.starting.noteCredential({
		...use,
		state: 'rejected',
		error: answer.detail,
		used_at: sharedNow(),
	})
	throw new Problem('credential_rejected', answer.detail, {
		errors: [{ path: `credentials/${credential}`, message: answer.detail }],
	})
}

/** Creation cannot be completed (a bundle or key that no longer opens): `failed`, with the reason, until cancelled. */
async function failed(
	parts: LifecycleParts,
	row: DeploymentRow,
	cause: Error & { code?: string },
): Promise<Problem> {
	parts.log.error({ err: cause, deployment: row.id }, 'a deployment could not be started')
	const reason =
		cause.code && cause.code !== 'internal' ? cause.message : 'The agent could not be prepared on this parts.'
	if (row.state === 'creating') {
		await parts.sql.begin(async (tx) => {
			await tx`
				update deployments set state = 'failed', state_reason = ${reason}, state_since = now(), rev = rev + 1
				where id = ${row.id} and state = 'creating'`
			await announce(tx, row.id)
		})
		await parts.deployments.changed(row.id)
	}
	return new Problem('internal_error', `The deployment could not be started: ${reason}`, { cause })
}

function answer(
	parts: LifecycleParts,
	row: DeploymentRow,
	key: IssuedSecret | null,
	provider: StartedDeployment['provider'],
): StartedDeployment {
	const shown = viewDeployment(parts.places, row)
	return {
		...shown,
		...(key
			? { run_key: key.secret }
			: { run_key_hint: `A run key is shown once. Issue another: POST /v1/deployments/${row.id}/keys` }),
		provider,
		request: readyRequest(shown.url, row.agent.inputs, key?.secret ?? null),
	}
}
