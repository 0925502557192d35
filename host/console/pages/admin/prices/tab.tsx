import { useSignal } from '@preact/signals'
import type { Price } from '../../../../api/prices.ts'
import { useAction } from '../../../data/action.ts'
import { client } from '../../../data/client.ts'
import { useLoad } from '../../../data/load.ts'
import { Button } from '../../../parts/button.tsx'
import { Shown } from '../../../parts/page.tsx'
import { Search } from '../../../parts/search.tsx'
import { Table } from '../../../parts/table.tsx'
import { ChangePrice } from './change.tsx'

const blank: Price = {
	...{ provider: 'openai', model: '', input: 0, cached: 0, write: 0, output: 0 },
	...{ search: null, own: true },
}

/** What a million tokens cost, by model: the list price, or an operator's own. */
export default function Prices() {
	const prices = useLoad('admin-prices', () => client.admin.prices())
	const text = useSignal('')
	const open = useSignal<Price | null>(null)
	const wanted = text.value.trim().toLowerCase()
	const back = useAction(async ({ provider, model }: Price) => {
		await client.admin.deletePrice(provider, model)
		await prices.reload()
	})
	return (
		<>
			<div class="chips">
				<Search label="Find a model" hint="Model" text={text} />
				<Button
					icon="plus"
					onClick={() => {
						open.value = blank
					}}
				>
					New price
				</Button>
			</div>
			<Shown of={prices}>
				{({ data }) => (
					<Table
						label="Prices in dollars a million tokens"
						columns={[
							{ head: 'Model', cell: ({ model }) => <code>{model}</code> },
							{ head: 'Provider', cell: ({ provider }) => provider, minor: true },
							{ head: 'Input', cell: ({ input }) => usd(input), number: true },
							{ head: 'Cached', cell: ({ cached }) => usd(cached), number: true, minor: true },
							{ head: 'Cache write', cell: ({ write }) => usd(write), number: true, minor: true },
							{ head: 'Output', cell: ({ output }) => usd(output), number: true },
							{
								head: '1,000 searches',
								cell: ({ search }) => (search === null ? '–' : usd(search)),
								number: true,
								minor: true,
							},
							{
								head: 'Actions',
								silent: true,
								cell: (price) => (
									<span class="actions">
										{price.own && (
											<Button small busy={back.busy} onClick={() => back.run(price)}>
												List price
											</Button>
										)}
										<Button
											small
											onClick={() => {
												open.value = price
											}}
										>
											Change
										</Button>
									</span>
								),
								number: true,
							},
						]}
						rows={data.filter(({ model }) => model.toLowerCase().includes(wanted))}
						id={({ provider, model }) => `${provider}/${model}`}
					/>
				)}
			</Shown>
			{open.value && (
				<ChangePrice
					price={open.value}
					onClose={() => {
						open.value = null
						void prices.reload()
					}}
				/>
			)}
		</>
	)
}

const usd = (value: number) => `$${value}`
