// Imports go one way, a room is entered by its door, and no file waits for itself.
import { expect, test } from 'vitest'
import { circlesOf } from './circles.ts'
import { sources } from './sources.ts'

/** Longest prefix wins: what a room may import of others. */
const allowed: Record<string, string[]> = {
	bundles: ['bundles'],
	// What runs in no process of its own: any of them may use it.
	'runtime/lib': ['runtime/lib'],
	'runtime/prices': ['runtime/prices'],
	'runtime/egress': ['runtime/egress'],
	'runtime/wire': ['runtime/wire', 'runtime/egress', 'runtime/prices', 'bundles'],
	// By the process that runs it: in the host, in the runtime, in a sandbox, in an isolate.
	'runtime/supervisor': ['runtime/supervisor', 'runtime/wire', 'runtime/lib'],
	'runtime/process': [
		'runtime/process',
		'runtime/wire',
		'runtime/lib',
		'runtime/egress',
		'runtime/prices',
		'bundles',
	],
	'runtime/sandbox': ['runtime/sandbox', 'runtime/wire', 'runtime/lib'],
	'runtime/guest': ['runtime/guest', 'runtime/wire', 'bundles'],
	connector: ['connector'],
	'connector/judge': ['connector/judge'],
	host: [
		'host',
		'runtime/supervisor',
		'runtime/wire',
		'runtime/lib',
		'runtime/egress',
		'runtime/prices',
		'bundles',
		'connector',
	],
	'host/owner/client': ['host/owner/client', 'host/api', 'bundles'],
	'host/console': ['host/console', 'host/owner/client', 'host/api', 'bundles'],
	'host/owner/cli': ['host/owner/cli', 'host/owner/client', 'bundles'],
	'host/owner/demo': ['host/owner/demo', 'host/owner/cli', 'host/owner/client', 'bundles'],
}

/**
 * The one table of settings, which `berth settings` prints, how long work is shown, what is wrong with a value, and a free
 * port: they need nothing else.
 */
const shared = new Set([
	...['host/settings/config.ts', 'host/lib/free-port.ts'],
	...['.tools/progress.mjs', 'bundles/words.ts'],
])

/**
 * The host's folders in the order in which `host/start` makes them: each imports only those before it. What an earlier one
 * needs of a later one it is handed, typed by an interface of its own (host/deployments/parts.ts).
 */
const order = [
	...['settings', 'lib', 'api', 'db', 'backup', 'upgrade', 'http', 'metrics', 'traces', 'master-key'],
	...[
		'auth',
		'audit',
		'accounts',
		'alerts',
		'places',
		'pages',
		'budgets',
		'memory',
		'deployments',
		'files',
		'keys',
		'tools',
		'credentials',
	],
	...['webhooks', 'runs', 'schedules', 'overview', 'erasure', 'guard', 'start'],
]
/** Who reaches the host over HTTP alone. */
const outside = ['owner', 'console']
/** Entered at any file: they have no state and no parts. `start` is entered by nobody. */
const plain = ['settings', 'lib', 'api', 'http', 'start']
const doors = [
	'bundles',
	'runtime/egress',
	'runtime/prices',
	'connector',
	...order.filter((folder) => !plain.includes(folder)).map((folder) => `host/${folder}`),
	'host/owner/client',
]
/**
 * Not behind a door: types for the guest's programs, the tables that the migration is generated from, and what the console
 * needs of bundles without what only Node has.
 */
const open = /\.d\.ts$|^connector\/schema\.ts$|^bundles\/(?:connector-url|words)\.ts$/

