import { useSignal } from '@preact/signals'
import { Code } from '../../parts/code.tsx'
import type { Document, Operation } from './read.ts'
import { SchemaView } from './schema.tsx'

/** Closed it is one line; what is inside is drawn when it is opened. */
export function OperationView({ of, document }: { of: Operation; document: Document }) {
	const open = useSignal(false)
	return (
		<details
			class="operation"
			id={of.id}
			onToggle={(event) => {
				open.value = event.currentTarget.open
			}}
		>
			<summary>
				<span class={`method ${of.method.toLowerCase()}`}>{of.method}</span>
				<code>{of.path}</code>
				<span class="soft">{of.summary}</span>
			</summary>
			{open.value && <Inside of={of} document={document} />}
		</details>
	)
}

function Inside({ of, document }: { of: Operation; document: Document }) {
	const { parameters, body, answers } = of
	return (
		<div class="operation-body stack">
			<Code label={`Request ${of.id}`} text={curlOf(of, document)} />
			{parameters.length > 0 && (
				<section>
					<h3>Parameters</h3>
					<ul class="schema">
						{parameters.map(({ name, in: where, required, description, schema }) => (
							<li key={where + name}>
								<code class="name">{name}</code>
								<span class="soft small">
									{where}
									{required ? ', required' : ''}
								</span>
								{schema && <SchemaView of={schema} document={document} />}
								{description && <p class="soft">{description}</p>}
							</li>
						))}
					</ul>
				</section>
			)}
			{body && (
				<section>
					<h3>
						Body <span class="soft small">{body.type}</span>
					</h3>
					<SchemaView of={body.schema} document={document} open />
				</section>
			)}
			<section>
				<h3>Answers</h3>
				<ul class="schema">
					{answers.map(({ status, description, type, schema }) => (
						<li key={status}>
							<code class="name">{status}</code>
							{type && <span class="soft small">{type}</span>}
							<p class="soft">{description}</p>
							{schema && Number(status) < 300 && <SchemaView of={schema} document={document} open />}
						</li>
					))}
				</ul>
			</section>
		</div>
	)
}

function curlOf({ method, path, body }: Operation, { servers }: Document): string {
	const url = `${servers?.[0]?.url ?? location.origin}${path === '/' ? '' : path}`
	const lines = [
		`curl ${method === 'GET' ? '' : `-X ${method} `}"${url}"`,
		'-H "Authorization: Bearer $TOKEN"',
	]
	if (body?.type === 'application/json') lines.push('-H "Content-Type: application/json"', "-d '{…}'")
	if (body?.type === 'multipart/form-data') lines.push('-F "bundle=@agent.zip"')
	return lines.join(' \\\n  ')
}
