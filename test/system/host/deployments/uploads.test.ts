import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { upload } from '../../../kit/agent.ts'
import type { TestAccount, TestHost } from '../../../kit/host.ts'
import { manifestFor, rawZip } from '../../../kit/raw-zip.ts'
import { minimal } from '../../../kit/repository.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

// Uploads are read off the event loop, within bounds, for as long as somebody waits for them.

let host: TestHost
let account: TestAccount

beforeAll(async () => {
	host = await sharedHost()
	account = await host.account()
})
afterAll(() => host.close())

function bundle(files: Record<string, string> = {}): Uint8Array {
	const all = { ...minimal, ...files }
	const entries = Object.entries(all).map(([name, content]) => ({ name, content }))
	return rawZip([{ name: 'bundle.json', content: manifestFor(all) }, ...entries])
}

const dryRun = (bytes: Uint8Array, name = 'a') =>
	host.call<{ ok: boolean; faults: { code: string; detail: string }[] }>('/v1/deployments?dry_run=true', {
		token: account.token,
		body: upload(bytes, { name }),
	})

/** Each skill's head is as dear as it may be: together they take longer than any bundle may. */
const endless = () => {
	const head = (name: string) => `name: ${name}\ndescription: d\nx: [${'[],'.repeat(5_000)}]\n`
	const skills = Array.from({ length: 1_900 }, (_, n) => [
		`skills/s${n}/SKILL.md`,
		`---\n${head(`s${n}`)}---\n`,
	])
	return bundle(Object.fromEntries(skills))
}

// Proves: deployment.invalid-bundle-refused
test.each([
	[
		'8,000 members',
		{ 'agent.yaml': `${minimal['agent.yaml']}x: {${Array.from({ length: 8_000 }, (_, n) => `k${n}: 1`)}}` },
	],
	['a million items', { 'agent.yaml': `${minimal['agent.yaml']}x: [${'1,'.repeat(1_000_000)}]` }],
	['200,000 syntax errors', { 'agent.yaml': '}\n'.repeat(200_000) }],
	['200,000 placeholders', { 'prompt.md': '{{a}}'.repeat(200_000) }],
	['50,000 brackets', { 'agent.yaml': '['.repeat(50_000) }],
])('a bundle with %s is invalid, and no failure of the host', async (_, files) => {
	const made = { token: account.token, body: upload(bundle(files), { name: 'a' }) }
	const { status, body } = await host.call<{ code: string; errors: unknown[] }>('/v1/deployments', made)
	expect([status, body.code]).toEqual([422, 'bundle_invalid'])
	expect(body.errors.length).toBeLessThanOrEqual(100)
	expect((await dryRun(bundle(files))).body).toMatchObject({
		ok: false,
		faults: [{ code: 'bundle_invalid' }],
	})
})

// Proves: deployment.invalid-form-refused
test.each([
	['no boundary', 'multipart/form-data', 'x', 'not well-formed'],
	[
		// Counted and not read, which takes a busy machine longer than a bundle has.
		'100,000 parts',
		'multipart/form-data; boundary=b',
		`${'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'.repeat(100_000)}--b--\r\n`,
		'over 100 parts',
	],
	[
		'a part again',
		'multipart/form-data; boundary="b"',
		`${'--b\r\nContent-Disposition: form-data; name="__proto__"\r\n\r\n\r\n'.repeat(2)}--b--\r\n`,
		'sent twice',
	],
])('a form with %s is refused', async (_, type, body, detail) => {
	const call = { token: account.token, body, headers: { 'content-type': type } }
	const answer = await host.call('/v1/deployments', call)
	expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request'])
	expect(answer.body.detail).toContain(detail)
})

