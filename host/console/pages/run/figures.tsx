import type { ComponentChildren } from 'preact'
import type { RunDetail } from '../../../owner/client/index.ts'
import { client } from '../../data/client.ts'
import { hostNow } from '../../data/clock.ts'
import { count, dollars, duration } from '../../data/format.ts'
import { useLoad } from '../../data/load.ts'
import { Copy } from '../../parts/copy.tsx'
import { Time } from '../../parts/time.tsx'
import { type Shares, sharesOf, type Timeline, usageSoFar } from './timeline/index.ts'

const dayMs = 86_400_000

interface FiguresProps {
	run: RunDetail
	timeline: Timeline
	now: number
}

/** What a run is, what it took and what it cost. */
export function Figures({ run, timeline, now }: FiguresProps) {
	const { deployment_name: agent, version } = run
	// A run that goes on has none of its own yet.
	const usage = run.completed_at === null ? usageSoFar(timeline) : run.usage
	const root = `/agents/${encodeURIComponent(agent)}`
	const end = run.completed_at ? Date.parse(run.completed_at) : now
	const took = run.started_at ? duration(Math.max(0, end - Date.parse(run.started_at))) : 'not begun'
	const cached = usage.cached_input_tokens > 0 ? ` (${count(usage.cached_input_tokens)} cached)` : ''
	const calls =
		`${count(usage.model_calls)} model, ${count(usage.tool_calls)} tool` +
		(usage.failed_tool_calls > 0 ? ` (${count(usage.failed_tool_calls)} failed)` : '') +
		(usage.http_calls > 0 ? `, ${count(usage.http_calls)} http` : '') +
		(usage.web_searches > 0 ? `, ${count(usage.web_searches)} web search` : '')
	const facts: [string, ComponentChildren][] = [
		[
			'Agent',
			<span key="agent">
				<a href={root}>{agent}</a>
				<Copy text={run.deployment} label={`Copy ${run.deployment}`} />
			</span>,
		],
		[
			'Version',
			<a key="version" href={`${root}/versions`}>
				v{version}
			</a>,
		],
		['Accepted', <Time key="at" at={run.created_at} />],
		['Took', took],
		...(run.expires_at
			? [['Kept until', <Time key="kept" at={run.expires_at} />] as [string, ComponentChildren]]
			: []),
		['Tokens', `${count(usage.input_tokens)} in${cached}, ${count(usage.output_tokens)} out`],
		['Cost', dollars(usage.usd)],
		...(run.usage.agents ? [['Agents it called', below(run.usage.agents)] as [string, string]] : []),
		['Calls', calls],
		[
			'Began by',
			<Trigger key="by" run={run} attempts={timeline.restarts.findLast(({ lost }) => lost)?.attempt} />,
		],
	]
	return (
		<section class="stack tight" aria-label="Figures">
			<dl class="figures">
				{facts.map(([name, value]) => (
					<div key={name}>
						<dt>{name}</dt>
						<dd>{value}</dd>
					</div>
				))}
			</dl>
			<ShareBar of={sharesOf(timeline, now)} />
		</section>
	)
}

function Trigger({ run, attempts }: { run: RunDetail; attempts: number | undefined }) {
	const root = `/agents/${encodeURIComponent(run.deployment_name)}`
	const keys = useLoad(`key names ${run.key === null ? '' : run.deployment}`, async () =>
		run.key === null ? [] : (await client.deployments.keys(run.deployment)).data,
	)
	const more = attempts === undefined ? '' : `, attempt ${attempts}`
	if (run.schedule !== null)
		return (
			<span>
				<a href={`${root}/schedules`}>schedule</a>
				{more}
			</span>
		)
	if (run.key !== null) {
		const name = keys.data?.find(({ id }) => id === run.key)?.name
		return (
			<span>
				<a href={`${root}/keys`}>{name ?? 'run key'}</a> <Copy text={run.key} label={`Copy ${run.key}`} />
				{more}
			</span>
		)
	}
	// Which schedule began a run is kept for a day.
	const old = hostNow() - Date.parse(run.created_at) > dayMs
	return (
		<span>
			{old ? 'you, or a schedule' : 'you'}
			{more}
		</span>
	)
}

const shareWords: [keyof Shares, string][] = [
	['model', 'Model'],
	['tool', 'Tools'],
	['http', 'HTTP'],
	['waiting', 'Waiting for a decision'],
	['own', 'Program and Berth'],
]

function ShareBar({ of: shares }: { of: Shares }) {
	const total = Object.values(shares).reduce((sum: number, one: number) => sum + one, 0)
	if (total === 0) return null
	const some = shareWords.filter(([part]) => shares[part] > 0)
	return (
		<>
			<div class="shares" aria-hidden="true">
				{some.map(([part]) => (
					<span key={part} class={`of-${part}`} style={{ width: `${(shares[part] / total) * 100}%` }} />
				))}
			</div>
			<div class="share-words">
				{some.map(([part, word]) => (
					<span key={part} class={`key of-${part}`}>
						{word} {duration(shares[part])}
					</span>
				))}
			</div>
		</>
	)
}

function below({ tokens, usd, unreported }: NonNullable<RunDetail['usage']['agents']>): string {
	const more = unreported ? `, and at most ${count(unreported.tokens)} tokens that nobody reported` : ''
	return `${count(tokens)} tokens, ${dollars(usd)}${more}`
}
