/**
 * Somebody else's account, in a process of its own: sends what hurt its neighbours once, until it is ended. Argument: an
 * `Attack` as JSON. At its end it prints how often it was answered by which status (0: not at all).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { manifestFor, rawZip } from '../kit/raw-zip.ts'

export interface Attack {
	kind: 'upload' | 'inputs' | 'frames'
	url: string
	token: string
	runUrl: string
	runKey: string
}

const { kind, url, token, runUrl, runKey } = JSON.parse(process.argv[2] ?? '{}') as Attack
const statuses = new Map<number, number>()
let going = true
const stop = () => {
	going = false
}
process.on('SIGTERM', stop)
// It does not outlive who measures.
process.stdin.on('end', stop).resume()

/** `agent.yaml` with so many members in one map. */
function hostile(members: number): Uint8Array<ArrayBuffer> {
	const map = Array.from({ length: members }, (_, n) => `k${n}: 1`).join(', ')
	const files = {
		'agent.yaml': `name: small\nmodel: { provider: openai, name: m }\ninputs: { type: object, x: {${map}} }\n`,
		'prompt.md': 'You are small.\n',
	}
	const entries = Object.entries(files).map(([name, content]) => ({ name, content }))
	return new Uint8Array(rawZip([{ name: 'bundle.json', content: manifestFor(files) }, ...entries]))
}
const bundles = [hostile(8_000), hostile(5_000)]

function upload(n: number): Promise<Response> {
	const form = new FormData()
	form.set('name', 'hostile')
	form.set('bundle', new Blob([bundles[n % bundles.length] as Uint8Array<ArrayBuffer>]), 'a.agent')
	const headers = { authorization: `Bearer ${token}` }
	return fetch(`${url}/v1/deployments?dry_run=true`, { method: 'POST', headers, body: form })
}

const run = () =>
	fetch(runUrl, {
		method: 'POST',
		headers: { authorization: `Bearer ${runKey}`, 'content-type': 'application/json' },
		body: JSON.stringify({ inputs: { question: `${'a'.repeat(40)}!` } }),
	})

/** Calls a second. The 60 come at once. */
const rates = { upload: 4, inputs: 60, frames: 4 }
let n = 0
const underWay = new Set<Promise<void>>()
const count = async (answer: Promise<Response>) => {
	const status = await answer.then(
		async (response) => {
			await response.text()
			return response.status
		},
		() => 0,
	)
	statuses.set(status, (statuses.get(status) ?? 0) + 1)
}
console.log(JSON.stringify({ ready: true }))
while (going) {
	const batch = kind === 'inputs' ? rates.inputs : 1
	for (let i = 0; i < batch; i++) {
		const call = count(kind === 'upload' ? upload(n++) : run())
		underWay.add(call)
		call.finally(() => underWay.delete(call))
	}
	await sleep((1000 * batch) / rates[kind])
}
await Promise.allSettled(underWay)
process.stdin.pause()
console.log(JSON.stringify({ statuses: Object.fromEntries(statuses) }))
