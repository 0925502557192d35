import fs from 'node:fs'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import git from 'isomorphic-git'
import { stringify } from 'yaml'

/**
 * A copy of an example in a repository of its own, pointed at the demo's model and guard and committed: what an owner does who
 * begins with an example.
 */
export async function commitExample(
	example: string,
	folder: string,
	own: { model: Record<string, unknown>; connector?: string },
): Promise<string> {
	await cp(example, folder, { recursive: true })
	const file = join(folder, 'agent.yaml')
	const text = await readFile(file, 'utf8')
	await writeFile(
		file,
		text
			.replace(/^model:\n(?: .*\n)+/m, () => stringify({ model: own.model }))
			.replace(/(?<=connector: )\S+/g, (url) => own.connector ?? url),
	)
	await git.init({ fs, dir: folder, defaultBranch: 'main' })
	for (const entry of await git.statusMatrix({ fs, dir: folder }))
		await git.add({ fs, dir: folder, filepath: entry[0] })
	return git.commit({
		fs,
		dir: folder,
		message: 'An agent',
		author: { name: 'you', email: 'you@example.com' },
	})
}
