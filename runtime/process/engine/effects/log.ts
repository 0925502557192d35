import { scrub, shownStack } from '../end.ts'
import { note } from '../settle.ts'
import { EVENT_VALUE_MAX_CHARS, shownText } from '../shown.ts'
import { argsOf, type Handler, malformed, text } from './handler.ts'

const levels = new Set<unknown>(['debug', 'info', 'warn', 'error'])

export const log: Handler = {
	run(run, effect) {
		const { level, message, data } = argsOf<'log'>(scrub(run, effect.args))
		if (!levels.has(level)) throw malformed('have no `level` debug, info, warn or error')
		const fits = effect.args.length <= EVENT_VALUE_MAX_CHARS
		const shown = data === undefined ? undefined : fits ? { data } : shownText('data', JSON.stringify(data))
		note(run, effect, 'log', {
			level,
			...shown,
			...shownText('message', text(message, 'message')),
			...shownStack(run, effect.stack),
		})
	},
}
