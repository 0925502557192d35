import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from '../../parts/icon.tsx'

export interface Step {
	title: string
	/** What was chosen there. */
	chosen: string | undefined
}

/** On the left, or above on a phone: where one is, and what was chosen on the way. */
export function Steps({ steps, at }: { steps: Step[]; at: number }) {
	return (
		<ol class="steps" aria-label="Steps">
			{steps.map(({ title, chosen }, i) => (
				<li key={title} class={i < at ? 'done' : ''} aria-current={i === at ? 'step' : undefined}>
					<span class="mark" aria-hidden="true">
						{i < at ? <Icon name="check" size={12} /> : i + 1}
					</span>
					<span>
						<span class="title">{title}</span>
						{chosen && <span class="soft small cut">{chosen}</span>}
					</span>
				</li>
			))}
		</ol>
	)
}

/** Takes the focus from the button that led here, and is gone. */
export function StepTitle({ children }: { children: ComponentChildren }) {
	const element = useRef<HTMLHeadingElement>(null)
	useEffect(() => element.current?.focus(), [])
	return (
		<h2 ref={element} tabIndex={-1}>
			{children}
		</h2>
	)
}
