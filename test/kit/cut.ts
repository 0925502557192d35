import { connect, createServer, type Socket } from 'node:net'

export interface Cut {
	port: number
	/** Nothing passes from now on: connections that are there are closed, and new ones are closed at once. */
	cut(): void
	mend(): void
	close(): Promise<void>
}

/** A TCP proxy on loopback to a unix socket, that can be cut. */
export async function startCut(path: string): Promise<Cut> {
	const open = new Set<Socket>()
	let whole = true
	const server = createServer((client) => {
		if (!whole) return void client.destroy()
		const upstream = connect(path)
		for (const [socket, other] of [
			[client, upstream],
			[upstream, client],
		] as const) {
			open.add(socket)
			socket.pipe(other)
			socket.on('error', () => other.destroy())
			socket.on('close', () => {
				open.delete(socket)
				other.destroy()
			})
		}
	})
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	const address = server.address()
	const cut = () => {
		whole = false
		for (const socket of open) socket.destroy()
	}
	return {
		port: address && typeof address === 'object' ? address.port : 0,
		cut,
		mend: () => {
			whole = true
		},
		close: () => {
			cut()
			return new Promise((resolve) => server.close(() => resolve()))
		},
	}
}