/** The head of an upload of so many bytes is sent. */
function announced(length: number) {
	const socket = connect(Number(new URL(host.url).port), '127.0.0.1')
	const head = [
		'POST /v1/deployments?dry_run=true HTTP/1.1',
		'Host: a',
		`Authorization: Bearer ${account.token}`,
		'Content-Type: multipart/form-data; boundary=b',
		`Content-Length: ${length}`,
		'Expect: 100-continue',
	]
	socket.write(`${head.join('\r\n')}\r\n\r\n`)
	return socket
}

// Proves: error.problem-json
test.each([11, 65, 300, 5_000])('a bundle of %i MiB is too large before it comes', async (mib) => {
	const socket = announced(mib * 1024 * 1024)
	let text = ''
	socket.on('data', (data) => {
		text += data
	})
	await expect.poll(() => text).toContain('request_id')
	socket.destroy()
	expect(text).toMatch(/\r\nHTTP\/1\.1 413 /)
	expect(text).toContain('over the 10551296 bytes')
})

test('a sender that hangs up within its bundle is no failure of the host', async () => {
	const socket = announced(100_000)
	await once(socket, 'data')
	socket.write('--b\r\n')
	// Long enough for the host to be reading what comes, and then to hear that nothing does.
	expect((await dryRun(bundle())).status).toBe(200)
	socket.destroy()
	expect((await dryRun(bundle())).status).toBe(200)
	expect(host.logs().filter((line) => line.includes('ECONNRESET'))).toEqual([])
})

describe('while a bundle is read that takes too long', () => {
	// Proves: bundle.upload-neighbour
	test('everybody else is answered, and who hung up leaves no work behind', async () => {
		const form = new Response(upload(endless(), { name: 'a' }))
		const call = request(`${host.url}/v1/deployments?dry_run=true`, {
			method: 'POST',
			headers: {
				authorization: `Bearer ${account.token}`,
				'content-type': form.headers.get('content-type') ?? '',
			},
		})
		let answered = false
		call.on('response', () => {
			answered = true
		})
		call.on('error', () => {})
		const body = Buffer.from(await form.arrayBuffer())
		await new Promise<void>((sent) => call.end(body, sent))
		const other = await host.account()
		const theirs = { token: other.token, body: upload(bundle(), { name: 'a' }) }
		const asked = performance.now()
		expect((await host.call<{ ok: boolean }>('/v1/deployments?dry_run=true', theirs)).body.ok).toBe(true)
		const usualMs = performance.now() - asked
		expect(answered).toBe(false)
		// An account's bundles are read one by one: this one is only once the other has been ended.
		const mine = dryRun(bundle())
		call.destroy()
		const hungUp = performance.now()
		expect((await mine).body.ok).toBe(true)
		// Left to itself it would go on to its limit of ten seconds.
		expect(performance.now() - hungUp).toBeLessThan(6_000 + 2 * usualMs)
		expect(answered).toBe(false)
	})
})

// Proves: deployment.uploads-bounded
test('an account may have so many uploads under way, and no more', async () => {
	const open = Array.from({ length: 33 }, () => {
		const call = request(`${host.url}/v1/deployments?dry_run=true`, {
			method: 'POST',
			headers: {
				authorization: `Bearer ${account.token}`,
				'content-type': 'multipart/form-data; boundary=b',
				'content-length': 1_000,
			},
		})
		call.on('error', () => {})
		call.write('--b\r\n')
		return call
	})
	const refused = await Promise.race(
		open.map(
			(call) =>
				new Promise<{ status: number | undefined; after: string | undefined }>((resolve) =>
					call.on('response', ({ statusCode, headers }) =>
						resolve({ status: statusCode, after: headers['retry-after'] }),
					),
				),
		),
	)
	expect(refused).toEqual({ status: 429, after: '2' })
	const other = await host.account()
	const theirs = { token: other.token, body: upload(bundle(), { name: 'a' }) }
	expect((await host.call('/v1/deployments?dry_run=true', theirs)).status).toBe(200)
	for (const call of open) call.destroy()
	await expect.poll(async () => (await dryRun(bundle())).status).toBe(200)
})
