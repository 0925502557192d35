import type { Command } from 'commander'
import type { ErasedAccount } from '../client/index.ts'
import { UsageError } from './failure.ts'
import type { Io } from './io.ts'

// What is erased cannot be had back: a person is asked, and a script says so.

/** `when`: with which action, where a command has several. */
export const asking = (one: Command, when = '') =>
	one.option('-y, --yes', `${when}do not ask; needed where there is no terminal, and with --json`)

export async function agreed(io: Io, what: string, yes = false): Promise<boolean> {
	if (yes) return true
	if (!io.interactive) throw new UsageError('nobody can be asked here: --yes erases it for good')
	if (await io.confirm(`Erase ${what} for good?`)) return true
	io.note('Kept.')
	return false
}

export function tellErased(io: Io, receipt: ErasedAccount): void {
	const { account, erased_at, request_id, ...counts } = receipt
	const lines = Object.entries(counts).map(([name, count]) => `  ${name.replaceAll('_', ' ')}: ${count}`)
	io.result(receipt, [`${account} is erased (${erased_at}, ${request_id}):`, ...lines].join('\n'))
}
