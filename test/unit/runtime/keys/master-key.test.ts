import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createWrapper, loadMasterKeys } from '../../../../runtime/process/keys/index.ts'
import { isSecret } from '../../../../runtime/process/keys/master-key.ts'

// One master key, mode 0600, made only for an empty database, told apart by a check value.

let dir: string
let file: string
beforeEach(() => {
	dir = mkdtempSync(join(tmpdir(), 'berth-keys-'))
	file = join(dir, 'data', 'master.key')
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const load = (mayGenerate = false) => loadMasterKeys({ file, mayGenerate })[0] as Buffer
const code = (run: () => unknown) => {
	try {
		run()
	} catch (error) {
		const { code, message } = error as { code: string; message: string }
		return `${code}: ${message}`
	}
	return 'no error'
}

// Proves: credential.master-key-mode
test('a master key is made with mode 0600 when it may be, and read again afterwards', () => {
	const made = load(true)
	expect(made).toHaveLength(32)
	expect(statSync(file).mode & 0o777).toBe(0o600)
	expect(readdirSync(join(dir, 'data'))).toEqual(['master.key'])
	expect(load()).toEqual(made)
	expect(load(true)).toEqual(made)
})

// Proves: credential.master-key-missing
test('a missing master key is refused with what to do when the database is not empty', () => {
	expect(code(() => load())).toMatch(/^master_key_missing: .*Copy the file from the host that has it/)
})

// Proves: credential.master-key-mode
test('a master key that others may read is refused with the command that mends it', () => {
	load(true)
	for (const mode of [0o640, 0o604, 0o660]) {
		chmodSync(file, mode)
		expect(code(() => load(true))).toMatch(/^master_key_unusable: .*chmod 600/)
	}
})

// Proves: install.mounted-key
test('a key that root has mounted for one group is taken by an unprivileged host of that group alone', () => {
	const mounted = { mode: 0o100440, uid: 0, gid: 10001 }
	const pod = { uid: 10001, groups: [10001] }
	expect(isSecret(mounted, pod)).toBe(true)
	expect(isSecret(mounted, { uid: 10001, groups: [100] })).toBe(false)
	expect(isSecret(mounted, { uid: 0, groups: [0, 10001] })).toBe(false)
	for (const other of [{ mode: 0o100444 }, { mode: 0o100460 }, { uid: 10002 }, { gid: 0 }])
		expect(isSecret({ ...mounted, ...other }, { uid: 10001, groups: [0, 10001] })).toBe(false)
	expect(isSecret({ mode: 0o100600, uid: 10001, gid: 10001 }, pod)).toBe(true)
})

test('a file that is no key is refused and left as it is', () => {
	for (const content of ['', 'short', 'A'.repeat(42), `${'A'.repeat(43)}=`, 'A'.repeat(64)]) {
		load(true)
		writeFileSync(file, content)
		expect(code(() => load(true))).toMatch(/^master_key_unusable: .*does not hold a master key/)
		expect(readFileSync(file, 'utf8')).toBe(content)
		rmSync(file)
	}
})

// Proves: credential.master-key-other
test('check values differ from key to key and stay the same for one', () => {
	const checks = [1, 2, 3].map((byte) => createWrapper(Buffer.alloc(32, byte)).check())
	expect(new Set(checks).size).toBe(3)
	expect(createWrapper(Buffer.alloc(32, 1)).check()).toBe(checks[0])
})
