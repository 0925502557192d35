import { manifestFor, type RawEntry, rawZip } from '../../kit/raw-zip.ts'

// Bundles that nobody means well with. Each is a file as a stranger would upload it, written byte by byte.

export interface HostileBundle {
	name: string
	bytes: () => Uint8Array
}

const yaml = 'name: small\nmodel: { provider: openai, name: m }\n'
const files = { 'agent.yaml': yaml, 'prompt.md': 'You are small.\n' }

/** A bundle whose list of files is true, whatever stands in them. */
function bundle(changed: Record<string, string>, extra: RawEntry[] = [], manifest = {}): Uint8Array {
	const all: Record<string, string> = { ...files, ...changed }
	const entries = Object.entries(all).map(([name, content]) => ({ name, content }))
	return rawZip([{ name: 'bundle.json', content: manifestFor(all, manifest) }, ...entries, ...extra])
}
const withAgent = (text: string) => bundle({ 'agent.yaml': text })
const withFile = (name: string, content = 'x') => bundle({}, [{ name, content }])
const replaced = (content: string | Uint8Array) =>
	rawZip([
		{ name: 'bundle.json', content },
		...Object.entries(files).map(([name, text]) => ({ name, content: text })),
	])
const list = (length: number, item: (index: number) => string, join = '\n') =>
	Array.from({ length }, (_, index) => item(index)).join(join)

const paths = [
	'../outside.md',
	'memory/../../outside.md',
	'/etc/cron.d/x',
	'C:/x.md',
	'\\\\server\\share',
	'memory\\x.md',
	'memory//x.md',
	'memory/./x.md',
	'memory/a\0b.md',
	'memory/line\nbreak.md',
	'memory/trailing. ',
	'memory/con:stream',
	'memory/\u202egpj.md',
	'memory/zero\u200bwidth.md',
	`memory/${'x'.repeat(256)}`,
	`${'deep/'.repeat(300)}x.md`,
	'skills/a/../../../x',
	'install.sh',
	'.git/config',
	'node_modules/x/index.js',
]

const zips: Record<string, () => Uint8Array> = {
	'is empty': () => new Uint8Array(),
	'is over 10 MiB': () => new Uint8Array(10 * 2 ** 20 + 1),
	'is text': () => Buffer.from('PK, but no zip'),
	'ends early': () => withAgent(yaml).subarray(0, 200),
	'has something behind it': () => Buffer.concat([withAgent(yaml), Buffer.from('tail')]),
	'is a zip of nothing': () => rawZip([]),
	'has no list of files': () => rawZip(Object.entries(files).map(([name, content]) => ({ name, content }))),
	'holds a symbolic link': () => bundle({}, [{ name: 'memory/x', content: '/etc/passwd', mode: 0o120777 }]),
	'holds a device': () => bundle({}, [{ name: 'memory/x', content: '', mode: 0o020666 }]),
	'holds one name twice': () => bundle({}, [{ name: 'prompt.md', content: 'another' }]),
	'holds two names that differ in case': () => bundle({}, [{ name: 'PROMPT.md', content: 'another' }]),
	'inflates to 200 MiB and says 10 bytes': () =>
		bundle({}, [{ name: 'memory/x', content: Buffer.alloc(200 * 2 ** 20), declaredSize: 10 }]),
	'shares the bytes of one file among many': () =>
		bundle(
			{},
			Array.from({ length: 100 }, (_, index) => ({
				name: `memory/${index}`,
				content: 'x',
				sharesBytesOf: 2,
			})),
		),
	'is named otherwise inside': () => bundle({}, [{ name: 'memory/a', content: 'x', localName: 'memory/b' }]),
	'is encrypted': () => bundle({}, [{ name: 'memory/a', content: 'x', flags: 1 }]),
	'is packed in a way nobody reads': () => bundle({}, [{ name: 'memory/a', content: 'x', method: 99 }]),
	'holds over 2,000 files': () =>
		bundle(
			{},
			Array.from({ length: 2_000 }, (_, index) => ({ name: `memory/${index}`, content: '', method: 0 })),
		),
	'has a name that is no UTF-8': () => bundle({}, [{ name: Uint8Array.of(0x6d, 0xff), content: 'x' }]),
	'lists a file that is not there': () =>
		bundle({}, [], {
			files: [{ path: 'memory/gone', size: 1, sha256: 'a'.repeat(64) }],
		}),
	'holds a file that is not listed': () => withFile('memory/extra'),
	'lists the wrong digest': () =>
		rawZip([
			{ name: 'bundle.json', content: manifestFor(files) },
			{ name: 'agent.yaml', content: yaml },
			{ name: 'prompt.md', content: 'You are SMALL.\n' },
		]),
}

const manifests: Record<string, () => Uint8Array> = {
	'is no JSON': () => replaced('{'),
	'is null': () => replaced('null'),
	'is a list': () => replaced('[]'),
	'begins with a byte order mark': () => replaced(`\ufeff${manifestFor(files)}`),
	'is no UTF-8': () => replaced(Uint8Array.of(0x7b, 0xff, 0x7d)),
	'is not canonical': () => replaced(`${manifestFor(files)}\n`),
	'names a member twice': () => replaced(manifestFor(files).replace('{', '{"format":1,')),
	'has an unknown member': () => bundle({}, [], { extra: 1 }),
	'is nested 50,000 deep': () => replaced(`${'['.repeat(50_000)}${']'.repeat(50_000)}`),
	'is of a newer format': () => bundle({}, [], { format: 2, berth: '9.0.0' }),
	'says another agent than agent.yaml': () => bundle({}, [], { agent: { name: 'other' } }),
	'has a commit that is none': () => bundle({}, [], { commit: 'HEAD; rm -rf /' }),
	'holds 10 MB of one text': () => replaced(`{"berth":"${'x'.repeat(10_000_000)}"}`),
	'lists a million files': () => replaced(`{"files":[${list(1_000_000, () => '{}', ',')}]}`),
}

