/**
 * Modules of Node by `process.getBuiltinModule` in place of an import: a static import reads every export once, and
 * with it what these load on first use. `node:http` so loads the client that `http.WebSocket` needs: 40 ms of each start.
 */
const COSTLY = ['http', 'fs', 'util', 'process']

export const builtins = {
	name: 'builtins',
	setup(build) {
		const filter = new RegExp(`^(?:node:)?(?:${COSTLY.join('|')})$`)
		build.onResolve({ filter }, ({ path, kind }) =>
			kind === 'import-statement' ? { path: path.replace('node:', ''), namespace: 'builtin' } : undefined,
		)
		build.onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({
			contents: `module.exports = process.getBuiltinModule('node:${path}')`,
		}))
	},
}
