import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { takeLock } from '../../../../host/db/lock.ts'

let dir = ''
const file = () => join(dir, 'host.lock')

beforeEach(() => {
	dir = mkdtempSync(join(tmpdir(), 'berth-lock-'))
})

afterEach(() => rmSync(dir, { recursive: true, force: true }))

test('a lock is refused while its holder lives, and free when it is released', () => {
	const release = takeLock(file())
	expect(takeLock(file())).toBeNull()
	release?.()
	expect(takeLock(file())).not.toBeNull()
})

// Proves: start.stale-lock
test('a lock is taken over when its holder is gone', () => {
	writeFileSync(file(), JSON.stringify({ pid: 2 ** 22 + 1, started: '1' }))
	expect(takeLock(file())).not.toBeNull()
	expect(JSON.parse(readFileSync(file(), 'utf8'))).toMatchObject({ pid: process.pid })
})

// Proves: start.stale-lock
test('a lock is taken over when its holder’s number now belongs to another process', () => {
	writeFileSync(file(), JSON.stringify({ pid: process.pid, started: '1' }))
	expect(takeLock(file())).not.toBeNull()
})

test('a lock that is another’s by now is left to it when it is released', () => {
	const release = takeLock(file())
	writeFileSync(file(), 'somebody else')
	release?.()
	expect(readdirSync(dir)).toEqual(['host.lock'])
})

// Proves: start.stale-lock
test('a lock is taken over when its holder’s number is now that of another user’s process', () => {
	writeFileSync(file(), JSON.stringify({ pid: 1, started: '0' }))
	expect(takeLock(file())).not.toBeNull()
})
