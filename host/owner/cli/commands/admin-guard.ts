import type { Command } from 'commander'
import type { GuardChange, GuardState } from '../../client/index.ts'
import { command, does } from '../command.ts'
import { UsageError } from '../failure.ts'
import { type Io, table } from '../io.ts'
import { operator } from '../operator.ts'

/** Switches that every host obeys within a second. */
export function guardCommand(admin: Command): void {
	const guard = admin.command('guard').description('the guard connector of this host')
	command(guard, 'status', 'switches, use of the month, load').action(
		does(async (io) => tell(io, await (await operator(io)).admin.guard())),
	)
	command(guard, 'pause', 'answer every call that it is paused for maintenance').action(
		does((io) => change(io, { maintenance: true })),
	)
	command(guard, 'resume', 'end the maintenance').action(does((io) => change(io, { maintenance: false })))
	command(guard, 'budget <tokens>', 'input tokens a month over all accounts; "none" for no limit').action(
		does((io, _options, tokens) => change(io, { budget_tokens: tokens === 'none' ? null : count(tokens) })),
	)
}

async function change(io: Io, switches: GuardChange): Promise<void> {
	tell(io, await (await operator(io)).admin.changeGuard(switches))
}

function tell(io: Io, status: GuardState): void {
	const { access, switches, month, held } = status
	const budget = switches.budget_tokens === null ? 'no limit' : `${switches.budget_tokens} tokens`
	const rows = [
		['access', access],
		['maintenance', switches.maintenance ? 'paused' : 'no'],
		['budget', `${month.tokens} tokens used in ${month.month} (${month.calls} calls); ${budget}`],
		['capacity', `${held.all} of ${switches.capacity} in hand, ${held.free} of them for free accounts`],
	]
	io.result(status, table(rows))
}

function count(text: string): number {
	const tokens = Number(text)
	if (!Number.isSafeInteger(tokens) || tokens < 0) throw new UsageError(`"${text}" is no number of tokens`)
	return tokens
}
