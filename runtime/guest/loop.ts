/**
 * The standard loop: ask the model, run the tools it asks for side by side, answer it, until it is done. Steps, tokens,
 * seconds and cost are counted outside; a limit ends the run wherever the loop stands.
 */
import type { Json, LoopOptions, Message, ToolCall, ToolReply } from '../../bundles/types/index.d.ts'
import { jsonOf } from '../wire/json-answer.ts'
import { effect } from './bridge.ts'
import { skillsSection } from './builtin-tools.ts'
import { inputFiles } from './files.ts'
import { callOptions, unforce } from './model-options.ts'
import { cutOff, refused, unusable } from './output.ts'
import type { RunState } from './state.ts'
import { asMessages, firstMessage, renderPrompt } from './template.ts'
import { callTool, declareTools, endsRun, messageOf } from './tools.ts'

export async function standardLoop(run: RunState, options: LoopOptions): Promise<Json> {
	declareTools(run)
	const request = requestOf(run, options)
	const { messages } = request
	let mayRetry = true
	for (;;) {
		const { message, stop, why, fault } = await effect(run, 'model', request)
		unforce(request)
		messages.push(message)
		if (message.tool_calls && message.tool_calls.length > 0) {
			messages.push(...(await Promise.all(message.tool_calls.map((call) => answerCall(run, call)))))
			continue
		}
		if (stop === 'length') throw cutOff(why)
		if (stop === 'refusal') throw refused('agent_error', message.content, why)
		if (options.output === undefined) return message.content
		const answer = jsonOf(message.content)
		if (answer && fault === undefined) return answer.value as Json
		const wrong = fault ?? 'it is not JSON'
		if (!mayRetry) throw unusable(wrong)
		mayRetry = false
		messages.push({
			role: 'user',
			content: `Your answer is not usable: ${wrong}. Answer again with that JSON value alone.`,
		})
	}
}

/** The loop of an agent without a program: its prompt, its inputs, its output schema. */
export function agentLoop(run: RunState): Promise<Json> {
	const { output } = run.agent
	return standardLoop(run, output ? { output: output as LoopOptions['output'] & object } : {})
}

function requestOf(run: RunState, options: LoopOptions) {
	const { system, messages, tools, model, parameters, output } = options
	return {
		messages: messages === undefined ? firstMessages(run) : [...asMessages(messages)],
		system: `${system ?? renderPrompt(run.agent.prompt, run.inputs)}${skillsSection(run)}`,
		...(tools === undefined ? {} : { tools }),
		...(model === undefined ? {} : { model }),
		...(parameters === undefined ? {} : { parameters }),
		...callOptions(options),
		...(output === undefined ? {} : { output }),
	}
}

function firstMessages(run: RunState): Message[] {
	const files = inputFiles(run)
	const content = firstMessage(run.inputs)
	return files.length === 0 ? asMessages(content) : [{ role: 'user', content, files }]
}

/** Always a message: a call that is wrong, refused or fails is answered like one that works. */
async function answerCall(run: RunState, call: ToolCall): Promise<Message> {
	const { ok, output, files } = await resultOf(run, call)
	const message = {
		...({ role: 'tool', tool_call_id: call.id, name: call.name, content: output } as const),
		...(files ? { files } : {}),
	}
	return ok ? message : { ...message, is_error: true }
}

async function resultOf(
	run: RunState,
	{ id, name, input, input_error }: ToolCall,
): Promise<Pick<ToolReply, 'ok' | 'output' | 'files'>> {
	if (input_error !== undefined) return { ok: false, output: `The arguments are not JSON: ${input_error}` }
	try {
		return await callTool(run, name, input, id)
	} catch (error) {
		if (endsRun(error)) throw error
		return { ok: false, output: messageOf(error) }
	}
}
