import type { Entry } from '../../runtime/wire/journal.ts'
import { caller, diaries } from './agents.ts'
import type { Row, Seen } from './check.ts'

// What must hold of approvals, memory and a sign-in, after any number of kills.

type Journals = Map<string, Entry[]>

/** Decided once, whatever was asked at the same time, and followed. */
export async function checkApprovals(rows: Row[], journals: Journals, { sql, deployed, decided }: Seen) {
	const wrong: string[] = []
	const { running } = deployed.find(({ kind }) => kind === 'approval') ?? {}
	const made = new Map<string, { id: string; approved: boolean }[]>()
	for (const row of await sql<{ run_id: string; id: string; approved: boolean }[]>`
		select run_id, id, approved from approvals`) {
		made.set(row.run_id, [...(made.get(row.run_id) ?? []), row])
	}
	for (const { id, deployment_id, status, error_code } of rows) {
		if (deployment_id !== running?.id) continue
		const say = (text: string) => wrong.push(`approval ${id} (${error_code ?? status}): ${text}`)
		const [decision, ...more] = made.get(id) ?? []
		// It failed before it had come so far, which has its own explanation.
		if (!(journals.get(id) ?? []).some(({ type }) => type === 'approval.requested')) continue
		const entries = (journals.get(id) ?? []).filter(({ type }) => type === 'approval.decided')
		if (!decision || more.length > 0) {
			say(`${made.get(id)?.length ?? 0} decisions`)
			continue
		}
		const said = decision.approved ? 'approve' : 'deny'
		// What a call that is not repeatable needed is committed before it; a denial ends the run at once.
		if (entries.length !== 1 || entries[0]?.data.decision !== said)
			say(`its journal has ${JSON.stringify(entries.map(({ data }) => data.decision))}, stored is ${said}`)
		if ((error_code === 'approval_denied') === decision.approved) say(`it was decided to ${said}`)
		const told = decided.get(decision.id) ?? []
		const right = decision.approved ? 'approved' : 'denied'
		if (told.length > 1 || told.some((one) => one !== right))
			say(`deciders were told ${told}, it is ${right}`)
	}
	return wrong
}

/** Every run that has succeeded has written its line, nobody has twice. */
export async function checkMemory(rows: Row[], { deployed, hosts }: Seen): Promise<string[]> {
	const { running, path, token } = deployed.find(({ kind }) => kind === 'memory') ?? {}
	const call = caller(hosts[0]?.url ?? '')
	const files = await Promise.all(
		diaries.map((file) => call<{ content: string }>(`${path}/memory/${file}`, { token: token as string })),
	)
	const lines = files.flatMap(({ body }) =>
		body.content.split('\n').filter((line) => line.startsWith('run-')),
	)
	return rows.flatMap(({ deployment_id, tag, status }) => {
		if (deployment_id !== running?.id) return []
		const found = lines.filter((line) => line === tag).length
		return found === (status === 'succeeded' ? 1 : 0) ? [] : [`memory ${tag} (${status}): ${found} lines`]
	})
}

/** Signed in to the last, though its tokens were refreshed all the time. */
export async function checkSignIn({ deployed, sql, front }: Seen): Promise<string[]> {
	const { running } = deployed.find(({ kind }) => kind === 'oauth') ?? {}
	const [held] = await sql<{ state: string; last_error: string | null }[]>`
		select state, last_error from credentials where deployment_id = ${running?.id ?? ''} and kind = 'oauth'`
	const wrong = held?.state === 'ready' ? [] : [`the sign-in is ${held?.state}: ${held?.last_error}`]
	const refused = front.tokens.answers.filter(({ status }) => status >= 400 && status < 500)
	return [...wrong, ...refused.map(({ status, error }) => `a refresh was refused: ${status} ${error}`)]
}

/** Every request had the secret, and one key a run however often it was made. */
export function checkShop({ world: { shop } }: Seen): string[] {
	const twice = [...shop.keys].filter(([, keys]) => keys.size > 1)
	return [
		...shop.strangers.map((id) => `${id} came without the secret`),
		...twice.map(([tag, keys]) => `${tag} came with ${keys.size} Idempotency-Keys`),
	]
}
