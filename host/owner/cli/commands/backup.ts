import { resolve } from 'node:path'
import type { Command } from 'commander'
import { megabytes, totals, withTools } from '../backups.ts'
import { command, does } from '../command.ts'
import { type PassphraseOptions, passphraseOf } from '../passphrase.ts'

export function backupCommand(program: Command): void {
	command(program, 'backup <folder>', 'copy the database of this host into a new folder, while it runs')
		.option(
			'--passphrase-file <file>',
			'file with the passphrase that encrypts the master key; - for standard input',
		)
		.option('--without-master-key', 'leave the master key out')
		.action(
			does<PassphraseOptions>(async (io, options, folder = '') => {
				await withTools(async (tools) => {
					const passphrase = await passphraseOf(io, options, tools.readPassphrase, true)
					const { where } = tools
					const manifest = await tools.backup({
						where,
						folder,
						sealKey:
							passphrase === null
								? null
								: (check) => tools.sealMasterKey(where.MASTER_KEY_FILE, check, passphrase),
						onTable: (name) => io.progress(`${name} …`),
					})
					const key =
						manifest.master_key_check === null ? 'none yet' : passphrase === null ? 'left out' : 'encrypted'
					const { tables, rows, bytes } = totals(manifest)
					io.result(
						{ folder: resolve(folder), made_at: manifest.made_at, tables, rows, bytes, master_key: key },
						`${resolve(folder)}: ${rows} rows of ${tables} tables, ${megabytes(bytes)}; master key: ${key}`,
					)
				})
			}),
		)
}
