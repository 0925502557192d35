import { useSignal } from '@preact/signals'
import type { Price } from '../../../../api/prices.ts'
import { useAction } from '../../../data/action.ts'
import { bound } from '../../../data/bound.ts'
import { client } from '../../../data/client.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { ChoiceField, TextField } from '../../../parts/field.tsx'
import { Failure } from '../../../parts/note.tsx'

const rates = [
	{ name: 'input', label: 'Input' },
	{ name: 'cached', label: 'Input from the cache' },
	{ name: 'write', label: 'Input written to the cache' },
	{ name: 'output', label: 'Output' },
] as const
const providers = [
	{ value: 'openai', label: 'OpenAI' },
	{ value: 'anthropic', label: 'Anthropic' },
]

export function ChangePrice({ price, onClose }: { price: Price; onClose(): void }) {
	const provider = useSignal<Price['provider']>(price.provider)
	const model = useSignal(price.model)
	const values = useSignal(Object.fromEntries(rates.map(({ name }) => [name, String(price[name])])))
	const search = useSignal(price.search === null ? '' : String(price.search))
	const save = useAction(async () => {
		const [input = 0, cached = 0, write = 0, output = 0] = rates.map(({ name }) => Number(values.value[name]))
		await client.admin.putPrice({
			provider: provider.value,
			model: model.value.trim(),
			input,
			cached,
			write,
			output,
			...(search.value !== '' && { search: Number(search.value) }),
		})
		onClose()
	})
	const footer = (
		<>
			<Button onClick={onClose}>Cancel</Button>
			<Button type="submit" kind="primary" busy={save.busy} disabled={model.value.trim() === ''}>
				Set price
			</Button>
		</>
	)
	return (
		<Dialog
			title={price.model === '' ? 'New price' : price.model}
			onClose={onClose}
			onSubmit={save.run}
			footer={footer}
		>
			{price.model === '' && (
				<>
					<ChoiceField
						label="Provider"
						value={provider.value}
						options={providers}
						onChoice={(value) => {
							provider.value = value === 'anthropic' ? 'anthropic' : 'openai'
						}}
					/>
					<TextField label="Model" {...bound(model)} fault={save.faults['/model']} />
				</>
			)}
			{rates.map(({ name, label }) => (
				<TextField
					key={name}
					label={`${label}, dollars a million tokens`}
					type="number"
					step="any"
					required
					hint={name === 'input' ? 'Type 0 where it costs nothing.' : undefined}
					value={values.value[name] ?? ''}
					fault={save.faults[`/${name}`]}
					onText={(text) => {
						values.value = { ...values.value, [name]: text }
					}}
				/>
			))}
			<TextField
				label="Dollars a thousand web searches of the provider (empty: as listed)"
				type="number"
				step="any"
				{...bound(search)}
				fault={save.faults['/search']}
			/>
			<Failure of={save.error} />
		</Dialog>
	)
}
