import type { Dispatcher } from 'undici'
import { Agent, errors, Pool } from './undici.ts'

/** Not an error: says again that a socket is gone. */
const again = new errors.InformationalError('looked at again')

/**
 * undici's agent forgets an origin when the last socket to it closes, but not where that was cancelled in the middle of
 * an answer: then the request still counts as one to come. Every event stream of a connector ends so, and the origin
 * would be kept for as long as the process lives. A moment later the request is gone, and the agent looks once more.
 */
export function createAgent(options: Agent.Options): Agent {
	const agent = new Agent(options)
	const look = (origin: URL, targets: readonly Dispatcher[], error: unknown) => {
		const pool = targets[1]
		if (error === again || !(pool instanceof Pool)) return
		setImmediate(() => {
			if (!pool.closed && !pool.destroyed) pool.emit('disconnect', origin, [pool], again)
		})
	}
	return agent.on('disconnect', look)
}
