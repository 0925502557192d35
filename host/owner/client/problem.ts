/** A call that failed: the host's problem document (RFC 9457), or why there was none (`status` 0). */
export class ApiError extends Error {
	readonly status: number
	/** Stable: a code of the host (spec error.codes-fixed), or `unreachable`, `unexpected_answer`, `timed_out`. */
	readonly code: string
	/** The whole document; empty where the host gave none. */
	readonly problem: Record<string, unknown>

	constructor(
		status: number,
		code: string,
		detail: string,
		problem: Record<string, unknown> = {},
		cause?: unknown,
	) {
		super(detail, cause === undefined ? undefined : { cause })
		this.name = 'ApiError'
		this.status = status
		this.code = code
		this.problem = problem
	}
}

export async function problemOf(response: Response): Promise<ApiError> {
	const text = await response.text().catch(() => '')
	try {
		const document = JSON.parse(text) as Record<string, unknown>
		if (typeof document.code === 'string') {
			return new ApiError(response.status, document.code, String(document.detail ?? document.title), document)
		}
	} catch {
		// Not ours: told below.
	}
	return new ApiError(
		response.status,
		'unexpected_answer',
		`${response.url} answered ${response.status} without a problem document`,
	)
}
