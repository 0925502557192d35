import { useEffect } from 'preact/hooks'

interface Kept {
	question: string
	/** The address it is at. */
	at: string
}
const kept = new Set<Kept>()

/**
 * While there is a question, every way to another page asks it first: links, Back, reload and closing. Code that leaves a
 * page for its reader clicks a link.
 */
export function useAskBeforeLeaving(question: string | undefined): void {
	useEffect(() => {
		if (question === undefined) return
		const one = { question, at: address() }
		kept.add(one)
		return () => void kept.delete(one)
	}, [question])
}

const address = () => location.pathname + location.search
const stays = () => [...kept].some(({ question }) => !confirm(question))

addEventListener('beforeunload', (event) => {
	if (kept.size > 0) event.preventDefault()
})
addEventListener(
	'click',
	(event) => {
		const link = (event.target as Element).closest<HTMLAnchorElement>('a[href]:not([target])')
		const leaves = link && !link.getAttribute('href')?.startsWith('#') && !event.ctrlKey && !event.metaKey
		if (!leaves || !stays()) return
		event.preventDefault()
		event.stopPropagation()
	},
	true,
)
// The address has changed already. The router hears of it later: listeners of the window are called in the order in which
// they came, and this one comes before the first page.
addEventListener('popstate', (event) => {
	const at = [...kept][0]?.at
	if (at === undefined || at === address() || !stays()) return
	event.stopImmediatePropagation()
	history.pushState(null, '', at)
})
