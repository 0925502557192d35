/** The price of the journal: the same runs with it and without, in turn. And how fast webhooks go out. */
import { startReceiver } from '../kit/receiver.ts'
import { benchAgent } from './agent.ts'
import { startBerth } from './berth.ts'
import { startRunner } from './journal.ts'
import { type Load, load, quantile, together } from './load.ts'
import { startServers } from './servers.ts'

const endpoints = 8

export async function benchDurability(quick: boolean): Promise<void> {
	const servers = startServers()
	const { model, mcp } = servers
	try {
		const { modelUrl, mcpUrl } = await servers.urls()
		const allow = [modelUrl, mcpUrl].map((url) => new URL(url).host).join(',')
		const bundle = await benchAgent({ modelUrl, mcpUrl, model: 'm0', idempotent: true })
		const unrepeatable = await benchAgent({ modelUrl, mcpUrl, model: 'm0', idempotent: false })
		console.log('\n| tool call | callers | p50 ms: journal, none, ratio | runs/s: journal, none |')
		console.log('|-|-|-|-|')
		await compare('repeatable', bundle, { modelUrl, allow }, quick)
		await compare('written down before it is made', unrepeatable, { modelUrl, allow }, quick)
		await webhooks(bundle, allow, quick)
	} finally {
		await Promise.allSettled([model.stop(), mcp.stop()])
	}
}

type Bundle = Parameters<typeof startRunner>[0]

async function compare(
	name: string,
	bundle: Bundle,
	at: { modelUrl: string; allow: string },
	quick: boolean,
): Promise<void> {
	const runner = await startRunner(bundle, at)
	try {
		for (const callers of [1, 32]) {
			const calls = quick ? 100 : 600
			const rounds: Record<'journal' | 'none', Load[]> = { journal: [], none: [] }
			await load(callers, 100, 20, (n) => runner.run(n, n % 2 === 0))
			for (let round = 0; round < (quick ? 2 : 5); round++) {
				rounds.journal.push(await load(callers, calls, 20, (n) => runner.run(n, true)))
				rounds.none.push(await load(callers, calls, 20, (n) => runner.run(n, false)))
			}
			const [a, b] = [together(rounds.journal), together(rounds.none)]
			const [x, y] = [quantile(a.latencies, 0.5), quantile(b.latencies, 0.5)]
			const rate = (of: Load) => (of.calls / of.seconds).toFixed(0)
			console.log(
				`| ${name} | ${callers} | ${x.toFixed(1)}, ${y.toFixed(1)}, **${(x / y).toFixed(2)}** | ${rate(a)}, ${rate(b)} |`,
			)
		}
	} finally {
		await runner.close()
	}
}

/** Deliveries of runs that ended, sent again all at once. */
async function webhooks(bundle: Bundle, allow: string, quick: boolean): Promise<void> {
	const receiver = await startReceiver()
	const berth = await startBerth({ EGRESS_ALLOW: `${allow},${new URL(receiver.url).host}` })
	try {
		const deployed = await berth.deploy('webhooks', bundle)
		for (let n = 0; n < endpoints; n++) await berth.client.webhooks.add(deployed.id, receiver.url)
		const runs = quick ? 20 : 200
		const since = new Date()
		await load(16, runs, 60, async (n) => {
			const answer = await fetch(deployed.runUrl, {
				method: 'POST',
				headers: { authorization: `Bearer ${deployed.runKey}`, 'content-type': 'application/json' },
				body: `{"inputs":{"question":"Question ${n}"}}`,
			})
			if (answer.status !== 200) throw new Error(`a run failed: ${await answer.text()}`)
		})
		const all = runs * endpoints
		await received(() => receiver.received.length >= all)
		// The last attempts are written down a moment after they were answered.
		const sent = receiver.received.length
		const began = performance.now()
		await received(async () => {
			const { deliveries } = await berth.client.webhooks.redeliverSpan(deployed.id, {
				since: since.toISOString(),
				status: 'all',
			})
			return deliveries >= 0 && receiver.received.length > sent
		})
		await received(() => receiver.received.length >= sent + all * 0.95)
		const seconds = (performance.now() - began) / 1000
		const count = receiver.received.length - sent
		console.log(
			`\nWebhooks: ${(count / seconds).toFixed(0)} deliveries/s to ${endpoints} endpoints (${count} in ${seconds.toFixed(1)} s), signed, sent and written down`,
		)
	} finally {
		await berth.close()
		await receiver.close()
	}
}

async function received(done: () => boolean | Promise<boolean>): Promise<void> {
	for (const end = Date.now() + 60_000; Date.now() < end; ) {
		if (await done()) return
		await new Promise((resolve) => setTimeout(resolve, 5))
	}
	throw new Error('the webhooks were not received')
}
