import type { Effect } from '../../../wire/recorded-effect.ts'
import {
	checkedRequest,
	type HttpArgs,
	HttpError,
	type HttpReply,
	type HttpRequest,
	replyOf,
	sendRequest,
} from '../../http/index.ts'
import { KeyError, type OpenCredential } from '../../keys/index.ts'
import { noteUse, openFor, tellRefused } from '../credential.ts'
import { scrub } from '../end.ts'
import { EffectRejection, RunFailure } from '../failure.ts'
import { takeHttpCall, takeResponse } from '../limits.ts'
import type { Run } from '../run.ts'
import { durationOf, open, settle } from '../settle.ts'
import { shownText } from '../shown.ts'
import { traceMeta } from '../trace.ts'
import { argsOf, type Handler } from './handler.ts'

const SHOWN_URL_CHARS = 2_000

interface HttpCall {
	run: Run
	effect: Effect
	request: HttpRequest
	secrets: OpenCredential[]
}

/** A request of the program's own: sent by the runtime, with secrets that the program never has. */
export const http: Handler = {
	async run(run, effect) {
		const args = argsOf<'http'>(effect.args)
		let request: HttpRequest
		try {
			request = checkedRequest(run.bundle.http, args)
		} catch (error) {
			return refuse(run, effect, error, shownArgs(args))
		}
		// One that a crash left open was counted when it was begun.
		if (effect.attempt === 1) takeHttpCall(run)
		const entered = run.toolGate.enter()
		if (entered) await entered
		try {
			if (!run.over) await call({ run, effect, request, secrets: await openSecrets(run, request) })
		} finally {
			run.toolGate.leave()
		}
	},
}

async function openSecrets(run: Run, { origin }: HttpRequest): Promise<OpenCredential[]> {
	try {
		return await Promise.all(origin.secrets.map(({ credential }) => openFor(run, credential, origin.origin)))
	} catch (cause) {
		if (!(cause instanceof KeyError)) throw cause
		throw new EffectRejection('credentials_missing', cause.message, { cause })
	}
}

async function call({ run, effect, request, secrets }: HttpCall): Promise<void> {
	if (run.over) return
	const { method, url, body, repeatable } = request
	open(run, effect, 'http.started', {
		method,
		url: url.href.slice(0, SHOWN_URL_CHARS),
		...(typeof body === 'string' ? shownText('body', body) : body && { bytes: body.length }),
		// Read again after a crash: only such a request is repeated.
		...(repeatable && { repeatable }),
	})
	if (!repeatable) await run.recorder.barrier()
	if (run.over) return
	run.usage.http_calls++
	try {
		await exchange({ run, effect, request, secrets })
	} catch (error) {
		if (run.over) return
		if (error instanceof HttpError && error.unknown && !repeatable) {
			const text = `Nobody knows whether ${method} ${url.origin} was executed: ${error.message}`
			throw new RunFailure('outcome_unknown', text)
		}
		refuse(run, effect, error)
	}
	// What must not be done twice is written down as done, too, without anyone waiting for it.
	if (!repeatable && !run.over) run.recorder.flush()
}

async function exchange({ run, effect, request, secrets }: HttpCall): Promise<void> {
	const { services, begin } = run
	const sentAt = services.date()
	const answer = await sendRequest(request, {
		egress: services.egress,
		secrets: new Map(
			request.origin.secrets.map(({ name }, i) => [name, secretOf(secrets[i] as OpenCredential)]),
		),
		key: `${begin.run}-${effect.n}`,
		...traceMeta(run, effect),
		ceilingMs: services.connectorCeilingMs,
		signal: run.abort.signal,
	})
	if (run.over) return
	tellUse(run, request, secrets, answer.status, sentAt)
	complete(
		run,
		effect,
		replyOf(answer, (text) => scrub(run, text)),
		answer.body.length,
	)
}

function secretOf({ payload }: OpenCredential): string {
	if (payload.kind !== 'secret') throw new TypeError('not a secret of an origin')
	return payload.secret.reveal()
}

/** Statuses between say nothing of a secret. */
function tellUse(
	{ services, begin }: Run,
	{ origin: { origin } }: HttpRequest,
	secrets: OpenCredential[],
	status: number,
	sentAt: number,
): void {
	for (const secret of secrets) {
		if (status === 401) tellRefused(services, begin.deployment, secret, `${origin} answered 401.`)
		else if (status < 300) noteUse(services, begin.deployment, secret, sentAt)
	}
}

function complete(run: Run, effect: Effect, reply: HttpReply, bytes: number): void {
	const result = JSON.stringify(reply)
	takeResponse(run, result)
	settle(run, effect, {
		type: 'http.completed',
		ok: true,
		result,
		data: {
			call: effect.n,
			status: reply.status,
			bytes,
			...durationOf(run, effect),
			...(reply.text && shownText('body', reply.text)),
		},
	})
}

/** Recorded like a response: the program sees the same failure when it is run again. */
function refuse(run: Run, effect: Effect, cause: unknown, shown: Record<string, unknown> = {}): void {
	if (!(cause instanceof HttpError)) throw cause
	const error = { code: cause.code, message: cause.message }
	run.rejections.add(error.code)
	settle(run, effect, {
		type: 'http.completed',
		ok: false,
		result: JSON.stringify(error),
		data: { call: effect.n, ...shown, error, ...durationOf(run, effect) },
	})
}

/** Of a request that is refused before it is begun. */
function shownArgs({ method = 'GET', url }: HttpArgs): Record<string, unknown> {
	const shown = (value: unknown) =>
		typeof value === 'string' ? value.slice(0, SHOWN_URL_CHARS).toWellFormed() : ''
	return { method: shown(method), url: shown(url) }
}
