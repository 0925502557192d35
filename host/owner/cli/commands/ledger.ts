import type { Command } from 'commander'
import { command, does } from '../command.ts'
import { type PageOptions, paged, tellList } from '../list.ts'
import { session } from '../session.ts'

export function ledgerCommand(program: Command): void {
	paged(command(program, 'ledger', 'every change of your credits, newest first')).action(
		does<PageOptions>(async (io, { limit, cursor }) => {
			tellList(io, await session(io).account.ledger({ limit, cursor }), {
				none: 'No changes.',
				head: ['AT', 'CREDITS', 'BALANCE', 'REASON'],
				row: ({ at, amount, balance, reason }) => [at, String(amount), String(balance), reason],
			})
		}),
	)
}
