// Shows how far long work is, on stderr: one line that renews itself on a terminal, a plain line every ten seconds in a
// pipe. Plain JavaScript, because setting up needs it before anything is installed.

const pipeMs = 10_000
const tickMs = 1_000

/** `total`: of what `at` counts. */
export function progress(what, total, to = process.stderr) {
	const began = Date.now()
	let done = 0
	let now = ''
	let saidAt = began
	const line = () => {
		const seconds = `${Math.round((Date.now() - began) / 1000)} s`
		return [what + (total ? ` ${done} of ${total}` : ''), now, seconds].filter(Boolean).join(', ')
	}
	// The cursor stays at the line's start, so that whatever else is written takes its place.
	const show = () => {
		if (to.isTTY) to.write(`\x1b[K${line()}\r`)
		else if (Date.now() - saidAt >= pipeMs) {
			saidAt = Date.now()
			to.write(`${line()}\n`)
		}
	}
	to.write(to.isTTY ? '' : `${what} …\n`)
	show()
	const timer = setInterval(show, tickMs)
	// What is told must not keep a process alive.
	timer.unref()
	return {
		at(count, doing = '') {
			done = count
			now = doing
			show()
		},
		end() {
			clearInterval(timer)
			now = ''
			to.write(to.isTTY ? `\x1b[K${line()}\n` : `${line()}\n`)
		},
	}
}
