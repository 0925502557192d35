import type { Agent } from '../client/index.ts'

/** A model whose provider searches the web for it, in one line. */
export function searchLine({ provider, model, max_uses, ...settings }: Agent['web_search'][number]): string {
	const more = Object.entries(settings).map(([name, value]) => `, ${name} ${JSON.stringify(value)}`)
	return `${provider} ${model} (${max_uses} a call${more.join('')})`
}
