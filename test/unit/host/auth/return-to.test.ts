import { expect, test } from 'vitest'
import { returnTo } from '../../../../host/auth/return-to.ts'

const base = 'https://berth.example'

// Proves: account.sign-in-return
test.each([
	'//evil.example/',
	'///evil.example/',
	'https://evil.example/',
	'https:evil.example',
	'/\\evil.example',
	'/\t/evil.example',
	'/\n/evil.example',
	'/.//evil.example',
	'/x/..//evil.example',
	'/%2e//evil.example',
	'javascript:alert(1)',
	'runs',
	'@evil.example',
	'',
	`/${'x'.repeat(1_000)}`,
	undefined,
])('nobody is sent to %j after a sign-in', (wanted) => {
	expect(returnTo(base, wanted)).toBe('/')
})

// Proves: account.sign-in-return
test.each(['/', '/runs/run_1?full=true&x=%2F', '/device?user_code=BCDF-GHJK', '/a#b', '/a//b'])(
	'a visitor goes on to %s',
	(wanted) => expect(returnTo(base, wanted)).toBe(wanted),
)
