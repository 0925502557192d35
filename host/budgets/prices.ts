import type { FastifyBaseLogger } from 'fastify'
import { prices as listPrices, type Price as OwnPrice, type PriceTable } from '../../runtime/prices/index.ts'
import type { RuntimeClient } from '../../runtime/supervisor/client.ts'
import type { Price, PutPrice } from '../api/prices.ts'
import type { Listen, Sql } from '../db/index.ts'

const setting = 'prices'
const channel = 'prices'
/** NOTIFY is only a hint: a lost one costs this much. */
const pollMs = 30_000

/** What it takes to keep prices, and to tell the runtime of them. */
export interface PriceParts {
	sql: Sql
	runtime: Pick<RuntimeClient, 'notify'>
}

/** By `provider/model`. */
type Stored = Record<string, OwnPrice>

async function readStored(sql: Sql): Promise<Stored> {
	const [row] = await sql<{ value: Stored }[]>`select value from settings where name = ${setting}`
	return row?.value ?? {}
}

/** The operator's prices, as the runtime is told them. */
export async function priceTable(sql: Sql): Promise<PriceTable> {
	const table: PriceTable = { openai: {}, anthropic: {} }
	for (const [name, price] of Object.entries(await readStored(sql))) {
		const { provider, model } = split(name)
		table[provider][model] = price
	}
	return table
}

/** The list, with the operator's own in place of what they replace. */
export async function readPrices(sql: Sql): Promise<Price[]> {
	const stored = await readStored(sql)
	const all = new Map<string, Price>()
	for (const [provider, models] of Object.entries(listPrices) as [Price['provider'], Stored][]) {
		for (const [model, price] of Object.entries(models))
			all.set(`${provider}/${model}`, view(provider, model, price, false))
	}
	for (const [name, price] of Object.entries(stored)) {
		const { provider, model } = split(name)
		all.set(name, view(provider, model, price, true))
	}
	return [...all.values()]
}

/** Merged in the database, so that two operators at once lose nothing. */
export async function putPrice(parts: PriceParts, { provider, model, ...rates }: PutPrice): Promise<Price> {
	const { input, output, cached = input, write = input, search } = rates
	const price: OwnPrice = { input, cached, write, output, ...(search !== undefined && { search }) }
	const change = JSON.stringify({ [`${provider}/${model}`]: price })
	await parts.sql`
		insert into settings (name, value) values (${setting}, ${change}::text::json)
		on conflict (name) do update
			set value = (settings.value::jsonb || ${change}::text::jsonb)::json, updated_at = now()`
	await announce(parts)
	return view(provider, model, price, true)
}

export async function deletePrice(
	parts: PriceParts,
	{ provider, model }: Pick<PutPrice, 'provider' | 'model'>,
): Promise<void> {
	await parts.sql`
		update settings set value = (value::jsonb - ${`${provider}/${model}`}::text)::json, updated_at = now()
		where name = ${setting}`
	await announce(parts)
}

async function announce(parts: PriceParts): Promise<void> {
	await parts.sql`select pg_notify(${channel}, '')`
	await tell(parts)
}

async function tell({ sql, runtime }: PriceParts): Promise<void> {
	runtime.notify('prices.put', { prices: await priceTable(sql) })
}

/** Keeps the runtime told: at every change on any host, and when it has died and is back. */
export async function openPrices(
	parts: PriceParts & {
		runtime: Pick<RuntimeClient, 'onRestart'>
		listen: Listen
		log: FastifyBaseLogger
	},
): Promise<{ stop: () => Promise<void> }> {
	const again = () => {
		tell(parts).catch((error) => parts.log.warn({ err: error }, 'the prices could not be read'))
	}
	parts.runtime.onRestart(again)
	const listening = await parts.listen(channel, again, again)
	const poll = setInterval(again, pollMs)
	return {
		stop: async () => {
			clearInterval(poll)
			await listening.stop()
		},
	}
}

/** A model's name may hold slashes of its own. */
function split(name: string): { provider: Price['provider']; model: string } {
	const cut = name.indexOf('/')
	return { provider: name.slice(0, cut) as Price['provider'], model: name.slice(cut + 1) }
}

const listedSearch = (provider: Price['provider'], model: string) =>
	(Object.hasOwn(listPrices[provider], model) ? listPrices[provider][model] : undefined)?.search

const view = (
	provider: Price['provider'],
	model: string,
	{ input, cached, write = input, output, search = listedSearch(provider, model) }: OwnPrice,
	own: boolean,
): Price => ({ provider, model, input, cached, write, output, search: search ?? null, own })
