import type { FastifyRequest } from 'fastify'
import type { Owner } from './auth.ts'

/** Who a request came from, for the audit log, which is written after the answer. */
export interface Actor {
	kind: Owner['token']['kind'] | 'upload' | 'sign_in'
	/** Null: the local operator. */
	account: string | null
	token: string | null
	/** Of what no route says by itself, as it is done by several pages. */
	operation?: PageOperation
}

export const pageOperations = ['signIn', 'signOut', 'allowProgram', 'endProgram'] as const
type PageOperation = (typeof pageOperations)[number]

interface Noted {
	actor: Actor | null
	/** Whose log it belongs to, where it is not the actor's own. */
	about: string | null
	/** What its answer says of what was done, as a receipt. */
	receipt: Record<string, string>
}

const noted = new WeakMap<FastifyRequest, Noted>()

const of = (request: FastifyRequest): Noted => noted.get(request) ?? { actor: null, about: null, receipt: {} }

export function noteActor(request: FastifyRequest, actor: Actor): void {
	noted.set(request, { ...of(request), actor })
}

export function noteOwner(request: FastifyRequest, { accountId, token }: Owner): void {
	noteActor(request, { kind: token.kind, account: accountId || null, token: token.id })
}

/** Whether or not it lets in. */
export function noteSignIn(request: FastifyRequest, account: string, session: string | null = null): void {
	noteActor(request, { kind: 'sign_in', account, token: session, operation: 'signIn' })
}

/** What the known actor of a page does there. */
export function noteOperation(request: FastifyRequest, operation: PageOperation): void {
	const { actor } = of(request)
	if (actor) noteActor(request, { ...actor, operation })
}

/** An operator's request that is about an account. */
export function noteAbout(request: FastifyRequest, account: string): void {
	noted.set(request, { ...of(request), about: account })
}

/** What was made, erased or priced: counts, ids and names of models, never a person's text. */
export function noteReceipt(request: FastifyRequest, erased: object): void {
	const receipt = Object.fromEntries(Object.entries(erased).map(([name, value]) => [name, String(value)]))
	noted.set(request, { ...of(request), receipt })
}

export const actorOf = of
