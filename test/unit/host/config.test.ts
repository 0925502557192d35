import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../../../host/settings/config.ts'
import { settingFaults } from '../../../host/start/faults.ts'

const folder = tmpdir()

// Proves: start.settings-fault
test.each([
	[{ PORT: 'eighty' }, 'PORT=eighty: must be a whole number'],
	[{ GUARD_ACCESS: 'nobody' }, 'GUARD_ACCESS=nobody: must be one of testers, everyone'],
	[{ MAX_RUN_USD: '0' }, 'MAX_RUN_USD=0: must be dollars over 0, at most 100000'],
	[{ GUARD_TOOLS: 'all' }, 'GUARD_TOOLS: there is no such setting'],
	[{ GUARD_JUGDE: 'builtin' }, 'GUARD_JUGDE: there is no such setting, but GUARD_JUDGE: rename it'],
	[{ LOGLEVEL: 'debug' }, 'LOGLEVEL: there is no such setting, but LOG_LEVEL: rename it'],
	[{ WARM_SPARE: '1' }, 'WARM_SPARE: there is no such setting, but WARM_SPARES: rename it'],
	[{ SHUTDOWN_SECOND: '5' }, 'SHUTDOWN_SECOND: there is no such setting, but SHUTDOWN_SECONDS: '],
	[{ DATA_DIRR: '/x' }, 'DATA_DIRR: there is no such setting, but DATA_DIR: '],
	[{ DATABASE_URI: 'postgres://hidden' }, 'DATABASE_URI: there is no such setting, but DATABASE_URL: '],
	[{ BASE_URL: 'ftp://x' }, 'BASE_URL=ftp://x: must be an http or https URL'],
	[{ BASE_URL: 'https://x.example/berth' }, 'BASE_URL=https://x.example/berth: must have no path: '],
	[{ PLACE_URL: 'https://x.example/eu/' }, 'PLACE_URL=https://x.example/eu/: must have no path: '],
	[{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL=loud: must be one of'],
	[{ HOST: 'http://x' }, 'HOST=http://x: must be an address or a host name, without scheme and port'],
	[{ HOST: '999.1.1.1' }, 'HOST=999.1.1.1: must be an address or a host name, without scheme and port'],
	[{ DEPLOYMENT_DOMAIN: 'http://x y' }, 'DEPLOYMENT_DOMAIN=http://x y: must be a domain'],
	[{ DEPLOYMENT_DOMAIN: '10.0.0.1' }, 'DEPLOYMENT_DOMAIN=10.0.0.1: must be a domain'],
	[
		{ DEPLOYMENT_DOMAIN: 'b.example', BASE_URL: 'https://a.b.example' },
		'BASE_URL=https://a.b.example: must not be below DEPLOYMENT_DOMAIN',
	],
	[{ PLACE: 'EU west' }, 'PLACE=EU west: must be 1 to 40 letters a-z, digits and hyphens'],
	[
		{ DEPLOYMENT_DOMAIN: 'b.example', PLACE_URL: 'https://a.b.example' },
		'PLACE_URL=https://a.b.example: must not be below DEPLOYMENT_DOMAIN',
	],
	[{ TRUST_PROXY: '10.0.0.0/99' }, 'TRUST_PROXY=10.0.0.0/99: 10.0.0.0/99 is neither an address nor a CIDR'],
	[{ MASTER_KEY_FILE: '/dev/null/key' }, 'MASTER_KEY_FILE=/dev/null/key: /dev/null is no folder'],
	[{ MASTER_KEY_FILE: '/' }, 'MASTER_KEY_FILE=/: must be a file'],
	[{ METRICS_TOKEN: 'two words' }, 'METRICS_TOKEN: must be letters, digits'],
	[{ GUARD_JUDGE: 'onnx' }, 'GUARD_JUDGE_DIR: GUARD_JUDGE=onnx needs it'],
	[{ GUARD_JUDGE: 'onnx', GUARD_JUDGE_DIR: '/nowhere' }, 'GUARD_JUDGE_DIR=/nowhere: holds none of'],
	[{ GUARD_JUDGE_URL: 'file:///x' }, 'GUARD_JUDGE_URL=file:///x: must be an http or https URL'],
	[
		{ EGRESS_ALLOW: 'http://x:80/y' },
		'EGRESS_ALLOW=http://x:80/y: "http://x:80/y" has a scheme, and hosts are allowed without one: write x',
	],
	[
		{ GUARD_ORIGINS: 'https://a.example, b.example' },
		'GUARD_ORIGINS=https://a.example, b.example: b.example is not an origin',
	],
	[
		{ GUARD_ORIGINS: 'https://a.example/page' },
		'GUARD_ORIGINS=https://a.example/page: https://a.example/page is not an origin',
	],
	[{ OIDC_ISSUER: 'http://id.example' }, 'OIDC_ISSUER=http://id.example: must be an https URL'],
	[{ OIDC_ISSUER: 'https://id.example' }, 'OIDC_CLIENT_ID: OIDC_ISSUER needs it'],
	[{ OIDC_CLIENT_SECRET: 'hidden' }, 'OIDC_ISSUER: the other OIDC_ settings need it'],
	[{ OIDC_ALLOWED_DOMAIN: 'example.com' }, 'OIDC_ALLOWED_DOMAIN: there is no such setting'],
	[{ OIDC_ALLOWED_DOMAINS: 'example.com' }, 'OIDC_ALLOWED_DOMAINS: counts with OIDC_REGISTRATION=open only'],
	[{ OIDC_ALLOWED_DOMAINS: 'example.com,a b' }, 'OIDC_ALLOWED_DOMAINS=example.com,a b: a b is not a domain'],
	[
		{ SMTP_URL: 'smtp://user:hidden50%@h', ALERT_FROM: 'a@b.example' },
		'SMTP_URL: has a % that begins no percent-encoding in user or password',
	],
	[{ SMTP_URL: 'smtp://:hidden@h', ALERT_FROM: 'a@b.example' }, 'SMTP_URL: has a password, and no user'],
	[{ DATABASE_URL: 'mysql://u:hidden@x' }, 'DATABASE_URL must begin with postgres://'],
	[{ DATABASE_URL: 'postgres://u:a@hidden@h/name' }, 'DATABASE_URL is not a Postgres address'],
	[{ DATABASE_URL: 'postgres://u:1/hidden@h:5/name' }, 'DATABASE_URL is not a Postgres address'],
	[{ DATABASE_URL: 'postgres://u:1/x?hidden@h/name' }, 'DATABASE_URL is not a Postgres address'],
	[{ DATABASE_URL: 'postgres://u:hidden50%@h/name' }, 'DATABASE_URL has a % that begins no percent-encoding'],
	[{ DATABASE_URL: 'postgres://u:hidden@h:99999/name' }, 'DATABASE_URL: the port must be a whole number'],
	[{ DATABASE_URL: 'postgres://u:hidden@[h]/name' }, 'DATABASE_URL must have an IPv6 address between'],
	[{ DATABASE_URL: 'postgres://u:hidden@h/name?ssl=true' }, 'DATABASE_URL has the parameter ssl, which'],
	[{ DATABASE_URL: 'postgres://u@h/name?sslmode=requir' }, 'DATABASE_URL has an unknown sslmode: it must'],
	[
		{ DATABASE_URL: 'postgres://u@h/n?sslmode=prefer&sslmode=require' },
		'DATABASE_URL has the parameter sslmode',
	],
])('a setting that cannot be is named, alone, with %j', (env, message) => {
	let said = ''
	try {
		readConfig(env as NodeJS.ProcessEnv, settingFaults)
	} catch (error) {
		said = (error as Error).message
	}
	expect(said).toMatch(/^[^\n]+$/)
	expect(said.startsWith(message)).toBe(true)
	expect(said).not.toMatch(/two words|hidden/)
})

test('settings that can be are taken as they are meant', () => {
	const file = join(folder, 'a-folder-to-be', 'key')
	const env = {
		HOST: '::1',
		MASTER_KEY_FILE: file,
		DEPLOYMENT_DOMAIN: 'Agents.Example:8443',
		TRUST_PROXY: '10.0.0.0/8, fd00::/64, 127.0.0.1',
		METRICS_TOKEN: 'abc-123==',
		DATABASE_URL: 'postgres://u:p@h/name',
		LOG_LEVEL: 'warn',
		// Other programs' own.
		LOGLEVEL: 'debug',
		HOSTS: 'a',
		PORTS: '1',
		DATA_FILE: 'x',
		XDG_DATA_DIRS: '/usr/share',
	}
	expect(readConfig(env, settingFaults)).toMatchObject({
		HOST: '::1',
		MASTER_KEY_FILE: file,
		DEPLOYMENT_DOMAIN: 'agents.example:8443',
		TRUST_PROXY: ['10.0.0.0/8', 'fd00::/64', '127.0.0.1'],
		METRICS_TOKEN: 'abc-123==',
	})
})
