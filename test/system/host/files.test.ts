import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { StoredFile } from '../../../host/api/files.ts'
import { requestTexts } from '../../../host/console/data/request-texts.ts'
import { sweepFiles } from '../../../host/files/index.ts'
import { bundleOf, deploy, type Running, run, until, upload, withSql } from '../../kit/agent.ts'
import { berth, temporary } from '../../kit/berth.ts'
import type { TestAccount, TestHost } from '../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../kit/model-server.ts'
import { sharedHost } from '../../kit/shared-host.ts'

// Files of runs: uploaded, refused, seen by whom, and gone.

let host: TestHost
let models: ModelServer
let account: TestAccount
let agent: Running
let other: Running

const yaml = `inputs:
  type: object
  properties:
    invoice: { type: file, accept: [application/pdf, image/*, text/csv], max_kb: 2048 }
    more: { type: array, items: { type: file } }
    note: { type: string }
`
const pdf = Buffer.from('%PDF-1.7\nan invoice\n')
const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), randomBytes(100)])

beforeAll(async () => {
	models = await startModelServer({ m: { text: 'Read.' } })
	host = await sharedHost()
	account = await host.account({ plan: 'team' })
	const model = `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }`
	const bundle = await bundleOf({ model, yaml })
	;[agent, other] = await Promise.all([deploy(host, account, bundle), deploy(host, account, bundle)])
})
afterAll(async () => {
	await host?.close()
	await models?.close()
})

const put = (bytes: Buffer, type = 'application/pdf', { at = agent, name = 'invoice.pdf' } = {}) =>
	host.call<StoredFile & { code: string; detail: string }>(
		`${at.url}/files?name=${encodeURIComponent(name)}`,
		{
			method: 'POST',
			token: at.run_key,
			body: new Blob([new Uint8Array(bytes)]),
			headers: { 'content-type': type },
		},
	)
const get = (url: string, headers: Record<string, string> = {}, token = agent.run_key) =>
	fetch(new URL(url, host.url), { headers: { authorization: `Bearer ${token}`, ...headers } })
const rows = (sha256: string) =>
	withSql(
		host,
		async (sql) =>
			(
				await sql`
				select (select count(*) from files where sha256 = ${sha256})::int as files,
					(select count(*) from file_blobs where sha256 = ${sha256})::int as blobs,
					coalesce((select sum(refs) from file_blobs where sha256 = ${sha256}), 0)::int as refs,
					(select count(*) from file_chunks c join file_blobs b on b.id = c.blob_id where b.sha256 = ${sha256})::int as chunks`
			)[0],
	)
const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const sweep = () => withSql(host, (sql) => sweepFiles(sql as never))
const secondKey = async (scopes = ['run', 'read']) =>
	(
		await host.call<{ run_key: string }>(`/v1/deployments/${agent.id}/keys`, {
			method: 'POST',
			token: account.token,
			json: { name: 'second', scopes },
		})
	).body

// Proves: file.uploaded, file.download-only
test('a file is uploaded, named in the inputs, and read again', async () => {
	const { status, body } = await put(pdf, 'application/pdf; x=1', { name: '../../etc/Größe "1".pdf' })
	expect(status).toBe(201)
	expect(body).toEqual({
		file: expect.stringMatching(/^file_/),
		name: 'Größe 1.pdf',
		type: 'application/pdf',
		size: pdf.length,
		sha256: digest(pdf),
		url: `${agent.url}/files/${body.file}`,
	})
	const ran = await run(host, agent, { invoice: { file: body.file } })
	const { url, ...info } = body
	expect(ran.body).toMatchObject({ status: 'succeeded', inputs: { invoice: info } })
	const answer = await get(url)
	expect(Buffer.from(await answer.arrayBuffer()).equals(pdf)).toBe(true)
	expect(Object.fromEntries(answer.headers)).toMatchObject({
		'content-type': 'application/pdf',
		'content-length': String(pdf.length),
		'content-disposition': `attachment; filename="Gr__e 1.pdf"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%201.pdf`,
		'content-security-policy': "default-src 'none'; sandbox",
		'x-content-type-options': 'nosniff',
		etag: `"${digest(pdf)}"`,
	})
	const etag = `"${digest(pdf)}"`
	const conditions = [
		...['*', etag, `W/${etag}`, `"x", ${etag}`].map((known) => ({ 'if-none-match': known })),
		...['"x"', `W/"x"`].map((known) => ({ 'if-none-match': known })),
		...['*', `"x", ${etag}`, '"x"', `W/${etag}`].map((wanted) => ({ 'if-match': wanted })),
	]
	const statuses = await Promise.all(conditions.map(async (headers) => (await get(url, headers)).status))
	expect(statuses).toEqual([304, 304, 304, 304, 200, 200, 200, 200, 412, 412])
	const head = await fetch(new URL(url, host.url), {
		method: 'HEAD',
		headers: { authorization: `Bearer ${agent.run_key}`, 'if-none-match': '*' },
	})
	expect(head.status).toBe(304)
	const part = await get(url, { range: 'bytes=1-3' })
	expect([part.status, await part.text(), part.headers.get('content-range')]).toEqual([
		206,
		'PDF',
		`bytes 1-3/${pdf.length}`,
	])
	expect(await (await get(url, { range: 'bytes=-4' })).text()).toBe('ice\n')
	expect((await get(url, { range: 'bytes=999-' })).status).toBe(416)
})

