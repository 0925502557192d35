import { useLayoutEffect, useRef } from 'preact/hooks'
import { rowId } from './bars.tsx'
import type { Row } from './timeline/index.ts'

interface Keys {
	rows: Row[]
	selected: string | null
	select(id: string | null): void
	again(): void
}

/** j and k: next and previous call; e: opens and closes it; r: runs again. Not while somebody types. */
export function useKeys(keys: Keys): void {
	const latest = useRef(keys)
	latest.current = keys
	// Before it is painted: who sees the run can press its keys.
	useLayoutEffect(() => {
		const press = (event: KeyboardEvent) => {
			if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return
			const { rows, selected, select, again } = latest.current
			const at = rows.findIndex(({ effect }) => effect.id === selected)
			const go = (to: number) => {
				const id = rows[Math.min(Math.max(to, 0), rows.length - 1)]?.effect.id
				if (id === undefined) return
				select(id)
				// Shown first where it is below what the list shows.
				setTimeout(() => document.getElementById(rowId(id))?.focus())
			}
			if (event.key === 'j') go(at + 1)
			else if (event.key === 'k') go(at === -1 ? rows.length - 1 : at - 1)
			else if (event.key === 'e') {
				if (at === -1) go(0)
				else select(null)
			} else if (event.key === 'r') again()
			else return
			event.preventDefault()
		}
		addEventListener('keydown', press)
		return () => removeEventListener('keydown', press)
	}, [])
}

const isTyping = (target: EventTarget | null) =>
	document.querySelector('dialog[open]') !== null ||
	(target instanceof HTMLElement &&
		(target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)))
