import type { FailureGroup } from '../../../owner/client/index.ts'
import { count } from '../../data/format.ts'
import { addressOf, nextStepOf } from '../../data/next-steps.ts'
import { LinkButton } from '../../parts/button.tsx'
import { State } from '../../parts/state.tsx'
import { Time } from '../../parts/time.tsx'

interface GroupProps {
	of: FailureGroup
	onFilter(filter: { agent?: string; code?: string; key?: string }): void
}

/** Failures of one kind: how many, what was said, and what to do. */
export function Group({ of: group }: GroupProps) {
	const { kind, code, message, deployment_name: agent, last_run, keys, paths } = group
	const step = nextStepOf(code)
	const href = addressOf(step, agent, last_run)
	const filter = (more: Record<string, string>) => `/failures?${new URLSearchParams(more)}`
	return (
		<article class="failure" aria-label={`${agent}: ${code}`}>
			<div class="stack tight">
				<div class="row">
					<a href={filter({ agent })}>{agent}</a>
					<a class="tag bad" href={filter({ code })}>
						{code}
					</a>
					{kind === 'refused' && <State of="refused" label="refused call" />}
					{keys.map((key) => (
						<a key={key} class="tag" href={filter({ agent, key })}>
							{key}
						</a>
					))}
				</div>
				<p class="said">{message}</p>
				{paths.length > 0 && (
					<p class="small soft">
						At{' '}
						{paths.map((path) => (
							<code key={path}>{path || '/'} </code>
						))}
					</p>
				)}
			</div>
			<div class="times">
				<strong>{count(group.count)}</strong>
				<span class="small soft">
					last <Time at={group.last_at} />
				</span>
				{group.count > 1 && (
					<span class="small soft">
						first <Time at={group.first_at} />
					</span>
				)}
			</div>
			<footer>
				<span>{step.say}</span>
				<span class="actions">
					{last_run !== null && href !== `/runs/${last_run}` && (
						<LinkButton small kind="quiet" href={`/runs/${last_run}`}>
							Last run
						</LinkButton>
					)}
					{href && (
						<LinkButton small href={href}>
							{step.action}
						</LinkButton>
					)}
				</span>
			</footer>
		</article>
	)
}
