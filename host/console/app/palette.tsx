import { signal, useSignal } from '@preact/signals'
import { useEffect, useId } from 'preact/hooks'
import { useAccount, useAgents } from '../data/shell.ts'
import { adminSides, agentSides, hubSides, sideAt } from '../data/sides.ts'
import { Dialog } from '../parts/dialog.tsx'

const shownMax = 8
const shown = signal(false)
const pages = [
	['Agents', '/'],
	['Deploy agent', '/deploy'],
	['Runs', '/runs'],
	['Failures', '/failures'],
	['Approvals', '/approvals'],
	['API reference', '/docs'],
] as const

export function openPalette(): void {
	shown.value = true
}

/** ⌘K or Ctrl K: to any agent, run id or page. */
export function Palette() {
	useEffect(() => {
		const listen = (event: KeyboardEvent) => {
			if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return
			event.preventDefault()
			shown.value = !shown.value
		}
		addEventListener('keydown', listen)
		return () => removeEventListener('keydown', listen)
	}, [])
	return shown.value ? <Jump /> : null
}

function Jump() {
	const { data: agents = [] } = useAgents()
	const { data: account } = useAccount()
	const text = useSignal('')
	const at = useSignal(0)
	const list = useId()
	const wanted = text.value.trim().toLowerCase()
	const places = [
		...(/^run_[0-9a-z]{26}$/.test(wanted) ? [[`Run ${wanted}`, `/runs/${wanted}`]] : []),
		...agents.map(({ name }) => [name, `/agents/${encodeURIComponent(name)}`]),
		...pages,
		...hubSides.map(([path, title]) => [`Hub: ${title}`, sideAt('/hub', path)]),
		...(account?.operator ? adminSides : []).map(([path, title]) => [
			`Admin: ${title}`,
			sideAt('/admin', path),
		]),
		// Beside the agent itself, a side of it is found by its own name.
		...(wanted === '' ? [] : agents).flatMap(({ name }) =>
			agentSides
				.filter(([path, title]) => path !== '' && title.toLowerCase().includes(wanted))
				.map(([path, title]) => [`${name}: ${title}`, sideAt(`/agents/${encodeURIComponent(name)}`, path)]),
		),
	]
		.filter(([name = '', href = '']) => name.toLowerCase().includes(wanted) || href.includes(wanted))
		.slice(0, shownMax) as [string, string][]
	const close = () => {
		shown.value = false
	}
	const press = (event: KeyboardEvent) => {
		const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
		// By the link, so that a page that asks before it is left is asked.
		if (event.key === 'Enter') document.getElementById(`${list}-${at.value}`)?.click()
		else if (step === undefined || places.length === 0) return
		else at.value = (at.value + step + places.length) % places.length
		event.preventDefault()
	}
	return (
		<Dialog title="Jump to" onClose={close}>
			<input
				autoFocus
				role="combobox"
				aria-expanded={places.length > 0}
				aria-controls={places.length > 0 ? list : undefined}
				aria-activedescendant={places.length > 0 ? `${list}-${at.value}` : undefined}
				aria-label="Agent, run id or page"
				placeholder="Agent, run id or page"
				spellcheck={false}
				value={text.value}
				onInput={(event) => {
					text.value = event.currentTarget.value
					at.value = 0
				}}
				onKeyDown={press}
			/>
			{places.length === 0 && (
				<p class="soft" role="status">
					Nothing of that name.
				</p>
			)}
			<div class="jump" id={list} role="listbox" aria-label="Places" hidden={places.length === 0}>
				{places.map(([name, href], i) => (
					<a
						key={href}
						id={`${list}-${i}`}
						role="option"
						aria-selected={i === at.value}
						tabIndex={-1}
						href={href}
						onClick={close}
					>
						<span>{name}</span>
						<span class="soft small">{href}</span>
					</a>
				))}
			</div>
		</Dialog>
	)
}
