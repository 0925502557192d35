// Faults of packages, mended as they are bundled. A text that is not there any more stops the build: the package has
// changed, and what stands here is to be looked at again.
import { readFileSync } from 'node:fs'
import { sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const clock = fileURLToPath(new URL('../connector/oauth/clock.ts', import.meta.url))
const closed = "Errors.connection('CONNECTION_CLOSED', options)"

/**
 * postgres 3.4.9 (its issues 1133, 1154, 1208, 1216): a connection that is lost within a transaction ends the process, or
 * takes the transaction's next statements into somebody else's; one lost with a statement unsent never works again; one that
 * the server ended fails the first statement after it is back. So what a lost connection held is let go of, and a
 * transaction's statements are refused once its connection has been lost.
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
			"    !hadError && (query || sent.length) && error(Errors.connection('CONNECTION_CLOSED', options, socket))\n",
			`    if (query || sent.length) error(${closed})\n    query = results = errorResponse = null\n    result = new Result()\n`,
		],
	],
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

export const mend = {
	name: 'mend',
	setup(build) {
		build.onLoad(
			{
				filter:
					/[\\/](postgres[\\/]src[\\/](connection|index)|oidc-provider[\\/]lib[\\/]helpers[\\/]epoch_time)\.js$/,
			},
			({ path }) => {
				const name = path.split(sep).slice(-3).join('/')
				let contents = readFileSync(path, 'utf8')
				for (const [fault, mended] of mends[name]) {
					if (contents.split(fault).length !== 2) throw new Error(`${name} has changed: ${fault.trim()}`)
					contents = contents.replace(fault, () => mended)
				}
				return { contents }
			},
		)
	},
}
