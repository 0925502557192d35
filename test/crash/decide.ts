import { setTimeout as sleep } from 'node:timers/promises'
import type { Approval, ApprovalList } from '../../host/api/approvals.ts'
import type { RunPage } from '../../host/api/runs.ts'
import { caller, type Deployed } from './agents.ts'
import type { KeptHost } from './processes.ts'

/** What the deciders were told: the decision of each approval that a host says it has made. */
export type Decided = Map<string, string[]>

const lookMs = 250

/**
 * Decides about every run that waits, at all hosts at once: mostly the same, every fifth time with one host asked to
 * approve and the others to deny. Only one decision may be made.
 */
export async function keepDeciding(
	{ path, running, token }: Deployed,
	hosts: KeptHost[],
	over: () => boolean,
): Promise<Decided> {
	const decided: Decided = new Map()
	const calls = hosts.map(({ url }) => caller(url))
	const ask = async (call: ReturnType<typeof caller>, { run, id, digest }: Approval, decision: string) => {
		const answer = await call<Approval>(`${path}/runs/${run}/approvals/${id}`, {
			token,
			json: { decision, digest },
		})
		if (answer.status === 200) decided.set(id, [...(decided.get(id) ?? []), answer.body.status])
	}
	const decide = async (call: ReturnType<typeof caller>, run: string) => {
		const { body } = await call<ApprovalList>(`${path}/runs/${run}/approvals`, { token: running.run_key })
		const pending = body.data.filter(({ status }) => status === 'pending')
		await Promise.allSettled(
			pending.flatMap((approval) => {
				const { key } = approval.arguments as { key: string }
				const other = Number(key.slice(4)) % 5 === 0 ? 'deny' : 'approve'
				return calls.map((one, i) => ask(one, approval, i === 0 ? 'approve' : other))
			}),
		)
	}
	for (let i = 0; !over(); i++) {
		const call = calls[i % calls.length] as ReturnType<typeof caller>
		// A host that does not answer is asked again soon, or the other is.
		await call<RunPage>(`${path}/runs?status=waiting&limit=100`, { token: running.run_key })
			.then(({ body }) => Promise.allSettled(body.data.map(({ id }) => decide(call, id))))
			.catch(() => undefined)
		await sleep(lookMs)
	}
	return decided
}
