import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

const source = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Rules that the page breaks, with where; WCAG 2.2 AA and what axe recommends. */
export async function axeFindings(page: Page): Promise<string[]> {
	// Once a document. By the debugger, which the policy of the page does not bind.
	if (!(await page.evaluate(() => 'axe' in window))) {
		const debug = await page.context().newCDPSession(page)
		await debug.send('Runtime.evaluate', { expression: source })
		await debug.detach()
	}
	const violations = await page.evaluate(async (runOnly) => {
		const { axe } = window as unknown as {
			axe: { run(options: object): Promise<{ violations: Violation[] }> }
		}
		return (await axe.run({ runOnly, resultTypes: ['violations'] })).violations
	}, tags)
	return violations.flatMap(({ id, nodes }) =>
		nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary}`),
	)
}

interface Violation {
	id: string
	nodes: { target: string[]; failureSummary: string }[]
}
