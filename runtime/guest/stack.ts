/** Stack traces as the owner is to see them: of an error and its causes, without the guest program's own frames. */
const NativeError = Error

const MAX_CHARS = 4_000
const MAX_CAUSES = 3
const OWN = 'berth:prelude'

/** Undefined for what is no error. Reading it may run code of the owner: within the turn, which has its limit. */
export function stackOf(error: unknown): string | undefined {
	try {
		if (!(error instanceof NativeError)) return undefined
		let text = framesOf(error)
		let { cause } = error
		for (let i = 0; i < MAX_CAUSES && cause instanceof NativeError; i++) {
			text += `\nCaused by: ${framesOf(cause)}`
			cause = cause.cause
		}
		return text.slice(0, MAX_CHARS).toWellFormed()
	} catch {
		return undefined
	}
}

function framesOf({ stack }: Error): string {
	return String(stack)
		.split('\n')
		.filter((line) => !line.includes(OWN))
		.join('\n')
}

/** Where an effect was asked for: its failure is made elsewhere, and later. */
export interface Origin {
	stack?: string
}

const { captureStackTrace } = NativeError
let ownersCode = false

/** There is code of the owner in this run, whose places are worth the 5 µs that each costs. */
export function expectOwnersCode(): void {
	ownersCode = true
}

export function originHere(): Origin {
	const origin: Origin = {}
	if (ownersCode) captureStackTrace(origin, originHere)
	return origin
}

/** Gives an error the frames of `origin`. */
export function putOrigin(error: Error, { stack }: Origin): void {
	if (typeof stack !== 'string') return
	const frames = stack.indexOf('\n')
	if (frames !== -1) error.stack = `${error.name}: ${error.message}${stack.slice(frames)}`
}
