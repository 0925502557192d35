import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { temporary } from '../../../kit/berth.ts'

// .tools/setup.mjs in a small repository, with a script in place of npm.

function repository(npm: string): { root: string; start: () => ReturnType<typeof spawn> } {
	const root = temporary()
	mkdirSync(join(root, '.tools'))
	for (const file of ['setup.mjs', 'progress.mjs'])
		copyFileSync(join('.tools', file), join(root, '.tools', file))
	writeFileSync(
		join(root, '.tools/build.mjs'),
		"import { writeFileSync } from 'node:fs'\nwriteFileSync('built', '')\n",
	)
	const packages = {
		'': {},
		'node_modules/node': {},
		'node_modules/a': {},
		'node_modules/b': { os: ['none'] },
	}
	writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages }))
	writeFileSync(join(root, 'npm'), `#!/bin/sh\n${npm}\n`)
	chmodSync(join(root, 'npm'), 0o755)
	const env = { PATH: `${root}:${process.env.PATH}` }
	return { root, start: () => spawn(process.execPath, ['.tools/setup.mjs'], { cwd: root, env }) }
}

it('setting up counts the packages of this platform, builds, and is done once', async () => {
	const made = `for name in node/bin a; do mkdir -p node_modules/$name; done
echo '{}' > node_modules/a/package.json; echo '{}' > node_modules/node/package.json
ln -s ${process.execPath} node_modules/node/bin/node; echo once >> runs`
	const { root, start } = repository(made)
	const child = start()
	let said = ''
	child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text))
	expect(await once(child, 'close')).toEqual([0, null])
	expect(said).toMatch(/^Setting up, once: packages …\nSetting up, once: packages 2 of 2, \d+ s\n$/)
	expect(existsSync(join(root, 'built'))).toBe(true)
	expect(await once(start(), 'close')).toEqual([0, null])
	expect(readFileSync(join(root, 'runs'), 'utf8')).toBe('once\n')
})

it('SIGTERM to the setting-up ends what it runs', async () => {
	const { root, start } = repository('echo $$ > pid; exec sleep 60')
	const child = start()
	onTestFinished(() => void child.kill('SIGKILL'))
	await expect.poll(() => existsSync(join(root, 'pid'))).toBe(true)
	await expect.poll(() => readFileSync(join(root, 'pid'), 'utf8')).toMatch(/\d\n/)
	child.kill('SIGTERM')
	expect(await once(child, 'exit')).toEqual([1, null])
	expect(() => process.kill(Number(readFileSync(join(root, 'pid'), 'utf8')), 0)).toThrow('ESRCH')
})
