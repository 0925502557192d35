/** One account's `/run` before and while another account attacks the host, in turns. Aim: at most three times the p50 and p99. */
import type { BuiltBundle } from '../../bundles/index.ts'
import { benchAgent } from './agent.ts'
import type { Attack } from './attacker.ts'
import { type Deployed, program, startBerth } from './berth.ts'
import { type Load, load, quantile, together } from './load.ts'
import { startServers } from './servers.ts'

/** What each attack is, and the agent it is made with. */
const attacks: Record<Attack['kind'], { what: string; pattern?: string; program?: string }> = {
	upload: { what: '4 uploads/s with 5,000 and 8,000 members in one map' },
	inputs: {
		what: '60 calls at once, each second, with inputs that `^(a+)+$` never ends on',
		pattern: '^(a+)+$',
	},
	frames: {
		what: '4 runs/s that set `Array.prototype.toJSON` and log twice',
		program:
			"import { agent } from 'berth'\nexport default agent(async (_inputs, ctx) => {\n\t(Array.prototype as unknown as { toJSON: unknown }).toJSON = () => undefined\n\tctx.log('info', 'one')\n\tctx.log('info', 'two')\n\treturn 'done'\n})\n",
	},
}
const callers = 2

export async function benchNeighbour(quick: boolean): Promise<void> {
	const servers = startServers()
	const { model, mcp } = servers
	try {
		const { modelUrl, mcpUrl } = await servers.urls()
		const allow = [modelUrl, mcpUrl].map((url) => new URL(url).host).join(',')
		const at = { modelUrl, mcpUrl, model: 'm0', idempotent: true }
		const mine = await benchAgent(at)
		console.log('\n| attack | p50 ms: before, during, ratio | p99 ms: before, during, ratio | its answers |')
		console.log('|-|-|-|-|')
		for (const kind of Object.keys(attacks) as Attack['kind'][]) {
			const theirs = await benchAgent({ ...at, ...attacks[kind] })
			await attacked(kind, { mine, theirs, allow, quick })
		}
	} finally {
		await Promise.allSettled([model.stop(), mcp.stop()])
	}
}

/** A host of its own for each attack, so that none is measured in what another left. */
async function attacked(
	kind: Attack['kind'],
	{ mine, theirs, allow, quick }: { mine: BuiltBundle; theirs: BuiltBundle; allow: string; quick: boolean },
): Promise<void> {
	const berth = await startBerth({ EGRESS_ALLOW: allow })
	try {
		const neighbour = await berth.deploy('neighbour', mine)
		const attacker = await berth.account()
		const target = await berth.deploy('attacker', theirs, attacker.client)
		const calls = quick ? 300 : 1000
		await load(callers, 200, 30, (n) => run(neighbour, n))
		const before: Load[] = []
		const during: Load[] = []
		const answers: Record<string, number> = {}
		for (let round = 0; round < (quick ? 2 : 4); round++) {
			before.push(await load(callers, calls, 30, (n) => run(neighbour, n)))
			const attack: Attack = { kind, url: berth.url, token: attacker.token, ...target }
			const other = program('test/bench/attacker.ts', [JSON.stringify(attack)], {})
			await other.line((line) => (line.includes('ready') ? true : undefined))
			during.push(await load(callers, calls, 30, (n) => run(neighbour, n)))
			const statuses = other.line((line) => /"statuses":(\{.*\})\}/.exec(line)?.[1])
			await other.stop()
			for (const [status, count] of Object.entries(JSON.parse(await statuses) as Record<string, number>))
				answers[status] = (answers[status] ?? 0) + count
		}
		const [a, b] = [together(before), together(during)]
		const three = (q: number) => {
			const [x, y] = [quantile(a.latencies, q), quantile(b.latencies, q)]
			return `${x.toFixed(1)}, ${y.toFixed(1)}, **${(y / x).toFixed(2)}**`
		}
		const said = Object.entries(answers).map(([status, count]) => `${count} × ${status}`)
		console.log(`| ${attacks[kind].what} | ${three(0.5)} | ${three(0.99)} | ${said.join(', ')} |`)
	} finally {
		await berth.close()
	}
}

async function run({ runUrl, runKey }: Deployed, n: number): Promise<void> {
	const answer = await fetch(runUrl, {
		method: 'POST',
		headers: { authorization: `Bearer ${runKey}`, 'content-type': 'application/json' },
		body: `{"inputs":{"question":"Question ${n}"}}`,
	})
	const text = await answer.text()
	if (answer.status !== 200) throw new Error(`a neighbour's run failed: ${answer.status} ${text}`)
}