// Proves: file.uploaded, file.same-call
test('files come with the run as multipart/form-data, and the same key finds the same run', async () => {
	const call = (bytes: Buffer, key: string) => {
		const form = new FormData()
		form.set('inputs', JSON.stringify({ note: 'two' }))
		form.set('invoice', new Blob([new Uint8Array(pdf)], { type: 'application/pdf' }), 'a.pdf')
		form.append('more', new Blob([new Uint8Array(bytes)], { type: 'image/png' }), 'b.png')
		form.append('more', new Blob(['x,y\n']), 'c.csv')
		return host.call<Record<string, unknown> & { inputs: { more: StoredFile[] } }>(`${agent.url}/run`, {
			method: 'POST',
			token: agent.run_key,
			body: form,
			headers: { 'idempotency-key': key },
		})
	}
	const large = Buffer.concat([png, randomBytes(3 * 1024 * 1024)])
	const first = await call(large, 'form')
	expect(first.body).toMatchObject({
		status: 'succeeded',
		inputs: { note: 'two', invoice: { name: 'a.pdf' }, more: [{ name: 'b.png' }, { name: 'c.csv' }] },
	})
	const stored = Buffer.from(
		await (await get(`${agent.url}/files/${first.body.inputs.more[0]?.file}`)).arrayBuffer(),
	)
	expect(stored.equals(large)).toBe(true)
	const part = await get(`${agent.url}/files/${first.body.inputs.more[0]?.file}`, {
		range: 'bytes=1048570-2097160',
	})
	expect(Buffer.from(await part.arrayBuffer()).equals(large.subarray(1_048_570, 2_097_161))).toBe(true)
	const again = await call(large, 'form')
	expect(again.body).toMatchObject({ id: first.body.id, inputs: first.body.inputs })
	expect((await call(png, 'form')).body).toMatchObject({ code: 'idempotency_key_reused' })
})

// Proves: file.uploaded
test('`inputs` of a form may come as a file, as browsers send a Blob and curl what it reads', async () => {
	const call = (inputs: BlobPart) => {
		const form = new FormData()
		form.set('invoice', new Blob([new Uint8Array(pdf)], { type: 'application/pdf' }), 'a.pdf')
		form.set('inputs', new Blob([inputs], { type: 'application/json' }))
		return host.call(`${agent.url}/run`, { method: 'POST', token: agent.run_key, body: form })
	}
	expect((await call('{"note":"ünd"}')).body).toMatchObject({
		status: 'succeeded',
		inputs: { note: 'ünd', invoice: { name: 'a.pdf' } },
	})
	const detail = (await call('{"note":')).body
	expect(detail).toMatchObject({ status: 400, detail: '`inputs` is not JSON.' })
	expect((await call(new Uint8Array([0xff]))).body).toMatchObject({ detail: '`inputs` is not UTF-8.' })
	const large = JSON.stringify({ note: 'x'.repeat(1024 * 1024) })
	expect((await call(large)).body).toMatchObject({ status: 413, detail: 'The inputs are over 1 MiB.' })
})

