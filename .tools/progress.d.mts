export interface Progress {
	/** How much is done, and what is being done. */
	at(count: number, doing?: string): void
	end(): void
}
export function progress(
	what: string,
	total?: number,
	to?: { isTTY?: boolean; write(text: string): unknown },
): Progress
