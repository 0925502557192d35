import { useAccount } from '../../../data/shell.ts'
import { LinkButton } from '../../../parts/button.tsx'
import { Note } from '../../../parts/note.tsx'

/** Models whose calls a budget in dollars refuses, and what to do. Nothing where every price is known. */
export function Unpriced({ of: models = [] }: { of: string[] | undefined }) {
	const account = useAccount()
	if (models.length === 0) return null
	const one = models.length === 1
	return (
		<Note tone="warn">
			<p>
				The price of{' '}
				{models.map((model, i) => (
					<span key={model}>
						{i > 0 && ', '}
						<code>{model}</code>
					</span>
				))}{' '}
				is not known. A budget in dollars refuses every call of {one ? 'it' : 'them'}, so runs fail with 402{' '}
				<code>budget_reached</code>.
			</p>
			{account.data?.operator ? (
				<>
					<p>Set the price, or limit tokens in place of dollars.</p>
					<div class="actions">
						<LinkButton small href="/admin/prices">
							Open prices
						</LinkButton>
					</div>
				</>
			) : (
				<p>Limit tokens in place of dollars, or ask an operator of this host to set the price.</p>
			)}
		</Note>
	)
}
