/** Types of a saved agent, checked behind its run, which does not wait for them. */
import { relative } from 'node:path'
import { faultLine, readWorkingTree } from '../../../../bundles/index.ts'
import { typeFaults } from '../examine/types.ts'

export interface TypeChecks {
	/** Ends the check of an earlier save of this folder. */
	check(folder: string): void
	/** When those that are under way have been told. */
	told(): Promise<unknown>
	close(): void
}

export function openTypeChecks(note: (text: string) => void): TypeChecks {
	const running = new Map<string, AbortController>()
	const checks = new Map<string, Promise<void>>()

	async function check(folder: string, { signal }: AbortController): Promise<void> {
		const { files } = await readWorkingTree(folder)
		const { faults } = await typeFaults(files, { directory: folder, tests: false, signal })
		if (signal.aborted) return
		const from = relative(process.cwd(), folder)
		for (const fault of faults) note(`✖ ${from ? `${from}/` : ''}${faultLine(fault)}`)
	}

	return {
		check(folder) {
			running.get(folder)?.abort()
			const own = new AbortController()
			running.set(folder, own)
			// What cannot be read was told by the build.
			checks.set(
				folder,
				check(folder, own).catch(() => undefined),
			)
		},
		told: () => Promise.all(checks.values()),
		close() {
			for (const one of running.values()) one.abort()
		},
	}
}
