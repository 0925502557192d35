import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { CommandError } from './failure.ts'

/** Where this program and those beside it are built. */
export const distDir = fileURLToPath(
	new URL(import.meta.url.includes('/chunks/') ? '..' : '.', import.meta.url),
)

/** A program built beside this one. */
export async function built<T>(name: string): Promise<T> {
	const file = `${distDir}/${name}`
	if (!existsSync(file))
		throw new CommandError(
			`this installation of berth has no ${name}: install the whole package on the machine of the host`,
		)
	return (await import(file)) as T
}
