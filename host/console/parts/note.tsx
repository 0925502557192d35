import type { ComponentChildren } from 'preact'
import { ApiError } from '../../owner/client/index.ts'
import { reasonOf } from '../data/client.ts'
import { ended, lost } from '../data/line.ts'

/** A few lines that stand out: what went wrong, what to mind, what went well. */
export function Note({
	tone,
	children,
}: {
	tone: 'bad' | 'warn' | 'good' | 'plain'
	children: ComponentChildren
}) {
	return (
		<div class={`note ${tone}`} role={tone === 'bad' ? 'alert' : undefined}>
			{children}
		</div>
	)
}

/** What a call answered, with its faults and the id that its log line has. Nothing where nothing went wrong. */
export function Failure({ of: error, next }: { of: unknown; next?: ComponentChildren }) {
	if (error === undefined) return null
	// The shell says so, once for all.
	if (lost.value && error instanceof ApiError && error.status === 0) return null
	if (error instanceof ApiError && error.code === 'unauthenticated') return <SignedOut />
	const { errors, request_id } = error instanceof ApiError ? error.problem : {}
	const faults = Array.isArray(errors) ? (errors as { path: string; message: string }[]) : []
	return (
		<Note tone="bad">
			<p>{reasonOf(error)}</p>
			{faults.length > 0 && (
				<ul class="faults">
					{faults.map(({ path, message }) => (
						<li key={path + message}>
							<code>{path}</code> {message}
						</li>
					))}
				</ul>
			)}
			{next}
			{typeof request_id === 'string' && <p class="small soft">Request {request_id}</p>}
		</Note>
	)
}

/** Beside what was typed: what the shell says of it is behind a dialog. */
function SignedOut() {
	return (
		<Note tone="bad">
			{ended.value ? (
				<p>
					You are signed out.{' '}
					<a href="/sign-in" target="_blank" rel="noopener">
						Sign in again in another tab
					</a>
					, then save or try again here. What you typed is kept.
				</p>
			) : (
				<p>You are signed in again. Save or try again: what you typed is still here.</p>
			)}
		</Note>
	)
}
