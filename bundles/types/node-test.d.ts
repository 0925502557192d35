/** The parts of Node that tests use, so that an editor knows them and programs get nothing of Node. */

declare module 'node:test' {
	type Body = () => unknown
	interface Options {
		skip?: boolean | string
		only?: boolean
		timeout?: number
	}
	interface Test {
		(name: string, body: Body): Promise<void>
		(name: string, options: Options, body: Body): Promise<void>
		skip(name: string, body?: Body): Promise<void>
		only(name: string, body: Body): Promise<void>
		todo(name: string, body?: Body): Promise<void>
	}
	export const test: Test
	export const it: Test
	export const describe: Test
	export const suite: Test
	export function before(body: Body): void
	export function after(body: Body): void
	export function beforeEach(body: Body): void
	export function afterEach(body: Body): void
	export default test
}

declare module 'node:assert/strict' {
	type Expected = RegExp | object | ((error: unknown) => boolean)
	interface Assert {
		(value: unknown, message?: string): asserts value
		ok(value: unknown, message?: string): asserts value
		fail(message?: string): never
		equal<T>(actual: unknown, expected: T, message?: string): asserts actual is T
		notEqual(actual: unknown, expected: unknown, message?: string): void
		deepEqual<T>(actual: unknown, expected: T, message?: string): asserts actual is T
		notDeepEqual(actual: unknown, expected: unknown, message?: string): void
		match(text: string, expected: RegExp, message?: string): void
		doesNotMatch(text: string, expected: RegExp, message?: string): void
		throws(run: () => unknown, expected?: Expected, message?: string): void
		doesNotThrow(run: () => unknown, message?: string): void
		rejects(
			run: Promise<unknown> | (() => Promise<unknown>),
			expected?: Expected,
			message?: string,
		): Promise<void>
		partialDeepStrictEqual(actual: unknown, expected: unknown, message?: string): void
	}
	const assert: Assert
	export default assert
}
declare module 'node:assert' {
	export { default } from 'node:assert/strict'
}
