/**
 * What answers the guard's questions. Every backend (`builtin`, `openai`, `onnx`, a chain of them) implements `Judge`;
 * the six tools are thin over it. Offsets are UTF-16 code units into the caller's own text, end exclusive.
 * Probabilities are calibrated: where a backend has nothing to go by it answers the base rate with `basis: 'none'`.
 */

export interface Judge {
	verify(
		a: { claims: string[]; evidence: string[] },
		signal: AbortSignal,
	): Promise<Judged<{ results: ClaimVerdict[] }>>
	screen(a: { text: string; purpose?: string }, signal: AbortSignal): Promise<Judged<ScreenResult>>
	find(a: { query: string; candidates: string[] }, signal: AbortSignal): Promise<Judged<{ scores: number[] }>>
	noul(
		a: { propositions: string[]; context?: string },
		signal: AbortSignal,
	): Promise<Judged<{ probabilities: number[] }>>
	choice(
		a: { question: string; options: string[]; context?: string },
		signal: AbortSignal,
	): Promise<Judged<{ probabilities: number[] }>>
	score(
		a: { question: string; levels: string[]; context?: string },
		signal: AbortSignal,
	): Promise<Judged<{ probabilities: number[] }>>
	/** Ends workers and connections. Idempotent. */
	close(): Promise<void>
}

export type Judged<T> = T & {
	/** What the answer rests on: evidence or context given, the text itself, or nothing. */
	basis: 'evidence' | 'text' | 'none'
	judge: { backend: string; calibration: string }
}

export interface ClaimVerdict {
	verdict: 'verified' | 'contradicted' | 'unsupported'
	/** Probability of that verdict. */
	confidence: number
	/** The passage that decided; null where none did. `source` is the index into `evidence`. */
	evidence: { source: number; start: number; end: number } | null
}

export interface ScreenResult {
	injection: {
		flagged: boolean
		probability: number
		spans: { start: number; end: number; probability: number }[]
	}
	substance: { probability: number; reason: string }
	/** Present exactly where a purpose was given. */
	relevance?: { probability: number }
}

/** The judge cannot take the call now: its queue is full (`capacity`) or its server does not answer (`unavailable`). */
export class JudgeError extends Error {
	readonly reason: 'capacity' | 'unavailable'
	constructor(reason: JudgeError['reason'], message: string, options?: ErrorOptions) {
		super(message, options)
		this.reason = reason
	}
}
