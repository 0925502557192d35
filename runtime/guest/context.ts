/** `ctx`: what a program of the owner's own, and each tool, is given. */
import type { Context, Json, Message, ModelOptions, ModelReply } from '../../bundles/types/index.d.ts'
import { jsonOf } from '../wire/json-answer.ts'
import { effect } from './bridge.ts'
import { contextLog } from './console.ts'
import { filesOf } from './files.ts'
import { http } from './http.ts'
import { standardLoop } from './loop.ts'
import { callOptions } from './model-options.ts'
import { cutOff, refused, unusable } from './output.ts'
import { Controller } from './standard.ts'
import type { RunState } from './state.ts'
import { asMessages } from './template.ts'
import { callTool, declareTools } from './tools.ts'

export function contextOf(run: RunState): Context {
	return {
		model: (messages, options) => model(run, messages, options),
		embed: ({ model, input }) =>
			effect(run, 'embed', { model, input: typeof input === 'string' ? [input] : input }),
		tools: {
			async list() {
				declareTools(run)
				return (await effect(run, 'tools.list', {})).tools as never
			},
			call: (name, input) => callTool(run, String(name), input),
		},
		loop: (options = {}) => standardLoop(run, options),
		memory: {
			list: async (path) => (await effect(run, 'memory.list', path === undefined ? {} : { path })).entries,
			read: (path) => effect(run, 'memory.read', { path }),
			write: (path, content, options) =>
				effect(run, 'memory.write', { path, content, ...versionOf(options) }),
			async delete(path, options) {
				await effect(run, 'memory.delete', { path, ...versionOf(options) })
			},
		},
		files: filesOf(run),
		http: (request) => http(run, request),
		log: contextLog,
		approve: (question, data) =>
			effect(run, 'approve', data === undefined ? { question } : { question, data }),
		signal: new Controller().signal,
	}
}

async function model(
	run: RunState,
	messages: string | Message[],
	options: ModelOptions = {},
): Promise<ModelReply> {
	declareTools(run)
	const { system, tools = [], model: choice, parameters, output } = options
	const {
		message,
		stop,
		why,
		fault,
		model: answered,
		usage,
		citations = [],
	} = await effect(run, 'model', {
		messages: asMessages(messages),
		tools,
		...(system === undefined ? {} : { system }),
		...(choice === undefined ? {} : { model: choice }),
		...(parameters === undefined ? {} : { parameters }),
		...callOptions(options),
		...(output === undefined ? {} : { output }),
	})
	const reply: ModelReply = { message, text: message.content, stop, model: answered, usage, citations }
	if (output === undefined || stop === 'tool_calls') return reply
	if (stop === 'refusal') throw refused('output_invalid', message.content, why)
	const parsed = jsonOf(message.content)
	if (parsed && fault === undefined) return { ...reply, output: parsed.value as Json }
	throw stop === 'length' ? cutOff(why) : unusable(fault ?? 'it is not JSON')
}

function versionOf(options?: { version?: number }): { version?: number } {
	return options?.version === undefined ? {} : { version: options.version }
}
