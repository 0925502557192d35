import type { ComponentChildren } from 'preact'
import type { DeploymentWithActivity } from '../../../../owner/client/index.ts'
import { count } from '../../../data/format.ts'
import { searchText } from '../../../data/search-text.ts'
import { Code } from '../../../parts/code.tsx'

/** Of the version that runs: its commit, model, limits and what it requires. */
export function agentFacts({ agent, version }: DeploymentWithActivity): [string, ComponentChildren][] {
	const { provider, name, ...options } = agent.model
	return [
		['Name', agent.name],
		['Version', `v${version}`],
		['Commit', <code key="commit">{agent.commit.slice(0, 12)}</code>],
		['Digest', <code key="digest">{agent.digest.slice(0, 12)}</code>],
		['Model', `${String(provider)} ${String(name)}`],
		...Object.entries(options).map(
			([option, value]) => [`Model: ${option}`, written(value)] as [string, ComponentChildren],
		),
		...Object.entries(agent.limits).map(
			([limit, value]) => [`Limit: ${limit}`, count(value)] as [string, ComponentChildren],
		),
		['Requires', <Required key="requires" of={agent.requires} />],
		['May ask', <Asked key="http" of={agent.http} />],
		...agent.web_search.map((one) => ['Searches the web', searchText(one)] as [string, ComponentChildren]),
		[
			'Inputs',
			<details key="inputs">
				<summary>{Object.keys(propertiesOf(agent.inputs)).join(', ') || 'none'}</summary>
				<Code label="schema of the inputs" text={JSON.stringify(agent.inputs, null, 2)} />
			</details>,
		],
		[
			'Output',
			agent.output === null ? (
				'text'
			) : (
				<details key="output">
					<summary>an object</summary>
					<Code label="schema of the output" text={JSON.stringify(agent.output, null, 2)} />
				</details>
			),
		],
	]
}

function Required({ of: requires }: { of: Record<string, unknown>[] }) {
	if (requires.length === 0) return <span class="soft">no connector</span>
	return (
		<ul>
			{requires.map((one, i) => (
				<li key={i}>{String(one.connector ?? one.url ?? JSON.stringify(one))}</li>
			))}
		</ul>
	)
}

/** Origins that `ctx.http` may call. */
function Asked({ of: http }: { of: Record<string, Record<string, unknown>> }) {
	const origins = Object.entries(http)
	if (origins.length === 0) return <span class="soft">no address</span>
	return (
		<ul>
			{origins.map(([origin, { methods }]) => (
				<li key={origin}>{`${origin} (${Array.isArray(methods) ? methods.join(', ') : ''})`}</li>
			))}
		</ul>
	)
}

const propertiesOf = (schema: Record<string, unknown>) => (schema.properties ?? {}) as Record<string, unknown>

const written = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
