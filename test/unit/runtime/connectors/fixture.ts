import { createEgress } from '../../../../runtime/egress/index.ts'
import {
	type ConnectorsOptions,
	createConnectors,
} from '../../../../runtime/process/connectors/connectors.ts'
import type {
	ConnectorCallOptions,
	Connectors,
	ConnectorTarget,
	ToolReply,
} from '../../../../runtime/process/connectors/index.ts'
import { type McpServer, type McpServerOptions, startMcpServer } from '../../../kit/mcp-server.ts'

export const eras = ['both', 'session'] as const

export interface Fixture {
	server: McpServer
	connectors: Connectors
	target: ConnectorTarget
	call(tool: string, input?: unknown, more?: Partial<ConnectorCallOptions>): Promise<ToolReply>
	list(wanted: string[], more?: { refresh?: boolean }): ReturnType<Connectors['list']>
	/** How often the server was asked this. */
	asked(method: string): number
}

const stops: (() => Promise<unknown>)[] = []

export async function stopAll(): Promise<void> {
	for (const stop of stops.splice(0).reverse()) await stop()
}

export async function start(
	server: McpServerOptions = {},
	options: Partial<ConnectorsOptions> = {},
	target: Partial<ConnectorTarget> = {},
): Promise<Fixture> {
	const running = await startMcpServer(server)
	const egress = createEgress({ allow: [`127.0.0.1:${running.port}`] })
	const connectors = createConnectors({ egress, ...options })
	stops.push(
		() => running.close(),
		() => egress.close(),
		() => connectors.close(),
	)
	const whole = { deployment: 'dep_1', url: running.url, credentialVersion: 0, ...target }
	const signal = new AbortController().signal
	return {
		server: running,
		connectors,
		target: whole,
		call: (tool, input, more) => connectors.call(whole, tool, input, { signal, timeoutMs: 30_000, ...more }),
		list: (wanted, more) => connectors.list(whole, wanted, { signal, timeoutMs: 30_000, ...more }),
		asked: (method) => running.requests.filter((request) => request.method === method).length,
	}
}
