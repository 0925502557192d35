import { expect, test } from 'vitest'
import { start } from './processes.ts'

// The owner hears of a use that served: seldom while all do, at once after one that did not.

// Proves: credential.state-of-last-use
test('a use that serves is told once a minute, and at once where the last one failed here or elsewhere', async () => {
	const { begin, host, models, runtime, sealed } = await start({ scripts: { m: { text: 'hello' } } })
	const states = () =>
		host.notes.flatMap(([name, note]) =>
			name === 'credential.state' ? [(note as { state: string }).state] : [],
		)
	let runs = 0
	const use = (fault?: { status: number }) => {
		models.scripts.m = fault ? { fault } : { text: 'hello' }
		return begin({ run: `run_${++runs}` })
	}
	await use()
	await use()
	expect(states()).toEqual(['ready'])
	await use({ status: 401 })
	await use()
	await use()
	expect(states()).toEqual(['ready', 'rejected', 'ready'])
	const { sealing, name, jwe } = sealed
	const credentials = [{ name, version: 1, jwe, failing: true }]
	runtime.notify('deployment.put', { id: 'dep_1', rev: 2, sealing, credentials })
	await use()
	expect(states()).toEqual(['ready', 'rejected', 'ready', 'ready'])
})
