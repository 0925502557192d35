import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Grant } from '../client/index.ts'

/** What `berth login` keeps: where the host is and a token for it. Readable by its owner only. */
export interface StoredLogin {
	url: string
	token: string
	/** Signed in by browser: how the token is renewed. */
	grant?: Grant
}

export function loginFile(): string {
	return join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'berth', 'login.json')
}

export function readLogin(): StoredLogin | null {
	try {
		const stored = JSON.parse(readFileSync(loginFile(), 'utf8')) as Partial<StoredLogin>
		return typeof stored.url === 'string' && typeof stored.token === 'string' ? (stored as StoredLogin) : null
	} catch {
		return null
	}
}

/** Written beside and moved into place, so that no moment shows half of it or another mode. */
export function writeLogin(login: StoredLogin): void {
	const file = loginFile()
	mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
	const next = `${file}.${process.pid}`
	writeFileSync(next, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600 })
	renameSync(next, file)
}

export function dropLogin(): void {
	rmSync(loginFile(), { force: true })
}
