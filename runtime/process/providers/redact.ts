import { type Spelling, spellingOf } from './spelling.ts'

/** Takes a set of secrets out of texts, in every form they may come back in. */
export interface Scrubber {
	text(value: string): string
	/** Every string within; the same object where nothing was found. */
	json<T>(value: T): T
	/** For a stream cut anywhere: holds back what may be the beginning of a secret. */
	stream(): { push(chunk: string): string; end(): string }
}

const MARK = '[redacted]'
/** A shorter text is no secret anyone could keep (`EMPTY`, `ollama`), and taking it out would take texts apart. */
const SHORTEST_CHARS = 7
const SHORTEST_DERIVED_CHARS = 8

export function createScrubber(secrets: string[]): Scrubber {
	const forms = [...new Set(secrets.flatMap(formsOf))].sort((a, b) => b.length - a.length)
	const spellings = secrets.filter(({ length }) => length >= SHORTEST_DERIVED_CHARS).map(spellingOf)
	const text = (value: string): string => {
		let result = value
		for (const form of forms) if (result.includes(form)) result = result.replaceAll(form, MARK)
		for (const spelling of spellings) result = spelling.replace(result, MARK)
		return result
	}
	const json = <T>(value: T): T => scrub(value, text) as T
	return { text, json, stream: () => createStream(forms, spellings, text) }
}

function formsOf(secret: string): string[] {
	if (secret.length < SHORTEST_CHARS) return []
	const forms = [secret, JSON.stringify(secret).slice(1, -1), escapedSlashes(secret)]
	if (secret.length < SHORTEST_DERIVED_CHARS) return forms
	const bytes = Buffer.from(secret)
	const hex = bytes.toString('hex')
	const encoded = encodeURIComponent(secret)
	const percent = hex.replace(/../g, '%$&')
	return [
		...forms,
		encoded,
		encoded.replace(/%../g, (code) => code.toLowerCase()),
		encoded.replaceAll('%20', '+'),
		percent,
		percent.toUpperCase(),
		hex,
		hex.toUpperCase(),
		...base64Forms(bytes),
	]
}

function escapedSlashes(secret: string): string {
	return JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/')
}

/**
 * A secret in the middle of something encoded (`Basic`, a header dump) begins at any of three positions within a group.
 * The characters that depend on its neighbours are left out at both ends.
 */
function base64Forms(bytes: Buffer): string[] {
	return [0, 1, 2].flatMap((offset) => {
		const whole = Buffer.concat([Buffer.alloc(offset), bytes])
			.toString('base64')
			.replace(/=+$/, '')
		const tail = (offset + bytes.length) % 3 === 0 ? 0 : 1
		const core = whole.slice(offset === 0 ? 0 : offset + 1, whole.length - tail)
		return [core, core.replaceAll('+', '-').replaceAll('/', '_')]
	})
}

function scrub(value: unknown, text: (value: string) => string): unknown {
	if (typeof value === 'string') return text(value)
	if (Array.isArray(value)) {
		const list = value.map((item) => scrub(item, text))
		return list.some((item, i) => item !== value[i]) ? list : value
	}
	if (typeof value !== 'object' || value === null) return value
	const entries = Object.entries(value)
	const clean = entries.map(([name, member]) => [text(name), scrub(member, text)] as const)
	const same = clean.every(([name, member], i) => name === entries[i]?.[0] && member === entries[i]?.[1])
	return same ? value : Object.fromEntries(clean)
}

function createStream(forms: string[], spellings: Spelling[], text: (value: string) => string) {
	let held = ''
	return {
		push(chunk: string): string {
			const clean = text(held + chunk)
			const keep = Math.max(
				0,
				...forms.map((form) => overlap(clean, form)),
				...spellings.map((spelling) => spelling.unfinished(clean)),
			)
			held = clean.slice(clean.length - keep)
			return clean.slice(0, clean.length - keep)
		},
		end(): string {
			const rest = held
			held = ''
			return rest
		},
	}
}

/** Length of the longest end of `value` that `form` begins with. */
function overlap(value: string, form: string): number {
	const first = form[0] as string
	const from = Math.max(0, value.length - form.length + 1)
	for (let at = value.indexOf(first, from); at !== -1; at = value.indexOf(first, at + 1)) {
		if (form.startsWith(value.slice(at))) return value.length - at
	}
	return 0
}
