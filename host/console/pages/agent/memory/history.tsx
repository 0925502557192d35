import { useSignal } from '@preact/signals'
import { client } from '../../../data/client.ts'
import { bytes } from '../../../data/format.ts'
import { useLoad } from '../../../data/load.ts'
import { Button } from '../../../parts/button.tsx'
import { Code } from '../../../parts/code.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { Card, Shown } from '../../../parts/page.tsx'
import { Table } from '../../../parts/table.tsx'
import { Time } from '../../../parts/time.tsx'

interface Props {
	url: string
	path: string
	version: number
	onTake(text: string): void
}

/** Its kept writes, newest first, with who made each. */
export function History({ url, path, version, onTake }: Props) {
	const versions = useLoad(`memory versions ${url} ${path} ${version}`, () =>
		client.memory.versions(url, path),
	)
	const shown = useSignal<number | undefined>(undefined)
	const close = () => {
		shown.value = undefined
	}
	return (
		<Card title="Versions">
			<Shown of={versions}>
				{({ data }) => (
					<Table
						label="Versions of the file"
						rows={data}
						id={(one) => String(one.version)}
						columns={[
							{ head: 'Version', cell: (one) => one.version },
							{ head: 'Written', cell: ({ updated_at }) => <Time at={updated_at} /> },
							{ head: 'By', cell: ({ updated_by }) => <Writer of={updated_by} />, minor: true },
							{
								head: 'Size',
								cell: ({ size, sha256 }) => (sha256 === null ? 'deleted' : bytes(size)),
								number: true,
							},
							{
								head: 'Actions',
								cell: (one) =>
									one.sha256 !== null &&
									one.version !== version && (
										<Button
											small
											onClick={() => {
												shown.value = one.version
											}}
										>
											Show version {one.version}
										</Button>
									),
								number: true,
							},
						]}
					/>
				)}
			</Shown>
			{shown.value !== undefined && (
				<Older url={url} path={path} version={shown.value} onTake={onTake} onClose={close} />
			)}
		</Card>
	)
}

function Older({ url, path, version, onTake, onClose }: Props & { onClose(): void }) {
	const file = useLoad(`memory ${url} ${path} ${version}`, () => client.memory.get(url, path, version))
	const content = file.data?.content
	const footer = (
		<Button
			kind="primary"
			disabled={content === undefined}
			onClick={() => {
				onTake(content ?? '')
				onClose()
			}}
		>
			Put it into the editor
		</Button>
	)
	return (
		<Dialog title={`${path}, version ${version}`} onClose={onClose} footer={footer} wide>
			<Shown of={file}>{(data) => <Code label={`version ${version}`} text={data.content} />}</Shown>
		</Dialog>
	)
}

function Writer({ of }: { of: string }) {
	if (!of.startsWith('run_')) return <>{of}</>
	return (
		<a href={`/runs/${of}`}>
			<code>{of}</code>
		</a>
	)
}
