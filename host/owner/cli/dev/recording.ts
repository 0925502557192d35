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
	type: string
	body: string
}

export interface Recording {
	/** In the order in which they were given. */
	answers: Answer[]
}

type Body = Record<string, unknown>

/** The same request has the same key on any machine, with any model: what names deployment and model is left out. */
export function keyOf(path: string, body: Body): string {
	const { prompt_cache_key: _, model: __, ...same } = body
	return sha256(canonicalJson({ path, body: same }))
}

/** Whole answers of the model, however many items one has. */
export function turnOf({ messages, input }: Body): number {
	const items = (messages ?? input) as { role?: string; type?: string }[] | undefined
	if (!Array.isArray(items)) return 0
	const own = (item?: { role?: string; type?: string }) =>
		item?.role === 'assistant' || item?.type === 'function_call' || item?.type === 'reasoning'
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
	return ({ key, agent, path, turn }) => {
		const same = take((answer) => answer.key === key)
		if (same) return { answer: same, exact: true }
		const near = take((answer) => answer.agent === agent && answer.path === path && answer.turn === turn)
		return near ? { answer: near, exact: false } : null
	}
}
