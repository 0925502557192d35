import { createHash } from 'node:crypto'
import type { Entry } from '../../runtime/wire/journal.ts'
import { spentOf } from '../../runtime/wire/usage.ts'
import type { Row, Seen } from './check.ts'
import { answerOf, noteOf } from './world.ts'

// What must hold of files, and of agents that call agents, after any number of kills.

const digest = (text: string) => createHash('sha256').update(text).digest('hex')

/** A run has the file that it was given and the one that it has made, once; bytes are counted right. */
export async function checkFiles(rows: Row[], { sql, deployed, hosts }: Seen): Promise<string[]> {
	const { running, path } = deployed.find(({ kind }) => kind === 'files') ?? {}
	const held = await sql<{ run: string; made: boolean; id: string; sha256: string }[]>`
		select l.run_id as run, f.run_id is not null as made, f.id, f.sha256 from run_files l join files f on f.id = l.file_id`
	const wrong: string[] = []
	for (const { id, tag, status, deployment_id } of rows) {
		if (deployment_id !== running?.id) continue
		const own = held.filter(({ run }) => run === id)
		const given = own.filter(({ made }) => !made).map(({ sha256 }) => sha256)
		const made = own.filter((file) => file.made).map(({ sha256 }) => sha256)
		if (given.join() !== digest(noteOf(tag))) wrong.push(`files ${tag}: it was given ${given.length} files`)
		const right = digest(answerOf('files', tag))
		if (
			made.length > 1 ||
			made.some((sha256) => sha256 !== right) ||
			(made.length === 0 && status === 'succeeded')
		)
			wrong.push(`files ${tag} (${status}): it made ${made.length} files`)
	}
	const [last] = held.filter(({ made }) => made).slice(-1)
	const answer = await fetch(`${hosts[0]?.url}${path}/files/${last?.id}`, {
		headers: { authorization: `Bearer ${running?.run_key}` },
	})
	if (digest(await answer.text()) !== last?.sha256)
		wrong.push(`files: a file is answered with ${answer.status}`)
	const miscounted = await sql`
		select b.id from file_blobs b where b.sha256 is not null
			and b.refs <> (select count(*) from files f where f.blob_id = b.id)`
	if (miscounted.length > 0) wrong.push(`files: the uses of ${miscounted.length} bytes are miscounted`)
	return wrong
}

/** A call begins one run, however often it is made again, and what that has used is counted once. */
export function checkAgents(
	rows: Row[],
	below: Row[],
	journals: Map<string, Entry[]>,
	{ deployed }: Seen,
): string[] {
	const { running } = deployed.find(({ kind }) => kind === 'agents') ?? {}
	const wrong: string[] = []
	for (const { id, tag, status, deployment_id, usage } of rows) {
		if (deployment_id !== running?.id) continue
		const called = below.filter((row) => row.tag === tag)
		const say = (text: string) => wrong.push(`agents ${tag} ${id} (${status}): ${text}`)
		if (called.length > 1) say(`its call began ${called.length} runs`)
		const [one] = called
		if (one && !['succeeded', 'failed', 'cancelled'].includes(one.status))
			say(`what it called is ${one.status}`)
		if (status !== 'succeeded') continue
		if (one?.status !== 'succeeded' || one.depth !== 1 || !one.usage) say(`what it called is ${one?.status}`)
		else if (usage?.agents?.tokens !== spentOf(one.usage).tokens)
			say(`it counts ${JSON.stringify(usage?.agents)} for ${JSON.stringify(one.usage)}`)
		const ends = (journals.get(id) ?? []).filter(({ data }) => data.spent)
		if (ends.length !== 1) say(`what its call has used stands ${ends.length} times in its journal`)
	}
	const tags = new Set(rows.map(({ tag }) => tag))
	for (const { id, tag } of below) if (!tags.has(tag)) wrong.push(`callee ${id}: nobody called it`)
	return wrong
}
