import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Command } from 'commander'
import { distDir } from '../built.ts'
import { command, does } from '../command.ts'
import { CommandError } from '../failure.ts'
import type { Io } from '../io.ts'
import { environment, sysusers, unit } from '../service-unit.ts'

interface ServiceOptions {
	print?: true
	root?: string
}

const actions = { install }

export function serviceCommand(program: Command): void {
	command(program, 'service <action>', 'run a host as a service of systemd', actions)
		.option('--print', 'show the unit, and write nothing')
		.option('--root <dir>', 'write below this folder and run nothing, as for an image')
		.action(does<ServiceOptions>(async (io, options) => install(io, options)))
}

/** The unit, its user, and a file for settings that is left alone where it exists. The service is not started. */
function install(io: Io, { print, root }: ServiceOptions): void {
	const text = unit(programs(root !== undefined || print === true))
	if (print) {
		io.result({ unit: text }, text)
		return
	}
	if (root === undefined && process.getuid?.() !== 0)
		throw new CommandError('a service is installed by root; --print shows the unit')
	const files: [path: string, content: string, mode: number][] = [
		['/etc/systemd/system/berth.service', text, 0o644],
		['/etc/sysusers.d/berth.conf', sysusers, 0o644],
		['/etc/berth/berth.env', environment, 0o600],
	]
	const written = files.filter(
		([path]) => path !== '/etc/berth/berth.env' || !existsSync(join(root ?? '/', path)),
	)
	for (const [path, content, mode] of written) {
		const file = join(root ?? '/', path)
		mkdirSync(dirname(file), { recursive: true })
		writeFileSync(file, content, { mode })
	}
	if (root === undefined) {
		must('systemd-sysusers', ['berth.conf'])
		must('systemctl', ['daemon-reload'])
	}
	io.result(
		{ written: written.map(([path]) => path) },
		`Written: ${written.map(([path]) => path).join(', ')}
Settings: /etc/berth/berth.env (berth settings). Then:
  systemctl enable --now berth
  journalctl --unit berth      # with the link of the first sign-in`,
	)
}

/** Where the service's own user finds them: systemd hides homes from it. */
function programs(anywhere: boolean): { node: string; launcher: string } {
	const found = {
		node: process.execPath,
		launcher: realpathSync(join(distDir, '../host/owner/cli/bin/berth.mjs')),
	}
	const hidden = Object.values(found).find((path) => /^\/(home|root|run\/user)\//.test(path))
	if (hidden !== undefined && !anywhere)
		throw new CommandError(
			`${hidden} is in a home, which the service cannot read. Install the package for the machine: npm install --global --prefix /usr/local`,
		)
	if (/\s/.test(Object.values(found).join('')))
		throw new CommandError('the path of this installation has a space in it, which a unit cannot name')
	return found
}

function must(program: string, args: string[]): void {
	const { status, error } = spawnSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] })
	if (status !== 0)
		throw new CommandError(
			`${program} ${args.join(' ')} failed${error ? `: ${error.message}` : ''}; the files are written`,
		)
}
