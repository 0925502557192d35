import type { Command } from 'commander'
import { command, does } from '../command.ts'
import { UsageError } from '../failure.ts'
import { session } from '../session.ts'
import { loadBundle } from './deploy.ts'
import { requestLines } from './request.ts'

interface Options {
	bundle?: string
	version?: string
	full?: boolean
}

export function replayCommand(program: Command): void {
	command(
		program,
		'replay <run>',
		'run an ended run again from its journal; nothing is called, nothing is done',
	)
		.option('--bundle <agent>', 'with this folder or bundle: where would it part from the journal?')
		.option('--version <n>', 'with that version of its deployment')
		.option('--full', 'with what the model was sent in each call')
		.action(
			does<Options>(async (io, { bundle, version, full }, run) => {
				if (bundle !== undefined && version !== undefined)
					throw new UsageError('give --bundle or --version, not both')
				if (bundle !== undefined && full) throw new UsageError('give --bundle or --full, not both')
				if (version !== undefined && !/^[1-9]\d*$/.test(version))
					throw new UsageError(`--version ${version}: give a number, as \`berth versions\` lists them`)
				const client = session(io)
				const report =
					bundle === undefined
						? await client.runs.replay(run, {
								version: version === undefined ? undefined : Number(version),
								full,
							})
						: await client.runs.replayWith(run, await loadBundle(io, bundle))
				io.result(report, describe(report))
				if (!report.same) process.exitCode = 1
			}),
		)
}

type Report = Awaited<ReturnType<ReturnType<typeof session>['runs']['replay']>>

function describe(report: Report): string {
	const calls = (report.model_calls ?? []).map((call) => `call ${call.call}\n${requestLines(call)}`)
	return [...calls, difference(report)].join('\n')
}

function difference({ same, effects, effect, recorded, asked }: Report): string {
	if (same) return `same: ${effects} effects, all as recorded`
	return [
		`parts from the journal at effect ${effect}`,
		side('recorded', recorded),
		side('asked for', asked),
	].join('\n')
}

function side(name: string, asked: Report['asked']): string {
	if (!asked) return `  ${name}: nothing`
	return `  ${name}: ${asked.method} ${JSON.stringify(asked.arguments)}`
}
