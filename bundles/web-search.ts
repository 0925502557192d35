/**
 * `web_search` of a model in agent.yaml: the provider's own search, which runs at the provider, past tool list,
 * approval and egress guard. So only agent.yaml turns it on; a call of a program may leave it out.
 */
import { z } from 'zod'
import type { apiOf } from './provider-address.ts'
import { PLAIN, plain } from './text.ts'

/** The only name that Anthropic's has. */
export const SEARCH_TOOL = 'web_search'
/** Searches of one model call where agent.yaml sets none: a bound, so that limits and budgets can hold the cost. */
export const SEARCHES = 5
const SEARCHES_MAX = 100
const DOMAINS_MAX = 20

const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9-]{2,}(?:\/[^\s?#]*)?$/i
const domains = z
	.array(
		z
			.string()
			.max(253)
			.regex(DOMAIN, 'is no domain: write it without https:// and without *, such as example.com'),
	)
	.min(1)
	.max(DOMAINS_MAX)
	.optional()
const place = z.string().min(1).max(100).refine(plain, PLAIN).optional()

const isTimezone = (zone: string | undefined) => {
	try {
		return zone === undefined || new Intl.DateTimeFormat('en', { timeZone: zone }) !== null
	} catch {
		return false
	}
}

const settings = z.strictObject({
	max_uses: z
		.int()
		.min(1)
		.max(SEARCHES_MAX)
		.optional()
		.describe(`Searches of one model call; omitted: ${SEARCHES}. Not with chat.`),
	allowed_domains: domains.describe('Only pages of these domains and their subdomains; not with chat.'),
	blocked_domains: domains.describe('No pages of these domains; Anthropic only.'),
	user_location: z
		.strictObject({
			city: place,
			region: place,
			country: z
				.string()
				.regex(/^[A-Z]{2}$/, 'must be two capital letters, such as DE')
				.optional(),
			timezone: place
				.refine(isTimezone, 'is no time zone: write one such as Europe/Berlin')
				.describe('Such as Europe/Berlin.'),
		})
		.optional()
		.describe('Where the user is, roughly.'),
})

export const webSearch = z
	.union([z.boolean(), settings], { error: 'must be true, or settings such as { max_uses: 3 }' })
	.optional()
	.describe(
		"The provider's own web search: true, or its settings. It runs at the provider and costs money for each search.",
	)

export type WebSearch = z.infer<typeof settings>

/** Undefined: it is off. */
export function searchOf({
	web_search,
}: {
	web_search?: boolean | WebSearch | undefined
}): WebSearch | undefined {
	if (web_search === undefined || web_search === false) return undefined
	return web_search === true ? {} : web_search
}

/** The most searches of one call. A search model of `chat` makes one. */
export const searchesAtMost = (api: ReturnType<typeof apiOf>, { max_uses = SEARCHES }: WebSearch): number =>
	api === 'chat' ? 1 : max_uses

/** What this interface cannot be told, in words that follow `web_search`. */
export function searchFaults(api: ReturnType<typeof apiOf>, search: WebSearch): string[] {
	const faults: string[] = []
	if (api === 'chat' && search.max_uses !== undefined)
		faults.push("has max_uses, which OpenAI's `chat` does not take: leave it out, or write `api: responses`")
	if (api === 'chat' && search.allowed_domains)
		faults.push("has allowed_domains, which OpenAI's `chat` does not take: write `api: responses`")
	if (api !== 'messages' && search.blocked_domains)
		faults.push('has blocked_domains, which only Anthropic takes: write allowed_domains')
	if (api === 'messages' && search.allowed_domains && search.blocked_domains)
		faults.push('has allowed_domains and blocked_domains: Anthropic takes one of them')
	return faults
}
