import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { BudgetReport } from '../../../../owner/client/index.ts'
import { useAction } from '../../../data/action.ts'
import { client } from '../../../data/client.ts'
import { count, dollars } from '../../../data/format.ts'
import { useLoad } from '../../../data/load.ts'
import { say } from '../../../data/said.ts'
import { Button } from '../../../parts/button.tsx'
import { Failure } from '../../../parts/note.tsx'
import { Card, Shown } from '../../../parts/page.tsx'
import { Table } from '../../../parts/table.tsx'
import { BudgetText } from '../keys/budget-text.tsx'
import type { TabProps } from '../tabs.tsx'
import { BudgetFields, budgetsOf, budgetTexts } from './fields.tsx'
import { Meter } from './meter.tsx'
import { Unpriced } from './unpriced.tsx'

const refreshMs = 15_000

/** What its runs may use of models in a month, what they have used, and what calls under way have reserved. */
export default function Budget({ agent, changed }: TabProps) {
	const report = useLoad(`budgets ${agent.id}`, () => client.deployments.budgets(agent.id), refreshMs)
	return (
		<div class="stack">
			<Unpriced of={report.data?.unpriced_models} />
			<Shown of={report}>{(data) => <Used of={data} />}</Shown>
			<Limits
				agent={agent}
				changed={async () => {
					await Promise.all([changed(), report.reload()])
				}}
			/>
			{report.data && report.data.keys.length > 0 && (
				<Card title="Budgets of run keys">
					<Table
						label="Budgets of run keys"
						rows={report.data.keys}
						id={({ lineage }) => lineage}
						columns={[
							{ head: 'Key', cell: ({ lineage }) => <code>{lineage}</code> },
							{
								head: 'Used',
								cell: ({ budgets, used }) => <BudgetText of={budgets} used={used} />,
								number: true,
							},
							{
								head: 'Reserved',
								cell: ({ reserved }) => `${dollars(reserved.usd)}, ${count(reserved.tokens)} tokens`,
								number: true,
								minor: true,
							},
						]}
					/>
				</Card>
			)}
		</div>
	)
}

function Used({ of: { month, deployment } }: { of: BudgetReport }) {
	if (!deployment)
		return (
			<p class="soft">
				This agent has no budget: nothing limits what its runs use in a month, but the limits of each run.
			</p>
		)
	const { budgets, used, reserved } = deployment
	return (
		<Card title={`Used in ${month} (UTC)`}>
			<div class="stack">
				{budgets.usd_per_month !== undefined && (
					<Meter
						label="Dollars"
						of={budgets.usd_per_month}
						used={used.usd}
						reserved={reserved.usd}
						written={dollars}
					/>
				)}
				{budgets.tokens_per_month !== undefined && (
					<Meter
						label="Tokens"
						of={budgets.tokens_per_month}
						used={used.tokens}
						reserved={reserved.tokens}
						written={(value) => (value === null ? '–' : count(value))}
					/>
				)}
			</div>
		</Card>
	)
}

function Limits({ agent, changed }: TabProps) {
	const texts = useSignal(budgetTexts(agent.budgets))
	const known = JSON.stringify(agent.budgets)
	const shown = useRef(known)
	useEffect(() => {
		// Not at first: this comes after the first paint, and somebody may type by then.
		if (shown.current === known) return
		shown.current = known
		texts.value = budgetTexts(JSON.parse(known))
	}, [known, texts])
	const save = useAction(async (budgets: ReturnType<typeof budgetsOf>) => {
		await client.deployments.patch(agent.id, { budgets })
		await changed()
		say(budgets ? 'The budget is saved.' : 'The budget is removed.')
	})
	return (
		<Card title="Budget of a month">
			<form
				class="form"
				onSubmit={(event) => {
					event.preventDefault()
					void save.run(budgetsOf(texts.value))
				}}
			>
				<BudgetFields of={texts} faults={save.faults} />
				<p class="soft small">
					A call is only made if it fits; then runs end as <code>budget_reached</code>. Warnings come at 50,
					80 and 100 %.
				</p>
				<Failure of={save.error} />
				<div class="actions">
					<Button kind="primary" type="submit" busy={save.busy}>
						Save budget
					</Button>
					{agent.budgets && (
						<Button busy={save.busy} onClick={() => save.run(null)}>
							Remove budget
						</Button>
					)}
				</div>
			</form>
		</Card>
	)
}
