import type { Command } from 'commander'
import type { Approval } from '../../client/index.ts'
import { command, does } from '../command.ts'
import { CommandError } from '../failure.ts'
import { tellListAs } from '../list.ts'
import { findRun, session } from '../session.ts'

interface Options {
	deployment?: string
	note?: string
	digest?: string
}

export function approvalsCommand(program: Command): void {
	command(program, 'approvals <run>', 'what a run asks of you')
		.option('--deployment <name>', 'whose run it is (saves looking for it)')
		.action(
			does<Options>(async (io, { deployment }, run) => {
				const client = session(io)
				const { url } = await findRun(client, run, deployment)
				const { data } = await client.runs.approvals(url, run)
				tellListAs(io, { data }, () => (data.length === 0 ? 'Nothing.' : data.map(shown).join('\n\n')))
			}),
		)
}

export function approveCommand(program: Command): void {
	decision(program, 'approve', 'agree to what a run asks; it goes on')
}

export function denyCommand(program: Command): void {
	decision(program, 'deny', 'refuse what a run asks')
}

function decision(program: Command, verb: 'approve' | 'deny', summary: string): void {
	command(program, `${verb} <run> <approval>`, summary)
		.option('--note <text>', 'why; the run is told')
		.option('--digest <digest>', 'of the arguments you have read (default: those that are shown now)')
		.option('--deployment <name>', 'whose run it is (saves looking for it)')
		.action(
			does<Options>(async (io, { deployment, note, digest }, run, id) => {
				const client = session(io)
				const { url } = await findRun(client, run, deployment)
				const { data } = await client.runs.approvals(url, run)
				const asked = data.find((approval) => approval.id === id)
				if (!asked) throw new CommandError(`${run} has asked for no ${id}; berth approvals ${run} shows what`)
				const made = await client.runs.decide(url, run, id as string, {
					decision: verb,
					digest: digest ?? asked.digest,
					...(note !== undefined && { note }),
				})
				io.result(made, shown(made))
			}),
		)
}

function shown({ id, status, question, tool, connector, arguments: args, digest, note }: Approval): string {
	return [
		`${id}  ${status}  ${question}`,
		...(tool ? [`  tool       ${tool} of ${connector}`] : []),
		`  arguments  ${JSON.stringify(args)}`,
		`  digest     ${digest}`,
		...(note ? [`  note       ${note}`] : []),
	].join('\n')
}
