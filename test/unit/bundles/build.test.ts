import { execFileSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { BundleError, buildBundle, faultLine, readBundle } from '../../../bundles/index.ts'
import { minimal, repository, temporary } from '../../kit/repository.ts'

const faultsOf = (folder: string) =>
	buildBundle(folder).then(
		() => [],
		(error: unknown) => {
			if (error instanceof BundleError) return error.faults.map(faultLine)
			throw error
		},
	)

describe('buildBundle', () => {
	// Proves: bundle.from-commit, bundle.file-name
	it('builds from the commit and never from the working tree', async () => {
		const { root, write, git } = repository({ ...minimal, 'memory/old.md': 'old', '.gitignore': 'secret*\n' })
		write({ 'prompt.md': 'Edited.\n', 'memory/new.md': 'new', 'agent.yaml': 'broken: [', secret: 'x' })
		git('add', 'agent.yaml')
		git('rm', '--quiet', '--force', 'memory/old.md')
		const { bytes, leftOut, manifest, fileName } = await buildBundle(root)
		const bundle = readBundle(bytes)
		expect(fileName).toBe('small.agent')
		expect(bundle.prompt).toBe(minimal['prompt.md'])
		expect(bundle.memory).toEqual({ 'old.md': 'old' })
		expect(manifest.commit).toBe(git('rev-parse', 'HEAD'))
		expect(leftOut).toEqual([
			{ path: 'agent.yaml', change: 'changed' },
			{ path: 'memory/new.md', change: 'new' },
			{ path: 'memory/old.md', change: 'deleted' },
			{ path: 'prompt.md', change: 'changed' },
		])
	})

	// Proves: bundle.commit-first
	it('refuses a folder in no repository, a repository with no commit, a folder that is in no commit', async () => {
		const bare = temporary()
		expect(await faultsOf(bare)).toEqual([expect.stringContaining('is in no git repository')])
		const empty = repository()
		empty.write(minimal)
		expect(await faultsOf(empty.root)).toEqual([
			expect.stringMatching(/has no commit yet; commit the agent first$/),
		])
		const other = repository({ 'README.md': 'x' })
		other.write({ 'agents/small/agent.yaml': minimal['agent.yaml'] })
		expect(await faultsOf(join(other.root, 'agents/small'))).toEqual([
			expect.stringMatching(
				/^agents\/small is not in the last commit \([0-9a-f]{7}\); commit the agent first$/,
			),
		])
		expect(await faultsOf(join(bare, 'none'))).toEqual([expect.stringContaining('there is no folder')])
	})

	// Proves: bundle.same-bytes
	it('gives the same bytes for the same commit: in a subfolder, a worktree, a shallow clone, detached, packed', async () => {
		const files = Object.fromEntries(
			Object.entries(minimal).map(([path, text]) => [`agents/small/${path}`, text]),
		)
		const { root, git, write, commit } = repository(files)
		write({ 'README.md': 'later' })
		commit()
		const first = await buildBundle(join(root, 'agents/small'))
		git('gc', '--quiet')
		git('checkout', '--quiet', '--detach')
		const worktree = join(temporary(), 'tree')
		git('worktree', 'add', '--quiet', worktree, 'main')
		const clone = join(temporary(), 'clone')
		execFileSync('git', ['clone', '--quiet', '--depth', '1', '--branch', 'main', `file://${root}`, clone])
		for (const copy of [root, worktree, clone]) {
			const again = await buildBundle(join(copy, 'agents/small'))
			expect(again.digest).toBe(first.digest)
			expect(Buffer.compare(again.bytes, first.bytes)).toBe(0)
			expect(again.leftOut).toEqual([])
		}
	})

	// Proves: bundle.same-bytes
	it('gives the same bytes in another time zone and working directory', async () => {
		const { root } = repository(minimal)
		const script = `import { buildBundle } from ${JSON.stringify(new URL('../../../bundles/index.ts', import.meta.url).href)}
			const { bytes } = await buildBundle(${JSON.stringify(root)})
			process.stdout.write(Buffer.from(bytes).toString('base64'))`
		const { bytes } = await buildBundle(root)
		for (const TZ of ['Asia/Kathmandu', 'America/Los_Angeles']) {
			const out = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
				env: { ...process.env, TZ },
			})
			expect(out.toString()).toBe(Buffer.from(bytes).toString('base64'))
		}
	})

	// Proves: bundle.zip
	it('writes a zip that other programs open', async () => {
		const { root } = repository({
			...minimal,
			'skills/a-b/SKILL.md': '---\nname: a-b\ndescription: d\n---\nBody.\n',
		})
		const { bytes } = await buildBundle(root)
		expect(Object.keys(unzipSync(bytes))).toEqual([
			'bundle.json',
			'agent.yaml',
			'prompt.md',
			'skills/a-b/SKILL.md',
		])
	})

	// Proves: bundle.all-faults
	it('tells faults of all files at once, each with file and line', async () => {
		const { root } = repository({
			'agent.yaml':
				'name: small\nmodel: { provider: openai, name: m }\nprompt: x.md\nlimit: {}\ninputs: { type: object, properties: { n: { type: number, default: many } } }\ntools: { a/b: { approval: required } }\nrequires: 3\n',
			'x.md': 'Hello\n{{n}} and {{m}}',
			'skills/one/SKILL.md': '---\nname: two\ndescription: d\n---\n',
			'skills/none/references/a.md': 'x',
			'skills/bad/SKILL.md': 'no front matter',
			'skills/half/SKILL.md': '---\nname: half\n---\n',
			'skills/half/tools.ts': "import fs from 'node:fs'\n\nexport const a = fs\nexport const b = (\n",
		})
		expect((await faultsOf(root)).sort()).toEqual([
			'agent.yaml:4 /limit: unknown member "limit"',
			'agent.yaml:5 /inputs/properties/n/default: does not fit its own schema: must be number, is string',
			'agent.yaml:7 /requires: must be an array, not a number',
			'skills/bad/SKILL.md:1: begins with no front matter (---, name, description, ---)',
			'skills/half/SKILL.md:2 /description: is missing',
			'skills/half/tools.ts:5: Unexpected end of file',
			'skills/none: the skill has no SKILL.md',
			'skills/one/SKILL.md:2 /name: the skill is named "two", its folder "one"',
			'x.md:2: {{m}} is no input of the agent',
		])
	})

	// Proves: bundle.prompt-inputs
	it('refuses a prompt that is missing or names an unknown input', async () => {
		const { root, write, commit } = repository({ 'agent.yaml': `${minimal['agent.yaml']}prompt: x/p.md\n` })
		expect(await faultsOf(root)).toEqual(['agent.yaml:3 /prompt: there is no file x/p.md'])
		write({ 'x/p.md': 'Hello\n{{ name }} and {{other}}' })
		commit()
		expect(await faultsOf(root)).toEqual([
			'x/p.md:2: {{name}} is no input of the agent',
			'x/p.md:2: {{other}} is no input of the agent',
		])
	})

	// Proves: bundle.no-links, bundle.case-collision
	it('refuses links and names that differ only in case', async () => {
		const { root, commit, git } = repository(minimal)
		symlinkSync('/etc/passwd', join(root, 'memory'))
		commit()
		expect(await faultsOf(root)).toEqual(['memory: is a symbolic link; a bundle holds files only'])
		git('rm', '--quiet', 'memory')
		const blob = git('hash-object', '-w', 'prompt.md')
		git('update-index', '--add', '--cacheinfo', `100644,${blob},memory/Notes`)
		git('update-index', '--add', '--cacheinfo', `100644,${blob},memory/notes`)
		git('commit', '--quiet', '--message', 'two')
		expect(await faultsOf(root)).toEqual([
			'memory/notes: would be one file with memory/Notes where case is ignored',
		])
	})

	// Proves: bundle.utf8-text
	it('refuses text that is not UTF-8', async () => {
		const { root, commit } = repository(minimal)
		writeFileSync(join(root, 'prompt.md'), Buffer.from([0x48, 0xff]))
		commit()
		expect(await faultsOf(root)).toEqual(['prompt.md: is not UTF-8 text'])
	})
})
