import type { ComponentChildren } from 'preact'
import { count, dollars, duration } from '../../data/format.ts'
import { Card, Facts } from '../../parts/page.tsx'
import { State } from '../../parts/state.tsx'
import { Value } from '../../parts/value/value.tsx'
import { kindWords } from './bars.tsx'
import { Problem, Stack } from './problem.tsx'
import type { Requests } from './requests.ts'
import { Sent } from './sent.tsx'
import { Sources } from './sources.tsx'
import type { Effect, Timeline } from './timeline/index.ts'

interface DetailProps {
	effect: Effect
	timeline: Timeline
	agent: string
	now: number
	requests: Requests
}

const stateLabels = { running: 'running', done: 'succeeded', failed: 'failed', stopped: 'cancelled' } as const
const stateWords = { running: 'under way', done: 'done', failed: 'failed', stopped: 'stopped with the run' }

const inputWords: Partial<Record<Effect['kind'], string>> = { waiting: 'Asked about', http: 'Body sent' }

/** One call: what went in, what came out, what it took. */
export function Detail({ effect, timeline, agent, now, requests }: DetailProps) {
	const { kind, name, state, error, stack, output, input, screen, truncated, decision } = effect
	return (
		<Card
			title={
				<>
					<span class={`key of-${kind}`}>{kindWords[kind]}</span> {name}
				</>
			}
			actions={<State of={stateLabels[state]} label={stateWords[state]} />}
		>
			<div class="detail">
				<Facts of={factsOf(effect, timeline, now)} />
				{error && <Problem error={error} agent={agent} />}
				{effect.tries.length > 1 && <Tries of={effect} now={now} />}
				{kind === 'model' && effect.call !== null && <Sent call={effect.call} requests={requests} />}
				{kind === 'model' && output !== undefined && <Value title="Answer" of={output} cut={truncated} />}
				{effect.citations && <Sources of={effect.citations} />}
				{effect.searches !== undefined && <Value title="Web searches" of={effect.searches} />}
				{kind !== 'model' && input !== undefined && <Value title={inputWords[kind] ?? 'Input'} of={input} />}
				{kind === 'tool' && output !== undefined && <Value title="Output" of={output} cut={truncated} />}
				{kind === 'http' && output !== undefined && <Value title="Response" of={output} cut={truncated} />}
				{decision && <Value title={decision.decision === 'deny' ? 'Denied' : 'Approved'} of={decision} />}
				{screen !== undefined && <Value title="What the guard found" of={screen} />}
				{stack && <Stack of={stack} />}
			</div>
		</Card>
	)
}

function factsOf(
	{ from, to, usage, stop, status, connector, call, output, kind }: Effect,
	timeline: Timeline,
	now: number,
): [string, ComponentChildren][] {
	const facts: [string, ComponentChildren][] = [
		['Took', `${duration((to ?? now) - from)}, after ${duration(from - (timeline.from ?? from))}`],
	]
	if (status !== undefined) facts.push(['Status', String(status)])
	if (connector) facts.push(['Connector', <span key="c">{connector}</span>])
	if (usage) {
		const cached = usage.cached_input_tokens > 0 ? ` (${count(usage.cached_input_tokens)} cached)` : ''
		facts.push(
			['Tokens', `${count(usage.input_tokens)} in${cached}, ${count(usage.output_tokens)} out`],
			['Cost', dollars(usage.usd)],
		)
		if (usage.web_searches > 0) facts.push(['Web searches', count(usage.web_searches)])
	}
	if (stop && stop !== 'end')
		facts.push([
			'Ended with',
			stop === 'tool_calls' && output === '' ? 'tool calls, no text' : stop.replaceAll('_', ' '),
		])
	if (call !== null && kind !== 'waiting') facts.push(['Call', String(call)])
	return facts
}

function Tries({ of: { tries }, now }: { of: Effect; now: number }) {
	return (
		<section>
			<h3>Attempts</h3>
			<ol class="plain-list">
				{tries.map((one, i) => (
					<li key={i} class="row apart">
						<span>
							{i + 1}.{' '}
							{one.lost
								? 'its host went away'
								: (one.error?.message ?? (one.to === null ? 'under way' : 'answered'))}
							{one.error && (
								<>
									{' '}
									<span class="tag">{one.error.code}</span>
								</>
							)}
						</span>
						<span class="soft nowrap">{duration((one.to ?? now) - one.from)}</span>
					</li>
				))}
			</ol>
		</section>
	)
}
