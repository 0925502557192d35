/** Calls of tools that nothing is done for (spec run.usage-tool-failures): the owner sees them like others that fail. */
import type { Effect } from '../../../wire/recorded-effect.ts'
import { shownName } from '../no-such-tool.ts'
import type { Run } from '../run.ts'
import { durationOf, open, settle, tell } from '../settle.ts'
import { shownText, shownValue } from '../shown.ts'

export interface Refused {
	name: string
	args: { input?: unknown; call_id?: unknown }
	code: 'input_invalid' | 'tool_missing'
	message: string
}

/** `ctx.tools.call` of the guest makes an answer with `ok: false` of it. */
export function refuseCall(run: Run, effect: Effect, { name, args, code, message }: Refused): void {
	const error = { code, message }
	const shown = shownName(name)
	run.usage.tool_calls++
	run.rejections.add(code)
	open(run, effect, 'tool.started', {
		name: shown,
		...(typeof args.call_id === 'string' && { call_id: args.call_id }),
		...shownValue('input', args.input ?? null, effect.args.length),
		// Nothing is done, so a crash between the two entries changes nothing.
		repeatable: true,
	})
	settle(run, effect, {
		type: 'tool.completed',
		ok: false,
		result: JSON.stringify(error),
		data: {
			...{ call: effect.n, name: shown, ok: false, error },
			...durationOf(run, effect),
			...shownText('output', message),
		},
	})
}

interface Written {
	id: string
	name: string
	input: unknown
	input_error?: string
}

/**
 * Those in a model's answer whose arguments nobody can read: no program calls them, so they have no effect and no number
 * of their own. The text of `input_error` is the model's.
 */
export function tellUnreadable(run: Run, calls: readonly Written[] = []): void {
	for (const { id, name, input, input_error } of calls) {
		if (input_error === undefined || run.over) continue
		run.usage.tool_calls++
		tell(run, 'tool.completed', {
			...{ name: shownName(name), call_id: id, ok: false },
			error: { code: 'input_invalid', message: 'The arguments are not a JSON object.' },
			...shownText('input', typeof input === 'string' ? input : ''),
		})
	}
}
