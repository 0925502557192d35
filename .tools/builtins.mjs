/**
 * Modules of Node by `process.getBuiltinModule` in place of an import: a static import reads every export once, and
 * with it what these load on first use. `node:http` so loads the client that `http.WebSocket` needs: 40 ms of each start.
 * Each name that a program uses is read by itself; esbuild leaves the others out.
 */
const COSTLY = ['crypto', 'fs', 'http', 'process', 'util']

export const builtins = {
	name: 'builtins',
	setup(build) {
		const filter = new RegExp(`^(?:node:)?(?:${COSTLY.join('|')})$`)
		build.onResolve({ filter }, ({ path, kind }) =>
			kind === 'import-statement' ? { path: path.replace('node:', ''), namespace: 'builtin' } : undefined,
		)
		build.onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({ contents: moduleOf(path) }))
	},
}

function moduleOf(path) {
	const names = Object.keys(process.getBuiltinModule(`node:${path}`)).filter((name) =>
		/^[A-Za-z_]\w*$/.test(name),
	)
	return [
		`const own = process.getBuiltinModule('node:${path}')`,
		'const read = (name) => own[name]',
		'export default own',
		// Under another name within: `process` and `crypto` are globals.
		...names.map((name) => `const own_${name} = /* @__PURE__ */ read('${name}')`),
		`export { ${names.map((name) => `own_${name} as ${name}`).join(', ')} }`,
	].join('\n')
}
