/** Node's own test runner over an agent's tests, each file in a process of its own. */
import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { pathToFileURL } from 'node:url'
import { distDir } from '../built.ts'
import { CommandError } from '../failure.ts'
import type { Io } from '../io.ts'
import type { Found } from './find.ts'

interface Tested {
	name: string
	file: string
	line: number | null
	ok: boolean
	error?: string
}

export interface Report {
	passed: number
	failed: number
	tests: Tested[]
}

/** Started by Node's runner, as files. */
function built(name: string): string {
	const file = join(distDir, name)
	if (existsSync(file)) return file
	throw new CommandError('tests need the engine, and this is the client alone: install the whole package')
}

export async function runTests(io: Io, { tests, cases }: Found): Promise<Report> {
	if (tests.length + cases.length === 0)
		throw new CommandError(
			'there is no test: write agent.test.ts beside the agent, or keep a run: --from RUN',
		)
	// For the processes of the tests.
	process.env.BERTH_TEST_ENGINE = pathToFileURL(built('agent-test.mjs')).href
	process.env.BERTH_TEST_CASES = JSON.stringify(cases)
	const stream = run({
		files: [...tests, ...(cases.length > 0 ? [built('agent-cases.mjs')] : [])],
		concurrency: true,
		execArgv: [
			'--import',
			pathToFileURL(built('agent-modules.mjs')).href,
			'--disable-warning=ExperimentalWarning',
		],
	})
	const report: Report = { passed: 0, failed: 0, tests: [] }
	const note = (ok: boolean) => (event: EventData) => {
		if (event.details?.type === 'suite' || event.nesting === undefined) return
		report[ok ? 'passed' : 'failed']++
		report.tests.push(told(event, ok))
	}
	stream.on('test:pass', note(true) as never).on('test:fail', note(false) as never)
	if (io.json) stream.resume()
	else stream.compose<NodeJS.ReadWriteStream>(new spec()).pipe(process.stdout, { end: false })
	await new Promise((resolve, reject) => stream.once('end', resolve).once('error', reject))
	return report
}

interface EventData {
	name: string
	file?: string
	line?: number
	nesting?: number
	details?: { type?: string; error?: { message?: string; cause?: { message?: string } } }
}

function told({ name, file = '', line, details }: EventData, ok: boolean): Tested {
	const error = details?.error?.cause?.message ?? details?.error?.message
	return {
		name,
		file: relative(process.cwd(), file),
		line: line ?? null,
		ok,
		...(!ok && { error: error ?? 'failed' }),
	}
}
