import type { Command } from 'commander'
import { hasOlderRuns } from '../../client/index.ts'
import { command, does } from '../command.ts'
import { counted } from '../counted.ts'
import { agreed, asking, tellErased } from '../erasing.ts'
import { UsageError } from '../failure.ts'
import { findDeployment, knownRun, session } from '../session.ts'

interface Options {
	account?: boolean
	deployment?: string
	yes?: boolean
}

export function eraseCommand(program: Command): void {
	asking(
		command(program, 'erase [run]', 'erase an ended run, or with --account everything of your account')
			.option('--account', 'your account: runs, memory, bundles, credentials, tokens; it is closed')
			.option('--deployment <name>', 'whose run it is (saves looking for it)'),
	).action(
		does<Options>(async (io, { account, deployment, yes }, run) => {
			if ((run === undefined) === !account) throw new UsageError('name a run, or give --account')
			const client = session(io)
			if (run === undefined) {
				const { email } = await client.account.get()
				if (!(await agreed(io, `everything of ${email}, and close the account`, yes))) return
				return tellErased(io, await client.account.erase(email))
			}
			const url = deployment === undefined ? null : (await findDeployment(client, deployment)).url
			if (url === null) await knownRun(client, run)
			if (!(await agreed(io, run, yes))) return
			const { journal, approvals, deliveries, ...receipt } = await client.runs.erase(url, run)
			io.result(
				{ ...receipt, journal, approvals, deliveries },
				`${receipt.run} is erased, with ${counted(journal, 'commit')}, ${counted(approvals, 'decision')} and ${counted(deliveries, 'delivery', 'deliveries')}`,
			)
		}),
	)
}

export function retainCommand(program: Command): void {
	asking(
		command(
			program,
			'retain <name> <days>',
			'how long ended runs are kept; "default": as long as plan and host say',
		),
		'if runs are older: ',
	).action(
		does<{ yes?: boolean }>(async (io, { yes }, name, days) => {
			const number = days === 'default' ? null : Number(days)
			if (number !== null && !(Number.isInteger(number) && number >= 1 && number <= 36_500))
				throw new UsageError(`retain takes whole days from 1 to 36500, or default, not "${days}"`)
			const client = session(io)
			const { id } = await findDeployment(client, name)
			if (number !== null && (await hasOlderRuns(client, id, number))) {
				const older = `ended runs of ${name} that are older than ${counted(number, 'day')}`
				if (!(await agreed(io, older, yes))) return
			}
			const changed = await client.deployments.patch(id, { retain_days: number })
			const kept = number === null ? 'as long as plan and host say' : counted(number, 'day')
			io.result(changed, `ended runs of ${changed.name} are kept ${kept}`)
		}),
	)
}