const inside = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`)
const roomOf = (path: string) =>
	Object.keys(allowed)
		.filter((room) => inside(path, room))
		.sort((a, b) => b.length - a.length)[0] ?? ''

const imports = sources.flatMap(({ path, imports }) => imports.map((one) => ({ from: path, ...one })))

// Proves: repository.rooms
test('imports go one way when one room uses another', () => {
	const wrong = imports
		.filter(({ from, to }) => !shared.has(to) && !allowed[roomOf(from)]?.some((room) => inside(to, room)))
		.map(({ from, to }) => `${from} → ${to}`)
	expect(wrong).toEqual([])
})

const folderOf = (path: string) => /^host\/([^/]+)/.exec(path)?.[1]

// Proves: repository.feature-order
test('a folder of the host imports only the folders that are made before it', () => {
	const made = imports
		.map(({ from, to }) => ({ from, to, by: folderOf(from), of: folderOf(to) }))
		.filter(({ by, of }) => by !== undefined && of !== undefined && !outside.includes(by))
	const place = (folder = '') => order.indexOf(folder)
	const wrong = made
		.filter(({ by, of }) => place(of) === -1 || place(of) > place(by))
		.map(({ from, to }) => `${from} → ${to}`)
	expect(wrong).toEqual([])
})

// Proves: repository.rooms
test('a room is entered through its index.ts when the import comes from outside', () => {
	const wrong = imports
		.filter(({ from, to }) => {
			const door = doors.find((room) => inside(to, room) && !inside(from, room))
			return door !== undefined && to !== `${door}/index.ts` && !open.test(to)
		})
		.map(({ from, to }) => `${from} → ${to}`)
	expect(wrong).toEqual([])
})

// Proves: repository.rooms
test('what only trains and measures the judge is loaded by nothing that ships', () => {
	const lab = 'connector/judge/lab'
	const wrong = imports.filter(({ from, to }) => inside(to, lab) && !inside(from, lab))
	expect(wrong.map(({ from, to }) => `${from} → ${to}`)).toEqual([])
})

/** Each takes 24 MB and 80 ms or more once it is loaded. */
const heavy = /^(openai|@anthropic-ai\/sdk|@opentelemetry)(\/|$)/

/** Loaded by `import()` alone, when the operator names a collector, with what both of them need. */
const collecting = ['host/traces/start.ts', 'host/metrics/otlp.ts']
const forCollecting = 'host/lib/otel-resource.ts'

// Proves: observe.traces-off
test('heavy packages give types only, or are loaded when they are needed', () => {
	const loaded = sources
		.filter(({ path }) => ![...collecting, forCollecting].includes(path))
		.flatMap(({ path, packages }) =>
			packages.filter((name) => heavy.test(name)).map((name) => `${path} → ${name}`),
		)
	expect(loaded).toEqual([])
	const loading = sources.flatMap(({ path, imports }) =>
		imports
			.filter(({ to, typeOnly }) => [...collecting, forCollecting].includes(to) && !typeOnly)
			.filter(({ to }) => !(to === forCollecting && collecting.includes(path)))
			.map(() => path),
	)
	expect(loading).toEqual([])
})

test('no file needs itself when modules are loaded', () => {
	const needs = new Map(
		sources.map(({ path, imports }) => [
			path,
			imports.filter(({ typeOnly }) => !typeOnly).map(({ to }) => to),
		]),
	)
	const done = new Set<string>()
	const cycles: string[] = []
	const visit = (path: string, trail: string[]) => {
		const at = trail.indexOf(path)
		if (at !== -1) return void cycles.push([...trail.slice(at), path].join(' → '))
		if (done.has(path)) return
		for (const next of needs.get(path) ?? []) visit(next, [...trail, path])
		done.add(path)
	}
	for (const { path } of sources) visit(path, [])
	expect(cycles).toEqual([])
})

// Proves: repository.circles
test('at most five files need each other, types included', () => {
	const ring = new Map(['a', 'b', 'c', 'd'].map((name, i, all) => [name, [all[(i + 1) % 3] as string]]))
	expect(circlesOf(ring)).toEqual([['a', 'b', 'c']])
	const needs = new Map(sources.map(({ path, imports }) => [path, imports.map(({ to }) => to)]))
	expect(circlesOf(needs).filter((circle) => circle.length > 5)).toEqual([])
})
