import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { berth, launcher, temporary } from '../../../kit/berth.ts'
import { openBrowser } from '../../../kit/browser.ts'
import type { TestHost } from '../../../kit/host.ts'
import { signIn } from '../../../kit/oauth-clients.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

let host: TestHost
beforeAll(async () => {
	host = await sharedHost()
})
afterAll(() => host?.close())

const person = { email: 'signs-in@example.com', password: 'a long enough password' }

describe('berth login', () => {
	// Proves: cli.login, account.program-ends
	it('signs in by browser over the real pages, and renews the token when it ends', async () => {
		await host.account(person)
		const env = { XDG_CONFIG_HOME: temporary() }
		const child = spawn(process.execPath, [launcher, 'login', '--url', host.url, '--no-browser'], {
			env: { PATH: process.env.PATH, ...env },
			stdio: ['ignore', 'pipe', 'pipe'],
		})
		onTestFinished(() => void child.kill())
		let said = ''
		for (const stream of [child.stdout, child.stderr])
			stream.setEncoding('utf8').on('data', (text: string) => (said += text))
		await expect.poll(() => said).toMatch(/http\S+\n/)
		const ended = once(child, 'exit')
		const consent = await signIn(/http\S+/.exec(said)?.[0] ?? '', person, openBrowser())
		expect(consent.html).toContain(`<h1>Allow Berth command line on ${hostname()}?</h1>`)
		expect(consent.html).toContain('<p class="mark">Berth</p>')
		const { url: answer } = await consent.submit({}, 'Allow')
		expect((await fetch(answer)).status).toBe(200)
		expect(await ended).toEqual([0, null])
		expect(said).toContain(`Signed in at ${host.url} as ${person.email}`)

		const who = async () => JSON.parse((await berth(['whoami', '--json'], { env })).stdout)
		expect(await who()).toMatchObject({ email: person.email })
		for (const args of [
			['tokens', 'create', 'stay'],
			['erase', '--account', '--yes'],
		]) {
			const { code, stderr } = await berth(args, { env })
			expect({ args, code }).toEqual({ args, code: 1 })
			expect(stderr).toMatch(/as by `berth login`, cannot .* personal access token.* \(\/hub\/tokens\)/)
		}
		const file = join(env.XDG_CONFIG_HOME, 'berth/login.json')
		const stored = JSON.parse(readFileSync(file, 'utf8'))
		writeFileSync(file, JSON.stringify({ ...stored, grant: { ...stored.grant, expiresAt: Date.now() } }))
		expect(await who()).toMatchObject({ email: person.email })
		const renewed = JSON.parse(readFileSync(file, 'utf8'))
		expect(renewed.token).not.toBe(stored.token)
		expect(renewed.grant.expiresAt).toBeGreaterThan(Date.now())
		expect(JSON.parse((await berth(['logout', '--json'], { env })).stdout)).toMatchObject({ ended: true })
		writeFileSync(file, JSON.stringify(renewed))
		expect((await berth(['whoami'], { env })).stderr).toContain('(unauthenticated)')
	})

	it('fails where the person says no or the answer is wrong, and goes on waiting after one that is not for it', async () => {
		for (const query of ['error=access_denied&error_description=No', 'code=x']) {
			const child = spawn(process.execPath, [launcher, 'login', '--url', host.url, '--no-browser'], {
				env: { PATH: process.env.PATH, XDG_CONFIG_HOME: temporary() },
				stdio: ['ignore', 'ignore', 'pipe'],
			})
			onTestFinished(() => void child.kill())
			let said = ''
			child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
			await expect.poll(() => said).toMatch(/redirect_uri=\S+\n/)
			const { searchParams } = new URL(/http\S+/.exec(said)?.[0] ?? '')
			const answer = (state: string) => fetch(`${searchParams.get('redirect_uri')}?${query}&state=${state}`)
			const ended = once(child, 'exit')
			expect((await answer('forged')).status).toBe(400)
			expect(child.exitCode).toBe(null)
			expect((await answer(searchParams.get('state') ?? '')).status).toBe(400)
			expect(await ended).toEqual([1, null])
			expect(said).toMatch(/\(sign_in_failed\)/)
		}
	})
})
