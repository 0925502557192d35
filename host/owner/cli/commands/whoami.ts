import type { Command } from 'commander'
import { command, does } from '../command.ts'
import { table } from '../io.ts'
import { session } from '../session.ts'

export function whoamiCommand(program: Command): void {
	command(program, 'whoami', 'account, plan, slots and credits').action(
		does(async (io) => {
			const client = session(io)
			const account = await client.account.get()
			const { email, plan, slots, credits, operator, tester } = account
			const flags = [operator && 'operator', tester && 'tester'].filter(Boolean)
			const rows = [
				['account', [email, ...flags].join(', ')],
				['host', client.baseUrl],
				['plan', plan.name],
				['slots', `${slots.used} of ${slots.limit ?? 'any number'}`],
				...slots.held.map(({ name, state, since }) => ['', `${name} is ${state} since ${since}`]),
				['credits', String(credits)],
			]
			io.result({ host: client.baseUrl, ...account }, table(rows))
		}),
	)
}
