import { canonicalJson, compileSchema, completer, nestsTooDeep, TOO_DEEP } from '../../../bundles/index.ts'
import type { Approval, DecideApproval } from '../../api/approvals.ts'
import { Problem } from '../../http/errors.ts'
import type { RunRecord } from './types.ts'

/** Of an answer as JSON: the event that tells of it shows it whole. */
const contentMaxChars = 16 * 1024

type Content = Record<string, unknown>

/**
 * What a connector's question is answered with: as it was sent, with the defaults of the question's schema, which it
 * fits. Null: there is nothing to answer with.
 */
export async function requireContent(
	run: RunRecord,
	{ schema }: Approval,
	{ decision, content }: DecideApproval,
	account: string,
): Promise<Content | null> {
	if (decision === 'deny' || !schema) {
		if (!content) return null
		throw wrong('', decision === 'deny' ? 'is only for an answer that approves' : 'is not asked for here')
	}
	if (nestsTooDeep(content)) throw wrong('', TOO_DEEP)
	const completed = completer(schema)?.(content ?? {}) ?? { value: content ?? {} }
	if ('fault' in completed) throw wrong('', `does not fit: ${completed.fault}`)
	const errors = await compileSchema(schema)(completed.value, { queue: run.deployment, caller: account })
	const [first] = errors
	if (first?.retry_seconds !== undefined) {
		const headers = { 'retry-after': String(first.retry_seconds) }
		throw new Problem('rate_limited', `The answer was not checked: a value ${first.message}.`, { headers })
	}
	if (first) throw wrong(first.path, first.message, errors)
	const value = completed.value as Content
	if (textOf(value).length > contentMaxChars) throw wrong('', `is over ${contentMaxChars} characters`)
	return value
}

function textOf(value: Content): string {
	try {
		return canonicalJson(value)
	} catch (cause) {
		throw wrong('', `cannot be canonical JSON: ${(cause as Error).message}`)
	}
}

function wrong(path: string, message: string, all = [{ path, message }]): Problem {
	const errors = all.map((one) => ({ path: `/content${one.path}`, message: one.message }))
	return new Problem('inputs_invalid', `The answer does not fit the question: /content${path} ${message}.`, {
		errors,
	})
}
