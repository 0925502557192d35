// The heaps that a sandbox starts from: Node's snapshot, only where it brings the read-only heap which isolates are made for,
// and that of the guest program, only where it is of this program.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { snapshotFlags } from '../../../../runtime/process/sandboxes/launch/node.ts'
import { ivm } from '../../../../runtime/sandbox/ivm.ts'
import { keepSnapshot, snapshotOf } from '../../../../runtime/sandbox/snapshot.ts'
import { temporary } from '../../../kit/berth.ts'
import { distDir } from '../../../kit/guests.ts'

const addon = createRequire(join(distDir, 'sandbox.mjs')).resolve('isolated-vm')
/** The read-only heap stands in every snapshot. Addresses and hashes are those of these seeds. */
const PROGRAM = `
	const snapshot = require(${JSON.stringify(addon)}).Isolate.createSnapshot([])
	process.stdout.write(new Uint8Array(snapshot.copy()))`

function heap(flags: string[], seed = 1): Buffer {
	const seeds = [`--random-seed=${seed}`, `--hash-seed=${seed}`]
	const { stdout, status } = spawnSync(process.execPath, [...flags, ...seeds, '--eval', PROGRAM])
	expect(status).toBe(0)
	return stdout
}

// Proves: sandbox.read-only-heap
test('isolates find the same read-only heap with the flags of a sandbox as without Node’s snapshot', () => {
	const own = heap(['--no-node-snapshot'])
	expect(own.length).toBeGreaterThan(100_000)
	expect(heap(snapshotFlags()).equals(own)).toBe(true)
	// They are compared by what is in them.
	expect(heap(snapshotFlags(), 2).equals(own)).toBe(false)
})

test('a build of Node that was not compared starts a sandbox without its snapshot', () => {
	for (const build of ['v24.21.1 linux x64', 'v24.21.0 linux arm64', 'v26.0.0 linux x64'])
		expect(snapshotFlags(build)).toEqual(['--no-node-snapshot'])
})

// Proves: sandbox.kept-heap
test('the heap that a build kept is taken for the program that it was made of, and for no other', () => {
	const guest = join(temporary(), 'prelude.js')
	const told = () =>
		new ivm.Isolate({ snapshot: snapshotOf(guest) }).createContextSync().evalSync('told') as string
	const write = (says: string) => writeFileSync(guest, `globalThis.told = '${says}'`)
	write('one')
	expect(told()).toBe('one')
	keepSnapshot(guest)
	write('two')
	expect(told()).toBe('two')
	write('one, and more')
	expect(told()).toBe('one, and more')
	write('one')
	const [kept = ''] = readdirSync(join(guest, '..')).filter((name) => name.endsWith('.snapshot'))
	const [file, code] = [join(guest, '..', kept), readFileSync(guest)]
	const heap = readFileSync(file).subarray(code.length)
	write('kept')
	keepSnapshot(guest)
	// A heap that is told from the program’s own.
	const other = readFileSync(file).subarray(readFileSync(guest).length)
	expect(other.equals(heap)).toBe(false)
	write('one')
	writeFileSync(file, Buffer.concat([code, other]))
	expect(told()).toBe('kept')
})

// Proves: sandbox.kept-heap
test('a build keeps the heaps of both guest programs', () => {
	for (const folder of [distDir, join(distDir, 'previous')]) {
		const kept = readdirSync(folder).filter((name) => name.endsWith('.snapshot'))
		expect(kept).toEqual([`prelude.js.${process.version}-${process.platform}-${process.arch}.snapshot`])
		const code = readFileSync(join(folder, 'prelude.js'))
		const bytes = readFileSync(join(folder, String(kept[0])))
		expect(bytes.subarray(0, code.length).equals(code)).toBe(true)
		expect(bytes.length).toBeGreaterThan(code.length + 100_000)
	}
})