// Proves: file.uploaded
test('`inputs` that come as a file are none of the files that a form may have', async () => {
	const call = (files: number) => {
		const form = new FormData()
		form.set('inputs', new Blob(['{"note":"x"}'], { type: 'application/json' }))
		form.set('invoice', new Blob([new Uint8Array(pdf)], { type: 'application/pdf' }), 'a.pdf')
		for (let n = 1; n < files; n++) form.append('more', new Blob(['a']), `${n}.txt`)
		return host.call(`${agent.url}/run`, { method: 'POST', token: agent.run_key, body: form })
	}
	expect((await call(16)).body).toMatchObject({ status: 'succeeded', inputs: { note: 'x' } })
	expect((await call(17)).body).toMatchObject({ status: 400, detail: expect.stringContaining('16 files') })
})

// Proves: file.refused
test.each([
	['other bytes than its type', () => put(png, 'application/pdf'), 400, 'its bytes are image/png'],
	['no bytes of its type', () => put(Buffer.from('hello'), 'image/png'), 400, 'its bytes are no such file'],
	['text that is no text', () => put(Buffer.from([0xff, 0xfe]), 'text/csv'), 400, 'is not UTF-8'],
	['over 20 MiB', () => put(Buffer.alloc(20 * 1024 * 1024 + 1), 'x/y'), 413, '20 MiB at most'],
])('a file with %s is refused, and nothing is kept', async (_, upload, status, detail) => {
	const answer = await upload()
	expect(answer.status).toBe(status)
	expect(answer.body.detail).toContain(detail)
	const staged = () =>
		withSql(host, (sql) => sql`select 1 from file_blobs where account_id = ${account.id} and refs = 0`)
	expect(await staged()).toHaveLength(0)
})

// Proves: file.refused
test('a file that its input does not take is refused', async () => {
	const refused = async (inputs: object) => (await run(host, agent, inputs)).body
	const html = (await put(Buffer.from('<script>alert(1)</script>'), 'text/html')).body
	expect(await refused({ invoice: { file: html.file } })).toMatchObject({
		code: 'inputs_invalid',
		errors: [{ path: '/inputs/invoice', message: expect.stringContaining('is text/html') }],
	})
	const big = (await put(Buffer.concat([pdf, Buffer.alloc(2048 * 1024)]))).body
	expect(await refused({ invoice: { file: big.file } })).toMatchObject({
		errors: [{ path: '/inputs/invoice', message: 'is over 2048 KiB' }],
	})
	expect(await refused({ more: [{ file: 'file_x' }] })).toMatchObject({
		errors: [{ path: '/inputs/more/0', message: 'names no file that was uploaded here' }],
	})
	expect(await refused({ invoice: 'a.pdf' })).toMatchObject({ code: 'inputs_invalid' })
	// Also a form that is still being sent when it is refused: it has its answer, not a broken connection.
	for (const size of [1, ...Array(6).fill(30 * 1024 * 1024)]) {
		const form = new FormData()
		form.set('note', new Blob([Buffer.alloc(size, 'a')]), 'x')
		const answer = await host.call(`${agent.url}/run`, { method: 'POST', token: agent.run_key, body: form })
		expect(answer.body).toMatchObject({
			code: 'invalid_request',
			detail: expect.stringContaining('`note` is no file'),
		})
	}
	// A browser is given nothing that it would run.
	const served = await get(html.url)
	expect(served.headers.get('content-type')).toBe('application/octet-stream')
	expect(served.headers.get('content-disposition')).toMatch(/^attachment/)
})

