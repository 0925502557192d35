import { canonicalJson, nestsTooDeep, pointerOf, TOO_DEEP } from '../../../bundles/index.ts'
import { Problem } from '../../http/errors.ts'

/** Texts and numbers that JSON can spell and that are none of it (RFC 7493, RFC 8785). */
const SURROGATE = 'holds half a surrogate pair, which is no character'
const TOO_LARGE = 'is a number too large for JSON'

/** As calls with one `Idempotency-Key` are compared. Refuses what has no such form, with its place. */
export function canonicalInputs(inputs: Record<string, unknown>): string {
	if (nestsTooDeep(inputs)) throw refused('/inputs', TOO_DEEP)
	try {
		return canonicalJson(inputs)
	} catch (cause) {
		const [path, message] = faultOf(inputs, '/inputs') ?? ['/inputs', (cause as Error).message]
		throw refused(path, message)
	}
}

/** The first, in the order that they came in. */
function faultOf(value: unknown, path: string): [path: string, message: string] | undefined {
	if (typeof value === 'string') return value.isWellFormed() ? undefined : [path, SURROGATE]
	if (typeof value === 'number') return Number.isFinite(value) ? undefined : [path, TOO_LARGE]
	for (const [name, member] of Object.entries(value ?? {})) {
		if (!name.isWellFormed()) return [path, `has a member whose name ${SURROGATE}`]
		const found = faultOf(member, path + pointerOf([name]))
		if (found) return found
	}
	return undefined
}

const refused = (path: string, message: string) =>
	new Problem('invalid_request', `${path}: ${message}`, { errors: [{ path, message }] })
