import './docs.css'
import { useSignal } from '@preact/signals'
import { useRoute } from 'preact-iso'
import { client } from '../../data/client.ts'
import { useLoad } from '../../data/load.ts'
import { useAgents } from '../../data/shell.ts'
import { Empty, Page, Shown, Skeleton } from '../../parts/page.tsx'
import { Search } from '../../parts/search.tsx'
import { OperationView } from './operation.tsx'
import { type Document, type Operation, operationsOf } from './read.ts'

/** `/docs` is the API of the host, `/docs/{agent}` that of one agent, typed for its inputs and output. */
export default function Docs() {
	const name = useRoute().params.agent
	const agents = useAgents()
	if (name === undefined)
		return <Reference title="API reference" name={undefined} read={client.deployments.hostDocument} />
	if (!agents.data) return <Skeleton lines={8} />
	const agent = agents.data.find((one) => one.name === name || one.id === name)
	if (!agent)
		return (
			<Page title={name}>
				<Empty title="There is no such agent" />
			</Page>
		)
	const { url } = agent
	return (
		<Reference
			title={`API of ${agent.name}`}
			name={agent.name}
			read={() => client.deployments.document(url)}
		/>
	)
}

function Reference({
	title,
	name,
	read,
}: {
	title: string
	name: string | undefined
	read(): Promise<unknown>
}) {
	const { data: agents = [] } = useAgents()
	const loaded = useLoad(`openapi ${name ?? ''}`, async () => (await read()) as Document)
	const text = useSignal('')
	return (
		<Page
			title={title}
			lead={
				<>
					Of this host: <a href="/docs">everything</a>
					{agents.map((agent) => (
						<span key={agent.id}>
							{', '}
							<a href={`/docs/${encodeURIComponent(agent.name)}`}>{agent.name}</a>
						</span>
					))}
					. The document itself: <a href={name === undefined ? '/openapi.json' : undefined}>openapi.json</a>
				</>
			}
		>
			<Shown of={loaded} lines={12}>
				{(document) => {
					const wanted = text.value.trim().toLowerCase()
					const groups = Map.groupBy(operationsOf(document).filter(matches(wanted)), ({ group }) => group)
					return (
						<>
							<div class="chips">
								<Search label="Find an operation" hint="Find by path or words" text={text} />
							</div>
							{groups.size === 0 && <Empty title="No operation has these words" />}
							<div class="stack">
								{[...groups].map(([group, operations]) => (
									<section key={group}>
										<h2 class="docs-group">{group}</h2>
										<div class="docs-list">
											{operations.map((operation) => (
												<OperationView key={operation.id} of={operation} document={document} />
											))}
										</div>
									</section>
								))}
							</div>
						</>
					)
				}}
			</Shown>
		</Page>
	)
}

const matches = (wanted: string) => (operation: Operation) =>
	`${operation.method} ${operation.path} ${operation.summary} ${operation.id}`.toLowerCase().includes(wanted)
