import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take longest, the longest first: one that began last would run alone. */
const long = [
	'crash/crash',
	'console/gallery',
	'host/main',
	'host/fleet',
	'runs/recovery',
	'runs/hosts',
	'cli/demo',
	'cli/host',
	'console/deploy',
	'sandboxes/attacks',
	'connect/killed',
	'security/corpus',
	'security/marked-key',
	'tools/dev',
]

/** The order of Vitest, which knows durations only where the suite has run before, with the longest files ahead. */
export class LongFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		const rank = ({ moduleId }: TestSpecification) => {
			const place = long.findIndex((path) => moduleId.endsWith(`/${path}.test.ts`))
			return place === -1 ? long.length : place
		}
		return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
	}
}
