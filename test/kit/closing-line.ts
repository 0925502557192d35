import type { Reporter, TestModule } from 'vitest/node'

/** Ends a run with one plain line, `N passed, N failed`, that a continuous-integration log can be read by. */
export default class ClosingLine implements Reporter {
	onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]) {
		let passed = 0
		let failed = errors.length
		for (const module of modules) {
			if (module.state() === 'failed' && module.children.size === 0) failed++
			for (const test of module.children.allTests()) {
				if (test.result().state === 'passed') passed++
				else failed++
			}
		}
		process.stdout.write(`${passed} passed, ${failed} failed\n`)
	}
}
