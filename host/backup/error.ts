/** Why a backup or a restore is not made, in words for the operator; shown without a stack. */
export class BackupError extends Error {
	constructor(message: string, options?: ErrorOptions) {
		super(message, options)
		this.name = 'BackupError'
	}
}
