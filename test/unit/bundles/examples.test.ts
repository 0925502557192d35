import { execFileSync } from 'node:child_process'
import vm from 'node:vm'
import { describe, expect, it } from 'vitest'
import { agentTypes, buildBundle, newAgent, readBundle, TYPES_FILE } from '../../../bundles/index.ts'
import { repository } from '../../kit/repository.ts'

type Run = (input: object, ctx: object) => unknown

async function toolsOf(name: string): Promise<Map<string, { run: Run }>> {
	const { scripts } = readBundle((await buildBundle(`bundles/examples/${name}`)).bytes)
	const found = new Map<string, { run: Run }>()
	const __berth = {
		tools: (_: string, exports: object) =>
			Object.entries(exports).forEach(([tool, it]) => void found.set(tool, it)),
	}
	for (const { code, kind } of scripts) if (kind === 'tools') vm.runInNewContext(code, { __berth })
	return found
}

describe('the examples', () => {
	// Proves: bundle.examples
	it('build from the commit they are in', async () => {
		for (const name of [
			'expense-auditor',
			'support-triage',
			'claim-checker',
			'order-desk',
			'receipt-reader',
		]) {
			const { manifest } = await buildBundle(`bundles/examples/${name}`)
			expect(manifest.agent.name).toBe(name)
		}
		for (const name of ['desk', 'fact-checker', 'style-critic'])
			await buildBundle(`bundles/examples/article-desk/${name}`)
	})

	// Proves: bundle.examples
	it('type-check against the types an agent is given', () => {
		execFileSync('node_modules/.bin/tsc', ['-p', 'bundles/examples'], { stdio: 'pipe' })
	})

	it('audit an expense report', async () => {
		const tools = await toolsOf('expense-auditor')
		const logged: unknown[] = []
		const line = (over: object) => ({
			date: '2026-03-02',
			merchant: 'Café',
			category: 'meal',
			amount: '12 EUR',
			...over,
		})
		const report = {
			lines: [
				line({}),
				line({ amount: '30,00 EUR', receipt: true }),
				line({ merchant: 'café ' }),
				line({ merchant: 'Shop', category: 'gift', amount: 'USD 60', receipt: true }),
				line({ merchant: 'Inn', category: 'hotel', amount: '1.234 EUR' }),
				line({ date: '2025-11-01', category: 'travel', merchant: 'Rail', amount: '1,225.50 EUR' }),
			],
		}
		const audited = tools
			.get('audit_report')
			?.run(report, { log: (...entry: unknown[]) => logged.push(entry) })
		const found = (line: number, rule: string) => expect.objectContaining({ line, rule })
		expect(audited).toEqual({
			total: '1334.70 EUR',
			findings: [
				found(3, 'duplicate'),
				found(3, 'split'),
				found(4, 'gift'),
				found(5, 'amount'),
				found(6, 'receipt'),
				found(6, 'old'),
			],
		})
		expect(logged).toHaveLength(1)
		expect(tools.get('convert')?.run({ amount: '100 SEK' }, {})).toBe('8.80 EUR')
		expect(() => tools.get('convert')?.run({ amount: '5 XYZ' }, {})).toThrow('"5 XYZ" cannot be read')
	})

	it('refund what the shop and the owner allow', async () => {
		const tools = await toolsOf('order-desk')
		const asked: { method?: string; url: string; body?: object }[] = []
		const ctx = {
			async http(request: (typeof asked)[number]) {
				asked.push(request)
				if (request.method === 'POST') return { status: 201 }
				if (request.url.endsWith('/DE0000')) return { status: 404 }
				return { status: 200, json: { paid_cents: 9000, refunded_cents: 1000, currency: 'EUR' } }
			},
			approve: async () => ({ approved: false, note: 'no' }),
		}
		const refund = (order: string, cents: number) =>
			tools.get('refund')?.run({ order, cents, reason: 'late' }, ctx)
		expect(await refund('DE0000', 5)).toContain('no order')
		expect(await refund('DE1234', 8001)).toContain('8000 cents are left')
		expect(await refund('DE1234', 8000)).toContain('declined: no')
		expect(asked.every(({ method }) => method === undefined)).toBe(true)
		expect(await refund('DE1234', 500)).toContain('were refunded')
		expect(asked.at(-1)).toMatchObject({ method: 'POST', body: { order: 'DE1234', cents: 500 } })
	})
})

/** What an editor underlines in an agent of the template. */
const contradictions = `import { agent, tool } from 'berth'
import { run, script } from 'berth/test'
export default agent(async ({ question }, ctx) => ctx.tools.call('calculate', { question }))
export const typed = agent<{ question: string }>(async ({ question }) => question)
export const number = agent<{ question: number }>(async ({ question }) => question) // red
export const misspelt = agent(async ({ question }, ctx) => ctx.tools.call('calculat', question)) // red
export const wrong = tool<{ a: number; b?: string }>({
	description: 'd',
	input: {
		type: 'object',
		required: ['a', 'c'], // red
		properties: {
			a: { type: 'string' }, // red
			b: { type: 'string', minLength: 1 },
		},
	},
	run: ({ a }) => a.toFixed(),
})
const model = script([{ calls: [{ name: 'skill', input: {} }, { name: 'other' }] }]) // red
await run({ question: 'q' }, { model })
await run({ questions: 'q' }, { model }) // red
await run({ question: 'q' }, { model, tools: { none: 1 } }) // red
`

function catchError(work: () => unknown): unknown {
	try {
		return work()
	} catch (error) {
		return error
	}
}

describe('newAgent', () => {
	// Proves: bundle.template, develop.types
	it('makes an agent that builds, and gives its editor types and schema', async () => {
		const files = newAgent('first-try')
		const { root, write } = repository(Object.fromEntries(files))
		const { manifest } = await buildBundle(root)
		expect(manifest.agent.name).toBe('first-try')
		expect(manifest.files.map(({ path }) => path)).toEqual([
			'agent.yaml',
			'prompt.md',
			'skills/arithmetic/SKILL.md',
			'skills/arithmetic/tools.js',
		])
		const tsc = () => execFileSync('node_modules/.bin/tsc', ['-p', root], { encoding: 'utf8', stdio: 'pipe' })
		tsc()
		expect([...files.keys()]).toContain('types/berth/agent.schema.json')
		expect(JSON.parse(files.get('package.json') ?? '')).toMatchObject({ name: 'first-try', type: 'module' })

		const paths = [...files.keys()]
		write({ [TYPES_FILE]: agentTypes(manifest.agent, paths), 'wrong.test.ts': contradictions })
		const { stdout } = catchError(tsc) as { stdout: string }
		const lines = contradictions.split('\n').flatMap((line, at) => (line.includes('// red') ? [at + 1] : []))
		const red = [...stdout.matchAll(/(?:^|\/)wrong\.test\.ts\((\d+),/gm)].map(([, line]) => Number(line))
		expect([...new Set(red)]).toEqual(lines)
	})
})
