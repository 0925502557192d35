import './decision.css'
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import type { Approval } from '../../../owner/client/index.ts'
import { useAction } from '../../data/action.ts'
import { bound } from '../../data/bound.ts'
import { client } from '../../data/client.ts'
import { say } from '../../data/said.ts'
import { useAccount } from '../../data/shell.ts'
import { Button } from '../button.tsx'
import { TextField } from '../field.tsx'
import { Failure } from '../note.tsx'
import { SchemaForm, useFormValue } from '../schema-form/form.tsx'
import { State } from '../state.tsx'
import { Time } from '../time.tsx'
import { Value } from '../value/value.tsx'

interface DecisionProps {
	of: Approval
	/** `deployment_url`. */
	url: string
	/** Whose run it is, where that is not known from the page. */
	where?: ComponentChildren
	/** A connector's question is open for a while. */
	expires?: string | null
	onDecided(approval: Approval): Promise<void>
}

const noteMax = 2_000

/** What a run asks of a person: the exact arguments, and the decision about them. */
export function Decision({ of: approval, url, where, expires, onDecided }: DecisionProps) {
	const { kind, question, tool, connector, status, requested_at } = approval
	const waits = status === 'pending'
	return (
		<article {...useHeight(waits)} class={`decision ${waits ? '' : 'decided'}`} aria-label={question}>
			<div class="row apart">
				<div class="stack tight">
					<h2>{question}</h2>
					<div class="row small soft">
						{where}
						{kind === 'question' && <span class="tag">question of a connector</span>}
						{tool && <span>{tool}</span>}
						{connector && <span>at {connector}</span>}
						<Time at={requested_at} />
					</div>
				</div>
				<State of={waits ? 'waiting' : status} />
			</div>
			{kind === 'approval' && <Value title="Arguments" of={approval.arguments} whole />}
			<Elsewhere of={approval.url} />
			{waits ? <Decide approval={approval} url={url} onDecided={onDecided} /> : <Decided of={approval} />}
			{waits && expires && (
				<p class="small soft">
					Its call is open; the connector is told that nobody answered <Time at={expires} />.
				</p>
			)}
		</article>
	)
}

/** A card that was seen waiting stays as tall: what is below it does not come up under the pointer. */
function useHeight(waits: boolean) {
	const ref = useRef<HTMLElement>(null)
	const seen = useRef(false)
	const height = useRef<number | undefined>(undefined)
	if (waits) {
		seen.current = true
		height.current = undefined
	} else if (seen.current) height.current ??= ref.current?.offsetHeight
	return { ref, style: { minHeight: height.current === undefined ? '' : `${height.current}px` } }
}

function Decided({ of: { status, note, content, decided_at, decided_by } }: { of: Approval }) {
	const account = useAccount()
	if (status === 'withdrawn')
		return <p>Nobody decided: its run, or the call that asked, has ended. There is nothing left to do.</p>
	return (
		<div class="stack tight">
			<p>
				<strong>{status === 'approved' ? 'Approved' : 'Denied'}</strong> by{' '}
				{decided_by === account.data?.id ? 'you' : decided_by} <Time at={decided_at} />
			</p>
			{note && <p>Note: {note}</p>}
			{content && <Value title="Answer" of={content} />}
		</div>
	)
}

/** The address that a connector wants visited; what is no web address is only shown. */
function Elsewhere({ of: url }: { of: string | null }) {
	if (url === null) return null
	const isWeb = /^https?:\/\//i.test(url) && URL.canParse(url)
	return (
		<p>
			It wants you to visit{' '}
			{isWeb ? (
				<a href={url} target="_blank" rel="noopener noreferrer">
					{url}
				</a>
			) : (
				<code>{url}</code>
			)}
		</p>
	)
}

function Decide({
	approval,
	url,
	onDecided,
}: { approval: Approval } & Pick<DecisionProps, 'url' | 'onDecided'>) {
	const { id, run, digest, kind, schema } = approval
	const note = useSignal('')
	const form = useFormValue(schema ?? {})
	const asks = schema !== null && kind === 'question'
	const decide = useAction(async (decision: 'approve' | 'deny') => {
		const content = asks && decision === 'approve' ? form.ready() : undefined
		if (content === null) return
		const decided = await client.runs.decide(url, run, id, {
			decision,
			digest,
			...(note.value.trim() !== '' && { note: note.value.trim() }),
			...(content && { content }),
		})
		say(`${decided.status === 'approved' ? 'Approved' : 'Denied'}: ${decided.question}`)
		await onDecided(decided)
	})
	return (
		<form
			class="stack tight"
			onSubmit={(event) => {
				event.preventDefault()
				void decide.run('approve')
			}}
		>
			{asks && <SchemaForm of={form} faults={decide.faults} prefix="/content" />}
			<TextField
				label="Note (optional)"
				hint={kind === 'question' ? undefined : 'The agent gets it with the decision.'}
				{...bound(note)}
				maxLength={noteMax}
			/>
			<div class="actions">
				<Button type="submit" kind="primary" busy={decide.busy}>
					{kind === 'question' ? 'Answer' : 'Approve'}
				</Button>
				<Button busy={decide.busy} onClick={() => decide.run('deny')}>
					{kind === 'question' ? 'Decline' : 'Deny'}
				</Button>
			</div>
			<Failure of={decide.error} />
		</form>
	)
}
