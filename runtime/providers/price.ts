import type { ModelRequest, ModelResult } from './types.ts'

/** US dollars; null where the model has no price in the table. */
export function priceOf(
	_provider: ModelRequest['provider'],
	_model: string,
	_usage: ModelResult['usage'],
): number | null {
	throw new Error('under construction')
}
