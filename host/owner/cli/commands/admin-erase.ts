import type { Command } from 'commander'
import { command, does } from '../command.ts'
import { agreed, asking, tellErased } from '../erasing.ts'
import { accountId, operator } from '../operator.ts'

export function eraseAccountCommand(accounts: Command): void {
	asking(
		command(accounts, 'erase <account>', 'delete its deployments, erase everything of it, and close it'),
	).action(
		does<{ yes?: boolean }>(async (io, { yes }, account) => {
			if (!(await agreed(io, `everything of ${account}, and close the account`, yes))) return
			const client = await operator(io)
			tellErased(io, await client.admin.eraseAccount(await accountId(client, account ?? '')))
		}),
	)
}