// Proves: file.seen-by
test('a file is seen by its key, keys that read all, and the owner alone', async () => {
	const { body } = await put(pdf)
	const [key, all] = [await secondKey(), await secondKey(['run', 'read', 'read:all'])]
	const stranger = await host.account({ plan: 'team' })
	const statuses = (tokens: string[]) =>
		Promise.all(tokens.map(async (token) => (await get(body.url, {}, token)).status))
	expect(await statuses([agent.run_key, account.token, all.run_key])).toEqual([200, 200, 200])
	expect(await statuses([key.run_key, other.run_key, stranger.token])).toEqual([404, 404, 404])
	expect((await get(`${other.url}/files/${body.file}`, {}, account.token)).status).toBe(404)
	expect((await fetch(new URL(body.url, host.url))).status).toBe(401)
	// Nor may another key's run read it.
	const ran = await run(host, agent, { invoice: { file: body.file } }, {}, key.run_key)
	expect(ran.body).toMatchObject({ code: 'inputs_invalid' })
	expect((await run(host, agent, { invoice: { file: body.file } }, {}, account.token)).status).toBe(200)
})

// Proves: file.once, file.ends
test('the same bytes are kept once, until the last run that has them is erased', async () => {
	const bytes = Buffer.concat([pdf, randomBytes(1_500_000)])
	const sha256 = digest(bytes)
	const [one, two] = await Promise.all([put(bytes), put(bytes)])
	const foreign = await host.account({ plan: 'team' })
	const model = `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }`
	const theirs = await deploy(host, foreign, await bundleOf({ model, yaml }))
	await put(bytes, 'application/pdf', { at: theirs })
	expect(await rows(sha256)).toEqual({ files: 3, blobs: 2, refs: 3, chunks: 4 })
	const first = await run(host, agent, { invoice: { file: one.body.file }, more: [{ file: two.body.file }] })
	const second = await run(host, agent, { invoice: { file: one.body.file } })
	const erase = (id: string) =>
		host.call<{ files: number }>(`${agent.url}/runs/${id}`, { method: 'DELETE', token: account.token })
	expect((await erase(first.body.id)).body.files).toBe(1)
	expect((await get(two.body.url)).status).toBe(404)
	expect((await get(one.body.url)).status).toBe(200)
	expect((await erase(second.body.id)).body.files).toBe(1)
	expect(await rows(sha256)).toEqual({ files: 1, blobs: 1, refs: 1, chunks: 2 })
	const end = await host.call(`/v1/deployments/${theirs.id}`, { method: 'DELETE', token: foreign.token })
	expect(end.status).toBeLessThan(300)
	await until(async () => {
		const confirm = { confirm: foreign.email }
		const said = await host.call<{ files: number }>('/v1/account/erase', {
			method: 'POST',
			token: foreign.token,
			json: confirm,
		})
		return said.status === 200 && said.body.files === 1
	})
	expect(await rows(sha256)).toEqual({ files: 0, blobs: 0, refs: 0, chunks: 0 })
})

// Proves: file.ends
test('an upload that no run takes ends, and so does a file whose run has expired', async () => {
	const [unused, used] = [(await put(pdf)).body, (await put(png, 'image/png')).body]
	const ran = await run(host, agent, { invoice: { file: used.file } })
	await withSql(host, async (sql) => {
		await sql`update files set expires_at = now() - interval '1 second' where id in (${unused.file}, ${used.file})`
	})
	expect([(await get(unused.url)).status, (await get(used.url)).status]).toEqual([404, 200])
	await sweep()
	expect([(await get(unused.url)).status, (await get(used.url)).status]).toEqual([404, 200])
	await withSql(host, async (sql) => {
		await sql`update runs set completed_at = now() - interval '31 days' where id = ${ran.body.id}`
	})
	expect((await get(used.url)).status).toBe(404)
})

// Proves: file.cut-off
test.each([
	['POST', 'files', 'application/pdf', '%PDF-1.7 and no more'],
	[
		'POST',
		'run',
		'multipart/form-data; boundary=b',
		'--b\r\nContent-Disposition: form-data; name="invoice"; filename="a.pdf"\r\nContent-Type: application/pdf\r\n\r\n%PDF-1.7',
	],
])('an upload by %s %s that is cut off leaves nothing', async (method, path, type, begin) => {
	const { port, host: name } = new URL(agent.url)
	const staged = () =>
		withSql(host, (sql) => sql`select 1 from file_blobs where account_id = ${account.id} and sha256 is null`)
	const socket = connect(Number(port), '127.0.0.1')
	const head = [
		`${method} ${new URL(agent.url).pathname}/${path} HTTP/1.1`,
		`Host: ${name}`,
		`Authorization: Bearer ${agent.run_key}`,
		`Content-Type: ${type}`,
		'Content-Length: 5000000',
	]
	socket.write(`${head.join('\r\n')}\r\n\r\n${begin}`)
	await until(async () => (await staged()).length === 1)
	socket.destroy()
	await until(async () => (await staged()).length === 0)
	expect((await host.call('/healthz')).status).toBe(200)
	expect(host.logs().filter((line) => line.includes('ECONNRESET'))).toEqual([])
})

