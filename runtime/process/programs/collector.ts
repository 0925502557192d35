/**
 * Stands before an agent's programs when they are only loaded, and takes down what they register. The program that runs
 * after them is its own: its output is the list. A program that deceives it deceives its owner alone.
 */
export const COLLECTOR = {
	name: 'collector.js',
	code: `{
const { entries } = Object, berth = globalThis.__berth, found = []
globalThis.__berth = {
	tools(skill, exports) {
		for (const [name, value] of entries(exports)) {
			if (typeof value !== 'object' || value === null) continue
			const { description, input, run } = value
			if (run === undefined && (description === undefined || input === undefined)) continue
			found[found.length] = { kind: 'tool', skill, name, run: typeof run === 'function', description, input }
		}
	},
	agent(value) {
		found[found.length] = { kind: 'agent', type: value === null ? 'null' : typeof value }
	},
}
berth.agent(() => found)
}`,
}
