import { spawnSync } from 'node:child_process'

/** Tests drive the processes that ship: dist/ is built (or found fresh) before the first of them. */
export default function setup() {
	const built = spawnSync(process.execPath, ['.tools/build.mjs'], { stdio: 'inherit' })
	if (built.status !== 0) throw new Error('the build failed; see above')
}
