/**
 * Questions of servers before 2026-07-28: the server asks while the call is open, and its answer is sent while the call
 * goes on. Connections are shared, so each question is led to the call that it came with.
 */
import { type ElicitResult, SdkError, SdkErrorCode } from '@modelcontextprotocol/client'
import type { Connection } from './connection.ts'
import { questionOf } from './question.ts'
import type { HttpTransport } from './transport.ts'
import type { ConnectorCallOptions, Question, QuestionAnswer } from './types.ts'

export interface OpenCall {
	id: string
	/** Aborted when the call took its time, or its caller's. */
	signal: AbortSignal
	/** Of its time, in ms. */
	left(): number
	answer(question: Question, signal: AbortSignal): Promise<QuestionAnswer>
	/** Its questions are withdrawn. */
	end(): void
}

/** By id. */
export type OpenCalls = Map<string, OpenCall>

/** Of one call with all its tries, in ms. */
export interface CallTime {
	/** That a try may take. */
	left: number
	/** While people were asked: no time of the call. */
	asked: number
}

let calls = 0

export function openCall(
	{ calls: open }: Pick<Connection, 'calls'>,
	{ signal, ask }: Pick<ConnectorCallOptions, 'signal' | 'ask'>,
	time: CallTime,
): OpenCall {
	const late = new AbortController()
	// Made with the first question: an abort that nobody hears costs as much as a tenth of a run.
	let ended: AbortController | undefined
	let over = false
	const passOn = () => late.abort(signal.reason)
	if (signal.aborted) passOn()
	else signal.addEventListener('abort', passOn)
	let { left } = time
	let since = 0
	let asking = false
	let timer: NodeJS.Timeout | undefined
	const goOn = () => {
		since = performance.now()
		timer = setTimeout(() => late.abort(new SdkError(SdkErrorCode.RequestTimeout, 'Request timed out')), left)
	}
	const pause = () => {
		clearTimeout(timer)
		left -= performance.now() - since
		since = performance.now()
		asking = true
	}
	/** The question is answered, or its call is over; what comes of it after that is no time of another try. */
	const resume = () => {
		if (!asking) return
		asking = false
		time.asked += performance.now() - since
		if (!over) goOn()
	}
	// One after the other: a person is asked one thing at a time.
	let last: Promise<unknown> = Promise.resolve()
	const call: OpenCall = {
		id: `call_${++calls}`,
		signal: late.signal,
		left: () => (asking ? left : left - (performance.now() - since)),
		answer(question, withdrawn) {
			if (!ask) return Promise.resolve({ action: 'cancel' })
			ended ??= new AbortController()
			const until = AbortSignal.any([withdrawn, ended.signal, signal])
			const mine = last.then(async (): Promise<QuestionAnswer> => {
				if (over || until.aborted) return { action: 'cancel' }
				pause()
				return ask(question, until).finally(resume)
			})
			last = mine
			return mine
		},
		end() {
			clearTimeout(timer)
			over = true
			resume()
			ended?.abort()
			signal.removeEventListener('abort', passOn)
			open.delete(call.id)
		},
	}
	open.set(call.id, call)
	goOn()
	return call
}

export function answerQuestions({ client, calls: open, credential }: Connection, transport: HttpTransport) {
	client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }): Promise<ElicitResult> => {
		const call = open.get(String(transport.callOf(mcpReq.id))) ?? only(open)
		const question = questionOf(params)
		if (!call || !question) return { action: 'cancel' }
		return (await call.answer(credential.scrub(question), mcpReq.signal)) as ElicitResult
	})
}

/** Some servers ask on the stream of the session, which belongs to no call: with several under way nobody knows whose it is. */
function only(open: OpenCalls): OpenCall | undefined {
	const [call] = open.values()
	return open.size === 1 ? call : undefined
}
