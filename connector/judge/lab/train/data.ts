/** Labelled rows on disk: `DIR/<tool>/<split>.jsonl` or `.jsonl.gz`, one JSON object a line, checked as they are read. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { z } from 'zod'

const bit = z
	.union([z.literal(0), z.literal(1), z.boolean()], { error: 'expected 0 or 1' })
	.transform((value): 0 | 1 => (value ? 1 : 0))
const source = z.string().default('unnamed')
/** Probes have a name: which half one is in depends on it. */
const probe = { id: z.string().optional(), source }
/** Names of candidates may be numbers: they are only compared. */
const id = z.union([z.string(), z.number()]).transform(String)

const ROWS = {
	verify: z.object({
		claim: z.string(),
		evidence: z.string(),
		label: z.enum(['verified', 'contradicted', 'unsupported']),
		...probe,
	}),
	screen: z.object({
		text: z.string(),
		injection: bit,
		purpose: z.string().optional(),
		relevant: bit.optional(),
		kind: z.string().default(''),
		...probe,
	}),
	find: z.object({
		query: z.string(),
		candidates: z.array(z.object({ id, text: z.string() })),
		relevant: z.array(id),
		...probe,
	}),
	noul: z.object({ proposition: z.string(), context: z.string().optional(), label: bit, ...probe }),
	choice: z
		.object({
			question: z.string(),
			options: z.array(z.string()).min(1),
			answer: z.int().min(0),
			context: z.string().optional(),
			...probe,
		})
		.refine(({ answer, options }) => answer < options.length, {
			path: ['answer'],
			error: 'expected the place of an option',
		}),
	score: z
		.object({
			question: z.string(),
			text: z.string(),
			levels: z.array(z.string()).min(2),
			gold: z.number().min(0),
			gold_by: z.string().optional(),
			...probe,
		})
		.refine(({ gold, levels }) => gold <= levels.length - 1, {
			path: ['gold'],
			error: 'expected the place of a level',
		}),
}

export type Rows = { [T in keyof typeof ROWS]: z.infer<(typeof ROWS)[T]> }
export type VerifyRow = Rows['verify']
export type ScreenRow = Rows['screen']
export type FindRow = Rows['find']
export type NoulRow = Rows['noul']
export type ChoiceRow = Rows['choice']
export type ScoreRow = Rows['score']
export const TOOLS = Object.keys(ROWS) as (keyof Rows)[]

export class DataError extends Error {}

const ENDS = ['.jsonl.gz', '.jsonl']

/** The splits that any tool has rows of, by name. */
export function splitsOf(dir: string): string[] {
	const names = TOOLS.map((tool) => join(dir, tool))
		.filter((folder) => existsSync(folder))
		.flatMap((folder) => readdirSync(folder))
		.flatMap((name) => ENDS.flatMap((end) => (name.endsWith(end) ? [name.slice(0, -end.length)] : [])))
	return [...new Set(names)].sort()
}

/** Rows of one tool; of a split that is there both packed and plain, those packed. None where no split is there. */
export function rowsOf<T extends keyof Rows>(dir: string, tool: T, splits: readonly string[]): Rows[T][] {
	return splits.flatMap((split) => {
		const files = ENDS.map((end) => join(dir, tool, split + end))
		const file = files.find((one) => existsSync(one))
		return file ? rowsIn<T>(file, ROWS[tool] as unknown as z.ZodType<Rows[T]>) : []
	})
}

export function loadRows<T extends keyof Rows>(dir: string, tool: T, splits: readonly string[]): Rows[T][] {
	const rows = rowsOf(dir, tool, splits)
	if (rows.length) return rows
	const expected = join(dir, tool, splits[0] + ENDS[0]!)
	throw new DataError(
		`No rows for ${tool}: expected ${expected} (JSON Lines, gzip; fields as in the README of the data).`,
	)
}

function rowsIn<T extends keyof Rows>(file: string, schema: z.ZodType<Rows[T]>): Rows[T][] {
	return textOf(file)
		.split('\n')
		.flatMap((line, i) => {
			if (!line.trim()) return []
			const parsed = schema.safeParse(objectOf(line, `${file}, line ${i + 1}`))
			if (parsed.success) return [parsed.data]
			const { path, message } = parsed.error.issues[0]!
			throw new DataError(`${file}, line ${i + 1}: ${path.length ? `${path.join('.')}: ` : ''}${message}`)
		})
}

function textOf(file: string): string {
	const bytes = readFileSync(file)
	try {
		const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
		return text.replace(/^\ufeff/, '')
	} catch (cause) {
		throw new DataError(`${file} cannot be unpacked: ${cause instanceof Error ? cause.message : cause}.`)
	}
}

/** Members that are null count as absent. */
function objectOf(line: string, where: string): unknown {
	try {
		return JSON.parse(line, (_, value: unknown) => value ?? undefined)
	} catch {
		throw new DataError(`${where}: not JSON.`)
	}
}
