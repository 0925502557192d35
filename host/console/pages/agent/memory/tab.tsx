import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import { client } from '../../../data/client.ts'
import { bytes } from '../../../data/format.ts'
import { useLoad } from '../../../data/load.ts'
import { Button } from '../../../parts/button.tsx'
import { Empty, Shown } from '../../../parts/page.tsx'
import { Table } from '../../../parts/table.tsx'
import { Time } from '../../../parts/time.tsx'
import type { TabProps } from '../tabs.tsx'
import { EraseMemory } from './erase.tsx'
import { FileView } from './file.tsx'
import { NewFile } from './new-file.tsx'

/** Small texts that the agent keeps between runs. */
export default function Memory({ agent }: TabProps) {
	const { query, route } = useLocation()
	const files = useLoad(`memory ${agent.id}`, () => client.memory.list(agent.url))
	const asked = useSignal<'new' | 'erase' | undefined>(undefined)
	const root = `/agents/${encodeURIComponent(agent.name)}/memory`
	const addressOf = (path: string) => `${root}?file=${encodeURIComponent(path)}`
	const ask = (what: 'new' | 'erase' | undefined) => () => {
		asked.value = what
	}
	if (query.file !== undefined)
		return (
			<FileView
				key={query.file}
				agent={agent}
				path={query.file}
				root={root}
				onChange={() => void files.reload()}
			/>
		)
	return (
		<div class="stack">
			<div class="row apart">
				<p class="soft">What this agent keeps between runs. Run keys never reach it.</p>
				<div class="actions">
					{files.data && files.data.data.length > 0 && <Button onClick={ask('erase')}>Erase all</Button>}
					<Button kind="primary" icon="plus" onClick={ask('new')}>
						New file
					</Button>
				</div>
			</div>
			<Shown of={files}>
				{({ data }) =>
					data.length === 0 ? (
						<Empty title="Memory is empty">
							<p>Its runs write here, or you do. A bundle can bring files in its folder memory.</p>
						</Empty>
					) : (
						<Table
							label="Files of memory"
							rows={data}
							id={({ path }) => path}
							href={({ path }) => addressOf(path)}
							columns={[
								{ head: 'Path', cell: ({ path }) => path },
								{ head: 'Version', cell: ({ version }) => version, number: true, minor: true },
								{ head: 'Size', cell: ({ size }) => bytes(size), number: true },
								{ head: 'Written', cell: ({ updated_at }) => <Time at={updated_at} /> },
							]}
						/>
					)
				}
			</Shown>
			{asked.value === 'new' && (
				<NewFile
					url={agent.url}
					onDone={async (path) => {
						asked.value = undefined
						await files.reload()
						route(addressOf(path))
					}}
					onClose={ask(undefined)}
				/>
			)}
			{asked.value === 'erase' && (
				<EraseMemory
					agent={agent}
					changed={async () => {
						asked.value = undefined
						await files.reload()
					}}
					onClose={ask(undefined)}
				/>
			)}
		</div>
	)
}
