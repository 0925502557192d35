import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { AGENT_NAME, newAgent, readWorkingTree, TEMPLATES, type Template } from '../../../../bundles/index.ts'
import { find } from '../agent-test/find.ts'
import { writeTypes } from '../agent-test/write-types.ts'
import { command, does } from '../command.ts'
import { CommandError } from '../failure.ts'

export function initCommand(program: Command): void {
	command(program, 'init <dir>', 'make a new agent from a template')
		.addOption(
			new Option('--template <name>', 'tools, chat, program, or team (two agents)')
				.choices(TEMPLATES)
				.default('tools'),
		)
		.action(
			does<{ template: Template }>(async (io, { template }, dir) => {
				const folder = resolve(dir)
				if (existsSync(folder) && readdirSync(folder).some((entry) => entry !== '.git')) {
					throw new CommandError(`${folder} is not empty`)
				}
				const name = basename(folder)
					.toLowerCase()
					.replace(/[^a-z0-9]+/g, '-')
					.replace(/^-|-$/g, '')
				const files = newAgent(AGENT_NAME.test(name) ? name : 'my-agent', template)
				for (const [path, text] of files) {
					const file = join(folder, path)
					mkdirSync(dirname(file), { recursive: true })
					writeFileSync(file, text)
				}
				const { agents } = find(folder)
				for (const agent of agents) writeTypes(agent, (await readWorkingTree(agent)).files)
				const next = nextSteps(dir, template === 'team')
				io.result(
					{ folder, files: [...files.keys()], next },
					`Made an agent in ${folder}. Next:\n${next.map((line) => `  ${line}`).join('\n')}`,
				)
			}),
		)
}

/** In a clone the command line is a script of npm, which runs in the clone's folder. */
function nextSteps(dir: string, team: boolean): string[] {
	const clone = process.env.npm_lifecycle_event === 'berth'
	const berth = clone ? 'npm run berth --' : 'berth'
	const at = /^[\w@%+=:,./~-]+$/.test(dir) ? dir : `'${dir.replaceAll("'", "'\\''")}'`
	const of = (part: string) => (clone ? (part === '.' ? at : `${at}/${part}`) : part)
	const git = clone ? `git -C ${at}` : 'git'
	return [
		...(clone ? [] : [`cd ${at}`]),
		`${berth} test${clone ? ` ${at}` : ''}`,
		`${berth} dev${team ? ` ${of('writer')} ${of('researcher')}` : clone ? ` ${at}` : ''}`,
		`${git} init && ${git} add -A && ${git} commit -m "A new agent"`,
		team
			? `${berth} deploy ${of('researcher')} (README.md says more)`
			: `${berth} deploy ${of('.')} --name my-first`,
	]
}
