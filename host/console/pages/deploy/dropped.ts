import type { DryRun } from '../../../owner/client/index.ts'
import { client } from '../../data/client.ts'
import type { Peeked } from './peek.ts'

/** The file as it was dropped. */
export interface Dropped {
	bytes: Uint8Array
	fileName: string
}

export interface SlotHolder {
	deployment: string
	name: string
	state: string
	since: string
}

export interface Limit {
	limit: number
	slots: SlotHolder[]
}

/** A file that was dropped, and what browser and host say of it. */
export interface Checked extends Dropped {
	peeked: Peeked
	/** What the wizard proposes. */
	name: string
	agent: DryRun['agent']
	tools: DryRun['tools']
	credentials: DryRun['credentials']
	/** Of the bundle, with file and line. */
	faults: string[]
	/** Why it is refused although it has no fault. */
	refusal: string | undefined
	/** Nothing of the plan is left. */
	limit: Limit | undefined
}

/** Everything the create would check. What is wrong with the name is told when the name is asked for. */
export async function check(dropped: Dropped, peeked: Peeked, name: string): Promise<Checked> {
	const found = await client.deployments.dryRun({ ...dropped, name })
	const of = (code: string) => found.faults.find((fault) => fault.code === code)
	const later = ['running_agent_limit_reached', 'name_taken', 'invalid_request', 'platform_provider_refused']
	return {
		...dropped,
		...{ peeked, name },
		agent: found.agent,
		tools: found.tools,
		credentials: found.credentials,
		faults: found.faults
			.filter(({ code }) => !later.includes(code))
			.flatMap(({ detail, errors }) => (errors?.length ? errors.map(({ message }) => message) : [detail])),
		refusal: of('platform_provider_refused')?.detail,
		limit: limitOf(of('running_agent_limit_reached')),
	}
}

/** Of a problem `running_agent_limit_reached`. */
export function limitOf(problem: Record<string, unknown> | undefined): Limit | undefined {
	if (!problem) return undefined
	return { limit: Number(problem.limit), slots: Array.isArray(problem.slots) ? problem.slots : [] }
}

/** `name`, or the first of `name-2`, `name-3`, … that no deployment has. */
export function freeName(name: string, taken: string[]): string {
	for (let i = 1; ; i++) {
		const proposed = i === 1 ? name : `${name}-${i}`
		if (!taken.includes(proposed)) return proposed
	}
}
