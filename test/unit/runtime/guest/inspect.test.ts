import { expect, test } from 'vitest'
import { format } from '../../../../runtime/guest/format.ts'
import { show, showJson } from '../../../../runtime/guest/inspect.ts'

const MAX = 1_000
const round: Record<string, unknown> = { a: 1 }
round.self = round
const deep = (levels: number): object => (levels === 0 ? {} : { deep: deep(levels - 1) })
const throws = () => {
	throw new Error('never')
}

test('what JSON can write is written as JSON', () => {
	const value = { text: 'a "b"', list: [1, -2.5, true, null, []], at: new Date(5), inner: { none: {} } }
	expect(show(value)).toBe(JSON.stringify(value))
	expect(showJson(value, MAX)).toBe(JSON.stringify(value))
})

const described: [unknown, string, unknown][] = [
	[
		new Map<unknown, unknown>([['k', { a: [1n] }]]),
		'Map(1) {"k" => {"a":[1n]}}',
		'Map(1) {"k" => {"a":[1n]}}',
	],
	[new Set(['a', 1]), 'Set(2) {"a",1}', 'Set(2) {"a",1}'],
	[{ a: [2n] }, '{"a":[2n]}', { a: ['2n'] }],
	[round, '{"a":1,"self":[Circular]}', { a: 1, self: '[Circular]' }],
	[{ e: new TypeError('bad') }, '{"e":[TypeError: bad]}', { e: '[TypeError: bad]' }],
	[[undefined, Number.NaN], '[undefined,NaN]', [null, null]],
	[{ gone: undefined, f: throws }, '{"gone":undefined,"f":[Function throws]}', { f: '[Function throws]' }],
	[{ s: Symbol('q'), r: /a/g }, '{"s":Symbol(q),"r":/a/g}', { s: 'Symbol(q)', r: '/a/g' }],
	[new Uint8Array([1, 2]), 'Uint8Array(2) [1,2]', { 0: 1, 1: 2 }],
	[Promise.resolve(1), 'Promise {}', {}],
]

test.each(described)('a value that JSON loses or refuses is described: %#', (value, text, json) => {
	expect(show(value)).toBe(text)
	expect(JSON.parse(showJson(value, MAX))).toEqual(json)
})

test('a getter, trap or toJSON that throws costs its own value only', () => {
	const value = {
		get a() {
			return throws()
		},
		b: { toJSON: throws },
		c: new Proxy({}, { ownKeys: throws }),
		d: 1,
	}
	expect(show(value)).toBe('{"a":"[cannot be shown]","b":[cannot be shown],"c":[cannot be shown],"d":1}')
	expect(JSON.parse(showJson(value, MAX)).d).toBe(1)
})

test('depth and length are bounded, also of what has no end', () => {
	expect(show(deep(40))).toContain('[Object]')
	const endless: object = new Proxy(
		{},
		{
			get: (_, key) => (key === 'toJSON' ? undefined : [endless, endless]),
			ownKeys: () => ['a', 'b'],
			getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
		},
	)
	for (const value of [new Array(2 ** 30), endless, 'x'.repeat(1e6).split('')])
		expect(show(value).length).toBeLessThan(8_100)
	expect(showJson({ long: 'x'.repeat(1e6) }, MAX).length).toBeLessThan(2 * MAX)
})

test.each<[unknown[], string]>([
	[['%s is %d years', 'Ada', 36], 'Ada is 36 years'],
	[['100%%'], '100%%'],
	[['%i%% of %f, %cplain', '4.7', '4.7', 'color: red'], '4% of 4.7, plain'],
	[['%j %o %O', { a: 1 }, { b: 2n }, new Set()], '{"a":1} {"b":2n} Set(0) {}'],
	[['%d %d', 1n], '1n %d'],
	[['%d %s', {}, { toString: throws }, 'more', 3], 'NaN {"toString":[Function throws]} more 3'],
	[['a', { b: 1 }], 'a {"b":1}'],
	[[], ''],
])('console formats as Node does: %#', (values, text) => {
	expect(format(values)).toBe(text)
})
