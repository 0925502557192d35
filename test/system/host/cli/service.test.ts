import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { berth, temporary } from '../../../kit/berth.ts'

// Proves: cli.service
test('berth service install writes a unit that drains and may do little, its user, and keeps the settings', async () => {
	const root = temporary()
	const shown = await berth(['service', 'install', '--print'])
	expect(shown.code).toBe(0)
	const first = await berth(['service', 'install', '--root', root, '--json'])
	expect([first.code, JSON.parse(first.stdout).written]).toEqual([
		0,
		['/etc/systemd/system/berth.service', '/etc/sysusers.d/berth.conf', '/etc/berth/berth.env'],
	])
	const unit = readFileSync(join(root, 'etc/systemd/system/berth.service'), 'utf8')
	expect(unit).toBe(shown.stdout)
	const lines = unit.split('\n')
	for (const line of [
		...['User=berth', 'StateDirectory=berth', 'Environment=DATA_DIR=/var/lib/berth', 'KillMode=mixed'],
		...['ProtectSystem=strict', 'NoNewPrivileges=yes', 'CapabilityBoundingSet=', 'Delegate=yes'],
	])
		expect(lines).toContain(line)
	expect(lines.some((line) => /^(RestrictNamespaces|ProtectProc|ProtectKernelTunables)=/.test(line))).toBe(
		false,
	)
	const [, node = '', launcher = ''] = /^ExecStart=(\S+) (\S+) serve$/m.exec(unit) ?? []
	expect([statSync(node).isFile(), statSync(launcher).isFile()]).toEqual([true, true])

	const settings = join(root, 'etc/berth/berth.env')
	expect(statSync(settings).mode & 0o777).toBe(0o600)
	writeFileSync(settings, 'PORT=9000\n')
	expect((await berth(['service', 'install', '--root', root])).code).toBe(0)
	expect(readFileSync(settings, 'utf8')).toBe('PORT=9000\n')
})
