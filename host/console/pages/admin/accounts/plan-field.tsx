import { client } from '../../../data/client.ts'
import { useLoad } from '../../../data/load.ts'
import { ChoiceField } from '../../../parts/field.tsx'

/** The plans of this host, with how many agents each lets run. */
export function PlanField({ value, onChoice }: { value: string; onChoice(plan: string): void }) {
	const plans = useLoad('plans', () => client.admin.plans())
	const options = (plans.data?.data ?? []).map(({ name, running_agents }) => ({
		value: name,
		label: `${name}, ${running_agents === null ? 'any number of' : running_agents} running agents`,
	}))
	if (!options.some((option) => option.value === value)) options.unshift({ value, label: value })
	return <ChoiceField label="Plan" value={value} options={options} onChoice={onChoice} />
}
