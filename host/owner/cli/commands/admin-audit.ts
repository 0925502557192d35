import type { Command } from 'commander'
import { command, does } from '../command.ts'
import { operator } from '../operator.ts'

interface AuditOptions {
	since?: string
	account?: string
	operation?: string
}

const pageMost = 100

export function auditCommand(admin: Command): void {
	command(admin, 'audit', 'the whole audit log, newest first; with --json one entry a line, for archives')
		.option('--since <time>', 'from this time on (RFC 3339)')
		.option('--account <id>', 'of one account')
		.option('--operation <name>', 'of one operation, as in createDeployment')
		.action(
			does<AuditOptions>(async (io, { since, account, operation }) => {
				const { admin } = operator(io)
				let cursor: string | null = null
				do {
					const page: Awaited<ReturnType<typeof admin.audit>> = await admin.audit({
						...(since && { since }),
						...(account && { account }),
						...(operation && { operation }),
						limit: pageMost,
						...(cursor !== null && { cursor }),
					})
					for (const entry of page.data) {
						const { at, actor, operation, status, target } = entry
						const by = `${actor.kind} ${actor.account ?? ''}`
						io.line(entry, [at, operation, status, by, ...Object.values(target)].join('  '))
					}
					cursor = page.next_cursor
				} while (cursor !== null)
			}),
		)
}
