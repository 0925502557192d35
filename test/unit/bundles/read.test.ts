import { describe, expect, it } from 'vitest'
import { BundleError, canonicalJson, readBundle } from '../../../bundles/index.ts'
import { manifestFor, type RawEntry, rawZip } from '../../kit/raw-zip.ts'
import { minimal } from '../../kit/repository.ts'

// What reading a bundle refuses: not a zip, `../`, links, two files of one name, wrong digest.

const good: RawEntry[] = [
	{ name: 'bundle.json', content: manifestFor(minimal) },
	...Object.entries(minimal).map(([name, content]) => ({ name, content })),
]

function faultsOf(bytes: Uint8Array, expected?: string): string[] {
	try {
		readBundle(bytes, expected)
	} catch (error) {
		if (error instanceof BundleError) return error.faults.map(({ file, message }) => `${file}: ${message}`)
		throw error
	}
	return []
}

const withEntry = (entry: RawEntry) => faultsOf(rawZip([...good, entry]))

describe('readBundle', () => {
	// Proves: bundle.zip
	it('reads a bundle that was written by another program', () => {
		const bundle = readBundle(rawZip(good))
		expect(bundle.agent.name).toBe('small')
		expect(bundle.prompt).toBe('You are small.\n')
		expect(bundle.commit).toBe('a'.repeat(40))
	})

	// Proves: bundle.hidden-characters, bundle.path-traversal
	it.each([
		['../evil.md', 'the path leads out of its folder (`..`)'],
		['memory/../../evil.md', 'the path leads out of its folder (`..`)'],
		['/etc/passwd', 'the path is absolute'],
		['C:/evil.md', 'the path is absolute'],
		['\\\\server\\evil', 'the path is absolute'],
		['memory\\evil.md', 'the path holds a backslash'],
		['memory//evil.md', 'the path has an empty or `.` segment'],
		['memory/', 'the path has an empty or `.` segment'],
		['memory/./x', 'the path has an empty or `.` segment'],
		['memory/a\0b', 'the path holds a character that not every file system takes'],
		['memory/a\u202egnp.md', 'the path holds a control, invisible or direction-changing character (U+202E)'],
		['memory/a\u2066b.md', 'the path holds a control, invisible or direction-changing character (U+2066)'],
		['memory/a\u200bb.md', 'the path holds a control, invisible or direction-changing character (U+200B)'],
		['memory/\ufeffa.md', 'the path holds a control, invisible or direction-changing character (U+FEFF)'],
		['memory/a\u0085b.md', 'the path holds a control, invisible or direction-changing character (U+0085)'],
		['memory/evil. ', 'a segment of the path ends with a dot or a space'],
	])('refuses the name %j', (name, message) => {
		expect(withEntry({ name, content: 'x' })).toContain(`${name}: ${message}`)
	})

	it('believes no list of packages: what would hide or fill a screen is refused', () => {
		const [manifest, ...files] = good as [RawEntry, ...RawEntry[]]
		const listing = (packages: unknown) => {
			const value = { ...JSON.parse(String(manifest.content)), packages }
			return faultsOf(rawZip([{ ...manifest, content: canonicalJson(value) }, ...files]))
		}
		const one = { name: 'a', version: '1.0.0', license: null, bytes: 1, integrity: 'sha512-x' }
		expect(listing([one])).toEqual([])
		expect(listing([{ ...one, license: 'MIT\u202e' }])[0]).toContain('must hold no control, invisible')
		expect(listing([{ ...one, code: 'x' }])[0]).toContain('unknown member')
		expect(listing(Array(501).fill(one))[0]).toContain('must have at most')
	})

	it('refuses a bundle.json that begins with a byte order mark', () => {
		const [manifest, ...files] = good as [RawEntry, ...RawEntry[]]
		const marked = rawZip([{ ...manifest, content: `\ufeff${manifest.content}` }, ...files])
		expect(faultsOf(marked)).toEqual(['bundle.json: begins with a byte order mark (U+FEFF); leave it out'])
	})

	// Proves: bundle.no-links
	it('refuses a symbolic link', () => {
		expect(withEntry({ name: 'memory/link', content: '/etc/passwd', mode: 0o120777 })).toEqual([
			'memory/link: is a link or another thing that is no file',
		])
	})

	// Proves: bundle.duplicate-names
	it('refuses two files of one name', () => {
		expect(withEntry({ name: 'prompt.md', content: 'other' })).toEqual(['prompt.md: is there twice'])
	})

	// Proves: bundle.case-collision
	it.each([
		['PROMPT.MD', 'prompt.md'],
		['memory/ÄRGER', 'memory/a\u0308rger'],
	])('refuses %j beside %j', (name, twin) => {
		const entries = twin === 'prompt.md' ? good : [...good, { name: twin, content: 'x' }]
		expect(faultsOf(rawZip([...entries, { name, content: 'y' }]))).toEqual([
			`${name}: would be one file with ${twin} where case is ignored`,
		])
	})

	it('takes the joiners that some scripts and emoji are spelled with, in one of two names', () => {
		const name = 'memory/می\u200cخواهم.md'
		const entries = [...good, { name, content: 'x' }]
		expect(faultsOf(rawZip(entries))).toEqual([`${name}: is not listed in bundle.json`])
		const twin = name.replace('\u200c', '')
		expect(faultsOf(rawZip([...entries, { name: twin, content: 'y' }]))).toEqual([
			`${twin}: would be one file with ${name} where case is ignored`,
		])
	})

	// Proves: bundle.packed-limit
	it('refuses over 10 MiB packed', () => {
		expect(faultsOf(Buffer.alloc(10 * 1024 * 1024 + 1))).toEqual([': is over 10 MiB'])
	})

	// Proves: bundle.unpacked-limit
	it('stops inflating at 50 MiB, whatever size the file declares', () => {
		const before = process.memoryUsage().rss
		const bomb = { name: 'memory/bomb', content: Buffer.alloc(200 * 1024 * 1024), declaredSize: 10 }
		const bytes = rawZip([...good, bomb])
		expect(bytes.length).toBeLessThan(1024 * 1024)
		expect(faultsOf(bytes)).toEqual([': unpacks to over 50 MiB'])
		expect(process.memoryUsage().rss - before).toBeLessThan(500 * 1024 * 1024)
	})

	// Proves: bundle.unpacked-limit
	it('counts all files together towards 50 MiB', () => {
		const half = Buffer.alloc(26 * 1024 * 1024)
		const bytes = rawZip([...good, { name: 'memory/1', content: half }, { name: 'memory/2', content: half }])
		expect(faultsOf(bytes)).toEqual([': unpacks to over 50 MiB'])
	})

	// Proves: bundle.file-limit
	it('refuses over 2,000 files', () => {
		const many = Array.from({ length: 2000 }, (_, index) => ({
			name: `memory/${index}`,
			content: '',
			method: 0,
		}))
		expect(faultsOf(rawZip([...good, ...many]))).toEqual([': holds over 2000 files'])
	})

	// Proves: bundle.zip-tricks
	it('refuses files that share their bytes', () => {
		expect(withEntry({ name: 'prompt.md2', content: 'x', sharesBytesOf: 2 })).toEqual([
			'prompt.md2: shares its bytes with another file',
		])
	})

	// Proves: bundle.zip-tricks
	it('refuses a file that is named otherwise in its own header', () => {
		expect(withEntry({ name: 'memory/a', content: 'x', localName: 'memory/b' })).toEqual([
			'memory/a: is named otherwise in its own header',
		])
	})

	// Proves: bundle.zip-tricks
	it('refuses encryption, other compressions and damaged data', () => {
		expect(withEntry({ name: 'memory/a', content: 'x', flags: 1 })).toEqual(['memory/a: is encrypted'])
		expect(withEntry({ name: 'memory/a', content: 'x', method: 14 })[0]).toMatch(/compressed in a way \(14\)/)
		const damaged = rawZip(good)
		damaged.fill(0xff, 50, 60)
		expect(faultsOf(damaged)).toEqual(['bundle.json: is not readable: its compressed data are damaged'])
	})

	it.each([
		['text', Buffer.from('{"not":"a zip"}')],
		['nothing', Buffer.alloc(0)],
		['a zip with something behind it', Buffer.concat([rawZip(good), Buffer.from('tail')])],
		['half a zip', rawZip(good).subarray(0, 300)],
	])('refuses %s', (_, bytes) => {
		expect(faultsOf(bytes)).toEqual([': is not a zip file'])
	})

	// Proves: bundle.utf8-text
	it('refuses a name that is not UTF-8', () => {
		expect(withEntry({ name: Uint8Array.of(0x6d, 0xff), content: 'x' })).toEqual([
			': holds a name that is not UTF-8',
		])
	})

	// Proves: bundle.file-digests
	it('tells wrong sizes, wrong digests, missing and extra files at once', () => {
		const listed = manifestFor({ ...minimal, 'memory/gone': 'x' })
		const entries = [
			{ name: 'bundle.json', content: listed },
			{ name: 'agent.yaml', content: minimal['agent.yaml'] },
			{ name: 'prompt.md', content: 'You are SMALL.\n' },
			{ name: 'memory/extra', content: 'x' },
		]
		expect(faultsOf(rawZip(entries))).toEqual([
			'prompt.md: has another SHA-256 than listed',
			'memory/gone: is listed and missing',
			'memory/extra: is not listed in bundle.json',
		])
	})

	// Proves: bundle.digest
	it('refuses another digest than the expected one', () => {
		const { digest } = readBundle(rawZip(good))
		expect(faultsOf(rawZip(good), digest)).toEqual([])
		expect(faultsOf(rawZip(good), 'b'.repeat(64))).toEqual([
			`: has the digest ${digest}, not ${'b'.repeat(64)}`,
		])
	})

	// Proves: bundle.canonical
	it('refuses a bundle.json that is not canonical, says otherwise than agent.yaml, or has unknown members', () => {
		const replaced = (content: string) =>
			faultsOf(rawZip([{ name: 'bundle.json', content }, ...good.slice(1)]))
		expect(replaced(JSON.stringify(JSON.parse(manifestFor(minimal)), null, 1))).toEqual([
			'bundle.json: is not in canonical form (RFC 8785)',
		])
		const { agent } = JSON.parse(manifestFor(minimal))
		expect(replaced(manifestFor(minimal, { agent: { ...agent, name: 'other' } }))).toEqual([
			'bundle.json: says otherwise than agent.yaml',
		])
		expect(replaced(manifestFor(minimal, { extra: 1 }))).toEqual(['bundle.json: unknown member "extra"'])
		expect(replaced('{')).toEqual(['bundle.json: is not JSON'])
	})

	// Proves: bundle.nesting
	it.each([200, 1_200, 3_000, 50_000])(
		'refuses what is nested %i deep, in bundle.json and in agent.yaml',
		(levels) => {
			const deep = `${'{"properties":'.repeat(levels)}{}${'}'.repeat(levels)}`
			const content = manifestFor(minimal).replace('{"properties":{},"type":"object"}', deep)
			expect(content).toContain(deep)
			expect(faultsOf(rawZip([{ name: 'bundle.json', content }, ...good.slice(1)]))).toEqual([
				'bundle.json: is nested over 192 deep',
			])
			const files = { ...minimal, 'agent.yaml': `${minimal['agent.yaml']}output: ${deep}\n` }
			const entries = Object.entries(files).map(([name, text]) => ({ name, content: text }))
			const faults = faultsOf(rawZip([{ name: 'bundle.json', content: manifestFor(files) }, ...entries]))
			expect(faults).toEqual([expect.stringMatching(/^agent\.yaml: is (nested over 192 deep|over 512 KiB)/)])
		},
	)

	// Proves: bundle.newer-format
	it('names the Berth that reads a newer format', () => {
		const content = manifestFor(minimal, { format: 2, berth: '3.1.0', something: 'new' })
		expect(faultsOf(rawZip([{ name: 'bundle.json', content }, ...good.slice(1)]))).toEqual([
			'bundle.json: has format 2, which Berth 3.1.0 or later reads; this one reads format 1',
		])
	})

	// Proves: bundle.only-agent-files
	it('refuses a file that is no part of an agent', () => {
		const files = { ...minimal, 'install.sh': 'rm' }
		const entries = [
			{ name: 'bundle.json', content: manifestFor(files) },
			...good.slice(1),
			{ name: 'install.sh', content: 'rm' },
		]
		expect(faultsOf(rawZip(entries))).toEqual(['install.sh: is no part of an agent'])
	})
})
