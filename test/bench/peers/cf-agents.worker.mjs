/** The Worker of cf-agents.mjs. */
import { Agent, routeAgentRequest } from 'agents'
import OpenAI from 'openai'
import { asker, loop } from './loop.mjs'

export class Bench extends Agent {
	async onStart() {
		const { id } = await this.addMcpServer('bench', this.env.MCP_URL)
		this.serverId = id
		this.ask = asker(OpenAI, this.env.MODEL_URL, this.mcp.listTools())
	}
	async onRequest(request) {
		const { model, question } = await request.json()
		const answer = await loop(question, {
			ask: (messages) => this.ask(model, messages),
			call: async (named) =>
				JSON.stringify((await this.mcp.callTool({ serverId: this.serverId, ...named })).content),
			keep: (messages) => this.setState({ messages }),
		})
		return new Response(answer)
	}
}

export default {
	fetch: async (request, env) =>
		(await routeAgentRequest(request, env)) ?? new Response('Not found', { status: 404 }),
}
