import type { BundleError } from '../../../bundles/index.ts'
import type { ApiError } from '../client/index.ts'
import { Interrupted } from './interrupt.ts'
import type { Io } from './io.ts'

/** Wrong usage: exit code 2. */
export class UsageError extends Error {}
/** The command could not be done, for a reason that is told in one sentence: exit code 1. */
export class CommandError extends Error {}

/**
 * Tells a failure and says the exit code (spec cli.failure). As JSON, the problem is the one document on stdout.
 * `options`: of the command; a member of the request that one of them fills is told by its name.
 */
export function fail(
	io: Io,
	error: unknown,
	options: readonly { long?: string | undefined }[] = [],
): 1 | 2 | 130 {
	const flags = options.flatMap(({ long }) => (long ? [long] : []))
	const { document, lines } = explain(error, flags)
	if (io.json) io.result(document, '')
	for (const line of lines) io.note(`berth: ${line}`)
	if (error instanceof Interrupted) return 130
	return error instanceof UsageError ? 2 : 1
}

/** A failure as one problem document. */
export function documentOf(error: unknown): object {
	return explain(error).document
}

/** One fault the host found, for people. */
interface Fault {
	code: string
	detail: string
	errors?: { path: string; message: string }[]
	/** What holds the plan's slots, where they are used up. */
	slots?: { name: string; state: string; since: string }[]
}

/** Members of requests that an option of another name fills, too. */
const filledBy: Record<string, string> = {
	expires_at: '--expires',
	overlap_seconds: '--overlap',
	drain_seconds: '--drain',
	tokens_per_month: '--tokens',
	usd_per_month: '--usd',
	version: '--version-is',
}

/** What the API calls otherwise than the command that has this option. */
const commandWords: [api: string, flag: string, words: string][] = [
	['If-Match', '--version-is', '--version-is'],
	['GET …/memory-versions/{path} lists', '--version-is', 'berth memory NAME versions PATH lists'],
]

export function faultLines({ code, detail, errors = [], slots = [] }: Fault, flags: string[] = []): string[] {
	// Other codes point into a person's own inputs.
	const inRequest = code === 'invalid_request'
	const nameOf = (path: string) => {
		const found = path.split('/').flatMap((part) => [filledBy[part], `--${part.replaceAll('_', '-')}`])
		return (inRequest && found.find((flag) => flag && flags.includes(flag))) || path || '/'
	}
	const [first] = errors
	const named =
		first && detail.startsWith(`${first.path}: `)
			? `${nameOf(first.path)}${detail.slice(first.path.length)}`
			: detail
	const told = commandWords.reduce(
		(text, [api, flag, words]) => (flags.includes(flag) ? text.replace(api, words) : text),
		named,
	)
	// The detail has the first of them already.
	const inDetail = ({ path, message }: { path: string; message: string }) =>
		message === detail ||
		(code === 'bundle_invalid' && detail.endsWith(`: ${message}`)) ||
		(inRequest && detail.includes(message) && detail.includes(path.split('/').at(-1) ?? ''))
	return [
		`${told} (${code})`,
		...errors.flatMap((error) => (inDetail(error) ? [] : `  ${nameOf(error.path)}: ${error.message}`)),
		...slots.map(({ name, state, since }) => `  ${name} is ${state} since ${since}`),
	]
}

function explain(error: unknown, flags: string[] = []): { document: object; lines: string[] } {
	if (isApiError(error)) {
		const { code, status, message: detail, problem } = error
		const document = { ...found(code, 'Failed', detail), status, ...problem }
		const lines = faultLines(document as Fault, flags)
		if (code === 'unauthenticated') lines.push('  sign in with: berth login')
		return { document, lines }
	}
	if (isBundleError(error)) {
		const { lines } = error
		const count = lines.length === 1 ? 'one fault' : `${lines.length} faults`
		const errors = error.faults.map(({ file, pointer }, at) => ({
			path: `${file}${pointer && `#${pointer}`}`,
			message: lines[at],
		}))
		const detail = `The bundle has ${count}: ${lines[0]}`
		return { document: { ...found('bundle_invalid', 'Invalid bundle', detail), errors }, lines }
	}
	const ofSystem = systemFault(error)
	const detail = ofSystem ?? (error instanceof Error ? error.message : String(error))
	const document =
		error instanceof UsageError
			? found('usage', 'Wrong usage', detail)
			: error instanceof Interrupted
				? found('interrupted', 'Interrupted', detail)
				: found('failed', 'Failed', detail)
	const known = ofSystem || [UsageError, CommandError, Interrupted].some((kind) => error instanceof kind)
	return {
		document,
		lines: [known || !(error instanceof Error) ? detail : (error.stack ?? detail)],
	}
}

/** Of a file or folder that the system refuses, as Node words it: the stack says nothing more to a person. */
function systemFault(error: unknown): string | undefined {
	const { syscall, path, message } = (error ?? {}) as Partial<NodeJS.ErrnoException>
	const [, code, why] = (syscall && path && /^(E[A-Z0-9]+): (.+?), \w+ '/.exec(message ?? '')) || []
	return why && `${path}: ${why} (${code})`
}

/** A problem document (RFC 9457) as a host would send it, for what was found here. */
function found(code: string, title: string, detail: string) {
	return { type: `urn:berth:problem:${code}`, title, detail, code }
}

// By their names: their rooms are loaded by the commands that call a host or read bundles, and not for the others.
function isApiError(error: unknown): error is ApiError {
	return error instanceof Error && error.name === 'ApiError'
}

function isBundleError(error: unknown): error is BundleError {
	return error instanceof Error && error.name === 'BundleError'
}
