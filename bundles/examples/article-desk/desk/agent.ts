import { agent } from 'berth'

interface Findings {
	findings: { quote: string; finding: string }[]
}

/** Agents that the desk asks; each is a deployment of its own, with its own limits and keys. */
const colleagues = ['fact-checker', 'style-critic'] as const

export default agent<{ draft: string }>(async ({ draft }, ctx) => {
	// Side by side: a call of another agent may take minutes.
	const answers = await Promise.all(colleagues.map((name) => ctx.tools.call(name, { draft })))
	const missing = colleagues.filter((_, i) => !answers[i]?.ok)
	for (const name of missing) ctx.log('warn', `${name} did not answer`)
	const findings = answers.flatMap((answer) =>
		answer.ok ? (answer.structured as unknown as Findings).findings : [],
	)
	if (findings.length === 0) return { article: draft, findings: 0, missing }
	const { text } = await ctx.model(`Draft:\n${draft}\n\nFindings:\n${JSON.stringify(findings, null, 2)}`)
	return { article: text, findings: findings.length, missing }
})
