/**
 * The keys of the master key file, one or, while the key is changed, two. Everything new is encrypted under the key in use;
 * both open what is stored.
 */
import { KeyError } from './error.ts'
import { loadMasterKeys } from './master-key.ts'
import { createWrapper, type Purpose, type Wrapper } from './wrap.ts'

export interface Keyring extends Wrapper {
	/** Check values, that of the key in use first. */
	held(): string[]
	/** Reads the file again, and uses the key of this check value if it is held. Where it fails, nothing changes. */
	use(check: string): void
	/** The same secret under the key in use; null: it is so already, or nobody here can open it. */
	rewrap(purpose: Purpose, wrapped: string, belongsTo: readonly string[]): string | null
}

/** `load`: the keys of the file, as they are now. */
export function createKeyring(load: () => Buffer[]): Keyring {
	let wrappers = load().map(createWrapper)
	let inUse = wrappers[0] as Wrapper
	const open = (wrapper: Wrapper, ...[purpose, wrapped, belongsTo]: Parameters<Wrapper['unwrap']>) => {
		try {
			return wrapper.unwrap(purpose, wrapped, belongsTo)
		} catch (error) {
			if (error instanceof KeyError) return null
			throw error
		}
	}
	const others = () => wrappers.filter((wrapper) => wrapper !== inUse)
	const openByOthers = (...args: Parameters<Wrapper['unwrap']>) => {
		for (const wrapper of others()) {
			const opened = open(wrapper, ...args)
			if (opened) return opened
		}
		return null
	}
	return {
		check: () => inUse.check(),
		held: () => [inUse, ...others()].map((wrapper) => wrapper.check()),
		use(check) {
			const now = load().map(createWrapper)
			const wanted = now.find((wrapper) => wrapper.check() === check)
			if (!wanted) return
			wrappers = now
			inUse = wanted
		},
		wrap: (...args) => inUse.wrap(...args),
		unwrap: (...args) => open(inUse, ...args) ?? openByOthers(...args) ?? inUse.unwrap(...args),
		rewrap(purpose, wrapped, belongsTo) {
			if (open(inUse, purpose, wrapped, belongsTo)) return null
			const opened = openByOthers(purpose, wrapped, belongsTo)
			if (!opened) return null
			try {
				return inUse.wrap(purpose, opened, belongsTo)
			} finally {
				opened.fill(0)
			}
		},
	}
}

/** Of the file that the host names, which is made where it may be. */
export function openKeyring({
	masterKeyFile: file,
	mayGenerate,
}: {
	masterKeyFile: string
	mayGenerate: boolean
}): Keyring {
	loadMasterKeys({ file, mayGenerate })
	return createKeyring(() => loadMasterKeys({ file, mayGenerate: false }))
}
