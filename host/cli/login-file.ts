import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

/** What `berth login` keeps: where the host is and a token for it. Readable by its owner only. */
export interface StoredLogin {
	url: string
	token: string
}

export function loginFile(): string {
	return join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'berth', 'login.json')
}

export function readLogin(): StoredLogin | null {
	try {
		const { url, token } = JSON.parse(readFileSync(loginFile(), 'utf8')) as Partial<StoredLogin>
		return typeof url === 'string' && typeof token === 'string' ? { url, token } : null
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

export function removeLogin(): void {
	rmSync(loginFile(), { force: true })
}
