import { useEffect } from 'preact/hooks'

const homes = 'tr, li, article, .card, dialog, main'

/** Focus that goes with its element, as a button that has done its work, goes to what was around it. */
export function useKeptFocus(): void {
	useEffect(() => {
		/** The element in focus and all that it is in, from within. */
		let around: Element[] = []
		const clear = () => {
			around = []
		}
		const follow = ({ target }: FocusEvent) => {
			clear()
			for (let at = target as Element | null; at; at = at.parentElement) around.push(at)
		}
		const mend = new MutationObserver(() => {
			if (document.activeElement !== document.body || around[0]?.isConnected !== false) return
			const home = around.find((at) => at.isConnected)?.closest(homes)
			clear()
			if (home) focusOn(home)
		})
		// A press beside everything takes the focus away on purpose.
		document.addEventListener('pointerdown', clear, true)
		document.addEventListener('focusin', follow)
		mend.observe(document.body, { childList: true, subtree: true })
		return () => {
			document.removeEventListener('pointerdown', clear, true)
			document.removeEventListener('focusin', follow)
			mend.disconnect()
		}
	}, [])
}

/** The heading says where one is; a row or card without one is read itself. */
function focusOn(home: Element): void {
	const place = home.querySelector<HTMLElement>('h1, h2') ?? (home as HTMLElement)
	place.tabIndex = -1
	place.focus({ preventScroll: true })
}
