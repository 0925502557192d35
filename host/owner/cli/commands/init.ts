import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Command } from 'commander'
import { AGENT_NAME, newAgent } from '../../../../bundles/index.ts'
import { command, does } from '../command.ts'
import { CommandError } from '../failure.ts'

export function initCommand(program: Command): void {
	command(program, 'init <dir>', 'make a new agent from a template').action(
		does(async (io, _options, dir) => {
			const folder = resolve(dir)
			if (existsSync(folder) && readdirSync(folder).some((entry) => entry !== '.git')) {
				throw new CommandError(`${folder} is not empty`)
			}
			const name = basename(folder)
				.toLowerCase()
				.replace(/[^a-z0-9]+/g, '-')
				.replace(/^-|-$/g, '')
			const files = newAgent(AGENT_NAME.test(name) ? name : 'my-agent')
			for (const [path, text] of files) {
				const file = join(folder, path)
				mkdirSync(dirname(file), { recursive: true })
				writeFileSync(file, text)
			}
			const next = [
				`cd ${dir}`,
				'git init && git add -A && git commit -m "A new agent"',
				'berth deploy . --name my-first',
			]
			io.result(
				{ folder, files: [...files.keys()], next },
				`Made an agent in ${folder}. Next:\n${next.map((line) => `  ${line}`).join('\n')}`,
			)
		}),
	)
}
