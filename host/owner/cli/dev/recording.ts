/** Answers of models in a file beside the agent: `--record` writes them, `--replay` reads them. They hold no key. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { canonicalJson, sha256 } from '../../../../bundles/index.ts'
import { CommandError } from '../failure.ts'

export interface Answer {
	/** Of the request. */
	key: string
	/** Its name; where it has several models, with the model's place in agent.yaml. */
	agent: string
	/** Of the provider's interface: `/chat/completions`. */
	path: string
	/** Answers of the model so far in the request's conversation. */
	turn: number
	/** Ids of files in the request, in their order: the answer may name one. Absent: none. */
	files?: string[]
	type: string
	body: string
}

export interface Recording {
	/** In the order in which they were given. */
	answers: Answer[]
}

type Body = Record<string, unknown>

const FILE_ID = /\bfile_[0-9a-z]{26}\b/g

/**
 * The same request has the same key on any machine, with any model: what names deployment and model is left out. Files
 * have other ids in each run, and stand there by their order.
 */
export function keyOf(path: string, body: Body): string {
	const { prompt_cache_key: _, model: __, ...same } = body
	const ids = filesIn(body)
	return sha256(canonicalJson({ path, body: same }).replace(FILE_ID, (id) => `file_${ids.indexOf(id) + 1}`))
}

/** Each once. */
export function filesIn({ prompt_cache_key: _, model: __, ...body }: Body): string[] {
	return [...new Set(canonicalJson(body).match(FILE_ID))]
}

/** With the ids of this run in place of those of the recorded one, where they stand in one piece. */
function withFiles(answer: Answer, files: string[] = []): Answer {
	const { files: before = [], body } = answer
	return { ...answer, body: body.replace(FILE_ID, (id) => files[before.indexOf(id)] ?? id) }
}

/** Whole answers of the model, however many items one has. */
export function turnOf({ messages, input }: Body): number {
	const items = (messages ?? input) as { role?: string; type?: string }[] | undefined
	if (!Array.isArray(items)) return 0
	const own = (item?: { role?: string; type?: string }) =>
		item?.role === 'assistant' || ['function_call', 'reasoning', 'web_search_call'].includes(item?.type ?? '')
	return items.filter((item, i) => own(item) && !own(items[i - 1])).length
}

export function readRecording(file: string): Recording {
	if (!existsSync(file))
		throw new CommandError(`there is no recording ${file}; make one with --record ${file}`)
	try {
		const { answers } = JSON.parse(readFileSync(file, 'utf8')) as Recording
		if (Array.isArray(answers)) return { answers }
	} catch {
		// Told below.
	}
	throw new CommandError(`${file} is no recording of berth dev`)
}

/** Begins anew; the file is whole after each answer. */
export function recorder(file: string): (answer: Answer) => void {
	const answers: Answer[] = []
	return (answer) => {
		answers.push(answer)
		writeFileSync(`${file}.new`, `${JSON.stringify({ answers }, null, '\t')}\n`)
		renameSync(`${file}.new`, file)
	}
}

/**
 * Answers a request by its key; one that was recorded several times in its order, then by the last. A request that has
 * changed since gets the next answer of the same turn: `exact` is then false.
 */
export function player({
	answers,
}: Recording): (asked: Omit<Answer, 'type' | 'body'>) => { answer: Answer; exact: boolean } | null {
	const left = new Set(answers)
	const take = (fits: (answer: Answer) => boolean) => {
		const answer = [...left].find(fits) ?? answers.findLast(fits)
		if (answer) left.delete(answer)
		return answer
	}
	return ({ key, agent, path, turn, files }) => {
		const same = take((answer) => answer.key === key)
		if (same) return { answer: withFiles(same, files), exact: true }
		const near = take((answer) => answer.agent === agent && answer.path === path && answer.turn === turn)
		return near ? { answer: withFiles(near, files), exact: false } : null
	}
}
