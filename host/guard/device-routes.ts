import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Devices } from '../../connector/index.ts'
import {
	type EndTry,
	noteOperation,
	noteReceipt,
	pageForms,
	type SessionParts,
	sessionAccount,
	signInThrottle,
} from '../auth/index.ts'
import { sendPage } from '../http/html.ts'
import { anyone } from '../http/operation.ts'
import type { App } from '../http/route.ts'
import { allowPage, codePage, decidedPage } from './device-page.ts'
import { programTarget } from './platform.ts'

interface DeviceParts extends SessionParts {
	devices: Devices
	log: FastifyBaseLogger
}

const Code = z.object({ user_code: z.string().max(100).default('') })
const Decision = Code.extend({ decision: z.enum(['allow', 'deny']) })
const form = { undocumented: true as const }
const notThere = 'This code is not known, was used, or its 10 minutes are over.'
const tooMany = 'Too many wrong codes. Wait, then try again.'

/** `/device`: a person types the code of a program, sees what it is, and allows or denies it. */
export function deviceRoutes(app: App, parts: DeviceParts): void {
	const { devices, log } = parts
	// Guesses count by account and address, as wrong passwords do: a stranger's program must not be found by chance.
	const throttle = signInThrottle()

	/** Null, and the page is sent: nobody is signed in, or this one has guessed too often. */
	async function personAt(request: FastifyRequest, reply: FastifyReply, code: string) {
		const account = await sessionAccount(parts, request)
		if (!account) {
			const to = code === '' ? '/device' : `/device?user_code=${encodeURIComponent(code)}`
			reply.header('cache-control', 'no-store').redirect(`/sign-in?to=${encodeURIComponent(to)}`, 303)
			return null
		}
		const end: number | EndTry = code === '' ? () => {} : await throttle.begin(account.id, request.ip)
		if (typeof end !== 'number') return { account, end }
		reply.header('retry-after', String(end))
		sendPage(reply, 429, codePage(account.email, tooMany))
		return null
	}

	async function show(request: FastifyRequest, reply: FastifyReply, code: string): Promise<FastifyReply> {
		const person = await personAt(request, reply, code)
		if (!person) return reply
		const { email } = person.account
		if (code === '') return sendPage(reply, 200, codePage(email))
		const found = await judged(person.end, devices.find(code))
		if (found) return sendPage(reply, 200, allowPage(email, found))
		return sendPage(reply, 404, codePage(email, notThere))
	}

	app.register(async (scope) => {
		const plain = scope as App
		pageForms(plain, parts.config.BASE_URL)
		plain.get(
			'/device',
			{
				schema: { querystring: Code },
				config: {
					...anyone('showDevice', 'The page that signs in a program by its code'),
					media: 'text/html',
					redirects: 'To the sign-in, without a session',
				},
			},
			(request, reply) => show(request, reply, request.query.user_code),
		)
		plain.post('/device', { schema: { body: Code }, config: form }, (request, reply) =>
			show(request, reply, request.body.user_code),
		)
		plain.post('/device/decision', { schema: { body: Decision }, config: form }, async (request, reply) => {
			const { user_code, decision } = request.body
			const person = await personAt(request, reply, user_code)
			if (!person) return reply
			const { account, end } = person
			const allow = decision === 'allow'
			const decided = await judged(end, devices.decide(user_code, account.id, allow))
			if (!decided) return sendPage(reply, 404, codePage(account.email, notThere))
			if (decided.program) {
				noteOperation(request, 'allowProgram')
				noteReceipt(request, { made: decided.program.grant, ...programTarget(decided.program) })
			}
			log.info({ account: account.id, allow }, 'a program was decided on by its code')
			return sendPage(reply, 200, decidedPage(allow))
		})
	})
}

/** Only a wrong code counts as failed. */
async function judged<T>(end: EndTry, work: Promise<T>): Promise<T> {
	try {
		const found = await work
		end(found ? 'unjudged' : 'failed')
		return found
	} catch (error) {
		end('unjudged')
		throw error
	}
}
