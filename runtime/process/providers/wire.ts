import type { apiOf } from '../../../bundles/index.ts'
import type { ModelUsage } from '../../prices/index.ts'
import type { ModelRequest, ModelResult } from './types.ts'

/** One provider interface. `reader` is made anew for every answer. */
export interface Wire {
	path: string
	headers(request: ModelRequest, apiKey: string): Record<string, string>
	api: ReturnType<typeof apiOf>
	body(request: ModelRequest): Record<string, unknown>
	reader(onDelta: ((text: string) => void) | undefined, request: ModelRequest): WireReader
}

export interface WireReader {
	/** Throws `ProviderError` where the provider reports a failure, and anything else where it makes no sense. */
	event(data: string, name: string): void
	/** Usage that the server has told so far; most tell it at the end only. */
	soFar?(): ModelUsage | undefined
	/** Searches of the provider so far, where `soFar` does not tell. */
	searched?(): number
	/** Undefined unless the answer came to its proper end; `usage` undefined where the server reported none. */
	result(): (Omit<ModelResult, 'usage'> & { usage?: ModelResult['usage'] }) | undefined
}

/** Those of a list that are objects: a server may send anything. */
export const objectsIn = <One>(list: readonly One[] | null | undefined): NonNullable<One>[] =>
	(Array.isArray(list) ? list : []).filter((one) => typeof one === 'object' && one !== null)

/**
 * A message of a provider as its own library describes it, of which a server may leave out anything. Names are still
 * those of the library, so a member that is renamed there no longer compiles here.
 */
export type Loose<T> = T extends string | number | boolean
	? T
	: T extends readonly (infer One)[]
		? Loose<One>[]
		: T extends object
			? { [Name in keyof T]?: Loose<T[Name]> | null }
			: T
