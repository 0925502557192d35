import { judgeHint, localJudgeHint, plain } from '../../settings/config.ts'

/** Where Ollama, llama.cpp, vLLM and LM Studio listen by default. */
const PORTS = [11_434, 8080, 8000, 1234]
const WAIT_MS = 300
const LONGEST_LIST_BYTES = 64 * 1024

/** How the guard gets a large judge on this machine, in one line; null: it has one, or there is none. */
export async function largeJudgeHint(env: NodeJS.ProcessEnv, ports = PORTS): Promise<string | null> {
	if (env.GUARD_JUDGE) return null
	return judgeHint(env) ?? (await localHint(ports))
}

/** Asks all at once for their models, without a key. The first in the order of the ports counts. */
async function localHint(ports: readonly number[]): Promise<string | null> {
	const signal = AbortSignal.timeout(WAIT_MS)
	const found = await Promise.all(
		ports.map(async (port) => {
			const url = `http://127.0.0.1:${port}`
			const model = await firstModel(url, signal).catch(() => undefined)
			return model === undefined ? null : localJudgeHint(url, model)
		}),
	)
	return found.find((hint) => hint !== null) ?? null
}

/** Any program may listen there: what is not a short list of models is none. */
async function firstModel(url: string, signal: AbortSignal): Promise<string | undefined> {
	const response = await fetch(`${url}/v1/models`, { signal, redirect: 'error' })
	let text = ''
	const decoder = new TextDecoder()
	for await (const chunk of response.ok ? (response.body ?? []) : []) {
		text += decoder.decode(chunk, { stream: true })
		if (text.length > LONGEST_LIST_BYTES) return undefined
	}
	const { data } = JSON.parse(text) as { data?: { id?: unknown }[] }
	const id = Array.isArray(data) ? data[0]?.id : undefined
	return typeof id === 'string' ? plain(id) : undefined
}
