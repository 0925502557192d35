import { agent } from 'berth'
import { isUrgent } from './urgent.ts'

const topics = ['billing', 'bug', 'question', 'other'] as const

/** Two small questions side by side, then plain code. */
export default agent(async ({ message, language }, ctx) => {
	const quoted = `<message>\n${message}\n</message>`
	const [sorted, summed] = await Promise.all([
		ctx.model(`What is this message about?\n\n${quoted}`, {
			output: {
				type: 'object',
				required: ['topic'],
				additionalProperties: false,
				properties: { topic: { enum: topics } },
			},
		}),
		ctx.model(`Sum it up in one sentence, in ${language}.\n\n${quoted}`),
	])
	const { topic } = sorted.output as { topic: (typeof topics)[number] }
	ctx.log('info', 'sorted', { topic })
	return { topic, urgent: isUrgent(message, topic), summary: summed.text }
})
