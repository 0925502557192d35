import type { Command } from 'commander'
import { megabytes, type Tools, totals, withTools } from '../backups.ts'
import { command, does } from '../command.ts'
import { CommandError } from '../failure.ts'
import type { Io } from '../io.ts'
import { type PassphraseOptions, passphraseOf } from '../passphrase.ts'

interface RestoreOptions extends PassphraseOptions {
	check?: true
}

export function restoreCommand(program: Command): void {
	command(program, 'restore <folder>', 'put a backup into an empty DATA_DIR, or an empty DATABASE_URL')
		.option('--passphrase-file <file>', 'file with the passphrase of its master key; - for standard input')
		.option('--without-master-key', 'leave MASTER_KEY_FILE as it is')
		.option('--check', 'compare its digests, and write nothing')
		.action(
			does<RestoreOptions>(async (io, options, folder = '') => {
				await withTools(async (tools) => {
					const verified = await tools.verify(folder)
					const { manifest } = verified
					const { tables, rows, bytes } = totals(manifest)
					const about = { folder, made_at: manifest.made_at, berth: manifest.berth, tables, rows, bytes }
					const said = `${rows} rows of ${tables} tables, ${megabytes(bytes)}, made ${manifest.made_at} by Berth ${manifest.berth}`
					if (options.check) return io.result({ ...about, whole: true }, `The backup is whole: ${said}`)
					const placeKey = await keyOf(io, tools, verified, options)
					await tools.restore({
						where: tools.where,
						folder,
						verified,
						placeKey,
						onTable: (name) => io.progress(`${name} …`),
					})
					const next = 'Start the host with: berth serve'
					io.result(about, `Restored: ${said}\n${next}`)
				})
			}),
		)
}

/** Opened before anything is written. */
async function keyOf(
	io: Io,
	tools: Tools,
	{ manifest, masterKey }: Awaited<ReturnType<Tools['verify']>>,
	options: RestoreOptions,
): Promise<() => void> {
	const check = manifest.master_key_check
	if (check === null || options.withoutMasterKey) return () => {}
	if (masterKey === null)
		throw new CommandError(
			'the backup holds no master key; copy the key file to MASTER_KEY_FILE (mode 0600) and add --without-master-key',
		)
	const passphrase = await passphraseOf(io, options, tools.readPassphrase, false)
	const key = tools.openMasterKey(masterKey, check, passphrase ?? '')
	return () => tools.placeMasterKey(tools.where.MASTER_KEY_FILE, key)
}
