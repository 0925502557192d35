import type { IssuedKey } from '../../../../owner/client/index.ts'

/** What each dialog of a key is given. */
export interface KeyDialog {
	deployment: string
	onClose(): void
	/** With the key whose value is to be shown. */
	onDone(issued?: IssuedKey): Promise<void>
}
