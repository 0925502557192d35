import { shownStack } from '../end.ts'
import { note } from '../settle.ts'
import { shownText } from '../shown.ts'
import { argsOf, type Handler, malformed, text } from './handler.ts'

export const toolLocalDone: Handler = {
	run(run, effect) {
		const { started, ok, output } = argsOf<'tool.local.done'>(effect.args)
		const begun = run.effects[started as number]
		if (begun?.closing?.type !== 'tool.started') throw malformed('name no function that was begun')
		const { closing } = begun
		note(run, effect, 'tool.completed', {
			call: begun.n,
			name: closing.data.name,
			ok: ok === true,
			duration_ms: Math.max(0, run.at() - closing.at),
			...shownText('output', text(output, 'output')),
			...shownStack(run, effect.stack),
		})
	},
}
