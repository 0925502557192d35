import type { Reporter, TestModule, Vitest } from 'vitest/node'

/** Ends a run with one plain line, `N passed, N failed`, that a continuous-integration log can be read by. */
export default class ClosingLine implements Reporter {
	/** With `-t` the others are left out on purpose. Else a test that is skipped has failed. */
	#some = false

	onInit({ config }: Vitest) {
		this.#some = config.testNamePattern !== undefined
	}

	onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]) {
		let passed = 0
		let failed = errors.length
		for (const module of modules) {
			if (module.state() === 'failed' && module.children.size === 0) failed++
			for (const test of module.children.allTests()) {
				const { state } = test.result()
				if (state === 'passed') passed++
				else if (!(this.#some && state === 'skipped')) failed++
			}
		}
		process.stdout.write(`${passed} passed, ${failed} failed\n`)
	}
}
