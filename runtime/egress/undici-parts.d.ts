/** Undici has types for its index alone. */
declare module 'undici/lib/core/connect.js' {
	export { buildConnector as default } from 'undici'
}
declare module 'undici/lib/core/errors.js' {
	export { errors as default } from 'undici'
}
declare module 'undici/lib/dispatcher/agent.js' {
	export { Agent as default } from 'undici'
}
declare module 'undici/lib/dispatcher/pool.js' {
	export { Pool as default } from 'undici'
}
