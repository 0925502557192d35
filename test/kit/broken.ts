/** Programs that cannot work, and the faults told of them once a sandbox has loaded them, by their owner's files and lines. */
const tools = "import { tool } from 'berth'\n"
export const skill = (name: string) => `---\nname: ${name}\ndescription: d\n---\nBody.\n`

export const loadFaults: Record<string, { files: Record<string, string>; told: RegExp[] }> = {
	'a default export that is no agent, and a tool without description': {
		files: {
			'agent.ts': '// A comment.\nexport default 5\n',
			'skills/s/SKILL.md': skill('s'),
			'skills/s/tools.ts': `${tools}\nexport const double = tool({ input: {}, run: () => 1 } as never)\n`,
		},
		told: [
			/^agent\.ts:2: the default export is no agent but of type number: write export default agent\(…\)$/,
			/^skills\/s\/tools\.ts:3 \/double\/description: a tool needs a description, which the model reads$/,
		],
	},
	'a throw at the top, and an input schema of an unknown type': {
		files: {
			'agent.ts': "import './deep/file.ts'\nexport default () => 1\n",
			'deep/file.ts': "\n\nthrow new Error('boom')\n",
			'skills/s/SKILL.md': skill('s'),
			'skills/s/tools.ts': `${tools}export const half = tool({\n\tdescription: 'd',\n\tinput: { type: 'object', properties: { n: { type: 'strin' } } },\n\trun: () => 1,\n})\n`,
		},
		told: [
			/^deep\/file\.ts:3: fails when it is loaded: boom$/,
			/^skills\/s\/tools\.ts:2 \/half\/input\/properties\/n\/type: type must be one or several of array, /,
		],
	},
	'a loop at the top': {
		files: { 'agent.ts': 'export default () => 1\n\nfor (;;) globalThis.toString()\n' },
		told: [/^agent\.ts:3: takes over 500 ms of CPU time to load$/],
	},
}
