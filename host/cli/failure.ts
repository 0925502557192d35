import { BundleError, faultLine } from '../../bundles/index.ts'
import { ApiError } from '../client/index.ts'
import type { Io } from './io.ts'

/** Wrong usage: exit code 2. */
export class UsageError extends Error {}
/** The command could not be done, for a reason that is told in one sentence: exit code 1. */
export class CommandError extends Error {}

/** Tells a failure and says the exit code (contract 12). As JSON, the problem is the one document on stdout. */
export function fail(io: Io, error: unknown): 1 | 2 {
	const { document, lines } = explain(error)
	if (io.json) io.result(document, '')
	for (const line of lines) io.note(`berth: ${line}`)
	return error instanceof UsageError ? 2 : 1
}

/** One fault the host found, for people. */
interface Fault {
	code: string
	detail: string
	errors?: { path: string; message: string }[]
	/** What holds the plan's slots, where they are used up. */
	slots?: { name: string; state: string; since: string }[]
}

export function faultLines({ code, detail, errors = [], slots = [] }: Fault): string[] {
	return [
		`${detail} (${code})`,
		...errors.map(({ path, message }) => `  ${path || '/'}: ${message}`),
		...slots.map(({ name, state, since }) => `  ${name} is ${state} since ${since}`),
	]
}

function explain(error: unknown): { document: object; lines: string[] } {
	if (error instanceof ApiError) {
		const { code, status, message: detail, problem } = error
		const document = { code, status, detail, ...problem }
		const lines = faultLines(document)
		if (code === 'unauthenticated') lines.push('  sign in with: berth login')
		return { document, lines }
	}
	if (error instanceof BundleError) {
		const detail = 'The agent cannot be bundled.'
		return {
			document: { code: 'bundle_invalid', detail, errors: error.faults },
			lines: error.faults.map(faultLine),
		}
	}
	const detail = error instanceof Error ? error.message : String(error)
	const code = error instanceof UsageError ? 'usage' : 'failed'
	const known = error instanceof UsageError || error instanceof CommandError
	return {
		document: { code, detail },
		lines: [known || !(error instanceof Error) ? detail : (error.stack ?? detail)],
	}
}
