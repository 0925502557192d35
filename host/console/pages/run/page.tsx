import './run.css'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useRoute } from 'preact-iso'
import type { RunDetail } from '../../../owner/client/index.ts'
import { client } from '../../data/client.ts'
import { hostNow } from '../../data/clock.ts'
import { useLoad } from '../../data/load.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { Id } from '../../parts/copy.tsx'
import { Failure } from '../../parts/note.tsx'
import { Card, NotShown, Page } from '../../parts/page.tsx'
import { State } from '../../parts/state.tsx'
import { Value } from '../../parts/value/value.tsx'
import { Actions } from './actions.tsx'
import { Bars } from './bars.tsx'
import { Decisions } from './decisions.tsx'
import { Deliveries } from './deliveries.tsx'
import { Detail } from './detail.tsx'
import { Figures } from './figures.tsx'
import { Files } from './files.tsx'
import { useTimeline } from './follow.ts'
import { keysOf } from './keys.ts'
import { Lines } from './lines.tsx'
import { Problem } from './problem.tsx'
import { useRequests } from './requests.ts'
import { Sources } from './sources.tsx'
import { rowsOf, type Timeline } from './timeline/index.ts'

const tickMs = 500

/** `/runs/{id}`: one run, from what it was given to what came of it. */
export default function RunPage() {
	const id = useRoute().params.run ?? ''
	const run = useLoad(`run ${id}`, () => client.runs.one(id))
	// What is on the page stays while the host is away; the shell says that it is.
	if (run.data) return <Run key={run.data.id} run={run.data} reload={run.reload} />
	return (
		<NotShown title="Run" of={run} absent="There is no such run">
			<p class="soft">It was erased, its time to be kept is over, or its id is another.</p>
			<LinkButton href="/runs">To the runs</LinkButton>
		</NotShown>
	)
}

function Run({ run, reload }: { run: RunDetail; reload(): Promise<void> }) {
	const followed = useTimeline(run.deployment_url, run.id, () => void reload())
	const { timeline } = followed
	const now = useNow(timeline.end === null, timeline.last)
	const again = useSignal(false)
	const runAgain = () => {
		again.value = true
	}
	const { deployment_name: agent } = run
	const failed = run.error ?? timeline.end?.error
	return (
		<Page
			title={`Run of ${agent}`}
			aside={<State of={run.status} />}
			lead={<Id of={run.id} />}
			actions={<Actions run={run} again={again} onChange={reload} />}
		>
			<div class="stack">
				<Figures run={run} timeline={timeline} now={now} />
				{failed && (
					<Problem error={failed} agent={agent} stack={timeline.end?.stack}>
						<Button small icon="replay" onClick={runAgain}>
							Run again
						</Button>
					</Problem>
				)}
				<Failure
					of={followed.error}
					next={
						<Button small onClick={followed.retry}>
							Read the events again
						</Button>
					}
				/>
				<Decisions
					run={run}
					asked={timeline.effects.filter(({ approval }) => approval !== undefined).length}
				/>
				<Calls run={run} timeline={timeline} now={now} onAgain={runAgain} />
				<Values run={run} />
				<Files run={run} />
				<Lines of={timeline.lines} from={timeline.from} />
				<Deliveries run={run} />
			</div>
		</Page>
	)
}

interface CallsProps {
	run: RunDetail
	timeline: Timeline
	now: number
	onAgain(): void
}

/** The timeline, and beside it the call that is chosen. */
function Calls({ run, timeline, now, onAgain }: CallsProps) {
	const requests = useRequests(run.deployment_url, run.id)
	const selected = useSelected()
	const rows = rowsOf(timeline)
	const chosen = rows.find(({ effect }) => effect.id === selected.id)?.effect
	const keys = keysOf({ rows, selected: selected.id, select: selected.choose, again: onAgain })
	return (
		<div class={`run-body ${chosen ? 'two' : ''}`}>
			<Card
				title="Timeline"
				actions={rows.length > 0 && <span class="keys-hint">On a call: j k move · e open · r run again</span>}
			>
				{rows.length === 0 ? (
					<p class="soft">{timeline.end ? 'It called nothing.' : 'Nothing was called yet.'}</p>
				) : (
					<Bars
						timeline={timeline}
						rows={rows}
						now={now}
						selected={selected.id}
						onKeyDown={keys}
						onSelect={(id) => selected.choose(id === selected.id ? null : id)}
					/>
				)}
			</Card>
			{chosen && (
				<div class="detail-side">
					<Detail
						key={chosen.id}
						effect={chosen}
						timeline={timeline}
						agent={run.deployment_name}
						now={now}
						requests={requests}
					/>
				</div>
			)}
		</div>
	)
}

function Values({ run }: { run: RunDetail }) {
	return (
		<div class="columns">
			<Card>
				<Value title="Inputs" of={run.inputs} />
			</Card>
			<Card>
				{run.output === null ? (
					<>
						<h2 class="small-head">Output</h2>
						<p class="soft">{run.completed_at ? 'It has none.' : 'None yet.'}</p>
					</>
				) : (
					<Value title="Output" of={run.output} />
				)}
				<Sources of={run.citations} />
			</Card>
		</div>
	)
}

/** A run that goes on has a bar that grows. The last event may be ahead of this machine's clock. */
function useNow(live: boolean, last: number | null): number {
	const now = useSignal(hostNow())
	useEffect(() => {
		if (!live) return
		const timer = setInterval(() => {
			now.value = hostNow()
		}, tickMs)
		return () => clearInterval(timer)
	}, [live])
	return Math.max(now.value, last ?? 0)
}

/** The selected call stands in the address, without a new page for each. */
function useSelected(): { id: string | null; choose(id: string | null): void } {
	const id = useSignal(new URLSearchParams(location.search).get('call'))
	return {
		id: id.value,
		choose(chosen) {
			id.value = chosen
			const query = chosen === null ? '' : `?call=${encodeURIComponent(chosen)}`
			history.replaceState(null, '', location.pathname + query)
		},
	}
}
