/**
 * Why `ctx.http` has no response. `http_*_refused`: agent.yaml or Berth does not allow it. `message` is in our own words
 * and holds no secret.
 */
export type HttpCode =
	| 'invalid_request'
	| 'http_origin_refused'
	| 'http_method_refused'
	| 'http_header_refused'
	| 'http_secret_refused'
	| 'http_redirect_refused'
	| 'http_address_refused'
	| 'http_too_large'
	| 'http_unavailable'

export class HttpError extends Error {
	readonly code: HttpCode
	/** The origin may have done what it was asked for. */
	readonly unknown: boolean
	constructor(
		code: HttpCode,
		message: string,
		{ unknown = false, ...options }: ErrorOptions & { unknown?: boolean } = {},
	) {
		super(message, options)
		this.code = code
		this.unknown = unknown
	}
}