// Proves: deployment.uploads-apart, file.too-slow
test('slow uploads with a run key hold up neither the owner nor another key, and end', async () => {
	const form = 'multipart/form-data; boundary=b'
	const opened = (address: string, type: string, token = agent.run_key) => {
		const call = request(new URL(address), {
			method: 'POST',
			headers: {
				authorization: `Bearer ${token}`,
				'content-type': type,
				'content-length': 5_000_000,
			},
		})
		const answered = new Promise<{ status: number | undefined; detail: string }>((resolve, reject) => {
			call.on('error', reject)
			call.on('response', async (answer) => {
				const { detail } = JSON.parse(await readText(answer)) as { detail: string }
				resolve({ status: answer.statusCode, detail })
			})
		})
		return { call, answered }
	}
	const slow = Array.from({ length: 17 }, (_, n) =>
		n % 2 ? opened(`${agent.url}/run`, form) : opened(`${agent.url}/files`, 'application/pdf'),
	)
	slow.push(opened(`${host.url}/v1/deployments`, form, account.token))
	for (const { call } of slow) call.flushHeaders()
	const trickle = setInterval(() => {
		for (const { call } of slow) call.write('-')
	}, 500)
	try {
		const refusal = { status: 429, detail: 'Too many uploads with this key are under way.' }
		expect(await Promise.race(slow.map(({ answered }) => answered))).toEqual(refusal)
		const { run_key } = await secondKey()
		expect((await put(pdf, 'application/pdf', { at: { ...agent, run_key } })).status).toBe(201)
		const bundle = await bundleOf({ model: `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }` })
		const deploys = await Promise.all(
			Array.from({ length: 20 }, () =>
				host.call('/v1/deployments?dry_run=true', {
					token: account.token,
					body: upload(bundle, { name: 'a' }),
				}),
			),
		)
		expect(new Set(deploys.map(({ status }) => status))).toEqual(new Set([200]))
		const answers = await Promise.all(slow.map(({ answered }) => answered))
		const ended = answers.filter(({ status }) => status === 408)
		expect(ended).toHaveLength(17)
		for (const { detail } of ended) expect(detail).toContain('The upload brought under 10 KiB in 10 s.')
	} finally {
		clearInterval(trickle)
		for (const { call } of slow) call.destroy()
	}
	expect((await put(pdf)).status).toBe(201)
	await until(
		async () =>
			(
				await withSql(
					host,
					(sql) => sql`select 1 from file_blobs where account_id = ${account.id} and sha256 is null`,
				)
			).length === 0,
	)
})

