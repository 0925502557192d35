import { bytes, commitName, count, plural } from '../../data/format.ts'
import { searchText } from '../../data/search-text.ts'
import { placeOf } from '../../parts/credentials/words.ts'
import { Card, Facts } from '../../parts/page.tsx'
import type { Checked } from './dropped.ts'

const shownLetters = 12
const limitWords: Record<string, string> = {
	memory_mb: 'MB of memory',
	usd: 'dollars',
	http_calls: 'requests',
}

/** What the bundle is, and what it asks for. */
export function Summary({ of: { agent, tools, peeked, credentials } }: { of: Checked }) {
	if (!agent) return null
	const { model, limits, requires, http, web_search } = agent
	const own = tools.map(({ name, skill }) => `${name} (${skill})`)
	return (
		<Card title={agent.name}>
			<div class="stack">
				{agent.description && <p>{agent.description}</p>}
				<Facts
					of={[
						['Model', `${String(model.name)} at ${String(model.provider)}`],
						['Inputs', <Inputs key="inputs" of={agent.inputs} />],
						...requires.map(({ connector, tools, auth }): [string, string] => [
							`Tools of ${placeOf(String(connector))}`,
							`${list(tools)}${auth === 'none' ? '' : ` · ${auth === 'oauth' ? 'sign-in' : 'token'} needed`}`,
						]),
						...Object.entries(http).map(([origin, { methods }]): [string, string] => [
							`Asks ${placeOf(origin)}`,
							list(methods),
						]),
						...web_search.map((one): [string, string] => ['Searches the web', searchText(one)]),
						...(own.length > 0 ? [['Tools of its own', own.join(', ')] as [string, string]] : []),
						['Asks for', credentials.map(({ needed_by }) => placeOf(needed_by)).join(', ') || 'nothing'],
						[
							'Limits of a run',
							Object.entries(limits)
								.map(([name, value]) => `${count(value)} ${limitWords[name] ?? name}`)
								.join(', ') || '–',
						],
						['Files', `${plural(peeked.files.count, 'file')}, ${bytes(peeked.files.bytes)}`],
						['Commit', <code key="commit">{commitName(agent.commit, shownLetters)}</code>],
						['Digest', <code key="digest">{agent.digest.slice(0, shownLetters)}</code>],
					]}
				/>
			</div>
		</Card>
	)
}

const list = (value: unknown) => (Array.isArray(value) ? value.map(String).join(', ') : '')

function Inputs({ of }: { of: Record<string, unknown> }) {
	const names = Object.keys((of.properties ?? {}) as object)
	const required = Array.isArray(of.required) ? of.required : []
	if (names.length === 0) return <>none</>
	return (
		<ul class="inputs">
			{names.map((name) => (
				<li key={name}>
					<code>{name}</code> {required.includes(name) ? '' : <span class="soft">optional</span>}
				</li>
			))}
		</ul>
	)
}
