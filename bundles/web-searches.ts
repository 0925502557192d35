import type { Model, Models } from './model.ts'
import { modelChains } from './models.ts'
import { apiOf } from './provider-address.ts'
import { searchesAtMost, searchOf, type WebSearch } from './web-search.ts'

export interface Searching extends Omit<WebSearch, 'max_uses'> {
	provider: string
	model: string
	/** Of one model call. */
	max_uses: number
}

/** Models of an agent whose providers search the web for it, each once. */
export function webSearches(agent: { model: Model; models?: Models }): Searching[] {
	const found = [...modelChains(agent).values()].flat().flatMap(({ model }): Searching[] => {
		const search = searchOf(model)
		if (!search) return []
		const { provider, name } = model
		return [{ provider, model: name, ...search, max_uses: searchesAtMost(apiOf(model), search) }]
	})
	return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()]
}
