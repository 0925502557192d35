import type { SchemaError } from '../../../../bundles/index.ts'
import type { Allowance } from '../../../wire/agent-calls.ts'
import type { Asked } from '../../../wire/recorded-effect.ts'
import { ConnectorError, type Resumed, type ToolAsks, type ToolReply } from '../../connectors/index.ts'
import { decisionOn, noteDecision } from '../approval.ts'
import { settleSpent } from '../budget.ts'
import { RunFailure } from '../failure.ts'
import { takeToolCall } from '../limits.ts'
import { blockedMessage } from '../lock.ts'
import { noSuchTool } from '../no-such-tool.ts'
import { answersTo, earlierAnswers, isCutOff } from '../questions.ts'
import { askedOfHost } from '../retries.ts'
import { open } from '../settle.ts'
import { settledOf, takeShare } from '../share.ts'
import { shownValue } from '../shown.ts'
import { checkedReply } from '../tool-reply.ts'
import type { ConnectorTool } from '../tool-table.ts'
import { hasChanged, toolsOf } from '../tools.ts'
import { argsOf, type Handler, text } from './handler.ts'
import { askTool } from './tool-ask.ts'
import { complete, completeScreened, completeStored, refuse, type ToolCall } from './tool-done.ts'
import { refuseCall } from './tool-refused.ts'

export const toolCall: Handler = {
	async run(run, effect) {
		const args = argsOf<'tool.call'>(effect.args)
		const name = text(args.name, 'name')
		const { connector, definitions } = await toolsOf(run)
		const tool = connector.get(name)
		// A call that a crash left open was counted when it was begun.
		if (effect.attempt === 1) takeToolCall(run)
		if (!tool) {
			const message = noSuchTool(name, definitions)
			return refuseCall(run, effect, { name, args, code: 'tool_missing', message })
		}
		const faults = await tool.validate(args.input ?? null, { queue: run.begin.deployment })
		const call: ToolCall = { run, effect, tool, name, args, spent: { tokens: 0, usd: 0 } }
		if (tool.approval && !tool.changed && faults.length === 0) await approved(call)
		if (run.over) return
		if (isCutOff(effect)) return complete(call, { ok: false, output: cutOffText(name) })
		const asker = { name, connector: tool.connector.url }
		let resumed = await earlierAnswers(run, effect)
		while (!run.over) {
			const asks = await callOnce(call, faults, resumed)
			if (!asks || run.over) return
			resumed = await answersTo(run, effect, asker, asks)
			effect.attempt++
		}
	},
}

const cutOffText = (name: string) =>
	`${name} was called and asked its owner a question, and Berth stopped before anybody answered. The call ended there; it may have done a part of its work.`

/** Returns where a person agreed to exactly this call; ends the run where they did not. */
async function approved({ run, effect, tool, name, args }: ToolCall): Promise<void> {
	const decision = await decisionOn(run, effect, {
		question: `Call ${name}?`,
		arguments: args.input ?? null,
		tool: name,
		connector: tool.connector.url,
	})
	if (!decision || run.over) return
	noteDecision(run, effect, effect.requests[0] as Asked, decision)
	if (decision.approved) return
	const why = decision.note ? `: ${decision.note}` : '.'
	throw new RunFailure('approval_denied', `The call of ${name} was not approved${why}`)
}

