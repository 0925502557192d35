/** What a call's `_meta` says, which anybody may have written. */
import { z } from 'zod'
import { ALLOWANCE, type Allowance, CALL_KEY, DEPTH, MAX_DEPTH } from '../../../runtime/wire/agent-calls.ts'
import { Problem } from '../../http/errors.ts'
import { readIdempotencyKey } from '../http/headers.ts'

/** Apart from the keys of `/run`: what a caller here leaves is cancelled. */
export function keyOf(given: unknown): string | null {
	if (given === undefined) return null
	if (typeof given === 'string' && given !== '') return readIdempotencyKey(`mcp:${given}`)
	throw new Problem('invalid_request', `\`_meta\` \`${CALL_KEY}\` must be a text that is not empty.`)
}

export function depthOf(given: unknown): number {
	const depth = given ?? 0
	if (typeof depth !== 'number' || !Number.isInteger(depth) || depth < 0)
		throw new Problem('invalid_request', `\`_meta\` \`${DEPTH}\` must be a whole number.`)
	if (depth <= MAX_DEPTH) return depth
	throw new Problem(
		'invalid_request',
		`Agents may call each other ${MAX_DEPTH} deep, and this call would be deeper. Look whether the agents that call this one require each other in a circle.`,
	)
}

const shareOf = (left: z.ZodNumber) => z.object({ left, run: z.string().regex(/^run_[0-9a-z]{1,60}$/) })
const Given = z.object({
	tokens: shareOf(z.number().int().min(0)),
	usd: shareOf(z.number().min(0)).optional(),
})

const faultsOf = ({ issues }: z.ZodError) =>
	issues
		.map(({ path, message }) => `${path.length > 0 ? `\`${path.join('.')}\`` : 'It'}: ${message}.`)
		.join(' ')

/** It lowers the agent's own limits, and never raises one. */
export function allowanceOf(given: unknown): Allowance | undefined {
	if (given === undefined) return undefined
	const { data, error } = Given.safeParse(given)
	if (data) return { tokens: data.tokens, ...(data.usd && { usd: data.usd }) }
	const form = '{"tokens": {"left": 1000, "run": "run_…"}, "usd": {"left": 0.1, "run": "run_…"}}'
	throw new Problem(
		'invalid_request',
		`\`_meta\` \`${ALLOWANCE}\` must be like ${form}; \`usd\` may be left out. ${faultsOf(error)}`,
	)
}
