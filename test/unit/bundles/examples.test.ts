import { execFileSync } from 'node:child_process'
import vm from 'node:vm'
import { describe, expect, it } from 'vitest'
import { buildBundle, newAgent, readBundle } from '../../../bundles/index.ts'
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
		for (const name of ['expense-auditor', 'support-triage', 'claim-checker', 'order-desk']) {
			const { manifest } = await buildBundle(`bundles/examples/${name}`)
			expect(manifest.agent.name).toBe(name)
		}
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

describe('newAgent', () => {
	// Proves: bundle.template
	it('makes an agent that builds, and gives its editor types and schema', async () => {
		const files = newAgent('first-try')
		const { root } = repository(Object.fromEntries(files))
		const { manifest } = await buildBundle(root)
		expect(manifest.agent.name).toBe('first-try')
		expect(manifest.files.map(({ path }) => path)).toEqual([
			'agent.yaml',
			'prompt.md',
			'skills/arithmetic/SKILL.md',
			'skills/arithmetic/tools.js',
		])
		execFileSync('node_modules/.bin/tsc', ['-p', root], { stdio: 'pipe' })
		expect([...files.keys()]).toContain('types/berth/agent.schema.json')
	})
})
