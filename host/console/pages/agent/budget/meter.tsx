interface Props {
	label: string
	of: number
	/** Null: not known. */
	used: number | null
	reserved: number | null
	written(value: number | null): string
}

/** How much of a limit is used, and how much calls under way hold. */
export function Meter({ label, of, used, reserved, written }: Props) {
	const share = (value: number | null) => (of === 0 ? 100 : Math.min(100, ((value ?? 0) / of) * 100))
	const usedShare = share(used)
	return (
		<div class="stack tight">
			<div class="row apart">
				<strong>{label}</strong>
				<span>
					{written(used)} of {written(of)}
					{reserved !== null && reserved > 0 && <span class="soft">, {written(reserved)} reserved</span>}
				</span>
			</div>
			<div class="meter" aria-hidden="true">
				<span class={usedShare >= 100 ? 'over' : ''} style={{ width: `${usedShare}%` }} />
				<span class="reserved" style={{ width: `${Math.min(100 - usedShare, share(reserved))}%` }} />
			</div>
		</div>
	)
}
