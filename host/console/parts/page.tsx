import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { ApiError } from '../../owner/client/index.ts'
import { Failure } from './note.tsx'

interface PageProps {
	title: string
	/** Beside the title. */
	aside?: ComponentChildren
	/** Below it. */
	lead?: ComponentChildren
	actions?: ComponentChildren
	children: ComponentChildren
}

/** Head and body of every page; the tab's title follows. */
export function Page({ title, aside, lead, actions, children }: PageProps) {
	useEffect(() => {
		document.title = `${title} · Berth`
	}, [title])
	return (
		<>
			<header class="page-head">
				<div class="row">
					<h1>{title}</h1>
					{aside}
				</div>
				{actions && <div class="actions">{actions}</div>}
				{lead && <div class="lead soft">{lead}</div>}
			</header>
			{children}
		</>
	)
}

/** Grey lines in the form of what is coming, so that nothing jumps. */
export function Skeleton({ lines = 4 }: { lines?: number }) {
	return (
		<div class="skeleton" role="status" aria-label="Loading">
			{Array.from({ length: lines }, (_, i) => (
				<span key={i} />
			))}
		</div>
	)
}

/** What was loaded, or its skeleton, or why it is not there. */
export function Shown<T>({
	of: { data, error },
	lines,
	children,
}: {
	of: { data: T | undefined; error: unknown }
	lines?: number
	children(data: T): ComponentChildren
}) {
	return (
		<>
			<Failure of={error} />
			{data !== undefined ? children(data) : error === undefined && <Skeleton {...(lines && { lines })} />}
		</>
	)
}

/** In place of a page whose data is not there: its skeleton, or why, with a way on. */
export function NotShown({
	title,
	of: { error },
	absent,
	children,
}: {
	title: string
	of: { error: unknown }
	/** Said of what is not found. */
	absent: string
	/** The way on from there. */
	children: ComponentChildren
}) {
	const missing = error instanceof ApiError && error.status === 404
	return (
		<Page title={title}>
			{missing ? <Empty title={absent}>{children}</Empty> : <Failure of={error} />}
			{error === undefined && <Skeleton lines={10} />}
		</Page>
	)
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
	return (
		<div class="empty">
			<h2>{title}</h2>
			{children}
		</div>
	)
}

export function Card({
	title,
	actions,
	children,
}: {
	title?: ComponentChildren
	actions?: ComponentChildren
	children: ComponentChildren
}) {
	return (
		<section class="card">
			{title && (
				<header>
					<h2>{title}</h2>
					{actions && <div class="actions">{actions}</div>}
				</header>
			)}
			{children}
		</section>
	)
}

/** Names and values, one a line. */
export function Facts({ of }: { of: [name: string, value: ComponentChildren][] }) {
	return (
		<dl class="facts">
			{of.map(([name, value]) => (
				<div key={name}>
					<dt>{name}</dt>
					<dd>{value}</dd>
				</div>
			))}
		</dl>
	)
}
