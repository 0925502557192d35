import { rowId } from './bars.tsx'
import type { Row } from './timeline/index.ts'

interface Keys {
	rows: Row[]
	selected: string | null
	select(id: string | null): void
	again(): void
}

/**
 * For the list of calls, which hears of keys while the focus is in it, and nowhere else (WCAG 2.1.4). j and k: next and
 * previous call; e: opens and closes it; r: runs again.
 */
export const keysOf =
	({ rows, selected, select, again }: Keys) =>
	(event: KeyboardEvent) => {
		if (event.metaKey || event.ctrlKey || event.altKey) return
		const focused = rows.findIndex(({ effect }) => rowId(effect.id) === (event.target as Element).id)
		const go = (to: number) => {
			const id = rows[Math.min(Math.max(to, 0), rows.length - 1)]?.effect.id
			if (id === undefined) return
			select(id)
			// Shown first where it is below what the list shows.
			setTimeout(() => document.getElementById(rowId(id))?.focus())
		}
		if (event.key === 'j') go(focused + 1)
		else if (event.key === 'k') go(focused - 1)
		else if (event.key === 'e') {
			if (selected === null) go(focused)
			else select(null)
		} else if (event.key === 'r') again()
		else return
		event.preventDefault()
	}
