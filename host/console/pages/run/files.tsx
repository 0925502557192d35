import type { RunDetail } from '../../../owner/client/index.ts'
import { useAction } from '../../data/action.ts'
import { client } from '../../data/client.ts'
import { count } from '../../data/format.ts'
import { Button } from '../../parts/button.tsx'
import { Failure } from '../../parts/note.tsx'
import { Card } from '../../parts/page.tsx'

/** The browser reads it after the click. */
const keptMs = 60_000

interface FileRef {
	file: string
	name: string
	type: string
	size: number
}

/** Files of inputs and output. They are downloaded, whatever is in them: the page shows none. */
export function Files({ run }: { run: RunDetail }) {
	const files = [...new Map(refsOf([run.inputs, run.output]).map((ref) => [ref.file, ref])).values()]
	if (files.length === 0) return null
	return (
		<Card>
			<h2 class="small-head">Files</h2>
			<ul>
				{files.map((ref) => (
					<FileLine key={ref.file} of={ref} url={run.deployment_url} />
				))}
			</ul>
		</Card>
	)
}

function FileLine({ of: { file, name, type, size }, url }: { of: FileRef; url: string }) {
	const download = useAction(async () => {
		const blob = await client.files.download(url, file)
		const link = Object.assign(document.createElement('a'), {
			href: URL.createObjectURL(blob),
			download: name,
		})
		// Some browsers pass over a link that is not on the page.
		document.body.append(link)
		link.click()
		link.remove()
		setTimeout(() => URL.revokeObjectURL(link.href), keptMs)
	})
	return (
		<li>
			{name}{' '}
			<span class="soft">
				{type}, {count(size)} bytes
			</span>{' '}
			<Button small label={`Download ${name}`} busy={download.busy} onClick={() => void download.run()}>
				Download
			</Button>
			<Failure of={download.error} />
		</li>
	)
}

function refsOf(value: unknown): FileRef[] {
	if (typeof value !== 'object' || value === null) return []
	const { file, name } = value as Partial<FileRef>
	if (typeof file === 'string' && file.startsWith('file_') && typeof name === 'string')
		return [value as FileRef]
	return Object.values(value).flatMap(refsOf)
}