const agents: Record<string, string> = {
	'has 8,000 keys in one map': `${yaml}inputs:\n  properties:\n${list(8_000, (n) => `    k${n}: {}`)}\n`,
	'has 60,000 keys in one map': `${yaml}inputs:\n  properties:\n${list(60_000, (n) => `    k${n}: {}`)}\n`,
	'has a list of a million items': `${yaml}requires: [${'a,'.repeat(1_000_000)}]\n`,
	'has 200,000 faults of syntax': `${yaml}${'}\n'.repeat(200_000)}`,
	'is nested 100,000 deep': `${yaml}output: ${'['.repeat(100_000)}${']'.repeat(100_000)}\n`,
	'opens 100,000 brackets': `${yaml}output: ${'{a: '.repeat(100_000)}`,
	'is indented 5,000 deep': `${yaml}output:\n${list(5_000, (n) => `${' '.repeat(n + 1)}a:`)}\n`,
	'doubles an alias thirty times': `${yaml}output:\n  a0: &a0 [x, x]\n${list(30, (n) => `  a${n + 1}: &a${n + 1} [*a${n}, *a${n}]`)}\n`,
	'refers to itself': `${yaml}output: &a [*a]\n`,
	'merges a map into itself': `${yaml}output: &a { <<: *a }\n`,
	'has 50,000 anchors': `${yaml}output: [${list(50_000, (n) => `&a${n} x`, ', ')}]\n`,
	'is two documents': `${yaml}---\n${yaml}`,
	'asks for a type of its own': `${yaml}output: !!js/function "() => process.exit()"\n`,
	'names a key twice': `${yaml}name: other\n`,
	'has a key __proto__': `${yaml}__proto__: { admin: true }\n`,
	'has an unknown member': `${yaml}run_as: root\n`,
	'is a text': 'small',
	'is empty': '',
	'is a number with a million digits': `${yaml}limits: { steps: ${'9'.repeat(1_000_000)} }\n`,
	'asks for a negative limit': `${yaml}limits: { seconds: -1 }\n`,
	'has a name with a bidirectional mark': yaml.replace('small', '"sm\u202eall"'),
	'has a base_url of a file': yaml.replace('name: m', 'name: m, base_url: "file:///etc/passwd"'),
	'has a base_url with a line break': yaml.replace(
		'name: m',
		'name: m, base_url: "http://llm.example/\\r\\nX-Evil: 1"',
	),
	'has a base_url with a password': yaml.replace('name: m', 'name: m, base_url: "https://a:b@llm.example"'),
	'has a connector that is no URL': `${yaml}requires: [{ connector: "javascript:alert(1)", scopes: [], auth: none, kind: connector, tools: [a] }]\n`,
	'has a connector with user information': `${yaml}requires: [{ connector: "https://a:b@mcp.example/mcp", scopes: [], auth: none, kind: connector, tools: [a] }]\n`,
	'requires 10,000 connectors': `${yaml}requires:\n${list(10_000, (n) => `  - { connector: "https://c${n}.example/mcp", scopes: [], auth: none, kind: connector, tools: [a] }`)}\n`,
	'has a schema that is none': `${yaml}inputs: { type: strin }\n`,
	'has a schema from somewhere else': `${yaml}inputs: { $ref: "http://169.254.169.254/schema.json" }\n`,
	'has a pattern that is none': `${yaml}inputs: { type: object, properties: { a: { type: string, pattern: "(" } } }\n`,
	'has a prompt outside': `${yaml}prompt: ../../../etc/passwd\n`,
	'has a prompt that is not there': `${yaml}prompt: other.md\n`,
}

const others: Record<string, Record<string, string>> = {
	'a prompt with 200,000 placeholders': { 'prompt.md': '{{name}}'.repeat(200_000) },
	'a skill without front matter': { 'skills/a/SKILL.md': 'no front matter' },
	'a skill whose front matter never ends': { 'skills/a/SKILL.md': `---\n${'a: b\n'.repeat(100_000)}` },
	'a skill whose front matter has 20,000 keys': {
		'skills/a/SKILL.md': `---\nname: a\ndescription: b\n${list(20_000, (n) => `k${n}: 1`)}\n---\n`,
	},
	'a skill named like another folder': { 'skills/a/SKILL.md': '---\nname: b\ndescription: c\n---\n' },
	'a program that was not compiled': { 'agent.ts': 'import fs from "node:fs"\nexport default 5\n' },
}

const named = (family: string, cases: [string, () => Uint8Array][]): HostileBundle[] =>
	cases.map(([name, bytes]) => ({ name: `${family} ${name}`, bytes }))

export const hostileBundles: HostileBundle[] = [
	...named(
		'a file at',
		paths.map((path) => [JSON.stringify(path).slice(0, 60), () => withFile(path)]),
	),
	...named('a zip that', Object.entries(zips)),
	...named('a bundle.json that', Object.entries(manifests)),
	...named(
		'an agent.yaml that',
		Object.entries(agents).map(([name, text]) => [name, () => withAgent(text)]),
	),
	...named(
		'a bundle with',
		Object.entries(others).map(([name, changed]) => [name, () => bundle(changed)]),
	),
]
