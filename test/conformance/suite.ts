import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

export interface Round {
	package: string
	era: string
}

export interface Outcome {
	scenario: string
	/** `no check`: the suite found nothing that applies here. */
	result: 'pass' | 'fail' | 'no check'
	checks: { good: number; all: number }
	/** Of the checks that failed. */
	words: string[]
}

const limitMs = 90_000
const clientFile = fileURLToPath(new URL('client.ts', import.meta.url))

/** Those that the suite has for this era. */
export async function scenariosOf(round: Round, kind: 'server' | 'client'): Promise<string[]> {
	const { out } = await conformance(round, ['list', `--${kind}`])
	const lines = [...out.matchAll(/^ {2}- (\S+) \[(.*)\]$/gm)]
	return lines.filter(([, , eras = '']) => eras.split(',').includes(round.era)).map(([, name = '']) => name)
}

export async function runScenario(
	asked: Round & { kind: 'server' | 'client'; scenario: string; url: string },
): Promise<Outcome> {
	const { kind, scenario, era, url } = asked
	const folder = mkdtempSync(join(tmpdir(), 'conformance-'))
	const target = kind === 'server' ? ['--url', url] : ['--command', `${process.execPath} ${clientFile}`]
	const more = ['--scenario', scenario, '--spec-version', era, '--output-dir', folder]
	const { code } = await conformance(asked, [kind, ...target, ...more])
	const checks = readdirSync(folder, { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith('checks.json'))
		.flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Check[])
	rmSync(folder, { recursive: true, force: true })
	const good = checks.filter(({ status }) => status === 'SUCCESS').length
	const bad = checks.filter(({ status }) => status === 'FAILURE')
	return {
		scenario,
		result: code !== 0 || bad.length > 0 ? 'fail' : good > 0 ? 'pass' : 'no check',
		checks: { good, all: good + bad.length },
		words: bad.length > 0 ? bad.map(wordsOf) : [`the suite ended with ${code}`],
	}
}

interface Check {
	id: string
	status: string
	description: string
	errorMessage?: string
}

const wordsOf = ({ id, errorMessage, description }: Check) => `${id}: ${errorMessage ?? description}`

async function conformance(round: Round, args: string[]): Promise<{ out: string; code: number | null }> {
	const manifest = createRequire(import.meta.url).resolve(`${round.package}/package.json`)
	const child = spawn(process.execPath, [join(dirname(manifest), 'dist/index.js'), ...args], {
		stdio: ['ignore', 'pipe', 'ignore'],
		timeout: limitMs,
	})
	const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
	const out = await text(child.stdout)
	return { out, code: await ended }
}
