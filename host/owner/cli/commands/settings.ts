import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { command, does } from '../command.ts'
import { CommandError } from '../failure.ts'
import { tellList } from '../list.ts'

type Settings = Record<string, { default: string; help: string }>

/** The table is the host's own, built beside this program. */
export function settingsCommand(program: Command): void {
	command(program, 'settings', 'the settings of berth serve, all of them environment variables').action(
		does(async (io) => {
			const here = import.meta.url.includes('/chunks/') ? '../settings.mjs' : './settings.mjs'
			const file = new URL(here, import.meta.url)
			if (!existsSync(file)) throw new CommandError('the settings are not built; run berth by its launcher')
			const { settings } = (await import(file.href)) as { settings: Settings }
			const rows = Object.entries(settings).map(([name, row]) => ({
				name,
				default: row.default,
				help: row.help,
			}))
			tellList(
				io,
				{ data: rows },
				{
					none: '',
					head: ['NAME', 'DEFAULT', ''],
					row: (row) => [row.name, row.default || '–', row.help],
				},
			)
		}),
	)
}
