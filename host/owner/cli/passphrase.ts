import { UsageError } from './failure.ts'
import type { Io } from './io.ts'

export interface PassphraseOptions {
	passphraseFile?: string
	/** Commander's name for `--without-master-key`. */
	withoutMasterKey?: boolean
}

const least = 12

/** From a file or typed, never an argument: those are seen by every process of the machine. Null: no key is wanted. */
export async function passphraseOf(
	io: Io,
	{ passphraseFile, withoutMasterKey }: PassphraseOptions,
	read: (file: string) => string,
	twice: boolean,
): Promise<string | null> {
	if (withoutMasterKey && passphraseFile) throw new UsageError('--without-master-key takes no passphrase')
	if (withoutMasterKey) return null
	if (passphraseFile !== undefined) return longEnough(read(passphraseFile))
	if (!io.interactive)
		throw new UsageError(
			'the master key is encrypted with a passphrase: --passphrase-file FILE (- for standard input), or --without-master-key',
		)
	const typed = longEnough(await io.askSecret('Passphrase for the master key'))
	if (twice && (await io.askSecret('The same again')) !== typed)
		throw new UsageError('the two passphrases differ')
	return typed
}

function longEnough(passphrase: string): string {
	if (passphrase.length < least) throw new UsageError(`the passphrase has fewer than ${least} characters`)
	return passphrase
}
