import type { Command } from 'commander'
import { command, does } from '../command.ts'
import { accountId, operator } from '../operator.ts'
import { since, sinceHelp } from '../time.ts'

interface AuditOptions {
	since?: string
	account?: string
	operation?: string
}

const pageMost = 100

export function auditCommand(admin: Command): void {
	command(admin, 'audit', 'the whole audit log, newest first; with --json one entry a line, for archives')
		.option('--since <time>', `from this time on: ${sinceHelp}`, since)
		.option('--account <account>', 'of one account, by e-mail or id')
		.option('--operation <name>', 'of one operation, as in createDeployment')
		.action(
			does<AuditOptions>(async (io, { since, account, operation }) => {
				const client = await operator(io)
				// An account that was erased has entries still, so an id is taken as it is.
				const of = account && (await accountId(client, account))
				let told = 0
				let cursor: string | null = null
				do {
					const page: Awaited<ReturnType<typeof client.admin.audit>> = await client.admin.audit({
						...(since && { since }),
						...(of && { account: of }),
						...(operation && { operation }),
						limit: pageMost,
						...(cursor !== null && { cursor }),
					})
					for (const entry of page.data) {
						const { at, actor, operation, status, target } = entry
						const by = `${actor.kind} ${actor.account ?? ''}`
						io.line(entry, [at, operation, status, by, ...Object.values(target)].join('  '))
					}
					told += page.data.length
					cursor = page.next_cursor
				} while (cursor !== null)
				if (told === 0) io.note('No entries.')
			}),
		)
}
