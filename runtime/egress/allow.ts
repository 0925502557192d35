export interface EgressAllow {
	permits(host: string, port: number, address: string): boolean
}

export function parseEgressAllow(_values: string[]): EgressAllow {
	throw new Error('under construction')
}