// Proves: file.command-line
test('berth run takes files by the names of their inputs', async () => {
	const folder = temporary()
	const paths = ['bill.pdf', 'one.png', 'two.csv'].map((name) => join(folder, name))
	for (const [i, bytes] of [pdf, png, Buffer.from('x,y\n')].entries())
		writeFileSync(paths[i] as string, bytes)
	const [bill, one, two] = paths
	const env = { BERTH_URL: host.url, BERTH_TOKEN: account.token }
	const files = ['--file', `invoice=${bill}`, '--file', `more=${one}`, `more=${two}`]
	const { code, stdout, stderr } = await berth(['run', agent.name, ...files, '--json'], { env })
	expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
	expect(JSON.parse(stdout)).toMatchObject({
		status: 'succeeded',
		inputs: {
			invoice: { name: 'bill.pdf', type: 'application/pdf' },
			more: [
				{ name: 'one.png', type: 'image/png' },
				{ name: 'two.csv', type: 'text/csv' },
			],
		},
	})
	expect(await berth(['run', agent.name, '--file', 'invoice=/nowhere.pdf'], { env })).toMatchObject({
		code: 1,
		stderr: expect.stringContaining('/nowhere.pdf cannot be read'),
	})
	const huge = join(folder, 'huge.pdf')
	writeFileSync(huge, '')
	truncateSync(huge, 1024 ** 3)
	const uploads = () => withSql(host, (sql) => sql`select count(*)::int as uploads from files`)
	const before = await uploads()
	const single = ['--file', `invoice=${bill}`]
	for (const [given, exit, says] of [
		[[...single, `invoice=${bill}`], 2, 'invoice is given twice, and takes one file'],
		[[...single, '--input', 'invoice={}'], 2, 'invoice is given twice, and takes one file'],
		[['--file', 'invoice='], 2, '--file takes NAME=PATH, not "invoice="'],
		[['--file', 'invoice=-'], 2, '--file invoice=-: standard input is not read; name a file, or ./-'],
		[[...single, '--file', `foo=${bill}`], 2, 'foo is no input of type file; files go to: invoice, more\n'],
		[['--input', `invoice=${bill}`], 2, 'invoice takes a file, not text: --file invoice=PATH\n'],
		[['--file', `invoice=${folder}`], 1, `${folder} is no regular file`],
		[['--file', `invoice=${huge}`], 1, `${huge} is over`],
	] as const)
		expect(await berth(['run', agent.name, ...given], { env })).toMatchObject({
			code: exit,
			stderr: expect.stringContaining(says),
		})
	expect(await uploads()).toEqual(before)

	// A case has the bytes beside it.
	const home = temporary()
	writeFileSync(join(home, 'agent.yaml'), `name: a\nmodel: { provider: openai, name: m }\n${yaml}`)
	writeFileSync(join(home, 'prompt.md'), 'Read.\n')
	const { id } = JSON.parse(stdout)
	expect(await berth(['test', home, '--from', id], { env })).toMatchObject({ code: 0 })
	const kept = [1, 2, 3].map((n) => readFileSync(join(home, 'cases', `${id}.files`, String(n))))
	expect(kept.map(digest)).toEqual([pdf, png, Buffer.from('x,y\n')].map(digest))
	expect(await berth(['test', home, '--json'])).toMatchObject({
		code: 0,
		stdout: expect.stringContaining('"passed": 1'),
	})
})

// Proves: console.request-texts
test('the request of an agent that takes files works as it is copied', async () => {
	expect(agent.request).toMatchObject({ files: ['invoice', 'more'], body: { inputs: { note: '<note>' } } })
	const folder = temporary()
	const texts = requestTexts({ url: agent.url, name: 'a', inputs: agent.agent.inputs, runKey: agent.run_key })
	writeFileSync(join(folder, 'PATH-OF-INVOICE'), pdf)
	writeFileSync(join(folder, 'PATH-OF-MORE'), png)
	const text = texts.find(({ language }) => language === 'JavaScript')?.text ?? ''
	const child = spawn(process.execPath, ['--input-type=module', '--eval', text], { cwd: folder })
	expect(await readText(child.stdout)).toBe('Read.\n')
})

// Proves: file.refused
test('a schedule holds no file', async () => {
	const { body: file } = await put(pdf)
	const inputs = { invoice: { file: file.file } }
	const at = `/v1/deployments/${agent.id}/schedules`
	const token = account.token
	const refusal = {
		status: 422,
		body: {
			code: 'inputs_invalid',
			errors: [{ path: '/inputs/invoice', message: expect.stringContaining('a schedule holds none') }],
		},
	}
	const made = (json: object) =>
		host.call<{ id: string }>(at, { token, json: { cron: '0 9 * * *', ...json } })
	expect(await made({ inputs })).toMatchObject(refusal)
	const { id } = (await made({})).body
	expect(await host.call(`${at}/${id}`, { method: 'PATCH', token, json: { inputs } })).toMatchObject(refusal)
	// One from before this was refused: it runs with its file, and says what to do once that has ended.
	const due = (given: object) =>
		withSql(
			host,
			(sql) => sql`
				update schedules set inputs = ${JSON.stringify(given)}::text::json, missed = 'run_once',
					next_at = now() - interval '1 second' where id = ${id}`,
		)
	interface Shown {
		last_run: string | null
		last_error: { code: string; message: string } | null
	}
	const shown = async () => (await host.call<Shown>(`${at}/${id}`, { token })).body
	await due(inputs)
	const run = await until(async () => (await shown()).last_run)
	expect((await host.call(`${agent.url}/runs/${run}`, { token })).body).toMatchObject({
		inputs: { invoice: { name: 'invoice.pdf' } },
	})
	await due({ invoice: { file: `file_${'0'.repeat(26)}` } })
	const refused = await until(async () => (await shown()).last_error)
	expect(refused).toEqual({
		code: 'inputs_invalid',
		message:
			'The inputs do not fit the agent: /inputs/invoice names no file that was uploaded here. A schedule holds no file, as a file ends with its runs: give the schedule other inputs.',
	})
})

