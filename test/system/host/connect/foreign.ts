import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

// Servers that others wrote, as processes of their own, each on a free port of loopback.

const modules = fileURLToPath(new URL('../../../../node_modules', import.meta.url))
const startMs = 20_000

export interface Foreign {
	/** Without a path. */
	url: string
	close(): Promise<void>
}

/** `server-everything` listens on every address of the machine and does not say which port it got. */
const onLoopback = `data:text/javascript,${encodeURIComponent(`
import { Server } from 'node:net'
const { listen } = Server.prototype
Server.prototype.listen = function (port, ...rest) {
	this.once('listening', () => console.log('http://127.0.0.1:' + this.address().port))
	return listen.call(this, 0, '127.0.0.1', ...rest)
}`)}`

export const startEverything = () =>
	start([
		'--import',
		onLoopback,
		join(modules, '@modelcontextprotocol/server-everything/dist/index.js'),
		'streamableHttp',
	])

/** `fixtures`: what its models answer to what; `mcp`: tools of its MCP server at `/mcp`. */
export async function startAimock(fixtures: object[], mcp: object): Promise<Foreign> {
	const dir = mkdtempSync(join(tmpdir(), 'berth-aimock-'))
	const file = (name: string, content: object) => {
		writeFileSync(join(dir, name), JSON.stringify(content))
		return join(dir, name)
	}
	const llm = { fixtures: file('fixtures.json', { fixtures }) }
	const config = file('config.json', { llm, mcp, strict: true })
	try {
		return await start([join(modules, '@copilotkit/aimock/dist/aimock-cli.js'), '--config', config])
	} finally {
		rmSync(dir, { recursive: true })
	}
}

/** Until it prints its address. */
async function start(args: string[]): Promise<Foreign> {
	const child = spawn(process.execPath, args, {
		env: { PATH: process.env.PATH },
		stdio: ['ignore', 'pipe', 'pipe'],
	})
	let said = ''
	child.stderr.setEncoding('utf8').on('data', (text) => {
		said += text
	})
	const last = () => child.kill('SIGKILL')
	process.once('exit', last)
	const exited = once(child, 'exit').finally(() => process.off('exit', last))
	const late = setTimeout(last, startMs)
	try {
		for await (const line of createInterface({ input: child.stdout })) {
			const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? []
			if (!url) continue
			child.stdout.resume()
			return {
				url,
				close: async () => {
					child.kill('SIGKILL')
					await exited
				},
			}
		}
		throw new Error(`${args.at(-1)} ended before it gave its address: ${said}`)
	} finally {
		clearTimeout(late)
	}
}
