import { addressOf, nextStepOf } from '../../data/next-steps.ts'
import { LinkButton } from '../../parts/button.tsx'
import { Note } from '../../parts/note.tsx'
import type { Said } from './timeline/index.ts'

interface ProblemProps {
	error: Said
	agent: string
	stack?: string | undefined
	children?: preact.ComponentChildren
}

/** What went wrong: the sentence, the code, and what to do about it. */
export function Problem({ error: { code, message, said }, agent, stack, children }: ProblemProps) {
	const step = nextStepOf(code)
	const href = addressOf(step, agent, null, true)
	return (
		<Note tone="bad">
			<div class="row">
				<span class="tag bad">{code}</span>
				<strong>{message}</strong>
			</div>
			{said && <p>It said: {said}</p>}
			<p>{step.say}</p>
			{(href || children) && (
				<div class="actions">
					{href && (
						<LinkButton small href={href}>
							{step.action}
						</LinkButton>
					)}
					{children}
				</div>
			)}
			{stack && <Stack of={stack} />}
		</Note>
	)
}

/** A file that its owner wrote, with line and column. */
const place = /((?:[\w.-]+\/)*[\w.-]+\.[a-z]{1,4}:\d+(?::\d+)?)/

export function Stack({ of: stack }: { of: string }) {
	return (
		<div class="stack-trace" tabIndex={0}>
			{stack.split('\n').map((line, i) => (
				<div key={i}>{line.split(place).map((part, n) => (n % 2 === 1 ? <b key={n}>{part}</b> : part))}</div>
			))}
		</div>
	)
}
