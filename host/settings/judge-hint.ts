/** One line that says how the guard gets a large judge. It names the variable of a key, never the key. */

/** Answers at once and gives log-probabilities. */
const MODEL = 'gpt-4.1-mini'
const OFFICIAL = 'https://api.openai.com'

/** Null: GUARD_JUDGE is set, so its operator has chosen; or the environment has no key. */
export function judgeHint(env: Record<string, string | undefined>): string | null {
	const { GUARD_JUDGE, OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL } = env
	if (GUARD_JUDGE || !OPENAI_API_KEY) return null
	const url = plain(OPENAI_BASE_URL) ?? OFFICIAL
	return `OPENAI_API_KEY is set. ${switchTo(url, plain(OPENAI_MODEL) ?? MODEL)} GUARD_JUDGE_KEY=$OPENAI_API_KEY ${EFFECT}`
}

export const localJudgeHint = (url: string, model: string): string =>
	`A model server answers at ${url}. ${switchTo(url, model)} ${EFFECT}`

const EFFECT = 'gives the guard a large judge; berth judge check compares them.'

const switchTo = (url: string, model: string): string =>
	`GUARD_JUDGE=builtin,openai GUARD_JUDGE_URL=${url} GUARD_JUDGE_MODEL=${model}`

/** Only what can be pasted into a shell as it is. */
export const plain = (text: string | undefined): string | undefined =>
	text !== undefined && /^[\w./:@+-]{1,200}$/.test(text) ? text : undefined
