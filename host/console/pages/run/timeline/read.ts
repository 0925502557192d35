import type { Citation } from '../../../../owner/client/index.ts'
import type { Effect, Said, Tokens } from './types.ts'

// What an event's data holds, each member believed only where it has the shape that the API says.

export type Data = Record<string, unknown>

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
export const callOf = ({ call }: Data): number | null => (typeof call === 'number' ? call : null)

const isObject = (value: unknown): value is Data => typeof value === 'object' && value !== null

export function saidOf(value: unknown): Said | undefined {
	if (!isObject(value)) return undefined
	const { code, message, said } = value
	return { code: textOf(code), message: textOf(message), ...(typeof said === 'string' && { said }) }
}

/** As the host has checked them. */
export const citationsOf = (value: unknown): Citation[] => (Array.isArray(value) ? (value as Citation[]) : [])

const number = (value: unknown) => (typeof value === 'number' ? value : 0)

export function addUsage(effect: Effect, usage: unknown): void {
	if (!isObject(usage)) return
	const before: Tokens = effect.usage ?? {
		input_tokens: 0,
		cached_input_tokens: 0,
		output_tokens: 0,
		web_searches: 0,
		usd: 0,
	}
	effect.usage = {
		input_tokens: before.input_tokens + number(usage.input_tokens),
		cached_input_tokens: before.cached_input_tokens + number(usage.cached_input_tokens),
		output_tokens: before.output_tokens + number(usage.output_tokens),
		web_searches: before.web_searches + number(usage.web_searches),
		usd: before.usd === null || typeof usage.usd !== 'number' ? null : before.usd + usage.usd,
	}
}
