import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import type { Credential, DeploymentWithActivity, VersionDetail } from '../../../../owner/client/index.ts'
import { useAction } from '../../../data/action.ts'
import { client } from '../../../data/client.ts'
import { Button, LinkButton } from '../../../parts/button.tsx'
import { Failure, Note } from '../../../parts/note.tsx'
import { Unfit } from './unfit.tsx'

interface Props {
	agent: DeploymentWithActivity
	root: string
	onDone(): Promise<void>
}

interface Done {
	version: number
	same: boolean
	missing: Credential[]
	unfit: VersionDetail['unfit_schedules']
}

/** A new bundle, by drop or by choosing a file: the next version, which new runs get at once. */
export function Upload({ agent, root, onDone }: Props) {
	const input = useRef<HTMLInputElement>(null)
	const over = useSignal(false)
	const done = useSignal<Done | undefined>(undefined)
	const { route } = useLocation()
	const upload = useAction(async (file: File) => {
		done.value = undefined
		const bytes = new Uint8Array(await file.arrayBuffer())
		const {
			version,
			credentials,
			unfit_schedules: unfit,
		} = await client.deployments.addVersion(agent.id, {
			bytes,
			fileName: file.name,
		})
		const missing = credentials.filter(({ state }) => state === 'missing')
		done.value = { version, same: version === agent.version, missing, unfit }
		await onDone()
		if (version !== agent.version) route(`${root}?from=${agent.version}&to=${version}`)
	})
	const take = (files: FileList | null | undefined) => {
		const file = files?.[0]
		if (file) void upload.run(file)
		// The same file can be chosen again after a fault was mended.
		if (input.current) input.current.value = ''
	}
	return (
		<div>
			<div
				class={`drop ${over.value ? 'over' : ''}`}
				onDragOver={(event) => {
					event.preventDefault()
					over.value = true
				}}
				onDragLeave={() => {
					over.value = false
				}}
				onDrop={(event) => {
					event.preventDefault()
					over.value = false
					take(event.dataTransfer?.files)
				}}
			>
				<p>
					Drop a new bundle here.{' '}
					<span class="soft">New runs get it at once; runs in flight end on their own version.</span>
				</p>
				<input
					ref={input}
					type="file"
					hidden
					aria-label="Bundle of the new version"
					onChange={(event) => take(event.currentTarget.files)}
				/>
				<Button icon="upload" busy={upload.busy} onClick={() => input.current?.click()}>
					Upload new version
				</Button>
			</div>
			<Failure of={upload.error} />
			{done.value && <DoneNote of={done.value} name={agent.name} />}
			{done.value && <Unfit of={done.value.unfit} name={agent.name} />}
		</div>
	)
}

function DoneNote({ of: { version, same, missing }, name }: { of: Done; name: string }) {
	return (
		<Note tone={missing.length > 0 ? 'warn' : 'good'}>
			<p role="status">
				{same ? `Nothing has changed: v${version} is that bundle.` : `v${version} is active.`}
			</p>
			{missing.map((one) => (
				<p key={one.name}>
					The credential <code>{one.name}</code> is missing for {one.needed_by}.
				</p>
			))}
			{missing.length > 0 && (
				<div class="actions">
					<LinkButton small href={`/agents/${encodeURIComponent(name)}/credentials`}>
						Open credentials
					</LinkButton>
				</div>
			)}
		</Note>
	)
}
