/**
 * What deployments cost that are running and idle: processes, and memory of host, runtime and database, for a thousand
 * different agents after a restart, after they were deployed in this process, and after each was called once.
 *
 * Nothing is asked of the host that an operator's would not do by itself: it is left alone until it has forgotten what
 * nobody uses and given its garbage back, and then looked at from outside.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { BuiltBundle } from '../../bundles/index.ts'
import { benchAgent } from './agent.ts'
import { type Berth, type Deployed, program, startBerth } from './berth.ts'
import { load } from './load.ts'
import { anonymous, type Part, partOf, tree } from './processes.ts'

const CALLERS = 8
/** Deployments, each called, before the first look: the host's own growth to its working size is not the others'. */
const FIRST = 25
/** The least for which a host keeps what nobody uses (default: 300). */
const IDLE_STOP_SECONDS = 30
/** Until that is over, looked for, and the garbage given back (runtime/lib/idle-memory.ts). */
const QUIET_MS = 80_000
const LOOKS = 10

type Standing = Record<Part, { processes: number; bytes: number }>

export async function benchIdle(quick: boolean): Promise<void> {
	const count = quick ? 100 : 1000
	const model = program('test/kit/model-server.ts', [JSON.stringify({ m: { text: 'Hello' } })], {})
	const mcp = program('test/kit/mcp-server.ts', [], {})
	const address = (line: string) =>
		line.startsWith('{') ? (JSON.parse(line) as { url: string }).url : undefined
	const [modelUrl, mcpUrl] = await Promise.all([model.line(address), mcp.line(address)])
	const EGRESS_ALLOW = [modelUrl, mcpUrl].map((url) => new URL(url).host).join(',')
	const bundle = (n: number) =>
		benchAgent({ modelUrl, mcpUrl, model: 'm', idempotent: true, prompt: `You are agent ${n}.` })
	let berth = await startBerth({ EGRESS_ALLOW, IDLE_STOP_SECONDS: String(IDLE_STOP_SECONDS) })
	try {
		console.log(`\nIdle deployments: ${count} agents, each another, running (anonymous memory, PSS)`)
		await callEach(berth, await deployMany(berth, FIRST, 'early', bundle))
		berth = await berth.again()
		const restarted = await standing(berth, `restarted, with ${FIRST} others`)
		await callEach(berth, await deployMany(berth, FIRST, 'first', bundle))
		const first = await standing(berth, `${FIRST} more deployed and called`)
		const deployed = await deployMany(berth, count, 'idle', bundle)
		await standing(berth, `${count} more deployed`, first, count)
		await callEach(berth, deployed)
		await standing(berth, 'each of those called once', first, count)
		berth = await berth.again()
		await standing(berth, 'restarted, with all', restarted, count + FIRST)
		await callEach(berth, deployed.slice(0, FIRST))
	} finally {
		await Promise.allSettled([berth.close(), model.stop(), mcp.stop()])
	}
}

async function deployMany(
	berth: Berth,
	count: number,
	name: string,
	bundle: (n: number) => Promise<BuiltBundle>,
): Promise<Deployed[]> {
	const deployed: Deployed[] = []
	await load(CALLERS, count, 1200, async (n) => {
		deployed.push(await berth.deploy(`${name}-${n}`, await bundle(n)))
	})
	return deployed
}

/** At the address the host has now. */
async function callEach({ url }: Berth, deployed: Deployed[]): Promise<void> {
	await load(CALLERS, deployed.length, 1200, async (n) => {
		const { runUrl, runKey } = deployed[n] as Deployed
		const answer = await fetch(new URL(new URL(runUrl).pathname, url), {
			method: 'POST',
			headers: { authorization: `Bearer ${runKey}`, 'content-type': 'application/json' },
			body: JSON.stringify({ inputs: { question: 'Hello?' } }),
		})
		if (!answer.ok) throw new Error(`run: ${answer.status} ${await answer.text()}`)
		await answer.text()
	})
}

/** After the quiet time, the smallest of some looks: a host that is idle still works a little now and then. */
async function standing(berth: Berth, label: string, before?: Standing, count = 1): Promise<Standing> {
	await sleep(QUIET_MS)
	const looks: Standing[] = []
	for (let n = 0; n < LOOKS; n++) {
		looks.push(look(berth.host.pid))
		await sleep(1_000)
	}
	const of = ({ host, runtime }: Standing) => host.bytes + runtime.bytes
	const least = looks.reduce((a, b) => (of(b) < of(a) ? b : a))
	report(label, least, before, count)
	return least
}

function look(root: number): Standing {
	const none = () => ({ processes: 0, bytes: 0 })
	const found: Standing = { host: none(), runtime: none(), sandboxes: none(), database: none() }
	for (const pid of tree(root)) {
		const part = found[partOf(pid, root)]
		part.processes++
		part.bytes += anonymous(pid)
	}
	return found
}

function report(label: string, now: Standing, before: Standing | undefined, count: number): void {
	const parts = Object.entries(now) as [Part, Standing[Part]][]
	const shown = parts.map(([name, { processes, bytes }]) => {
		const more = before && (bytes - before[name].bytes) / 1024 / count
		const each = more === undefined ? '' : ` (${more < 0 ? '' : '+'}${more.toFixed(1)} KiB each)`
		return `${name} ${processes} × ${(bytes / 1e6).toFixed(1)} MB${each}`
	})
	console.log(`${label}: ${shown.join(', ')}`)
}
