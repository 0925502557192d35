/**
 * An error as a log may show it: what failed and where in the code, and nothing that anyone has sent. Messages quote
 * bodies, arguments and rows, so one is kept only of errors that are known to speak for themselves.
 */
export interface LoggedError {
	type: string
	code?: string | number
	message?: string
	table?: string
	constraint?: string
	stack?: string
	cause?: LoggedError
}

const CAUSES = 3
const MESSAGE_MAX_CHARS = 500

/** Worded here, or by Node about a call of ours; what they quote is left out. */
const plain = new Set(['Error', 'TypeError', 'RangeError', 'AbortError', 'TimeoutError', 'EgressError'])
const whole = new Set(['StartError', 'ConfigError', 'BootstrapError'])
const SYSTEM = /^(?:E[A-Z0-9]{2,}|CONNECT|CONNECTION_\w+)$/
/** Class 22 is about data, and quotes it. */
const SQLSTATE_OF_DATA = /^22/

export function loggedError(error: unknown, causes = CAUSES): LoggedError {
	if (!(error instanceof Error)) return { type: typeof error }
	const { code, table_name, constraint_name } = error as Partial<
		Record<'code' | 'table_name' | 'constraint_name', unknown>
	>
	const message = messageOf(error, code)
	return {
		type: error.name,
		...((typeof code === 'string' || typeof code === 'number') && { code }),
		...(message !== undefined && { message }),
		...(typeof table_name === 'string' && { table: table_name }),
		...(typeof constraint_name === 'string' && { constraint: constraint_name }),
		stack: `${error.name}${message === undefined ? '' : `: ${message}`}\n${framesOf(error)}`,
		...(error.cause !== undefined && causes > 0 && { cause: loggedError(error.cause, causes - 1) }),
	}
}

function messageOf({ name, message }: Error, code: unknown): string | undefined {
	const text = message.slice(0, MESSAGE_MAX_CHARS)
	if (name === 'PostgresError') return SQLSTATE_OF_DATA.test(String(code)) ? undefined : text
	if (whole.has(name) || (typeof code === 'string' && SYSTEM.test(code))) return text
	return plain.has(name) ? text.replace(/(["'`“]).*/s, '$1…') : undefined
}

/** Places only: the message stands before them, and may look like one. */
function framesOf({ stack = '', message }: Error): string {
	const from = message === '' ? 0 : stack.indexOf(message) + message.length
	return stack
		.slice(from)
		.split('\n')
		.filter((line) => line.startsWith('    at '))
		.join('\n')
}
