import { takeToolCall } from '../limits.ts'
import { noSuchTool } from '../no-such-tool.ts'
import { settle } from '../settle.ts'
import { shownValue } from '../shown.ts'
import { argsOf, type Handler, text } from './handler.ts'
import { refuseCall } from './tool-refused.ts'

const RUN = JSON.stringify({ run: true })

/** A function of `tools.ts` is about to run in the guest. What it does costs CPU and effects, which have limits of their own. */
export const toolLocal: Handler = {
	async run(run, effect) {
		const args = argsOf<'tool.local'>(effect.args)
		const name = text(args.name, 'name')
		const tool = run.guest.declared.get(name)
		if (effect.attempt === 1) takeToolCall(run)
		if (!tool) {
			const message = noSuchTool(
				name,
				[...run.guest.declared.values()].map(({ definition }) => definition),
			)
			return refuseCall(run, effect, { name, args, code: 'tool_missing', message })
		}
		const faults = await tool.validate(args.input ?? null, { queue: run.begin.deployment })
		if (run.over) return
		if (faults.length > 0) {
			const list = faults.map(({ path, message }) => `${path || '/'} ${message}`).join('; ')
			const message = `The arguments do not fit the tool's schema: ${list}.`
			return refuseCall(run, effect, { name, args, code: 'input_invalid', message })
		}
		run.usage.tool_calls++
		settle(run, effect, {
			type: 'tool.started',
			ok: true,
			result: RUN,
			data: {
				call: effect.n,
				name,
				...(typeof args.call_id === 'string' ? { call_id: args.call_id } : undefined),
				...shownValue('input', args.input ?? null, effect.args.length),
			},
		})
	},
}
