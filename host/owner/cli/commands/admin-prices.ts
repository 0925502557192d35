import type { Command } from 'commander'
import { command, does } from '../command.ts'
import { UsageError } from '../failure.ts'
import { tellList } from '../list.ts'
import { operator } from '../operator.ts'

interface Options {
	input: string
	output: string
	cached?: string
	search?: string
	provider?: string
}

/** US dollars per million tokens; every host takes them from its next model call on. */
export function pricesCommand(admin: Command): void {
	const prices = admin.command('prices').description('what models cost, in US dollars per million tokens')
	command(prices, 'list', 'list prices, and your own in place of them').action(
		does(async (io) => {
			tellList(io, await (await operator(io)).admin.prices(), {
				none: 'No prices.',
				head: ['PROVIDER', 'MODEL', 'INPUT', 'CACHED', 'OUTPUT', '1,000 SEARCHES', ''],
				row: ({ provider, model, input, cached, output, search, own }) => [
					provider,
					model,
					String(input),
					String(cached),
					String(output),
					search === null ? '–' : String(search),
					own ? 'own' : '',
				],
			})
		}),
	)
	command(prices, 'set <model>', 'your own price of a model')
		.requiredOption('--input <usd>', 'per million input tokens')
		.requiredOption('--output <usd>', 'per million output tokens')
		.option('--cached <usd>', 'per million input tokens that the provider had cached (default: as input)')
		.option('--search <usd>', "per thousand searches of the provider's own web search (default: as listed)")
		.option('--provider <provider>', 'openai (also for what speaks like it) or anthropic', 'openai')
		.action(
			does<Options>(async (io, { input, output, cached, search, provider }, model) => {
				const price = await (await operator(io)).admin.putPrice({
					provider: providerOf(provider),
					model,
					input: amount(input),
					output: amount(output),
					...(cached !== undefined && { cached: amount(cached) }),
					...(search !== undefined && { search: amount(search) }),
				})
				const searches = price.search ?? 'unknown (--search)'
				io.result(
					price,
					`${price.model}: ${price.input} in, ${price.cached} cached, ${price.output} out, 1,000 searches ${searches}`,
				)
			}),
		)
	command(prices, 'reset <model>', 'back to the list price')
		.option('--provider <provider>', 'openai or anthropic', 'openai')
		.action(
			does<Pick<Options, 'provider'>>(async (io, { provider }, model) => {
				await (await operator(io)).admin.deletePrice(providerOf(provider), model)
				io.result({ provider, model, own: false }, `${model} has its list price again`)
			}),
		)
}

function providerOf(text: string | undefined): 'openai' | 'anthropic' {
	if (text === 'openai' || text === 'anthropic') return text
	throw new UsageError('--provider takes openai or anthropic')
}

function amount(text: string): number {
	const usd = Number(text)
	if (text.trim() === '' || !(usd >= 0)) throw new UsageError(`"${text}" is no amount of US dollars`)
	return usd
}
