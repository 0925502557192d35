// `npm run evaluate` on folders made elsewhere: what it reads, what it refuses and where it says the fault is.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { balancedAccuracy, ece, spearman } from '../../../../connector/judge/lab/evaluate/metrics.ts'
import { rowsOf, splitsOf } from '../../../../connector/judge/lab/train/data.ts'

const dir = mkdtempSync(join(tmpdir(), 'judge-rows-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

let made = 0
/** A folder with these files, given as `tool/split.jsonl`. */
function folder(files: Record<string, string | Buffer>): string {
	const home = join(dir, String(made++))
	for (const [name, content] of Object.entries(files)) {
		mkdirSync(join(home, name, '..'), { recursive: true })
		writeFileSync(join(home, name), content)
	}
	return home
}
const lines = (rows: object[], end = '\n') => rows.map((row) => JSON.stringify(row) + end).join('')
const CLAIM = { claim: 'Salt is white.', evidence: 'The salt is white.', label: 'verified', source: 'own' }

describe('rows', () => {
	test('are read with a byte order mark, Windows line ends, empty lines and absent or null members', () => {
		const home = folder({
			'verify/dev.jsonl': `\ufeff${lines([CLAIM], '\r\n')}\r\n\n`,
			'screen/dev.jsonl': lines([{ text: '', injection: false, purpose: null, relevant: null }]),
			'find/dev.jsonl': lines([{ query: '', candidates: [{ id: 7, text: '' }], relevant: [7], more: 1 }]),
			'noul/dev.jsonl': lines([{ proposition: 'x', context: null, label: 1, source: null }]),
		})
		expect(rowsOf(home, 'verify', ['dev'])).toEqual([CLAIM])
		expect(rowsOf(home, 'screen', ['dev'])).toEqual([{ text: '', injection: 0, kind: '', source: 'unnamed' }])
		expect(rowsOf(home, 'find', ['dev'])[0]).toMatchObject({ candidates: [{ id: '7' }], relevant: ['7'] })
		expect(rowsOf(home, 'noul', ['dev'])).toEqual([{ proposition: 'x', label: 1, source: 'unnamed' }])
	})

	test('count once when a split is there both packed and plain', () => {
		const home = folder({
			'verify/dev.jsonl': lines([CLAIM]),
			'verify/dev.jsonl.gz': gzipSync(lines([CLAIM])),
			'verify/test.jsonl': lines([CLAIM]),
		})
		expect(rowsOf(home, 'verify', ['dev'])).toHaveLength(1)
		expect(splitsOf(home)).toEqual(['dev', 'test'])
	})

	test.each([
		['is cut off', 'verify', '{"claim": "x', /dev\.jsonl, line 2: not JSON/],
		['has an unknown label', 'verify', { ...CLAIM, label: 'SUPPORTS' }, /line 2: label: .*verified/],
		['lacks a member', 'verify', { claim: 'x', label: 'verified' }, /line 2: evidence: .*string/],
		['is no object', 'screen', 'null', /line 2: .*object/],
		['has text for a label', 'screen', { text: 'x', injection: '0' }, /line 2: injection: expected 0 or 1/],
		['answers with no option', 'choice', { question: 'x', options: ['a'], answer: 1 }, /line 2: answer: /],
		[
			'lies beyond the levels',
			'score',
			{ question: 'x', text: '', levels: ['a', 'b'], gold: 2 },
			/line 2: gold: /,
		],
	] as const)('are refused with file, line and member when one %s', (_, tool, row, message) => {
		const bad = typeof row === 'string' ? row : JSON.stringify(row)
		const home = folder({ [`${tool}/dev.jsonl`]: `\n${bad}\n` })
		expect(() => rowsOf(home, tool, ['dev'])).toThrow(message)
	})

	test('are refused by name when the file is no gzip', () => {
		const home = folder({ 'verify/dev.jsonl.gz': 'plain' })
		expect(() => rowsOf(home, 'verify', ['dev'])).toThrow(/dev\.jsonl\.gz cannot be unpacked/)
	})
})

describe('measures of too little', () => {
	test('are no number, never a nought', () => {
		expect(ece([], [])).toBeNaN()
		expect(spearman([1, 2, 3], [4, 4, 4])).toBeNaN()
		expect(spearman([4, 4, 4], [1, 2, 3])).toBe(0)
		expect(balancedAccuracy([1, 1, 0], [1, 1, 0])).toBeNaN()
	})
})

describe('the command', () => {
	const script = fileURLToPath(new URL('../../../../connector/judge/lab/evaluate/main.ts', import.meta.url))
	const run = (...args: string[]) =>
		spawnSync(process.execPath, [script, '--no-speed', '--no-probes', ...args], { encoding: 'utf8' })

	test('measures whatever split there is, and shows a dash for what three rows cannot tell', () => {
		const found = {
			query: 'salt',
			candidates: [
				{ id: 'a', text: 'salt' },
				{ id: 'b', text: 'rope' },
			],
			source: 'pipe | name',
		}
		const home = folder({
			'verify/fresh.jsonl.gz': gzipSync(lines([CLAIM, CLAIM, CLAIM])),
			'find/fresh.jsonl': lines([
				{ ...found, relevant: ['a'] },
				{ ...found, relevant: [] },
			]),
			'screen/fresh.jsonl': lines([{ text: 'Salt.', injection: 0, purpose: 'Salt?' }]),
		})
		const done = run('--data', home)
		expect(done.stderr.replace(/^evaluate: tools measured.*\n/gm, '')).toBe('')
		expect(done.stdout).toContain('on fresh')
		expect(done.stdout).toContain('| verify | mean of sources | 0 | binary balanced accuracy | – | – | – |')
		expect(done.stdout).toContain('| find | pipe \\| name | 1 | nDCG@10 | 1.000 | 1.000 – 1.000 |')
		expect(done.stdout).not.toContain('| relevance |')
		expect(done.stdout).not.toContain('NaN')
	})

	test.each([
		['a split that is not there', ['--split', 'tset'], 'No split "tset" in'],
		['a limit that is no number', ['--limit', 'all'], '--limit takes a number of rows, not "all".'],
		['a judge that there is none of', ['--judge', 'oracle'], 'Unknown judge "oracle"'],
		['an option that there is none of', ['--nope'], "Unknown option '--nope'"],
		['weights that are not there', ['--weights', '/nowhere.bin'], '/nowhere.bin'],
	])('ends with the reason, not a stack, when asked for %s', (_, args, message) => {
		const done = run('--data', folder({ 'verify/dev.jsonl': lines([CLAIM]) }), ...args)
		expect(done.status).toBe(1)
		expect(done.stderr).toContain(message)
		expect(done.stderr).not.toContain('    at ')
	})
})
