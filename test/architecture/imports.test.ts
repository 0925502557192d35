// Architecture, "Rooms": imports go one way, a room is entered by its door, and no file waits for itself.
import { expect, test } from 'vitest'
import { sources } from './sources.ts'

/** Longest prefix wins: what a room may import of others. */
const allowed: Record<string, string[]> = {
	bundles: ['bundles'],
	runtime: ['runtime', 'bundles'],
	connector: ['connector'],
	host: ['host', 'runtime', 'bundles', 'connector'],
	'host/client': ['host/client', 'host/api', 'bundles'],
	'host/cli': ['host/cli', 'host/client', 'bundles'],
	'host/console': ['host/console', 'host/client', 'bundles'],
}

/** The one table of settings, which `berth settings` prints, and how long work is shown: they need nothing else. */
const shared = new Set(['host/config.ts', '.tools/progress.mjs'])

/** Rooms, outermost first; the host's features are rooms within it. */
const features = [
	'db',
	'platform',
	'budgets',
	'deployments',
	'memory',
	'runs',
	'webhooks',
	'schedules',
	'client',
	'cli',
	'console',
]
const doors = ['bundles', 'runtime', 'connector', ...features.map((name) => `host/${name}`)]
/** Not behind a door: types for the guest's programs, and the tables that the migration is generated from. */
const open = /\.d\.ts$|^connector\/schema\.ts$/

const inside = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`)
const roomOf = (path: string) =>
	Object.keys(allowed)
		.filter((room) => inside(path, room))
		.sort((a, b) => b.length - a.length)[0] ?? ''

const imports = sources.flatMap(({ path, imports }) => imports.map((one) => ({ from: path, ...one })))

test('imports go one way when one room uses another', () => {
	const wrong = imports
		.filter(({ from, to }) => !shared.has(to) && !allowed[roomOf(from)]?.some((room) => inside(to, room)))
		.map(({ from, to }) => `${from} → ${to}`)
	expect(wrong).toEqual([])
})

test('a room is entered through its index.ts when the import comes from outside', () => {
	const wrong = imports
		.filter(({ from, to }) => {
			const door = doors.find((room) => inside(to, room) && !inside(from, room))
			return door !== undefined && to !== `${door}/index.ts` && !open.test(to)
		})
		.map(({ from, to }) => `${from} → ${to}`)
	expect(wrong).toEqual([])
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
