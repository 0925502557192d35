/**
 * `screen: true` (spec connector.screened): what the tool answered is shown to the agent's guard, over the agent's own
 * sign-in there, before program or model see any of it. Only a clear pass lets it through; everything else withholds
 * it.
 */
import { canonicalJson } from '../../../bundles/index.ts'
import type { Effect } from '../../wire/recorded-effect.ts'
import { boundedWords, type ToolReply } from '../connectors/index.ts'
import { targetOf } from './connector.ts'
import type { Run } from './run.ts'
import type { ConnectorTool } from './tool-table.ts'
import { traceMeta } from './trace.ts'

/** For the guard's answer; the call of the tool has its own time. */
const SCREEN_MS = 60_000

export interface Screened {
	/** For the program. */
	reply: ToolReply
	/** What the event tells of it. */
	screen: { connector: string; decision: 'pass' | 'review' | 'block' | 'none'; probability?: number }
	error?: { code: 'screen_blocked' | 'screen_failed'; message: string }
}

/** Rejects `ConnectorError` where the guard cannot be asked. */
export async function screened(
	{ run, effect, name: tool }: { run: Run; effect: Effect; name: string },
	{ connector, name }: ConnectorTool,
	reply: ToolReply,
): Promise<Screened> {
	const meta = traceMeta(run, effect)
	const options = { signal: run.abort.signal, timeoutMs: SCREEN_MS, repeatable: true, ...(meta && { meta }) }
	const text = textOf(reply).toWellFormed()
	const said = await run.services.connectors.call(targetOf(run, connector), name, { text }, options)
	run.usage.tool_calls++
	const verdict = verdictOf(said)
	if (verdict === undefined) {
		const message = `The result of ${tool} is withheld, for the guard did not screen it: ${said.ok ? 'its answer cannot be read' : boundedWords(said.output)}`
		return withheld('screen_failed', message, { connector: connector.url, decision: 'none' })
	}
	const screen = { connector: connector.url, ...verdict }
	if (verdict.decision !== 'block') return { reply, screen }
	const message = `The result of ${tool} is withheld: the guard found that it tries to instruct its reader (probability ${verdict.probability.toFixed(2)}). The tool was called.`
	return withheld('screen_blocked', message, screen)
}

function withheld(
	code: 'screen_blocked' | 'screen_failed',
	message: string,
	screen: Screened['screen'],
): Screened {
	return { reply: { ok: false, output: message }, screen, error: { code, message } }
}

/** All that the program would get; structured content that says the same as the text, in the same letters, is read once. */
function textOf({ output, structured }: ToolReply): string {
	if (structured === undefined || saysTheSame(output, structured)) return output
	return `${output}\n${JSON.stringify(structured)}`
}

function saysTheSame(output: string, structured: unknown): boolean {
	try {
		return !output.includes('\\u') && canonicalJson(JSON.parse(output)) === canonicalJson(structured)
	} catch {
		return false
	}
}

/** As the guard answers (spec guard.screen). Anything else is no verdict. */
function verdictOf({ ok, structured }: ToolReply) {
	const said = structured as
		| { ok?: unknown; decision?: unknown; injection?: { flagged?: unknown; probability?: unknown } }
		| undefined
	const { decision, injection } = said ?? {}
	if (!ok || said?.ok !== true || typeof injection?.flagged !== 'boolean') return undefined
	if (decision !== 'pass' && decision !== 'review' && decision !== 'block') return undefined
	if (typeof injection.probability !== 'number') return undefined
	const { flagged, probability } = injection
	return { decision: flagged ? 'block' : decision, probability } as const
}
