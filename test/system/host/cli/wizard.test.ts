import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { terminal } from '../../../kit/berth.ts'
import type { TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { repository } from '../../../kit/repository.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

// `berth deploy` on a terminal, with a person who mistypes and gives up.

let host: TestHost
let model: ModelServer
/** Takes a question and never answers. */
let silent: Server
let token: string

beforeAll(async () => {
	model = await startModelServer({ poet: { text: 'a poem' } })
	silent = createServer(() => {})
	await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
	host = await sharedHost()
	token = (await host.account({ plan: 'pro' })).token
})
afterAll(async () => {
	silent?.closeAllConnections()
	silent?.close()
	await host?.close()
	await model?.close()
})

function agent(baseUrl: string, more = ''): string {
	return repository({
		'agent.yaml': `name: poet\nmodel: { provider: openai, name: poet, base_url: "${baseUrl}" }\n${more}`,
		'prompt.md': 'Write.\n',
	}).root
}

const deploy = (folder: string, answers: [string, string][], url = host.url) =>
	terminal(['deploy', folder], { BERTH_URL: url, BERTH_TOKEN: token }, answers)
const names = async () =>
	(await host.call<{ data: { name: string }[] }>('/v1/deployments', { token })).body.data.map(
		({ name }) => name,
	)

// Proves: cli.wizard-abandoned
it('Ctrl-C at a question ends the wizard in one sentence, with nothing created', async () => {
	const folder = agent(model.openaiUrl)
	const ctrlC = '\u0003'
	for (const answers of [
		[['Name of the deployment', ctrlC]],
		[
			['Name of the deployment', 'given-up\r'],
			['Key for openai', ctrlC],
		],
	] as [string, string][][]) {
		const { code, screen } = await deploy(folder, answers)
		expect({ code, screen }).toMatchObject({ code: 130 })
		expect(screen.trimEnd().split(/\r?\n/).at(-1)).toBe('berth: stopped; nothing was created')
		expect(screen).not.toMatch(/^ {4}at |unsettled/m)
	}
	expect(await names()).toEqual([])
})

// Proves: cli.wizard-abandoned
it('Ctrl-C after the creation gives the deployment up and says so', async () => {
	const { port } = silent.address() as AddressInfo
	const { code, screen } = await deploy(agent(`http://127.0.0.1:${port}/v1`), [
		['Name of the deployment', 'begun\r'],
		['Key for openai', 'sk-typed\r'],
		['Asking the provider', '\u0003'],
	])
	expect({ code, screen }).toMatchObject({ code: 130 })
	expect(screen).toContain('berth: stopped; begun was given up; nothing is left of it.')
	expect(await names()).toEqual([])
})

// Proves: cli.wizard-terminal, deployment.place, http.secret-sealed
it('an empty key is asked for again, and where there are several places, the place is asked for', async () => {
	const places = await twoPlaces()
	const http = "http: { https://crm.example.com: { methods: [GET], headers: { X-Key: '{{secret.crm}}' } } }\n"
	const { code, screen } = await deploy(
		agent(model.openaiUrl, http),
		[
			['Name of the deployment', 'typed\r'],
			['Where it runs [local]', 'moon\r'],
			['Where it runs [local]', 'far\r'],
			['Where it runs [local]', '\r'],
			['Key for openai', '\r'],
			['Key for openai', 'sk-typed\r'],
			['Secret crm for https://crm.example.com', 'secret-typed\r'],
		],
		places.url,
	)
	places.close()
	expect({ code, screen }).toMatchObject({ code: 0 })
	expect(screen).toContain('There is no place moon.')
	expect(screen).toContain('No host of the place far is alive.')
	expect(screen).toContain('Nothing was typed')
	expect(screen).toMatch(/http:crm +https:\/\/crm\.example\.com +goes to https:\/\/crm\.example\.com only/)
	expect(screen).not.toContain('secret-typed')
	expect(await names()).toEqual(['typed'])
	const { body } = await host.call<{ data: { url: string }[] }>('/v1/deployments', { token })
	const run = await host.call(`${body.data[0]?.url}/run`, { token, json: { inputs: {} } })
	expect(run.body).toMatchObject({ output: 'a poem' })
	expect(model.requests.at(-1)?.headers.authorization).toBe('Bearer sk-typed')
})

/** The host, behind a front that knows a second place, without a host. */
async function twoPlaces(): Promise<{ url: string; close(): void }> {
	const server = createServer(async (request, response) => {
		const { method = 'GET', url = '/', headers } = request
		const chunks: Buffer[] = []
		for await (const chunk of request) chunks.push(chunk)
		const { host: _, connection: __, 'content-length': ___, 'transfer-encoding': ____, ...kept } = headers
		const answer = await host.call<{ data: object[] }>(url, {
			method,
			headers: kept as Record<string, string>,
			...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
		})
		if (url === '/v1/places') {
			const far = { id: 'far', name: 'far', default: false, url: 'https://far.example' }
			answer.body.data.push({ ...far, hosts: 0, deployable: false })
		}
		response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
		response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body))
	})
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		close: () => {
			server.closeAllConnections()
			server.close()
		},
	}
}
