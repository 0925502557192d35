import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * A folder with those above it, closed to everybody else. Node's own `recursive` never returns where a folder that is
 * there takes no other one and says ENOENT, as `/proc` does (seen with Node 24.21).
 */
export function makeFolder(dir: string): void {
	const make = () => mkdirSync(dir, { mode: 0o700 })
	try {
		make()
	} catch (error) {
		if (!isIn(error, ['ENOENT', 'EEXIST'])) throw error
		// Only one that is a folder is there with a slash.
		if (existsSync(`${dir}/`)) return
		const above = dirname(dir)
		if (isIn(error, ['EEXIST']) || above === dir || existsSync(above)) throw error
		makeFolder(above)
		makeFolder(dir)
	}
}

const isIn = (error: unknown, codes: string[]) => codes.includes((error as NodeJS.ErrnoException).code ?? '')
