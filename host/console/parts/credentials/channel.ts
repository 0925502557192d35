// Between the window that signs in to a connector and the page that waits for it: that it is done, and nothing else.

export interface Connected {
	deployment: string
	credential: string
}

const name = 'berth-connect'

export const connected = {
	tell(done: Connected): void {
		const channel = new BroadcastChannel(name)
		channel.postMessage(done)
		channel.close()
	},
	/** Answers with what ends it. */
	listen(heard: (done: Connected) => void): () => void {
		const channel = new BroadcastChannel(name)
		channel.onmessage = ({ data }) => heard(data)
		return () => channel.close()
	},
}
