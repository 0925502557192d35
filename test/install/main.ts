// The drill of a stranger's first hour (`npm run install-drill`): pack, install into empty folders, run a host, and deploy to
// it with the client alone. It needs npm's cache or its registry. Ends with 0 only if every step held.
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { startModelServer } from '../kit/model-server.ts'

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'berth-install-'))
const readyMs = 60_000
const stepMs = 300_000
/** What the client may take, with its packages (issue: 25 MB). */
const clientMb = 25
const began = performance.now()
const say = (text: string) => console.log(`${((performance.now() - began) / 1000).toFixed(1)} s  ${text}`)
const mb = (bytes: number) => (bytes / 1e6).toFixed(1)

const shell = (more: Record<string, string> = {}) => ({
	PATH: process.env.PATH ?? '',
	HOME: join(folder, 'home'),
	...more,
})
/** npm's own cache and settings are this shell's; not those of the npm that started the drill. */
const npmEnv = Object.fromEntries(
	Object.entries(process.env).flatMap(([name, value]) =>
		value === undefined || /^npm_(package|lifecycle|command|execpath|node)/.test(name) ? [] : [[name, value]],
	),
)
/** Not one that blocks: the model server answers from this process. */
const run = async (file: string, args: string[], cwd: string, env: NodeJS.ProcessEnv = shell()) => {
	const begun = promisify(execFile)(file, args, { cwd, env, timeout: stepMs })
	begun.child.stdin?.end()
	return (await begun).stdout
}
const need = (holds: boolean, what: string) => {
	if (!holds) throw new Error(`it does not hold: ${what}`)
	say(what)
}

async function install(tarball: string, name: string): Promise<{ berth: string; bytes: number }> {
	const prefix = join(folder, name)
	const args = ['install', '--global', '--prefix', prefix, '--prefer-offline', '--no-audit', '--no-fund']
	await run('npm', [...args, '--loglevel=error', join(folder, tarball)], folder, npmEnv)
	return { berth: join(prefix, 'bin/berth'), bytes: sizeOf(prefix) }
}

/** Each file once, however many names it has. */
function sizeOf(place: string): number {
	const seen = new Set<number>()
	let bytes = 0
	for (const entry of readdirSync(place, { recursive: true, withFileTypes: true })) {
		if (!entry.isFile()) continue
		const { ino, size } = statSync(join(entry.parentPath, entry.name))
		if (!seen.has(ino)) bytes += size
		seen.add(ino)
	}
	return bytes
}

async function withServer(berth: string, work: (url: string, dataDir: string) => Promise<void>) {
	const dataDir = join(folder, 'data')
	const env = shell({ DATA_DIR: dataDir, PORT: '0', EGRESS_ALLOW: '127.0.0.1' })
	const host = spawn(berth, ['serve'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
	const ended = new Promise<number | null>((resolve) => host.once('exit', (code) => resolve(code)))
	let said = ''
	host.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
	try {
		let url: string | undefined
		for (const end = performance.now() + readyMs; !url; await sleep(50)) {
			url = /"listener":"(http:[^"]+)","msg":"Berth is ready"/.exec(said)?.[1]
			if (host.exitCode !== null || performance.now() > end)
				throw new Error(`the host did not start:\n${said}`)
		}
		await work(url, dataDir)
	} finally {
		host.kill('SIGTERM')
		need((await ended) === 0, 'the host stops with exit code 0')
	}
}

const models = await startModelServer({ m: { text: '391' } }, { key: 'sk-drill' })
try {
	const [packed] = JSON.parse(
		await run('npm', ['pack', '--json', '--pack-destination', folder], root, npmEnv),
	)
	say(
		`npm pack: ${packed.filename}, ${packed.files.length} files, ${mb(packed.size)} MB, unpacked ${mb(packed.unpackedSize)} MB`,
	)
	const small = JSON.parse(await run('node', [join(root, '.tools/pack-client.mjs')], folder))
	say(`the client: ${small.filename}, ${mb(small.size)} MB, unpacked ${mb(small.unpacked)} MB`)

	const whole = await install(packed.filename, 'whole')
	say(`installed: ${mb(whole.bytes)} MB with Node, Postgres and isolated-vm`)
	const client = await install(small.filename, 'client')
	need(client.bytes < clientMb * 1e6, `installed: the client, ${mb(client.bytes)} MB with esbuild`)

	await withServer(whole.berth, async (url, dataDir) => {
		say(`berth serve answers at ${url}`)
		const operator = shell({ BERTH_URL: url, DATA_DIR: dataDir })
		const account = [
			'admin',
			'accounts',
			'create',
			'--email',
			'a@example.com',
			'--plan',
			'pro',
			'--token',
			'--json',
		]
		const { token } = JSON.parse(await run(whole.berth, account, folder, operator))
		const owner = shell({ BERTH_URL: url, BERTH_TOKEN: token, KEY: 'sk-drill' })
		const agent = join(folder, 'agent')
		await run(client.berth, ['init', agent], folder, owner)
		const model = `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }`
		await run(
			'sed',
			['-i', `/^model:/,/^[a-z]*:/{/^model:/d;/^ /d}; $ a model: ${model}`, 'agent.yaml'],
			agent,
		)
		const git = ['-c', 'user.name=drill', '-c', 'user.email=drill@example.com']
		for (const args of [
			['init', '--quiet'],
			['add', '.'],
			[...git, 'commit', '--quiet', '-m', 'first'],
		])
			await run('git', args, agent)
		await run(client.berth, ['deploy', agent, '--name', 'drill', '--provider-key-env', 'KEY'], folder, owner)
		say('the client deploys an agent')
		const answer = await run(
			client.berth,
			['run', 'drill', '--input', 'question=17 times 23?'],
			folder,
			owner,
		)
		need(answer.includes('391'), 'the agent answers')
		const backup = ['backup', join(folder, 'backup'), '--without-master-key']
		need((await run(whole.berth, backup, folder, operator)).includes('rows'), 'berth backup copies it')
	})
	say('every step held')
} finally {
	await models.close()
	rmSync(folder, { recursive: true, force: true })
}
