import { randomUUID } from 'node:crypto'

/** The script of the claim-checker: every sentence of the draft is a claim; what the guard says of them is reported. */

type Verdict = 'verified' | 'contradicted' | 'unsupported'
interface Result {
	claim: string
	verdict: Verdict
	evidence: { quote: string } | null
}

export function claimsTurn(messages: { role: string; content: string | null }[]) {
	const found = messages.findLast(({ role }) => role === 'tool')
	if (found) return { role: 'assistant' as const, content: JSON.stringify(reportOf(String(found.content))) }
	const asked = messages.find(({ role }) => role === 'user')
	const { draft, sources } = JSON.parse(String(asked?.content)) as { draft: string; sources: string[] }
	const claims = draft.match(/[^.!?]+[.!?]/g)?.map((sentence) => sentence.trim()) ?? [draft]
	const call = { name: 'guard_verify', arguments: JSON.stringify({ claims, evidence: sources }) }
	return {
		role: 'assistant' as const,
		tool_calls: [{ index: 0, id: `call_${randomUUID()}`, type: 'function', function: call }],
	}
}

function reportOf(toolResult: string): object {
	const { results } = JSON.parse(toolResult) as { results: Result[] }
	const claims = results.map(({ claim, verdict, evidence }) => ({
		claim,
		verdict,
		why: evidence?.quote ?? 'No source speaks of it.',
	}))
	return { publish: claims.every(({ verdict }) => verdict === 'verified'), claims }
}
