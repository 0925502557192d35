/** Of deployments, runs, credentials, deliveries: a word, a shape and a colour each. */
const looks: Record<string, { tone: string; shape: string }> = {
	running: { tone: 'good', shape: '●' },
	succeeded: { tone: 'good', shape: '✓' },
	delivered: { tone: 'good', shape: '✓' },
	ready: { tone: 'good', shape: '✓' },
	locked: { tone: 'good', shape: '✓' },
	active: { tone: 'good', shape: '●' },
	approved: { tone: 'good', shape: '✓' },
	waiting: { tone: 'warn', shape: '◐' },
	queued: { tone: 'plain', shape: '◌' },
	pending: { tone: 'plain', shape: '◌' },
	creating: { tone: 'plain', shape: '◌' },
	stopping: { tone: 'warn', shape: '◐' },
	changed: { tone: 'warn', shape: '◐' },
	missing: { tone: 'warn', shape: '◌' },
	needs_sign_in: { tone: 'warn', shape: '◐' },
	refused: { tone: 'bad', shape: '✕' },
	rejected: { tone: 'bad', shape: '✕' },
	failed: { tone: 'bad', shape: '✕' },
	denied: { tone: 'bad', shape: '✕' },
	disabled: { tone: 'bad', shape: '✕' },
	stopped: { tone: 'plain', shape: '○' },
	cancelled: { tone: 'plain', shape: '○' },
	revoked: { tone: 'plain', shape: '○' },
	expired: { tone: 'plain', shape: '○' },
}

export function State({ of, label }: { of: string; label?: string }) {
	const { tone, shape } = looks[of] ?? { tone: 'plain', shape: '·' }
	return (
		<span class={`state ${tone}`}>
			<span aria-hidden="true">{shape}</span>
			{label ?? of.replaceAll('_', ' ')}
		</span>
	)
}
