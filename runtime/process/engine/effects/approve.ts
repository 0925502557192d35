import type { Asked } from '../../../wire/recorded-effect.ts'
import { decisionData, decisionOn } from '../approval.ts'
import { settle } from '../settle.ts'
import { argsOf, type Handler, malformed, text } from './handler.ts'

const QUESTION_MAX_CHARS = 4_000

/** The program asks a person, and goes on with the answer, whichever it is. */
export const approve: Handler = {
	async run(run, effect) {
		const { question: asked, data } = argsOf<'approve'>(effect.args)
		const question = text(asked, 'question')
		if (question.length > QUESTION_MAX_CHARS)
			throw malformed(`have a \`question\` over ${QUESTION_MAX_CHARS} characters`)
		const decision = await decisionOn(run, effect, { question, arguments: { question, data } })
		if (!decision || run.over) return
		const { approved, note } = decision
		settle(run, effect, {
			type: 'approval.decided',
			ok: true,
			result: JSON.stringify({ approved, note }),
			data: decisionData(effect, effect.requests[0] as Asked, decision),
		})
	},
}
