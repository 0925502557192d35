/** What is measured: kinds of agents, callers, deployments, and how many cores the whole tree of a side may use. */
export const kinds = {
	noted: { says: 'tool as it is', idempotent: false, model: 'm0', api: 'chat' },
	responses: { says: 'tool as it is, `responses`', idempotent: false, model: 'm0', api: 'responses' },
	repeatable: { says: 'tool marked idempotent', idempotent: true, model: 'm0', api: 'chat' },
	code: {
		says: 'with an agent.ts',
		idempotent: false,
		program: "import { agent } from 'berth'\nexport default agent((_, ctx) => ctx.loop())\n",
		model: 'm0',
		api: 'chat',
	},
	slow: { says: 'model takes 300 ms', idempotent: false, model: 'm300', api: 'chat' },
} satisfies Record<string, Agent>

interface Agent {
	says: string
	/** Where not, each call is written down before it is made. */
	idempotent: boolean
	program?: string
	model: string
	api: 'chat' | 'responses'
}
export type Kind = keyof typeof kinds

export interface Row {
	kind: Kind
	callers: number
	deployments: number
	cores: 1 | 2
}

const rows = (cores: Row['cores'], ...texts: string[]) => texts.map((text) => rowOf(`${text}:${cores}`))

const all: Row[] = [
	...rows(2, 'noted:1:1', 'noted:32:1', 'noted:200:1', 'noted:32:50', 'slow:200:1'),
	...rows(2, 'responses:32:1', 'repeatable:32:1', 'code:1:1', 'code:32:1', 'code:200:1'),
	...rows(1, 'noted:1:1', 'noted:32:1', 'noted:200:1', 'noted:32:50', 'repeatable:32:1', 'code:32:1'),
]
const QUICK = new Set(['noted:32:1:2', 'code:32:1:2', 'noted:32:1:1'])

export const nameOf = ({ kind, callers, deployments, cores }: Row) =>
	`${kind}:${callers}:${deployments}:${cores}`

/** `kind:callers:deployments:cores`. */
function rowOf(text: string): Row {
	const [kind = '', callers, deployments, cores] = text.split(':')
	const row = { kind: kind as Kind, callers: Number(callers), deployments: Number(deployments) }
	if (!(kind in kinds) || !(row.callers > 0) || !(row.deployments > 0) || !['1', '2'].includes(cores ?? ''))
		throw new Error(
			`${text} is no row: kind:callers:deployments:cores, kinds ${Object.keys(kinds).join(', ')}`,
		)
	return { ...row, cores: Number(cores) as Row['cores'] }
}

export function chosenRows(quick: boolean, named: string | undefined): Row[] {
	if (named !== undefined) return named.split(',').map(rowOf)
	return quick ? all.filter((row) => QUICK.has(nameOf(row))) : all
}
