import * as apps from 'kubernetes-models/apps/v1'
import * as autoscaling from 'kubernetes-models/autoscaling/v2'
import * as batch from 'kubernetes-models/batch/v1'
import * as networking from 'kubernetes-models/networking.k8s.io/v1'
import * as policy from 'kubernetes-models/policy/v1'
import * as core from 'kubernetes-models/v1'

interface Manifest {
	apiVersion: string
	kind: string
}
type Model = { prototype: { validate(): void } }

const groups: Record<string, object> = {
	v1: core,
	'apps/v1': apps,
	'autoscaling/v2': autoscaling,
	'batch/v1': batch,
	'networking.k8s.io/v1': networking,
	'policy/v1': policy,
}

/** What Kubernetes' own schemas say against a manifest; members that they do not know included. */
export function faultsOf(manifest: Manifest): string[] {
	const model = (groups[manifest.apiVersion] as Record<string, Model> | undefined)?.[manifest.kind]
	if (!model) return [`no schema of ${manifest.apiVersion} ${manifest.kind}`]
	const asked = new Map<string, Set<string>>()
	try {
		// Not of an instance, which would be a copy.
		model.prototype.validate.call(watched(manifest, '', asked))
	} catch (error) {
		return [(error as Error).message]
	}
	return unknownIn(manifest, '', asked)
}

/** A schema ignores members that it does not name: those are the ones that its validator never reads. */
function watched(value: unknown, path: string, asked: Map<string, Set<string>>): unknown {
	if (typeof value !== 'object' || value === null) return value
	const read = asked.get(path) ?? new Set()
	asked.set(path, read)
	const copy = Array.isArray(value) ? [] : {}
	for (const [name, member] of Object.entries(value)) {
		const inner = watched(member, `${path}/${name}`, asked)
		Object.defineProperty(copy, name, {
			enumerable: true,
			get() {
				read.add(name)
				return inner
			},
		})
	}
	return copy
}

function unknownIn(value: unknown, path: string, asked: Map<string, Set<string>>): string[] {
	if (typeof value !== 'object' || value === null) return []
	return Object.entries(value).flatMap(([name, member]) =>
		asked.get(path)?.has(name) ? unknownIn(member, `${path}/${name}`, asked) : [`${path}/${name} is unknown`],
	)
}
