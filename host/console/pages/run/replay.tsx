import { useSignal } from '@preact/signals'
import type { ReplayReport, RunDetail } from '../../../owner/client/index.ts'
import { useAction } from '../../data/action.ts'
import { chosen } from '../../data/bound.ts'
import { client } from '../../data/client.ts'
import { count, plural } from '../../data/format.ts'
import { useLoad } from '../../data/load.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ChoiceField } from '../../parts/field.tsx'
import { Failure, Note } from '../../parts/note.tsx'
import { Value } from '../../parts/value/value.tsx'
import { differencesOf } from './differences.ts'

/** Runs it again from its journal, with a version of the agent, and shows where that would part from it. */
export function Replay({ run, onClose }: { run: RunDetail; onClose(): void }) {
	const versions = useLoad(
		`versions ${run.deployment}`,
		async () => (await client.deployments.versions(run.deployment)).data,
	)
	const version = useSignal(String(run.version))
	const report = useSignal<{ version: string; of: ReplayReport } | null>(null)
	const replay = useAction(async () => {
		const asked = version.peek()
		report.value = null
		report.value = { version: asked, of: await client.runs.replay(run.id, { version: Number(asked) }) }
	})
	const options = (versions.data ?? [{ version: run.version, active: false }]).map((one) => ({
		value: String(one.version),
		label: `v${one.version}${one.version === run.version ? ' (of this run)' : ''}${one.active ? ' (active)' : ''}`,
	}))
	return (
		<Dialog title="Replay" onClose={onClose} wide>
			<p class="soft">Answers come from the recorded run: nothing is called and nothing is spent.</p>
			<form
				class="stack tight"
				onSubmit={(event) => {
					event.preventDefault()
					void replay.run()
				}}
			>
				<ChoiceField label="With version" {...chosen(version)} options={options} />
				<div class="actions">
					<Button type="submit" kind="primary" busy={replay.busy}>
						Replay
					</Button>
				</div>
			</form>
			<Failure of={replay.error ?? versions.error} />
			{report.value && <Report of={report.value.of} version={report.value.version} />}
		</Dialog>
	)
}

function Report({ of: report, version }: { of: ReplayReport; version: string }) {
	if (report.same)
		return (
			<Note tone="good">
				<p role="status">
					v{version} does the same: {plural(report.effects ?? 0, 'effect')} as recorded.
				</p>
			</Note>
		)
	const { effect = 0, recorded, asked } = report
	const differences =
		recorded && asked && recorded.method === asked.method
			? differencesOf(recorded.arguments, asked.arguments)
			: []
	return (
		<>
			<Note tone="warn">
				<p role="status">
					v{version} parts from the run at effect {count(effect)}
					{recorded && asked && recorded.method === asked.method
						? `: ${recorded.method} with other arguments.`
						: `: ${methodOf(recorded)} before, ${methodOf(asked)} now.`}
				</p>
			</Note>
			{differences.length > 0 ? (
				<ul class="plain-list" aria-label="First difference">
					{differences.map(({ path, before, after }) => (
						<li key={path} class="stack tight">
							<code>{path || '/'}</code>
							<div class="columns">
								<Value title="Recorded" of={before} />
								<Value title={`With v${version}`} of={after} />
							</div>
						</li>
					))}
				</ul>
			) : (
				<div class="columns">
					<Value title="Recorded" of={recorded?.arguments ?? null} />
					<Value title={`With v${version}`} of={asked?.arguments ?? null} />
				</div>
			)}
		</>
	)
}

function methodOf(asked: { method: string } | null | undefined): string {
	if (!asked) return 'nothing'
	return asked.method === 'end' ? 'its end' : asked.method
}
