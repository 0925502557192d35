import { connect } from 'node:net'

/** Sends the bytes and reads until the answer's head and what comes within it are there, or the socket ends. */
export function sendRaw(
	url: string,
	head: string[],
	body?: string | Buffer,
): Promise<{ status: number; text: string }> {
	const { hostname, port } = new URL(url)
	const bytes = body === undefined ? null : Buffer.from(body as string)
	const told = head.some((line) => /^(content-length|transfer-encoding)/i.test(line))
	const lines = [head[0], `host: ${hostname}:${port}`, ...head.slice(1), 'connection: close']
	if (bytes && !told) lines.push(`content-length: ${bytes.length}`)
	return new Promise((resolve, reject) => {
		const socket = connect(Number(port), hostname)
		let text = ''
		const done = () => {
			const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0)
			resolve({ status, text: text.slice(text.indexOf('\r\n\r\n') + 4) })
		}
		socket.setTimeout(20_000, () => socket.destroy(new Error(`no answer to ${head[0]?.slice(0, 80)}`)))
		socket.on('data', (chunk) => {
			text += chunk
			if (answered(text)) socket.end()
		})
		socket.on('error', (error) => (text === '' ? reject(error) : done()))
		socket.on('close', done)
		socket.write(`${lines.join('\r\n')}\r\n\r\n`)
		if (bytes) socket.write(bytes)
	})
}

function answered(text: string): boolean {
	const head = text.indexOf('\r\n\r\n')
	const length = /^content-length: (\d+)/im.exec(text.slice(0, head))?.[1]
	return head > 0 && length !== undefined && Buffer.byteLength(text.slice(head + 4)) >= Number(length)
}
