import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundleOf, deploy, type Running, run, until } from '../../../kit/agent.ts'
import { type CollectedSpan, type Collector, startCollector } from '../../../kit/collector.ts'
import { cloneTemplate, dropDatabase, startHost, type TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { put, signInAt } from '../connect/agent.ts'

// Two hosts that send traces to one collector: a caller's trace goes on through an agent on the second, its guard and
// its sub-agent on the first, and the sub-agent's model.

const person = { email: 'traced@example.com', password: 'a password of nine words' }
const secrets = ['MARKED-INPUT', 'MARKED-ANSWER', 'MARKED-CLAIM', 'MARKED-ERROR', person.email]

let collector: Collector
let models: ModelServer
let database: string
let one: TestHost
let two: TestHost
let caller: Running
let answerer: Running

beforeAll(async () => {
	collector = await startCollector()
	models = await startModelServer({ m: { text: 'MARKED-ANSWER', usage: { input: 30, output: 4 } } })
	database = await cloneTemplate()
	const env = {
		OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
		OTEL_RESOURCE_ATTRIBUTES: 'team=blue',
		OTEL_METRIC_EXPORT_INTERVAL: '300',
		LOG_LEVEL: 'debug',
	}
	const options = { database, egressAllow: ['127.0.0.1'], env }
	one = await startHost(options)
	two = await startHost({
		...options,
		env: { ...env, MASTER_KEY_FILE: join(one.dataDir, 'master.key'), OTEL_SERVICE_NAME: 'second' },
	})
	const account = await one.account({ plan: 'team', tester: true, ...person })
	const model = `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }`
	const program = (body: string) =>
		`import { agent } from 'berth'\nexport default agent(async (inputs: any, ctx) => { ${body} })\n`
	const requires = (url: string, auth: string, tool: string) =>
		`requires: [{ connector: "${url}", scopes: [], auth: ${auth}, kind: connector, tools: [${tool}] }]\n`
	const guard = `${one.url}/mcp`
	answerer = await deploy(
		one,
		account,
		await bundleOf({
			model,
			yaml: `inputs: { type: object, properties: { question: { type: string } } }\n${requires(guard, 'oauth', 'guard_noul')}`,
			files: {
				'agent.ts': program(
					`await ctx.tools.call('guard_noul', { propositions: ['MARKED-CLAIM is a word.'] })
					return (await ctx.model(inputs.question)).text`,
				),
			},
		}),
		'answerer',
	)
	const signIn = await signInAt(guard, person)
	expect((await put(one, answerer, account.token, signIn)).status).toBe(200)
	caller = await deploy(
		one,
		account,
		await bundleOf({
			model,
			yaml: requires(`${answerer.url}/mcp`, 'bearer', 'answerer'),
			files: {
				'agent.ts': program(
					`await ctx.tools.call('answerer', { question: 'MARKED-INPUT' })
					throw new Error('MARKED-ERROR')`,
				),
			},
		}),
		'caller',
	)
	const token = answerer.run_key
	expect((await put(one, caller, account.token, { token })).status).toBe(200)
})
afterAll(async () => {
	await Promise.all([one?.close(), two?.close()])
	if (database) await dropDatabase(database)
	await Promise.all([models?.close(), collector?.close()])
})

const spansOf = (traceId: string) => collector.spans.filter((span) => span.traceId === traceId)
const named = (spans: CollectedSpan[], name: string) => {
	const found = spans.filter((span) => span.name === name)
	expect(found.map(({ name }) => name)).toEqual([name])
	return found[0] as CollectedSpan
}
const atTwo = () => ({ ...caller, url: caller.url.replace(one.url, two.url) })

// Proves: observe.traces, observe.traces-private
test('one trace leads from the caller over two hosts, the guard and a sub-agent, and holds no text', async () => {
	const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
	const parent = '00f067aa0ba902b7'
	const { body } = await run(two, atTwo(), {}, { traceparent: `00-${traceId}-${parent}-01` })
	const ended = body.run as { id: string }
	expect(ended).toMatchObject({
		error: { code: 'agent_error' },
		usage: { tool_calls: 1, failed_tool_calls: 0 },
	})
	const spans = await until(async () => {
		const found = spansOf(traceId)
		return found.length >= 6 && found
	})
	expect(spans).toHaveLength(6)

	const outer = named(spans, 'invoke_agent caller')
	expect(outer).toMatchObject({ parentId: parent, kind: 2, status: 2 })
	expect(outer.attributes).toMatchObject({
		'gen_ai.operation.name': 'invoke_agent',
		'gen_ai.agent.id': caller.id,
		'gen_ai.conversation.id': ended.id,
		'gen_ai.provider.name': 'openai',
		'error.type': 'agent_error',
	})
	const asked = named(spans, 'execute_tool answerer')
	expect(asked).toMatchObject({ parentId: outer.spanId, kind: 3, status: 0 })
	const inner = named(spans, 'invoke_agent answerer')
	expect(inner).toMatchObject({ parentId: asked.spanId, kind: 2, status: 0 })
	const chat = named(spans, 'chat m')
	expect(chat).toMatchObject({ parentId: inner.spanId, kind: 3 })
	expect(chat.attributes).toMatchObject({
		'gen_ai.operation.name': 'chat',
		'gen_ai.request.model': 'm',
		'gen_ai.response.finish_reasons': ['end'],
		'gen_ai.usage.input_tokens': 30,
		'gen_ai.usage.output_tokens': 4,
	})
	const screening = named(spans, 'execute_tool guard_noul')
	expect(screening.parentId).toBe(inner.spanId)
	expect(named(spans, 'tools/call guard_noul')).toMatchObject({ parentId: screening.spanId, kind: 2 })

	const services = (found: CollectedSpan) => [found.resource['service.name'], found.resource.team]
	expect([outer, asked].map(services)).toEqual(Array(2).fill(['second', 'blue']))
	expect([inner, chat, screening].map(services)).toEqual(Array(3).fill(['berth', 'blue']))
	for (const { startMs, endMs } of spans) expect(endMs).toBeGreaterThanOrEqual(startMs)
	const sent = Buffer.concat(collector.bodies).toString('latin1')
	for (const secret of [...secrets, caller.run_key, answerer.run_key]) expect(sent).not.toContain(secret)
	expect(new Set(collector.requests)).toEqual(
		new Set(['POST /v1/traces application/x-protobuf', 'POST /v1/metrics application/x-protobuf']),
	)
	expect((await two.call('/metrics')).text).toMatch(/^berth_trace_spans_total\{outcome="exported"\} [1-9]/m)
})

// Proves: observe.traces-sampled
test('a trace that its caller does not keep is not sent; a run without a caller’s trace has its own', async () => {
	const before = collector.spans.length
	const unkept = '5bf92f3577b34da6a3ce929d0e0e4736'
	await run(two, atTwo(), {}, { traceparent: `00-${unkept}-00f067aa0ba902b7-00` })
	const { body } = await run(one, answerer, { question: 'MARKED-INPUT' }, { traceparent: 'none' })
	const spans = await until(async () => {
		const root = collector.spans.find(({ attributes }) => attributes['gen_ai.conversation.id'] === body.id)
		const found = root ? spansOf(root.traceId) : []
		return found.length >= 4 && found
	})
	expect(named(spans, 'invoke_agent answerer').parentId).toBe('')
	// What the second host had of the other trace would be there with its stop.
	await two.close()
	expect(spansOf(unkept)).toEqual([])
	expect(collector.spans.slice(before)).toHaveLength(4)
})

// Proves: observe.otel-metrics
test('metrics go to the same collector, as they stand at /metrics', async () => {
	await run(one, { ...answerer }, { question: 'Hi' })
	const ended = await until(async () => {
		const found = collector.metrics.filter(({ name }) => name === 'berth.deployment.runs.ended')
		return found.find(({ attributes }) => attributes.deployment === answerer.id)
	})
	expect(ended).toMatchObject({
		unit: '1',
		attributes: { status: 'succeeded', code: '' },
		resource: { 'service.name': 'berth', team: 'blue' },
	})
	const queue = await until(async () => collector.metrics.find(({ name }) => name === 'berth.run.queue'))
	expect(queue).toMatchObject({ unit: 's', bounds: 10 })
	expect(queue.value).toBeGreaterThan(0)
	expect((await one.call('/metrics')).text).not.toContain('dep_')
})

// Proves: observe.log-traces
test('a log line that names a run has the id of its trace', async () => {
	const traceId = '4bf92f3577b34da6a3ce929d0e0eaaaa'
	const traceparent = `00-${traceId}-00f067aa0ba902b7-01`
	const { body } = await run(one, answerer, { question: 'Hi' }, { traceparent })
	await expect
		.poll(() =>
			one
				.logs()
				.filter((line) => line.startsWith('{'))
				.map((line) => JSON.parse(line))
				.filter(({ run }) => run === body.id),
		)
		.toMatchObject([{ msg: 'a run has ended', status: 'succeeded', trace_id: traceId }])
})

// Proves: observe.traces-off
test('what a host loads at its start holds nothing of OpenTelemetry', () => {
	const dist = fileURLToPath(new URL('../../../../dist', import.meta.url))
	const files = new Set<string>()
	const load = (file: string) => {
		if (files.has(file)) return
		files.add(file)
		const { module } = parseSync(file, readFileSync(file, 'utf8'))
		for (const { moduleRequest } of [...module.staticImports])
			if (moduleRequest.value.startsWith('.')) load(join(dirname(file), moduleRequest.value))
	}
	load(join(dist, 'host.mjs'))
	expect(files.size).toBeGreaterThan(5)
	expect([...files].filter((file) => readFileSync(file, 'utf8').includes('@opentelemetry/'))).toEqual([])
})
