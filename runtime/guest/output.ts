/** A model's text as the value an output schema asks for. The runtime has held it against the schema. */

import type { StopCause } from '../wire/model.ts'
import { EffectFailure } from './bridge.ts'

/** Of an answer that the provider ended where the model's output may not be longer. */
export function cutOff(why: StopCause | undefined): EffectFailure {
	return new EffectFailure({
		code: 'output_limit_reached',
		message:
			why === 'context_window'
				? "The conversation fills the model's context, so the model could not finish its answer. Send less, or use a model with a larger context."
				: 'The model reached the limit of its output before it had answered. Ask for less, or raise the limit in `model.parameters`.',
	})
}

export function refused(
	code: 'agent_error' | 'output_invalid',
	said: string,
	why?: StopCause,
): EffectFailure {
	return new EffectFailure({ code, message: refusalOf(said, why) })
}

function refusalOf(said: string, why: StopCause | undefined): string {
	if (why === 'content_filter') return "The provider's content filter ended the answer."
	return said.trim() === ''
		? 'The model refused, without a word why.'
		: `The model refused: ${said.slice(0, 500)}`
}

/** `fault`: why the answer is no value of the schema. */
export function unusable(fault: string): EffectFailure {
	return new EffectFailure({
		code: 'output_invalid',
		message: `The model's answer is not usable: ${fault}.`,
	})
}
