// Where a page was scrolled to, by its address: Back shows it there. The browser's own memory comes too early, while the
// page before is still drawn.

const places = new Map<string, number>()
let shown = location.pathname + location.search
let wentBack = false

history.scrollRestoration = 'manual'
addEventListener('scroll', () => places.set(shown, scrollY), { passive: true })
addEventListener('popstate', () => {
	wentBack = location.pathname !== shown.split('?')[0]
})

/** Once the page of an address is drawn. */
export function arrive(url: string): void {
	scrollTo(0, (wentBack && places.get(url)) || 0)
	shown = url
	wentBack = false
}
