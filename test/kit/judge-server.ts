/**
 * A small server that answers chat completions as OpenAI, vLLM, llama.cpp and Ollama do: how each takes structured
 * output, refuses what it does not know, and gives log-probabilities. It reads the judge's prompt by its structure alone.
 */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * `openai`: strict schemas, no `max_tokens`. `reasoning`: neither log-probabilities nor temperature. `vllm-old`:
 * `guided_json` in place of a schema in `response_format`. `ollama-old`: no log-probabilities, and it ignores what it does not
 * know. `prose`: refuses every way to structured output, and talks around its answer.
 */
export const DIALECTS = [
	'openai',
	'reasoning',
	'vllm',
	'vllm-old',
	'llama.cpp',
	'ollama',
	'ollama-old',
	'prose',
] as const
export type Dialect = (typeof DIALECTS)[number]

export interface Question {
	/** With numbered lines as the judge sent it. */
	material: string
	task: string
	query: string
	item: string
	alternatives: string[]
}

/** One entry of an answer before it is written: `lines` by their numbers. */
export interface Thought {
	shares: number[]
	lines?: number[]
}

export interface Seen {
	body: Record<string, unknown>
	/** The message of the user. */
	prompt: string
	questions: Question[]
	key: string | undefined
	organisation: string | string[] | undefined
}

export interface JudgeServer {
	url: string
	seen: Seen[]
	/** Requests in flight at most. */
	most(): number
	close(): Promise<void>
}

export interface Behaviour {
	dialect: Dialect
	/** Shares of the alternatives of a question; null leaves its entry out. */
	think(question: Question): Thought | number[] | null
	/** Status to answer with instead, for the nth request (from 0). */
	fail?(n: number): number | undefined
	/** Text to answer with instead. */
	say?(n: number, seen: Seen): string | undefined
	delayMs?: number
	/** No answer is given before it resolves. */
	hold?(): Promise<void>
}

export async function startJudgeServer(behaviour: Behaviour): Promise<JudgeServer> {
	const { dialect, think, fail, say, delayMs = 0, hold } = behaviour
	const seen: Seen[] = []
	let inFlight = 0
	let most = 0
	const server = createServer(async (request, response): Promise<void> => {
		const answer = (status: number, body: object): void =>
			void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
		if (request.url === '/v1/models')
			return answer(200, { object: 'list', data: [{ id: 'm', object: 'model' }] })
		most = Math.max(most, ++inFlight)
		const body = JSON.parse(await textOf(request))
		const prompt: string = body.messages[1].content
		const n = seen.length
		const one: Seen = {
			body,
			prompt,
			questions: readPrompt(prompt).questions,
			key: request.headers.authorization,
			organisation: request.headers['openai-organization'],
		}
		seen.push(one)
		await new Promise((resolve) => setTimeout(resolve, delayMs))
		await hold?.()
		inFlight--
		const status = fail?.(n)
		if (status) return answer(status, { error: { message: 'not now' } })
		const refused = refusal(dialect, body)
		if (refused) return answer(400, refused)
		const written = say?.(n, one)
		answer(
			200,
			written === undefined
				? completion(dialect, body, prompt, think)
				: completionOf([{ token: written }], null, 9),
		)
	})
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	const { port } = server.address() as AddressInfo
	return {
		url: `http://127.0.0.1:${port}`,
		seen,
		most: () => most,
		close: () =>
			new Promise((resolve) => {
				server.close(() => resolve())
				server.closeAllConnections()
			}),
	}
}

async function textOf(request: IncomingMessage): Promise<string> {
	let text = ''
	for await (const chunk of request) text += chunk
	return text
}

/** By the prompt's structure: the code of its first line, and the blocks that open and close with it. */
export function readPrompt(prompt: string): { code: string; questions: Question[] } {
	const code = /^<material (\w+)>\n/.exec(prompt)?.[1]
	if (!code) throw new Error('the prompt does not begin with its material')
	const block = (name: string) => {
		const open = `<${name} ${code}>\n`
		const close = `\n</${name} ${code}>\n`
		const start = prompt.indexOf(open)
		if (start < 0) return ''
		if (prompt.indexOf(open, start + 1) >= 0) throw new Error(`two blocks ${name}`)
		const end = prompt.indexOf(close, start)
		if (prompt.indexOf(close, end + 1) >= 0) throw new Error(`block ${name} ends twice`)
		return prompt.slice(start + open.length, end)
	}
	const list = (name: string) =>
		block(name)
			.split('\n')
			.map((line) => line.slice(line.indexOf(': ') + 2))
	const [material, query, alternatives] = [block('material'), block('query'), list('alternatives')]
	const task = /\nTask: (.*)\n/.exec(prompt)?.[1] ?? ''
	return { code, questions: list('items').map((item) => ({ material, task, query, item, alternatives })) }
}

