// The texts to copy do what they say, as they are.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { expect, onTestFinished, test } from 'vitest'
import { requestTexts } from '../../../../host/console/data/request-texts.ts'
import { readyRequest } from '../../../../host/deployments/request.ts'
import { freePort } from '../../../../host/lib/free-port.ts'

const inputs = {
	properties: { question: { type: 'string', examples: ['it\'s <b>"quoted"</b> $now $(now) `now`'] } },
}
const [sample] = inputs.properties.question.examples

function textOf(language: string, url = 'http://host.example/d/a'): string {
	const texts = requestTexts({ url, name: "a'b", inputs, runKey: 'brk_key' })
	return texts.find((one) => one.language === language)?.text ?? ''
}

async function listening() {
	const heard: { path: string | undefined; key: string | undefined; body: unknown }[] = []
	const server = createServer(async (request, response) => {
		const body = JSON.parse(await readText(request))
		heard.push({ path: request.url, key: request.headers.authorization, body })
		response.writeHead(200, { 'content-type': 'application/json' }).end('{"output": "the answer"}')
	})
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	onTestFinished(() => void server.close())
	return { heard, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/d/a` }
}

function program(text: string, env: Record<string, string> = {}) {
	const child = spawn(process.execPath, ['--input-type=module', '--eval', text], {
		env: { PATH: process.env.PATH, ...env },
		stdio: ['ignore', 'pipe', 'inherit'],
	})
	onTestFinished(() => void child.kill())
	return child
}

// Proves: console.request-texts
test('the request in JavaScript sends inputs and key, and prints the output', async () => {
	const { heard, url } = await listening()
	expect(await readText(program(textOf('JavaScript', url)).stdout)).toBe('the answer\n')
	expect(heard).toEqual([{ path: '/d/a/run', key: 'Bearer brk_key', body: { inputs: { question: sample } } }])
})

// Proves: console.request-texts
test('what a shell reads is quoted whole', async () => {
	const shell = spawn('sh', ['-c', `curl() { for one; do printf '%s\\n' "$one"; done; }; ${textOf('curl')}`])
	const words = (await readText(shell.stdout)).trimEnd().split('\n')
	expect(JSON.parse(words.at(-1) ?? '')).toEqual({ inputs: { question: sample } })
	expect(words).toContain('Authorization: Bearer brk_key')
})

// Proves: console.request-texts
test('the command line is given the name and the inputs unchanged, and Python its own words', async () => {
	const shell = spawn('sh', [
		'-c',
		`npm() { for one; do printf '%s\\n' "$one"; done; }; ${textOf('Berth CLI')}`,
	])
	const words = (await readText(shell.stdout)).trimEnd().split('\n')
	expect(words.slice(0, -1)).toEqual(['run', 'berth', '--', 'run', "a'b", '--inputs'])
	expect(JSON.parse(words.at(-1) ?? '')).toEqual({ question: sample })
	const schema = {
		properties: { paid: { type: 'boolean' }, none: { type: 'null' }, few: { items: {}, type: 'array' } },
	}
	const texts = requestTexts({ url: 'http://h/d/a', name: 'a', inputs: schema, runKey: 'k' })
	const python = texts.find(({ language }) => language === 'Python')?.text
	for (const line of ['"paid": True,', '"none": None,', '"few": [']) expect(python).toContain(line)
})

const withFiles = {
	properties: {
		note: { type: 'string', examples: ["it's a note"] },
		invoice: { type: 'object', 'x-berth-file': { accept: ['image/*', 'application/pdf'], max_kb: 1 } },
		more: { type: 'array', items: { type: 'object', 'x-berth-file': { accept: [], max_kb: 1 } } },
	},
}

// Proves: console.request-texts, deployment.start-request
test('with files a request is a form, as the start shows it, too', async () => {
	const texts = requestTexts({
		url: 'http://host.example/d/a',
		name: 'a',
		inputs: withFiles,
		runKey: 'brk_key',
	})
	const text = (language: string) => texts.find((one) => one.language === language)?.text ?? ''
	const ready = readyRequest('http://host.example/d/a', withFiles, 'brk_key')
	expect(ready).toMatchObject({ body: { inputs: { note: "it's a note" } }, files: ['invoice', 'more'] })
	expect(ready.headers).toEqual({ Authorization: 'Bearer brk_key' })
	expect(ready.curl).toBe(text('curl'))
	const shell = spawn('sh', ['-c', `curl() { for one; do printf '%s\\n' "$one"; done; }; ${ready.curl}`])
	const words = (await readText(shell.stdout)).trimEnd().split('\n')
	expect(words.slice(-6)).toEqual([
		...['-F', 'inputs={"note":"it\'s a note"}', '-F', 'invoice=@PATH-OF-INVOICE;type=application/pdf'],
		...['-F', 'more=@PATH-OF-MORE'],
	])
	expect(text('Berth CLI')).toMatch(/ --file 'invoice=PATH-OF-INVOICE' --file 'more=PATH-OF-MORE'$/)
	expect(text('Python')).toContain('inputs["invoice"] = upload("PATH-OF-INVOICE", "application/pdf")')
	expect(text('Python')).toContain('inputs["more"] = [upload("PATH-OF-MORE", "application/octet-stream")]')
})

// Proves: console.request-texts
test('the webhook receiver takes what is signed by the secret, and nothing else', async () => {
	const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
	const port = await freePort()
	const child = program(textOf('Webhook receiver'), { WEBHOOK_SECRET: secret, PORT: String(port) })
	const body = JSON.stringify({ type: 'run.completed', data: { id: 'run_1', output: 'done' } })
	const post = async (by: string, at = new Date()) => {
		const signature = new Webhook(by).sign('msg_1', at, body)
		const headers = {
			'webhook-id': 'msg_1',
			'webhook-timestamp': `${Math.floor(+at / 1000)}`,
			'webhook-signature': signature,
		}
		return (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body })).status
	}
	await expect.poll(() => post(secret).catch(() => 0), { timeout: 30_000 }).toBe(204)
	expect(String((await once(child.stdout, 'data'))[0])).toBe('msg_1 run.completed run_1 done\n')
	expect(await post(`whsec_${Buffer.alloc(24, 8).toString('base64')}`)).toBe(401)
	expect(await post(secret, new Date(Date.now() - 3_600_000))).toBe(401)
	// As long as a signature, in characters that take more bytes.
	const odd = {
		'webhook-id': 'm',
		'webhook-timestamp': '1',
		'webhook-signature': `v1,${'\u00e9'.repeat(44)}`,
	}
	expect((await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers: odd, body })).status).toBe(401)
	expect(await post(secret)).toBe(204)
})
