/** Labelled rows on disk: `DIR/<tool>/{train,dev}.jsonl.gz`, one JSON object a line. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

interface From {
	source: string
}
export interface VerifyRow extends From {
	claim: string
	evidence: string
	label: 'verified' | 'contradicted' | 'unsupported'
}
export interface ScreenRow extends From {
	text: string
	injection: 0 | 1
	purpose?: string
	relevant?: 0 | 1
	kind: string
}
export interface FindRow extends From {
	query: string
	candidates: { id: string; text: string }[]
	relevant: string[]
}
export interface NoulRow extends From {
	proposition: string
	context?: string
	label: 0 | 1
}
export interface ChoiceRow extends From {
	question: string
	options: string[]
	answer: number
	context?: string
}
export interface ScoreRow extends From {
	question: string
	text: string
	levels: string[]
	gold: number
	gold_by?: string
}
export interface Rows {
	verify: VerifyRow
	screen: ScreenRow
	find: FindRow
	noul: NoulRow
	choice: ChoiceRow
	score: ScoreRow
}
export type Split = 'train' | 'dev'
export const TOOLS = ['verify', 'screen', 'find', 'noul', 'choice', 'score'] as const satisfies (keyof Rows)[]

export class DataError extends Error {}

/** Rows of one tool. A split that is absent counts as empty only where the other is there. */
export function loadRows<T extends keyof Rows>(dir: string, tool: T, splits: readonly Split[]): Rows[T][] {
	const files = splits.flatMap((split) => [
		join(dir, tool, `${split}.jsonl.gz`),
		join(dir, tool, `${split}.jsonl`),
	])
	const there = files.filter((file) => existsSync(file))
	if (!there.length) {
		throw new DataError(
			`No rows for ${tool}: expected ${files[0]} (JSON Lines, gzip; fields as in the README of the data).`,
		)
	}
	return there.flatMap((file) => {
		const bytes = readFileSync(file)
		const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
		return text
			.split('\n')
			.filter(Boolean)
			.map((line) => JSON.parse(line) as Rows[T])
	})
}
