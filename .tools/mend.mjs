// Faults of packages, mended as they are bundled, and for tests from the sources. A text that is not there any more stops
// the build: the package has changed, and what stands here is to be looked at again.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const clock = fileURLToPath(new URL('../connector/oauth/clock.ts', import.meta.url))
const locales = 'export * as locales from "../locales/index.js";\n'
const closed = "Errors.connection('CONNECTION_CLOSED', options)"

/**
 * postgres 3.4.9 (https://github.com/porsager/postgres/issues/1133, /1154, /1208, /1216): a connection that is lost
 * within a transaction ends the process, or takes the transaction's next statements into somebody else's. One that is
 * lost with a statement unsent never works again. One that the server ended fails the first statement after it is back.
 * So what a lost connection held is let go of, and a transaction's statements are refused once its connection is lost.
 * A `COPY … FROM STDIN` that the server refuses at its end never ends: its stream is told of the error. A `COPY … TO STDOUT`
 * whose reader was slow at its end leaves the connection paused: it is resumed.
 *
 * zod 4.6.7 brings its messages in fifty languages into every process; ours are English.
 *
 * undici loads what speaks HTTP/2 with the rest, and `node:http2` with it: 10 ms of each start of a runtime. Nobody asks for it.
 *
 * oidc-provider 9.13.3 judges all its expiries by the machine's clock, which is not that of the other hosts.
 */
const mends = {
	'postgres/src/connection.js': [
		['    count: 0,\n    id\n', '    count: 0,\n    life: 0,\n    id\n'],
		[
			'    const x = socket.write(chunk, fn)\n',
			`    if (!socket) return (chunk = nextWriteTimer = null, error(${closed}), true)\n    const x = socket.write(chunk, fn)\n`,
		],
		[
			'    clearImmediate(nextWriteTimer)\n    socket.removeListener',
			'    clearImmediate(nextWriteTimer)\n    chunk = nextWriteTimer = null\n    socket.removeListener',
		],
		[
			'    socket = null\n\n    if (initial)\n',
			'    socket = null\n    connection.life++\n\n    if (initial)\n',
		],
		[
			'    stream && (stream.destroy(err), stream = null)\n',
			'    stream && (stream.destroy(err), stream = null, socket && socket.resume())\n    final && (final(err), final = null)\n',
		],
		[
			'    stream && stream.push(null)\n    stream = null\n',
			'    stream && stream.push(null)\n    stream = null\n    socket.resume()\n',
		],
		[
			"    !hadError && (query || sent.length) && error(Errors.connection('CONNECTION_CLOSED', options, socket))\n",
			`    if (query || sent.length) error(${closed})\n    query = results = errorResponse = null\n    result = new Result()\n`,
		],
	],
	'lib/dispatcher/client.js': [
		[
			"const connectH2 = require('./client-h2.js')\n",
			"const connectH2 = (...given) => require('./client-h2.js')(...given)\n",
		],
	],
	'v4/classic/external.js': [[locales, '']],
	'v4/core/index.js': [[locales, '']],
	'lib/helpers/epoch_time.js': [
		[
			'export default (date = Date.now()) => Math.floor(date / 1000);',
			`export { epochTime as default } from '${clock}'`,
		],
	],
	'postgres/src/index.js': [
		[
			'    let savepoints = 0\n      , connection\n',
			'    let savepoints = 0\n      , connection\n      , life\n',
		],
		['      connection = c\n', '      connection = c\n      life = c.life\n'],
		[
			'        q.catch(e => uncaughtError || (uncaughtError = e))\n',
			`        q.catch(e => uncaughtError || (uncaughtError = e))\n        if (c.life !== life) return q.reject(${closed})\n`,
		],
	],
}

const MENDED =
	/[\\/](postgres[\\/]src[\\/](connection|index)|oidc-provider[\\/]lib[\\/]helpers[\\/]epoch_time|undici[\\/]lib[\\/]dispatcher[\\/]client|zod[\\/]v4[\\/](classic[\\/]external|core[\\/]index))\.js$/

/** A file of these packages as it is bundled; undefined where it stays as it is. */
function mended(path, text) {
	if (!MENDED.test(path)) return undefined
	const name = path.split(/[\\/]/).slice(-3).join('/')
	return mends[name].reduce((contents, [fault, better]) => {
		if (contents.split(fault).length !== 2) throw new Error(`${name} has changed: ${fault.trim()}`)
		return contents.replace(fault, () => better)
	}, text)
}

/** For esbuild, which makes dist/. */
export const mend = {
	name: 'mend',
	setup(build) {
		build.onLoad({ filter: MENDED }, ({ path }) => ({ contents: mended(path, readFileSync(path, 'utf8')) }))
	},
}

/** For Vitest, so that tests which run from the sources have the same driver. */
export const mendInTests = {
	name: 'mend',
	enforce: 'pre',
	transform: (text, id) => mended(id, text),
}
