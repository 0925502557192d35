import type { Column } from './table.tsx'
import { Took } from './time.tsx'

interface Shown {
	error: { code: string; message: string } | null
	version: number
	started_at: string | null
	completed_at: string | null
}

/** What every list of runs shows of one, beside its name, state and time. */
export const runColumns = {
	error: {
		head: 'Error',
		cell: ({ error }) =>
			error ? <span title={error.message}>{error.code}</span> : <span class="soft">–</span>,
		minor: true,
	},
	version: { head: 'Version', cell: ({ version }) => `v${version}`, number: true, minor: true },
	took: {
		head: 'Took',
		cell: ({ started_at, completed_at }) => <Took from={started_at} to={completed_at} />,
		number: true,
		minor: true,
	},
} satisfies Record<string, Column<Shown>>
