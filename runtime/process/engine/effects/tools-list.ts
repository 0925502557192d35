import { settle } from '../settle.ts'
import { toolsOf } from '../tools.ts'
import type { Handler } from './handler.ts'

export const toolsList: Handler = {
	async run(run, effect) {
		const { definitions: tools } = await toolsOf(run)
		const data = { method: effect.method }
		settle(run, effect, { type: 'effect.completed', ok: true, result: JSON.stringify({ tools }), data })
	},
}
