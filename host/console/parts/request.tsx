import { useSignal } from '@preact/signals'
import { requestTexts } from '../data/request-texts.ts'
import { Button } from './button.tsx'
import { Code } from './code.tsx'

interface RequestProps {
	/** Of the deployment. */
	url: string
	/** Of the deployment, which the command line knows it by. */
	name: string
	/** Schema of the inputs. */
	inputs: Record<string, unknown>
	/** Where it is shown anyhow; else a placeholder stands there. */
	runKey?: string | undefined
}

/** The call of an agent, ready to be copied, in four languages, and a program that hears of its end. */
export function Request({ url, name, inputs, runKey }: RequestProps) {
	const at = useSignal(0)
	const texts = requestTexts({ url, name, inputs, runKey: runKey ?? '<run_key>' })
	const { language = '', text = '' } = texts[at.value] ?? {}
	return (
		<div class="stack tight">
			<div class="segments" role="group" aria-label="Language of the request">
				{texts.map(({ language }, i) => (
					<Button
						key={language}
						small
						kind={i === at.value ? undefined : 'quiet'}
						pressed={i === at.value}
						onClick={() => {
							at.value = i
						}}
					>
						{language}
					</Button>
				))}
			</div>
			<Code label={`request as ${language}`} text={text} />
		</div>
	)
}
