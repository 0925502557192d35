/** What a scripted turn becomes before it is put into one of the three wire formats. */

/** `{{key}}` in a text stands for the key that the caller presented. */
export interface Turn {
	text?: string
	thinking?: string
	refusal?: string
	calls?: { name: string; input: unknown; id?: string }[]
	/** What it says before it searches. */
	preamble?: string
	/** Of the provider's own web search. Without `found` and `error`: its result comes in a later answer, by its `id`. */
	searches?: {
		query?: string
		/** In place of `query` in a list, for a server that is odd. */
		queries?: unknown
		id?: string
		found?: ({ url: string; title: string } | null)[]
		error?: string
	}[]
	/** `quote`: the part of the text that it stands behind. `page`: of the document `document`, in place of `url`. */
	cites?: {
		quote: string
		title: string
		cited_text: string
		url?: string
		document?: number
		page?: number
	}[]
	/** Anthropic: the turn is to be continued. */
	pause?: boolean
	/** The model ran out of output tokens. */
	length?: boolean
	/** `null`: a server that reports none. */
	usage?: { input?: number; cached?: number; output?: number } | null
	delayMs?: number
	/** Between two events of a stream. */
	dripMs?: number
	/** Characters in one delta. */
	chunk?: number
	fault?: Fault
}

export type Fault =
	/** An answer of this status; with `echo`, the key comes back in headers and body in many forms. */
	| { status: number; headers?: Record<string, string>; body?: unknown; echo?: boolean }
	/** half: ends cleanly without its last event. cut: the socket dies there. error: an error event there. */
	| 'half'
	| 'cut'
	| 'error'
	| 'garbage'
	| 'empty'
	| 'silence'
	| 'reset'
	| 'huge'

export interface VendorAnswer {
	model: string
	id: string
	turn: Turn
	text: string
	calls: { id: string; name: string; input: unknown }[]
	usage: { input: number; cached: number; output: number } | null
	/** Chat only: `stream_options.include_usage`. */
	includeUsage: boolean
}

export type SseEvent = [name: string | null, data: unknown]

export const createdAt = 1_770_000_000

export function sse([name, data]: SseEvent): string {
	return `${name === null ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`
}

export function pieces(text: string, { turn }: VendorAnswer): string[] {
	return text.match(new RegExp(`[^]{1,${turn.chunk ?? 16}}`, 'gu')) ?? []
}
