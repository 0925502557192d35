import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createKeyring, createWrapper, loadMasterKeys } from '../../../../runtime/process/keys/index.ts'
import { addKey, checksIn, keepKey } from '../../../../runtime/process/keys/key-file.ts'
import { openMasterKey, placeMasterKey, sealMasterKey } from '../../../../runtime/process/keys/passphrase.ts'

// Two keys while one is changed: both open, the one in use writes, and a file is never half written.

let dir: string
let file: string
beforeEach(() => {
	dir = mkdtempSync(join(tmpdir(), 'berth-keys-'))
	file = join(dir, 'master.key')
	loadMasterKeys({ file, mayGenerate: true })
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const ring = () => createKeyring(() => loadMasterKeys({ file, mayGenerate: false }))
const text = Buffer.from('a secret')

// Proves: credential.rotation
test('what the old key wrapped is opened, wrapped anew once, and then opens without it', () => {
	const [old = ''] = checksIn(file)
	const keys = ring()
	const wrapped = keys.wrap('sealing', text, ['d', 'k'])
	const added = addKey(file)
	expect(addKey(file)).toBe(added)
	expect(statSync(file).mode & 0o777).toBe(0o600)
	keys.use(added)
	expect(keys.held()).toEqual([added, old])
	expect(keys.unwrap('sealing', wrapped, ['d', 'k'])).toEqual(text)
	const again = keys.rewrap('sealing', wrapped, ['d', 'k']) ?? ''
	expect(keys.rewrap('sealing', again, ['d', 'k'])).toBeNull()
	expect(keys.rewrap('sealing', wrapped, ['d', 'another'])).toBeNull()
	keepKey(file, added)
	expect(checksIn(file)).toEqual([added])
	expect(ring().unwrap('sealing', again, ['d', 'k'])).toEqual(text)
	expect(() => ring().unwrap('sealing', wrapped, ['d', 'k'])).toThrow('does not open')
})

test('a file without the key in use, or with a broken line, changes nothing in a process that has it', () => {
	const [old = ''] = checksIn(file)
	const keys = ring()
	const before = readFileSync(file, 'utf8')
	expect(() => keepKey(file, 'another')).toThrow('does not hold the key in use')
	keys.use('another')
	expect(keys.held()).toEqual([old])
	writeFileSync(file, `${before}half a li`)
	expect(() => keys.use(old)).toThrow('does not hold a master key')
	expect(keys.check()).toBe(old)
})

// Proves: credential.rotation
test('a backup in the middle of a change carries both keys', () => {
	const [old = ''] = checksIn(file)
	const added = addKey(file)
	const sealed = sealMasterKey(file, added, 'a passphrase')
	const restored = join(dir, 'restored.key')
	placeMasterKey(restored, openMasterKey(sealed, added, 'a passphrase'))
	expect(checksIn(restored)).toEqual([added, old])
	expect(createWrapper(loadMasterKeys({ file: restored, mayGenerate: false })[0] as Buffer).check()).toBe(
		added,
	)
})
