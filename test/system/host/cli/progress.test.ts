import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { progress } from '../../../../.tools/progress.mjs'

// How long work is shown, by setting up, the build, evaluate, train, bench and crash.

beforeEach(() => {
	vi.useFakeTimers()
})
afterEach(() => {
	vi.useRealTimers()
})

function shown(isTTY: boolean): string[] {
	const written: string[] = []
	const work = progress('Working', 4, { isTTY, write: (text) => written.push(text) })
	vi.advanceTimersByTime(3_000)
	work.at(2, 'the second')
	vi.advanceTimersByTime(9_000)
	work.at(4)
	work.end()
	return written.filter((text) => text !== '')
}

it('on a terminal one line renews itself every second, and other output can take its place', () => {
	const written = shown(true)
	expect(written[0]).toBe('\x1b[KWorking 0 of 4, 0 s\r')
	expect(written).toContain('\x1b[KWorking 2 of 4, the second, 5 s\r')
	expect(written.length).toBeGreaterThan(12)
	expect(written.at(-1)).toBe('\x1b[KWorking 4 of 4, 12 s\n')
})

it('in a pipe it is a plain line at the start, every ten seconds and at the end', () => {
	expect(shown(false)).toEqual([
		'Working …\n',
		'Working 2 of 4, the second, 10 s\n',
		'Working 4 of 4, 12 s\n',
	])
})

it('work that shows itself ends when it is done', () => {
	vi.useRealTimers()
	const tool = fileURLToPath(new URL('../../../../.tools/progress.mjs', import.meta.url))
	const program = `const { progress } = await import(${JSON.stringify(tool)}); progress('Left open')`
	const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
		encoding: 'utf8',
		timeout: 60_000,
	})
	expect([status, stderr]).toEqual([0, 'Left open …\n'])
})
