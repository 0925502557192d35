import type { Command } from 'commander'
import type { Approval } from '../../client/index.ts'
import { command, does } from '../command.ts'
import { CommandError } from '../failure.ts'
import { jsonObject } from '../inputs.ts'
import { tellListAs } from '../list.ts'
import { findRun, session } from '../session.ts'

interface Options {
	deployment?: string
	note?: string
	digest?: string
	content?: string
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
	decision(program, 'approve', 'agree to what a run asks, or answer it; the run goes on').option(
		'--content <json>',
		'answer to a connector’s question: a JSON object with its fields, or @FILE, or - for standard input',
	)
}

export function denyCommand(program: Command): void {
	decision(program, 'deny', 'refuse what a run asks')
}

function decision(program: Command, verb: 'approve' | 'deny', summary: string): Command {
	return command(program, `${verb} <run> <approval>`, summary)
		.option('--note <text>', 'why; the run is told')
		.option('--digest <digest>', 'of the arguments you have read (default: those that are shown now)')
		.option('--deployment <name>', 'whose run it is (saves looking for it)')
		.action(
			does<Options>(async (io, { deployment, note, digest, content }, run, id) => {
				const client = session(io)
				const { url } = await findRun(client, run, deployment)
				const { data } = await client.runs.approvals(url, run)
				const asked = data.find((approval) => approval.id === id)
				if (!asked) throw new CommandError(`${run} has asked for no ${id}; berth approvals ${run} shows what`)
				const made = await client.runs.decide(url, run, id as string, {
					decision: verb,
					digest: digest ?? asked.digest,
					...(note !== undefined && { note }),
					...(content !== undefined && { content: jsonObject('--content', content) }),
				})
				io.result(made, shown(made))
			}),
		)
}

function shown(approval: Approval): string {
	const { id, status, kind, question, tool, connector, arguments: args, digest, note } = approval
	const { schema, url, content } = approval
	return [
		`${id}  ${status}  ${question}`,
		...(tool ? [`  tool       ${tool} of ${connector}${kind === 'question' ? ', which asks' : ''}`] : []),
		...(url ? [`  visit      ${url}`] : []),
		...(schema ? fieldLines(schema) : []),
		...(kind === 'question' ? [] : [`  arguments  ${JSON.stringify(args)}`]),
		`  digest     ${digest}`,
		...(content ? [`  content    ${JSON.stringify(content)}`] : []),
		...(note ? [`  note       ${note}`] : []),
	].join('\n')
}

interface Field {
	type?: unknown
	title?: unknown
	description?: unknown
	default?: unknown
	enum?: unknown
}

/** One line for each field of the answer. */
function fieldLines({
	properties = {},
	required = [],
}: {
	properties?: unknown
	required?: unknown
}): string[] {
	return Object.entries(properties as Record<string, Field>).map(([name, field]) => {
		const { title, description } = field
		const parts = [
			field.enum ? `one of ${JSON.stringify(field.enum)}` : String(field.type ?? 'any'),
			...((required as string[]).includes(name) ? ['required'] : []),
			...(field.default === undefined ? [] : [`default ${JSON.stringify(field.default)}`]),
		]
		const told = [title, description].filter((one) => typeof one === 'string').join(': ')
		return `  field      ${name} (${parts.join(', ')})${told && `  ${told}`}`
	})
}
