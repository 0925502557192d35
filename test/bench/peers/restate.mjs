/**
 * A Restate service in this process, called through the ingress of Restate's server, with the server's default settings.
 * Model and tool calls are steps of its journal, made with OpenAI's SDK and the official MCP client, kept open.
 */
import { createServer } from 'node:http2'
import { join } from 'node:path'
import { asker, loop } from './loop.mjs'
import { freePort, post, startServer } from './server.mjs'

export const packages = {
	'@restatedev/restate-server': '1.7.12',
	'@restatedev/restate-sdk': '1.17.2',
	'@modelcontextprotocol/client': '2.4.0',
	openai: '7.55.0',
}
export const says =
	'service with its server, over HTTP, streams from the model, journals each call with fsync and resumes after a crash'

export async function open({ modelUrl, mcpUrl }) {
	const restate = await import('@restatedev/restate-sdk')
	const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
	const { OpenAI } = await import('openai')
	const mcp = new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode: 'auto' } })
	await mcp.connect(new StreamableHTTPClientTransport(new URL(mcpUrl)))
	const ask = asker(OpenAI, modelUrl, (await mcp.listTools()).tools)
	const call = async (named) => JSON.stringify((await mcp.callTool(named)).content)
	const run = (ctx, { model, question }) =>
		loop(question, {
			ask: (messages) => ctx.run('model', () => ask(model, messages)),
			call: (named) => ctx.run(named.name, () => call(named)),
		})
	const bench = restate.service({ name: 'bench', handlers: { run } })
	// As its `serve`, which would listen on all interfaces.
	const server = createServer(restate.createEndpointHandler({ services: [bench] }))
	await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
	return { url: await serveRestate(`http://127.0.0.1:${server.address().port}`) }
}

/** The address of the handler at its ingress, when it knows the program at `uri`. */
async function serveRestate(uri) {
	const cwd = import.meta.dirname
	const file = `restate-server-${process.platform}-${process.arch}/bin/restate-server`
	const [node, ingress, admin] = [await freePort(), await freePort(), await freePort()]
	const env = {
		// No setting keeps it from asking GitHub for its newest version; it starts without an answer, too.
		RESTATE_DISABLE_TELEMETRY: 'true',
		RESTATE_BIND_IP: '127.0.0.1',
		RESTATE_ADVERTISED_HOST: '127.0.0.1',
		RESTATE_BIND_PORT: String(node),
		RESTATE_INGRESS__BIND_PORT: String(ingress),
		RESTATE_ADMIN__BIND_PORT: String(admin),
	}
	const url = `http://127.0.0.1:${ingress}/bench/run`
	await startServer(join(cwd, 'node_modules/@restatedev', file), [], { cwd, env }, async () => {
		await post(`http://127.0.0.1:${admin}/deployments`, { uri, force: true })
		await post(url, { model: 'm0', question: 'ready?' })
	})
	return url
}
