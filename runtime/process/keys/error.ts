export type KeyErrorCode =
	| 'master_key_missing'
	| 'master_key_unusable'
	| 'credential_rejected'
	| 'credentials_missing'
	| 'secret_unreadable'

/** `message` is fit for the owner (for the operator where the master key is meant) and holds nothing of a key. */
export class KeyError extends Error {
	readonly code: KeyErrorCode
	constructor(code: KeyErrorCode, message: string, options?: ErrorOptions) {
		super(message, options)
		this.code = code
	}
}