function refusal(dialect: Dialect, body: Record<string, unknown>): object | null {
	const openai = (message: string) => ({
		error: { message, type: 'invalid_request_error', param: null, code: 'unsupported_parameter' },
	})
	const format = body.response_format as { type: string; json_schema?: { strict?: boolean } } | undefined
	if ((dialect === 'openai' || dialect === 'reasoning') && 'max_tokens' in body)
		return openai(
			"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
		)
	if (dialect === 'reasoning' && 'logprobs' in body)
		return openai("Unsupported parameter: 'logprobs' is not supported with this model.")
	if (dialect === 'reasoning' && 'temperature' in body)
		return openai("Unsupported value: 'temperature' does not support 0 with this model.")
	if (dialect === 'openai' && 'guided_json' in body)
		return openai('Unrecognized request argument supplied: guided_json')
	if (dialect === 'vllm-old' && format)
		return {
			object: 'error',
			message:
				"[{'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), 'msg': \"Input should be 'text'\"}]",
			type: 'BadRequestError',
			code: 400,
		}
	if (dialect === 'prose' && (format || 'guided_json' in body))
		return {
			error: {
				code: 400,
				message: 'this model has no grammar for response_format',
				type: 'invalid_request_error',
			},
		}
	return null
}

interface Piece {
	token: string
	/** Of a letter that is an answer. */
	shares?: number[]
}

function completion(
	dialect: Dialect,
	body: Record<string, unknown>,
	prompt: string,
	think: Behaviour['think'],
): object {
	const { code, questions } = readPrompt(prompt)
	const stated = prompt.includes('"percent":80')
	const withLines = prompt.includes('"lines":[2]')
	const pieces: Piece[] = []
	const add = (text: string) => pieces.push(...(text.match(/\w+|\W/g) ?? []).map((token) => ({ token })))
	if (dialect === 'prose') add('Let me think. The answer is:\n```json\n')
	add(`{"code":"${code}","answers":[`)
	let first = true
	questions.forEach((question, i) => {
		const thought = think(question)
		if (!thought) return
		const { shares, lines = [] } = Array.isArray(thought) ? { shares: thought } : thought
		const top = shares.indexOf(Math.max(...shares))
		add(`${first ? '' : ','}{"n":${i + 1},${withLines ? `"lines":${JSON.stringify(lines)},` : ''}"answer":"`)
		pieces.push({ token: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[top]!, shares })
		add(`"${stated ? `,"percent":${Math.round(100 * shares[top]!)}` : ''}}`)
		first = false
	})
	add(']}')
	if (dialect === 'prose') add('\n```\nAsk me more.')
	const silent = dialect === 'ollama-old' || dialect === 'prose' || !body.logprobs
	return completionOf(pieces, silent ? null : dialect, prompt.length >> 2)
}

function completionOf(pieces: readonly Piece[], dialect: Dialect | null, promptTokens: number): object {
	const content = pieces.map(({ token }) => token).join('')
	return {
		id: 'c1',
		object: 'chat.completion',
		model: 'm',
		choices: [
			{
				index: 0,
				message: { role: 'assistant', content },
				logprobs: dialect ? { content: pieces.map((one) => logprobOf(dialect, one)) } : null,
				finish_reason: 'stop',
			},
		],
		usage: { prompt_tokens: promptTokens, completion_tokens: pieces.length },
	}
}

/** Two spellings of every letter share its probability; a little goes to a token that is no letter. */
function logprobOf(dialect: Dialect, { token, shares }: Piece): object {
	const dressed = (text: string, logprob: number) =>
		dialect === 'llama.cpp'
			? { id: 1, token: text, bytes: [...Buffer.from(text)], logprob }
			: { token: text, logprob, bytes: dialect === 'vllm' ? [...Buffer.from(text)] : null }
	const top = (shares ?? [])
		.flatMap((share, i) => {
			const letter = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[i]!
			return [
				dressed(letter, Math.log(share * 0.6 * 0.9)),
				dressed(`${letter}"`, Math.log(share * 0.4 * 0.9)),
			]
		})
		.concat(dressed('The', Math.log(0.1)))
		.filter(({ logprob }) => Number.isFinite(logprob))
		.sort((a, b) => b.logprob - a.logprob)
		.slice(0, 20)
	return { ...dressed(token, -0.01), top_logprobs: shares ? top : [dressed(token, -0.01)] }
}
