import { useEffect } from 'preact/hooks'
import type { ModelCall } from '../../../owner/client/index.ts'
import { plural } from '../../data/format.ts'
import { Failure } from '../../parts/note.tsx'
import { Skeleton } from '../../parts/page.tsx'
import { Folded, Value } from '../../parts/value/value.tsx'
import type { Requests } from './requests.ts'

/** What the model was sent in one call: system prompt, messages, tools. */
export function Sent({ call, requests }: { call: number; requests: Requests }) {
	useEffect(() => requests.want(call), [call])
	const sent = requests.of(call)
	if (sent === undefined)
		return requests.error === undefined ? <Skeleton lines={3} /> : <Failure of={requests.error} />
	if (sent === null)
		return <p class="soft">What the model was sent is not known: the program cannot be replayed.</p>
	return <Request of={sent} />
}

function Request({ of: { system, messages, tools, parameters, output } }: { of: ModelCall }) {
	return (
		<section class="stack tight" aria-label="What the model was sent">
			<h3>Sent</h3>
			<details class="message">
				<summary>
					System <span class="soft">{plural(system.length, 'character')}</span>
				</summary>
				<Folded text={system} />
			</details>
			{messages.map((message, i) => (
				<Message key={i} of={message} open={i === messages.length - 1} />
			))}
			{tools.length > 0 && (
				<details class="message">
					<summary>{plural(tools.length, 'tool')}</summary>
					<ul class="plain-list">
						{tools.map(({ name, description, input }) => (
							<li key={name}>
								<strong>{name}</strong> <span class="soft">{description}</span>
								<Value title={`Input of ${name}`} of={input} />
							</li>
						))}
					</ul>
				</details>
			)}
			{parameters !== undefined && <Value title="Parameters" of={parameters} />}
			{output !== undefined && <Value title="Output schema" of={output} />}
		</section>
	)
}

function Message({ of: message, open }: { of: unknown; open: boolean }) {
	const {
		role,
		name,
		content,
		tool_calls: calls,
	} = (typeof message === 'object' && message !== null ? message : {}) as Record<string, unknown>
	const text = typeof content === 'string' ? content : ''
	return (
		<details class="message" open={open}>
			<summary>
				{String(role ?? 'message')}
				{typeof name === 'string' && ` · ${name}`}{' '}
				<span class="soft">{plural(text.length, 'character')}</span>
			</summary>
			{text !== '' && <Folded text={text} />}
			{Array.isArray(calls) && calls.length > 0 && <Value title="Tool calls" of={calls} />}
		</details>
	)
}
