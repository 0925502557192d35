// D of the issue: `berth doctor` says which layers hold here, having tried them; SANDBOX_REQUIRE makes them fatal.
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { launchers } from '../../../../runtime/process/sandboxes/launch/index.ts'
import { berth } from '../../../kit/berth.ts'
import { distDir, openSandboxes } from '../../../kit/guests.ts'
import { startHost } from '../../../kit/host.ts'

interface Report {
	ok: boolean
	layers: { layer: string; holds: boolean; required: boolean; remedy: string }[]
}

const doctor = async (...required: string[]) => {
	const env = { SANDBOX_REQUIRE: required.join(',') }
	const { code, stdout } = await berth(['doctor', '--json'], { env })
	return { code, report: JSON.parse(stdout) as Report }
}
/** What it says where nothing is required: it tries every layer, which takes seconds of the processor. */
let unrequired: ReturnType<typeof doctor> | undefined
const found = () => (unrequired ??= doctor())
const named = ({ layers }: Report, holds: boolean) =>
	layers.filter((one) => one.holds === holds).map(({ layer }) => layer)

// Proves: sandbox.required-layers
test('berth doctor finds what the start of a host says, and a host starts that requires what was found', async () => {
	const { code, report } = await found()
	expect(code).toBe(0)
	expect(report.ok).toBe(true)
	const holding = named(report, true)
	expect(holding).toEqual(expect.arrayContaining(['descriptors', 'dumps', 'memory', 'capabilities']))
	const host = await startHost({ env: { SANDBOX_REQUIRE: holding.join(',') } })
	const said = host.logs().join('\n')
	await host.close()
	for (const layer of ['files', 'network', 'processes'])
		expect(holding.includes(layer), layer).toBe(!said.includes('NOT its own file system'))
	expect(holding.includes('user')).toBe(process.getuid?.() === 0)
	// As one would try it by hand.
	const bwrap = spawnSync('bwrap', ['--unshare-net', '--ro-bind', '/', '/', 'true']).status === 0
	expect(holding.includes('seccomp')).toBe(bwrap)
	const lacks = report.layers.find(({ layer }) => layer === 'seccomp')
	if (!bwrap) expect(lacks?.remedy).toContain('Install bubblewrap')
	expect(said.includes('filter of system calls')).toBe(bwrap)
})

// Proves: sandbox.required-layers
test('berth doctor ends with 1 where a required layer is missing, and tells what to do', async () => {
	const missing = named((await found()).report, false)
	for (const layer of missing) {
		const { code, report } = await doctor(layer)
		expect([code, report.ok]).toEqual([1, false])
		expect(report.layers.find((one) => one.layer === layer)).toMatchObject({
			required: true,
			remedy: expect.stringMatching(/\w/),
		})
	}
	const unknown = await berth(['doctor'], { env: { SANDBOX_REQUIRE: 'walls' } })
	expect(unknown.code).toBe(1)
	expect(unknown.stderr).toContain('there is no layer walls; there are user, privileges, files')
})

// Proves: sandbox.required-layers
test('sandboxes that lack a required layer are not started', async () => {
	const weakest = launchers({ distDir, dataDir: '/nonexistent' }).slice(-1)
	const opened = openSandboxes({ launchers: weakest, require: ['files', 'memory', 'network'] })
	await expect(opened).rejects.toThrow(
		/SANDBOX_REQUIRE names layers that this machine lacks:\nfiles \(no files but .*\)\. Allow namespaces\.(.|\n)*\nnetwork \(/,
	)
	await (await openSandboxes({ launchers: weakest, require: ['memory', 'dumps'] })).close()
})
