/** Why a host does not start, in words for its operator; shown without a stack. */
export class StartError extends Error {
	constructor(message: string, options?: ErrorOptions) {
		super(message, options)
		this.name = 'StartError'
	}
}
