import type { Effect } from '../../../wire/recorded-effect.ts'
import { ConnectorError, type ToolReply } from '../../connectors/index.ts'
import { decisionData, decisionOn } from '../approval.ts'
import { targetOf } from '../connector.ts'
import { EffectRejection, RunFailure } from '../failure.ts'
import { takeToolCall } from '../limits.ts'
import { blockedMessage } from '../lock.ts'
import type { Run } from '../run.ts'
import { type Screened, screened } from '../screen.ts'
import { durationOf, open, settle } from '../settle.ts'
import { shownText, shownValue } from '../shown.ts'
import { checkedReply } from '../tool-reply.ts'
import { type ConnectorTool, hasChanged, toolsOf } from '../tools.ts'
import { argsOf, type Handler, text } from './handler.ts'

export const toolCall: Handler = {
	async run(run, effect) {
		const args = argsOf<'tool.call'>(effect.args)
		const name = text(args.name, 'name')
		const tool = (await toolsOf(run)).connector.get(name)
		if (!tool) throw new EffectRejection('tool_missing', `The agent has no connector tool named ${name}.`)
		// A call that a crash left open was counted when it was begun.
		if (effect.attempt === 1) takeToolCall(run)
		const faults = await tool.validate(args.input, { queue: run.begin.deployment })
		if (tool.approval && !tool.changed && faults.length === 0)
			await approved(run, effect, tool, name, args.input)
		if (run.over) return
		const entered = run.toolGate.enter()
		if (entered) await entered
		if (run.over) return
		try {
			begin(run, effect, tool, name, args)
			if (faults.length > 0) {
				const output = `The arguments do not fit the tool's schema: ${faults.map(({ path, message }) => `${path || '/'} ${message}`).join('; ')}.`
				return complete(run, effect, name, { ok: false, output })
			}
			// A guard that could not be asked afterwards is found out before, where that can be.
			for (const needed of tool.screen ? [tool.screen, tool] : [tool])
				if (!(await isAsLocked(run, effect, tool, needed, name)) || run.over) return
			if (!tool.repeatable) await run.recorder.barrier()
			if (run.over) return
			await call(run, effect, tool, name, args.input)
			// What must not be done twice is written down as done, too, without anyone waiting for it.
			if (!tool.repeatable && !run.over) run.recorder.flush()
		} finally {
			run.toolGate.leave()
		}
	},
}

/** Returns where a person agreed to exactly this call; ends the run where they did not. */
async function approved(
	run: Run,
	effect: Effect,
	tool: ConnectorTool,
	name: string,
	input: unknown,
): Promise<void> {
	const decision = await decisionOn(run, effect, {
		question: `Call ${name}?`,
		arguments: input ?? null,
		tool: name,
		connector: tool.connector.url,
	})
	if (!decision || run.over) return
	if (!effect.decided) {
		const data = decisionData(run, effect, decision)
		run.recorder.append({ type: 'approval.decided', effect: effect.n, data })
		effect.decided = decision
	}
	if (decision.approved) return
	const why = decision.note ? `: ${decision.note}` : '.'
	throw new RunFailure('approval_denied', `The call of ${name} was not approved${why}`)
}

function begin(
	run: Run,
	effect: Effect,
	tool: ConnectorTool,
	name: string,
	args: { input?: unknown; call_id?: unknown },
): void {
	run.usage.tool_calls++
	open(run, effect, 'tool.started', {
		name,
		connector: tool.connector.url,
		...(typeof args.call_id === 'string' ? { call_id: args.call_id } : undefined),
		...shownValue('input', args.input ?? null, effect.args.length),
		// Read again after a crash: only such a call is repeated.
		...(tool.repeatable ? { repeatable: true } : undefined),
	})
}

/** Longest wait for one call; the run's own time limit may end it sooner. */
function timeoutOf({ services }: Run, { connector }: ConnectorTool): number {
	return Math.min(connector.timeoutMs ?? services.providerTimeoutMs, services.connectorCeilingMs)
}

async function call(
	run: Run,
	effect: Effect,
	tool: ConnectorTool,
	name: string,
	input: unknown,
): Promise<void> {
	const options = { signal: run.abort.signal, timeoutMs: timeoutOf(run, tool), repeatable: tool.repeatable }
	let reply: ToolReply
	try {
		const given = await run.services.connectors.call(targetOf(run, tool.connector), tool.name, input, options)
		reply = await checkedReply(run, tool, name, given)
	} catch (error) {
		if (run.over) return
		if (!(error instanceof ConnectorError)) throw error
		if (error.reason === 'unknown' && !tool.repeatable) {
			throw new RunFailure('outcome_unknown', `Nobody knows whether ${name} was executed: ${error.message}`)
		}
		return refuse(run, effect, tool, name, error)
	}
	if (!tool.screen || run.over) return complete(run, effect, name, reply)
	try {
		const { reply: shown, ...told } = await screened(run, tool.screen, name, reply)
		complete(run, effect, name, shown, told)
	} catch (error) {
		if (run.over) return
		if (!(error instanceof ConnectorError)) throw error
		const why = `${name} was called, and its result is withheld: the guard cannot be asked (${error.message}).`
		refuse(run, effect, tool, name, new ConnectorError(error.code, error.reason, why))
	}
}

/**
 * False, and answered: with a failed call for the model to see where the tool was changed (the owner sees it in the
 * events, and with `GET /v1/deployments/{id}/tools`), or with why nobody knows. Nothing was sent to the tool.
 */
async function isAsLocked(
	run: Run,
	effect: Effect,
	tool: ConnectorTool,
	needed: ConnectorTool,
	name: string,
): Promise<boolean> {
	try {
		if (!(await hasChanged(run, needed))) return true
		const message = blockedMessage(needed.name, needed.connector.url)
		complete(run, effect, name, { ok: false, output: message }, { error: { code: 'tool_changed', message } })
	} catch (error) {
		if (run.over) return false
		if (!(error instanceof ConnectorError)) throw error
		refuse(run, effect, tool, name, error)
	}
	return false
}

function complete(
	run: Run,
	effect: Effect,
	name: string,
	reply: ToolReply,
	told?: { error?: { code: string; message: string }; screen?: Screened['screen'] },
): void {
	settle(run, effect, {
		type: 'tool.completed',
		ok: true,
		result: JSON.stringify(reply),
		data: {
			call: effect.n,
			name,
			ok: reply.ok,
			...told,
			...durationOf(run, effect),
			...shownText('output', reply.output),
		},
	})
}

/**
 * Recorded like an answer: the program sees the same failure when it is run again. What the server said is for the
 * owner only, and where its results are screened for nobody: no guard has seen it.
 */
function refuse(
	run: Run,
	effect: Effect,
	tool: ConnectorTool,
	name: string,
	{ code, message, said }: ConnectorError,
): void {
	run.rejections.add(code)
	const error = { code, message }
	const shown = tool.screen || !said ? error : { ...error, said }
	settle(run, effect, {
		type: 'tool.completed',
		ok: false,
		result: JSON.stringify(error),
		data: { call: effect.n, name, ok: false, error: shown, ...durationOf(run, effect) },
	})
}
