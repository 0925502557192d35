/** A small server that answers chat completions with log-probabilities as vLLM, llama.cpp, Ollama and OpenAI do. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Dialect = 'vllm' | 'llama.cpp' | 'ollama' | 'openai' | 'silent'

export interface Question {
	material: string
	question: string
	alternatives: string[]
}

export interface ModelServer {
	url: string
	/** Bodies received, and how many requests were in flight at most. */
	seen: {
		body: Record<string, unknown>
		question: Question
		key: string | undefined
		organisation: string | string[] | undefined
	}[]
	most(): number
	close(): Promise<void>
}

export interface Behaviour {
	dialect: Dialect
	/** Share of each alternative. */
	think(question: Question): number[]
	/** Status to answer with instead, for the nth request (from 0). */
	fail?(n: number): number | undefined
	delayMs?: number
}

export async function startModelServer({
	dialect,
	think,
	fail,
	delayMs = 0,
}: Behaviour): Promise<ModelServer> {
	const seen: ModelServer['seen'] = []
	let inFlight = 0
	let most = 0
	const server = createServer(async (request, response): Promise<void> => {
		most = Math.max(most, ++inFlight)
		const body = JSON.parse(await textOf(request))
		const n = seen.length
		const question = read(body.messages[1].content)
		seen.push({
			body,
			question,
			key: request.headers.authorization,
			organisation: request.headers['openai-organization'],
		})
		await new Promise((resolve) => setTimeout(resolve, delayMs))
		inFlight--
		const say = (status: number, answer: object): void =>
			void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
		const status = fail?.(n)
		if (status) return say(status, { error: { message: 'not now' } })
		if (dialect === 'openai' && 'max_tokens' in body) {
			const message =
				"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
			return say(400, { error: { message, type: 'invalid_request_error', code: 'unsupported_parameter' } })
		}
		say(200, completion(dialect, think(question)))
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

function read(content: string): Question {
	const material = content.slice(content.indexOf('<material>\n') + 11, content.lastIndexOf('\n</material>'))
	const rest = content.slice(content.lastIndexOf('</material>') + 11)
	const alternatives = rest.split('\n').flatMap((line) => (/^[A-Z]\. /.test(line) ? [line.slice(3)] : []))
	return {
		material,
		question: rest.slice(rest.indexOf('Question: ') + 10, rest.indexOf('\nA. ')),
		alternatives,
	}
}

function completion(dialect: Dialect, shares: readonly number[]): object {
	const letter = (i: number) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[i]!
	// Two spellings of every letter share its probability; a little goes to words that are no answer.
	const top = shares
		.flatMap((share, i) => [
			{ token: letter(i), logprob: Math.log(share * 0.6 * 0.9) },
			{
				token: dialect === 'llama.cpp' ? ` ${letter(i)}` : `${letter(i)}.`,
				logprob: Math.log(share * 0.4 * 0.9),
			},
		])
		.concat({ token: 'The', logprob: Math.log(0.1) })
		.filter(({ logprob }) => Number.isFinite(logprob))
		.sort((a, b) => b.logprob - a.logprob)
		.slice(0, 20)
		.map((one, id) =>
			dialect === 'llama.cpp' ? { id, bytes: [...Buffer.from(one.token)], ...one } : { bytes: null, ...one },
		)
	const message = { role: 'assistant', content: top[0]!.token }
	const logprobs =
		dialect === 'silent'
			? null
			: { content: [{ ...top[0], top_logprobs: top }], ...(dialect === 'openai' ? { refusal: null } : {}) }
	return {
		id: 'c1',
		object: 'chat.completion',
		model: 'm',
		choices: [{ index: 0, message, logprobs, finish_reason: 'length' }],
		usage: { prompt_tokens: 9, completion_tokens: 1 },
	}
}