/** From one `tool.started` to the result, or to questions with whose answers it is to be called again. */
async function callOnce(
	call: ToolCall,
	faults: SchemaError[],
	resumed: Resumed | undefined,
): Promise<ToolAsks | undefined> {
	const { run, effect, tool } = call
	const entered = run.toolGate.enter()
	if (entered) await entered
	if (run.over) return undefined
	let allowance: Allowance | undefined
	try {
		allowance = tool.agent ? await takeShare(run, effect.n) : undefined
		if (run.over) return undefined
		begin(call, allowance)
		if (faults.length > 0) {
			const message = `The arguments do not fit the tool's schema: ${faults.map(({ path, message }) => `${path || '/'} ${message}`).join('; ')}.`
			complete(call, { ok: false, output: message }, { error: { code: 'input_invalid', message } })
			return undefined
		}
		// A guard that could not be asked afterwards is found out before, where that can be.
		for (const needed of tool.screen ? [tool.screen, tool] : [tool])
			if (!(await isAsLocked(call, needed)) || run.over) return undefined
		// What is left to an agent is written down before it hears of it.
		if (!tool.repeatable || allowance) await run.recorder.barrier()
		if (run.over) return undefined
		const asks = await request(call, resumed, allowance)
		// What must not be done twice is written down as done, too, without anyone waiting for it.
		if (!tool.repeatable && !run.over) run.recorder.flush()
		return asks
	} finally {
		// Before it was called, or when its run ended under it; what was settled already stays.
		const left = run.over && call.spent === undefined && run.services.ownAgents?.test(tool.connector.url)
		// Of an agent of this database the host finds out what its run has used, once that has ended.
		if (allowance && !left && (run.over || !run.shares.has(effect.n)))
			await settleSpent(run, effect.n, settledOf(allowance, call.spent))
		run.toolGate.leave()
	}
}

function begin({ run, effect, tool, name, args }: ToolCall, allowance: Allowance | undefined): void {
	run.usage.tool_calls++
	open(run, effect, 'tool.started', {
		name,
		connector: tool.connector.url,
		...(typeof args.call_id === 'string' ? { call_id: args.call_id } : undefined),
		...shownValue('input', args.input ?? null, effect.args.length),
		// Read again after a crash: only such a call is repeated.
		...(tool.repeatable ? { repeatable: true } : undefined),
		...(allowance && { allowance }),
	})
}

async function request(
	call: ToolCall,
	resumed: Resumed | undefined,
	allowance: Allowance | undefined,
): Promise<ToolAsks | undefined> {
	const { run, tool, name } = call
	let reply: ToolReply
	try {
		call.spent = undefined
		const given = await askedOfHost(run, tool.connector.url, () => askTool(call, resumed, allowance))
		call.spent = given.spent
		if (given.asks || run.over) return given.asks
		await settled(call, allowance)
		if (run.over) return undefined
		reply = await checkedReply(run, tool, name, given)
	} catch (error) {
		if (run.over) return undefined
		if (!(error instanceof ConnectorError)) throw error
		// No agent has begun a run for it.
		if (error.reason !== 'unknown') call.spent = { tokens: 0, usd: 0 }
		if (isLeft(call, error)) return undefined
		if (error.reason === 'unknown' && !tool.repeatable) {
			throw new RunFailure('outcome_unknown', `Nobody knows whether ${name} was executed: ${error.message}`)
		}
		await settled(call, allowance)
		if (!run.over) refuse(call, error)
		return undefined
	}
	if (tool.screen && !run.over) await completeScreened(call, tool.screen, reply)
	else if (reply.files) await completeStored(call, reply)
	else complete(call, reply)
	return undefined
}

/** A server of this very host stops with it. Who goes on with the run makes the call again, where that can do no harm. */
function isLeft({ run, effect, tool }: ToolCall, { away }: ConnectorError): boolean {
	if (!run.handedOver || !(tool.repeatable || away)) return false
	run.running.delete(effect)
	return true
}

/** In the month's budgets, before the call is written down as done: after a crash in between it is made again. */
async function settled({ run, effect, spent }: ToolCall, allowance: Allowance | undefined): Promise<void> {
	if (allowance) await settleSpent(run, effect.n, settledOf(allowance, spent))
}

/**
 * False, and answered: with a failed call for the model to see where the tool was changed (the owner sees it in the
 * events, and with `GET /v1/deployments/{id}/tools`), or with why nobody knows. Nothing was sent to the tool.
 */
async function isAsLocked(call: ToolCall, needed: ConnectorTool): Promise<boolean> {
	const { run } = call
	try {
		if (!(await hasChanged(run, needed))) return true
		const message = blockedMessage(needed.name, needed.connector.url)
		complete(call, { ok: false, output: message }, { error: { code: 'tool_changed', message } })
	} catch (error) {
		if (run.over) return false
		if (!(error instanceof ConnectorError)) throw error
		if (!isLeft(call, error)) refuse(call, error)
	}
	return false
}
