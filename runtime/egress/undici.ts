/** The parts of undici that Berth uses. Its index also loads fetch, WebSockets, caches and mocks: 1 MB in each process. */
export { default as buildConnector } from 'undici/lib/core/connect.js'
export { default as errors } from 'undici/lib/core/errors.js'
export { default as Agent } from 'undici/lib/dispatcher/agent.js'
export { default as Pool } from 'undici/lib/dispatcher/pool.js'
