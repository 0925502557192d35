import { parentPort } from 'node:worker_threads'

/** Answers a number of milliseconds later, or does what the word says; of a negative one it sleeps, without CPU time. */
parentPort?.on('message', (question: number | 'for ever' | 'heap' | 'throw') => {
	if (question === 'throw') throw new Error('thrown')
	if (question === 'heap') {
		const all: number[][] = []
		while (true) all.push(new Array(100_000).fill(all.length))
	}
	if (typeof question === 'number' && question < 0)
		Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, -question)
	const end = question === 'for ever' ? Number.POSITIVE_INFINITY : performance.now() + question
	while (performance.now() < end);
	parentPort?.postMessage(question)
})
parentPort?.postMessage('ready')
