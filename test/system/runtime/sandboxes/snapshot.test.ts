// A sandbox may start from Node's snapshot only where that brings the read-only heap which its isolates are made for.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { snapshotFlags } from '../../../../runtime/process/sandboxes/launch/node.ts'
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
