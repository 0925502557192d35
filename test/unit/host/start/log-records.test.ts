import { expect, test } from 'vitest'
import { logRecords } from '../../../../host/start/log-lines.ts'

/** Takes so many bytes, and then it is full. */
function disk(room: number) {
	const is = { room, text: '', asked: 0 }
	const write = (bytes: Buffer) => {
		is.asked++
		if (is.room === 0) throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
		const taken = Math.min(is.room, bytes.length)
		is.room -= taken
		is.text += bytes.subarray(0, taken).toString()
		return taken
	}
	return { is, log: logRecords(write) }
}

// Proves: start.log-full
test('lines that cannot be written are lost at once, and counted once there is room', () => {
	const { is, log } = disk(14)
	for (let n = 0; n < 5; n++) log.write(`{"line":${n}}\n`)
	expect(is.text).toBe('{"line":0}\n{"l')
	// Once or twice for each line, and never again by itself.
	expect(is.asked).toBeLessThanOrEqual(10)
	is.room = 10_000
	log.write('{"line":5}\n')
	const lines = is.text.trim().split('\n')
	expect(lines.map((line) => line.slice(0, 10))).toEqual(['{"line":0}', '{"l', '{"level":4', '{"line":5}'])
	expect(JSON.parse(lines[2] ?? '')).toMatchObject({ msg: 'log lines were lost', lost: 4, code: 'ENOSPC' })
})

// Proves: start.log-full
test('a slow reader is waited for', () => {
	let tries = 0
	let text = ''
	const waiting = logRecords((bytes) => {
		if (++tries < 4) throw Object.assign(new Error('EAGAIN'), { code: 'EAGAIN' })
		text += bytes.toString()
		return bytes.length
	})
	waiting.write('{"line":0}\n')
	expect(text).toBe('{"line":0}\n')
})
