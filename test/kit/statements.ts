/** Between a host and its database: passes everything on, and notes what is prepared and what is executed. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseDatabaseUrl } from '../../host/db/url.ts'

export interface Statement {
	text: string
	/** Of its parameters, as the driver sends them; 0 where the database is to say. */
	types: number[]
}

export interface Listening {
	/** The same database. */
	url: string
	/** Each once. */
	statements: Map<string, Statement>
	/** Texts, once for every execution, in order. */
	executed: string[]
	close(): Promise<void>
}

export async function listen(databaseUrl: string): Promise<Listening> {
	const { path } = parseDatabaseUrl(databaseUrl) as { path: string }
	const folder = mkdtempSync(join(tmpdir(), 'berth-statements-'))
	const statements = new Map<string, Statement>()
	const executed: string[] = []
	const open = new Set<Socket>()
	const server: Server = createServer((near) => {
		const far = connect(path)
		/** Of this connection, by the name that the driver gave them. */
		const named = new Map<string, string>()
		near.on(
			'data',
			messages((type, body) => {
				const { text: first, after } = textAt(body, 0)
				if (type === 'P') {
					const statement = statementOf(body, after)
					named.set(first, statement.text)
					statements.set(JSON.stringify(statement), statement)
				}
				// Bind: the portal's name, then the statement's. The driver executes each once.
				if (type === 'B') executed.push(named.get(textAt(body, after).text) ?? '')
			}),
		)
		near.pipe(far).pipe(near)
		for (const socket of [near, far]) {
			open.add(socket)
			socket
				.on('error', () => socket.destroy())
				.on('close', () => {
					open.delete(socket)
					near.destroy()
					far.destroy()
				})
		}
	})
	server.listen(join(folder, '.s.PGSQL.5432'))
	await once(server, 'listening')
	return {
		url: databaseUrl.replace(/host=.*/, `host=${folder}`),
		statements,
		executed,
		close: async () => {
			for (const socket of open) socket.destroy()
			server.close()
			await once(server, 'close')
			rmSync(folder, { recursive: true, force: true })
		},
	}
}

/** Postgres' protocol 3.0: a start-up message without a type, then type, length and body. */
function messages(each: (type: string, body: Buffer) => void): (chunk: Buffer) => void {
	let rest = Buffer.alloc(0)
	let started = false
	return (chunk) => {
		rest = Buffer.concat([rest, chunk])
		for (;;) {
			const typed = started ? 1 : 0
			if (rest.length < typed + 4) return
			const end = typed + rest.readInt32BE(typed)
			if (rest.length < end) return
			if (started) each(rest.toString('latin1', 0, 1), rest.subarray(5, end))
			rest = rest.subarray(end)
			started = true
		}
	}
}

function textAt(body: Buffer, at: number): { text: string; after: number } {
	const end = body.indexOf(0, at)
	return { text: body.toString('utf8', at, end), after: end + 1 }
}

function statementOf(body: Buffer, at: number): Statement {
	const { text, after } = textAt(body, at)
	const types = Array.from({ length: body.readInt16BE(after) }, (_, i) =>
		body.readUInt32BE(after + 2 + i * 4),
	)
	return { text, types }
}
