import { client } from '../data/client.ts'
import { exact } from '../data/format.ts'
import { useLoad } from '../data/load.ts'
import { nextSteps } from '../data/next-steps.ts'
import { Button } from './button.tsx'

interface FilterProps {
	value: string | undefined
	onChoice(value: string): void
}

/** One filter of a list. The first option leaves it open. */
export function Filter({
	label,
	options,
	value = '',
	onChoice,
}: FilterProps & { label: string; options: [value: string, name: string][] }) {
	const known = options.some(([one]) => one === value)
	return (
		<select aria-label={label} value={value} onChange={(event) => onChoice(event.currentTarget.value)}>
			{options.map(([one, name]) => (
				<option key={one} value={one}>
					{name}
				</option>
			))}
			{!known && <option value={value}>{value}</option>}
		</select>
	)
}

export function AgentFilter({ agents, ...props }: FilterProps & { agents: { name: string }[] }) {
	const names = agents.map(({ name }): [string, string] => [name, name])
	return <Filter label="Agent" options={[['', 'All agents'], ...names]} {...props} />
}

export function CodeFilter(props: FilterProps) {
	const codes = Object.keys(nextSteps).sort()
	return (
		<Filter
			label="Error code"
			options={[['', 'All codes'], ...codes.map((code): [string, string] => [code, code])]}
			{...props}
		/>
	)
}

/** Keys are those of one agent; without one, only what the address names is shown. */
export function KeyFilter({ agent, value, onChoice }: FilterProps & { agent: string | undefined }) {
	const keys = useLoad(`key names ${agent ?? ''}`, async () =>
		agent === undefined ? [] : (await client.deployments.keys(agent)).data,
	)
	const names = (keys.data ?? []).map(({ id, name }): [string, string] => [id, name || id])
	if (names.length === 0 && !value) return null
	return <Filter label="Run key" options={[['', 'All keys'], ...names]} value={value} onChoice={onChoice} />
}

export function SinceFilter({
	value,
	standard,
	onChoice,
}: FilterProps & { /** What holds where the address names none. */ standard: '24h' | '' }) {
	const own = value !== undefined && !Number.isNaN(Date.parse(value)) && value.length > 4
	const options: [string, string][] = [
		['1h', 'Last hour'],
		['24h', 'Last 24 hours'],
		['7d', 'Last 7 days'],
		['30d', 'Last 30 days'],
		...(standard === '' ? [['', 'At any time'] as [string, string]] : []),
		...(own ? [[value, `Since ${exact(Date.parse(value))}`] as [string, string]] : []),
	]
	return <Filter label="Time" options={options} value={value || standard} onChoice={onChoice} />
}

/** Only where something is chosen. */
export function ClearFilters({ shown, onClear }: { shown: boolean; onClear(): void }) {
	if (!shown) return null
	return (
		<Button kind="quiet" small icon="close" onClick={onClear}>
			Clear filters
		</Button>
	)
}
