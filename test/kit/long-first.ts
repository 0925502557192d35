import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take longest, the longest first: one that began last would run alone. */
const long = [
	'drills/crash',
	'host/main',
	'runs/recovery',
	'host/fleet',
	'console/gallery',
	'backup/live',
	'cli/host',
	'connect/killed',
	'console/deploy',
	'runs/hosts',
	'console/agent',
	'runs/agents',
	'cli/agent-test',
	'backup/refused',
	'console/runs',
	'security/corpus',
	'sandboxes/attacks',
	'security/marked-key',
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
