import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

/** The smallest agent there is; tests add to it. */
export const minimal = {
	'agent.yaml': 'name: small\nmodel: { provider: openai, name: m }\n',
	'prompt.md': 'You are small.\n',
}

export interface Repository {
	root: string
	write(files: Record<string, string>): void
	commit(): void
	git(...args: string[]): string
}

/** A repository in a folder of its own, gone when the test ends. */
export function repository(files: Record<string, string> = {}): Repository {
	const root = temporary()
	const git = (...args: string[]) =>
		execFileSync('git', args, {
			cwd: root,
			encoding: 'utf8',
			stdio: ['ignore', 'pipe', 'pipe'],
			env: {
				PATH: process.env.PATH,
				GIT_CONFIG_GLOBAL: '/dev/null',
				GIT_CONFIG_NOSYSTEM: '1',
				GIT_AUTHOR_NAME: 'test',
				GIT_AUTHOR_EMAIL: 'test@example.com',
				GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z',
				GIT_COMMITTER_NAME: 'test',
				GIT_COMMITTER_EMAIL: 'test@example.com',
				GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z',
			},
		}).trim()
	const write = (more: Record<string, string>) => {
		for (const [path, text] of Object.entries(more)) {
			mkdirSync(dirname(join(root, path)), { recursive: true })
			writeFileSync(join(root, path), text)
		}
	}
	const commit = () => {
		git('add', '--all')
		git('commit', '--quiet', '--message', 'a change')
	}
	git('init', '--quiet', '--initial-branch', 'main', '--template=')
	write(files)
	if (Object.keys(files).length > 0) commit()
	return { root, write, commit, git }
}

/** Gone when the test ends. Not for tests that run at once: it may be registered for another of them. */
export function temporary(): string {
	const folder = mkdtempSync(join(tmpdir(), 'berth-test-'))
	onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
	return folder
}
