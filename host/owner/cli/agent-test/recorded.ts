import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Recorded, RunOptions, Turn } from '../../../../bundles/types/test.d.ts'
import { callerFile } from './folder.ts'
import { withKept } from './kept-files.ts'
import { script } from './model.ts'
import { WholeReply } from './tools.ts'

/** A run as `berth test --from RUN` writes it. */
export interface RecordedRun {
	/** Where it comes from. */
	run: string
	inputs: Record<string, unknown>
	model: Turn[]
	/** Answers of connectors' tools, by tool, in order. */
	tools: Record<string, { ok: boolean; output: string; structured?: unknown }[]>
	/** Responses to `ctx.http`, in order. */
	http: { status: number; text: string }[]
	/** In order. */
	approvals: { approved: boolean; note: string | null }[]
	output: unknown
}

export function recorded(file: string): Recorded {
	const path = resolve(dirname(callerFile() ?? '.'), file)
	return played(path)
}

/** `file`: of the case. As options of `run`. */
export function played(file: string): Recorded {
	const recorded = JSON.parse(readFileSync(file, 'utf8')) as RecordedRun
	const { model, tools, http, approvals, output } = recorded
	const inputs = withKept(recorded.inputs, file)
	const next = [...approvals]
	const responses = [...http]
	return {
		inputs: inputs as Recorded['inputs'],
		output,
		model: script(model),
		tools: Object.fromEntries(
			Object.entries(tools).map(([name, answers]) => [name, answersOf(name, [...answers])]),
		) as RunOptions['tools'] & object,
		http: ({ method, url }) => {
			const response = responses.shift()
			if (!response) throw new Error(`the recorded run did not send ${method} ${url}`)
			const type = isJson(response.text) ? 'application/json' : 'text/plain; charset=utf-8'
			return { ...response, headers: { 'content-type': type } }
		},
		approve: ({ question }) => {
			const decision = next.shift()
			if (!decision) throw new Error(`the recorded run was not asked "${question}"`)
			return { approved: decision.approved, ...(decision.note !== null && { note: decision.note }) }
		},
	}
}

function answersOf(name: string, answers: RecordedRun['tools'][string]) {
	return () => {
		const answer = answers.shift()
		if (!answer) throw new Error(`the recorded run did not call ${name} so often`)
		return new WholeReply(answer) as never
	}
}

/** Its type is not in the events of a run. */
function isJson(text: string): boolean {
	try {
		return JSON.parse(text) !== undefined
	} catch {
		return false
	}
}