// Proves: file.quota
test.each([
	['1,000 files', { size: 1, files: 999 }, 'more than 1000 files or 512 MiB that no run has yet'],
	['512 MiB', { size: 536_870_912 - 30, files: 1 }, 'more than 1000 files or 512 MiB that no run has yet'],
	['2 GiB of the account', { size: 2_147_483_647, files: 1, used: true }, 'the account would be over 2 GiB'],
] as const)('uploads at once do not exceed %s together', async (_, { size, files, ...more }, detail) => {
	const owner = await host.account({ plan: 'team' })
	const model = `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }`
	const at = await deploy(host, owner, await bundleOf({ model, yaml }))
	const blob = `blob_${at.id}`
	const deployment = 'used' in more ? 'elsewhere' : at.id
	const add = (from: number, to: number, bytes: number) =>
		withSql(
			host,
			(sql) => sql`
				insert into files (id, account_id, deployment_id, blob_id, name, type, size, sha256, expires_at)
				select ${`file_${at.id}`} || n, ${owner.id}, ${deployment}, ${blob}, 'a', 'text/plain', ${bytes}, 'x',
					now() + interval '1 hour'
				from generate_series(${from}::int, ${to}::int) n`,
		)
	await withSql(
		host,
		(sql) =>
			sql`insert into file_blobs (id, account_id, sha256, refs) values (${blob}, ${owner.id}, 'x', ${files})`,
	)
	await add(1, files, size)
	// A size has no room for 2 GiB: one byte less, and room for one upload.
	if ('used' in more) await add(files + 1, files + 1, 1 - 30)
	const upload = (n: number) => put(Buffer.from(`text number ${n} of twenty`), 'text/plain', { at })
	const answers = await Promise.all(Array.from({ length: 6 }, (_, n) => upload(n)))
	const refused = answers.filter(({ status }) => status !== 201)
	expect(answers).toHaveLength(refused.length + 1)
	for (const { status, body } of refused) {
		expect(status).toBe(413)
		expect(body.detail).toContain(detail)
	}
	// Nothing is left of those that were refused.
	const left = await withSql(
		host,
		(sql) => sql`select 1 from file_blobs where account_id = ${owner.id} and refs = 0`,
	)
	expect(left).toHaveLength(0)
})

// Proves: file.uploaded
test('the body of an upload is the file as it is', async () => {
	expect(await put(pdf, 'multipart/form-data; boundary=x')).toMatchObject({
		status: 400,
		body: { detail: 'Send the bytes of the file as the body, or a form to /run.' },
	})
	expect(await put(pdf, 'application/x-www-form-urlencoded')).toMatchObject({
		status: 201,
		body: { type: 'application/pdf' },
	})
	expect((await put(Buffer.from([1]), 'application/x-www-form-urlencoded')).body.type).toBe(
		'application/octet-stream',
	)
	for (const type of ['foo', 'a/b/c', 'text/'])
		expect(await put(pdf, type)).toMatchObject({
			status: 400,
			body: {
				code: 'invalid_request',
				detail: 'The Content-Type must be a media type, such as application/pdf.',
			},
		})
	const packed = await fetch(new URL(`${agent.url}/files`, host.url), {
		method: 'POST',
		headers: { authorization: `Bearer ${agent.run_key}`, 'content-encoding': 'gzip' },
		body: new Uint8Array(pdf),
	})
	expect([packed.status, await packed.text()]).toEqual([415, expect.stringContaining('Content-Encoding')])
})
