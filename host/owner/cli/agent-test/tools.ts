import type { Agent } from '../../../../bundles/index.ts'
import type { ToolScript } from '../../../../bundles/types/test.d.ts'
import type { TrialRequest } from './engine.ts'

type Scripts = Record<string, ToolScript | undefined>
type Reply = Awaited<ReturnType<TrialRequest['tool']>>

/** What a script answers in place of a value: text and data as they were recorded. */
export class WholeReply {
	readonly reply: Reply
	constructor(reply: Reply) {
		this.reply = reply
	}
}

/** A name that no connector has is refused here: it would never be called. */
export function scriptedTools(
	{ requires }: Agent,
	scripts: Scripts,
): Pick<TrialRequest, 'tool' | 'schemaOf'> {
	const known = new Set(requires.flatMap(({ tools }) => tools))
	for (const name of Object.keys(scripts)) {
		if (known.has(name)) continue
		const names = [...known].join(', ') || 'none'
		throw new Error(
			`tools: agent.yaml requires no tool ${name} (it requires: ${names}); tools of tools.ts run as they are`,
		)
	}
	return {
		schemaOf: () => undefined,
		async tool(connector, name, input) {
			const answer = scripts[name]
			if (answer === undefined)
				throw new Error(
					`the agent calls ${name} of ${connector} with ${JSON.stringify(input)}; say what it answers: run(inputs, { tools: { ${name}: … } })`,
				)
			if (typeof answer !== 'function') return reply(answer)
			try {
				return reply(await (answer as (input: unknown) => unknown)(input))
			} catch (error) {
				// What the script throws is the tool's failure, which the model reads.
				return { ok: false, output: (error as Error).message }
			}
		},
	}
}

function reply(value: unknown): Reply {
	if (value instanceof WholeReply) return value.reply
	if (typeof value === 'string') return { ok: true, output: value }
	return { ok: true, output: JSON.stringify(value ?? null), structured: value ?? null }
}
