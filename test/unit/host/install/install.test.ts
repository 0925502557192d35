import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { root } from '../../../../host/lib/root.ts'
import { readConfig } from '../../../../host/settings/config.ts'
import { faultsOf } from './kubernetes.ts'

// The files by which a host is installed in containers. A drill with podman is in the page; here they are held against
// Kubernetes' schemas and against what the host itself says.

const folder = join(root, 'host/install')
const text = (name: string) => readFileSync(join(folder, name), 'utf8')
// biome-ignore lint/suspicious/noExplicitAny: manifests of many kinds
type Any = any

const manifests: [string, Any][] = ['hosts', 'judge'].flatMap((part) =>
	readdirSync(join(folder, 'kubernetes', part))
		.filter((name) => !['kustomization.yaml', 'settings.yaml'].includes(name))
		.flatMap((name) =>
			parseAllDocuments(text(`kubernetes/${part}/${name}`)).map((document): [string, Any] => {
				const manifest = document.toJS()
				return [`${part}: ${manifest.kind} ${manifest.metadata.name}`, manifest]
			}),
		),
)
const named = (name: string): Any => manifests.find(([own]) => own === name)?.[1]

// Proves: install.kubernetes
test.each(manifests)('Kubernetes knows each member of %s', (_, manifest) => {
	expect(faultsOf(manifest)).toEqual([])
})

// Proves: install.kubernetes
test('a wrong type, an unknown member and an unknown kind are faults', () => {
	const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } }
	const container = { name: 'a', image: 'a' }
	expect(faultsOf({ ...pod, spec: { containers: [container] } } as Any)).toEqual([])
	expect(faultsOf({ ...pod, spec: { containers: 'a' } } as Any).join()).toContain('/spec/containers')
	expect(faultsOf({ ...pod, spec: { containers: [{ ...container, imag: 'a' }] } } as Any)).toEqual([
		'/spec/containers/0/imag is unknown',
	])
	expect(faultsOf({ ...pod, kind: 'Pot' } as Any)).toEqual(['no schema of v1 Pot'])
})

// Proves: install.kubernetes
test('pods, policies and scaling speak of the same hosts', () => {
	const { spec } = named('hosts: Deployment berth')
	const labels = spec.template.metadata.labels
	expect(spec.selector.matchLabels).toEqual(labels)
	expect(named('hosts: Service berth').spec.selector).toEqual(labels)
	expect(named('hosts: PodDisruptionBudget berth').spec.selector.matchLabels).toEqual(labels)
	expect(named('hosts: NetworkPolicy berth').spec.podSelector.matchLabels).toEqual(labels)
	expect(named('hosts: HorizontalPodAutoscaler berth').spec.scaleTargetRef.name).toBe('berth')
	const resources = manifests.map(([name]) => name.split(': ')[0])
	for (const part of ['hosts', 'judge']) {
		const { resources: listed } = parse(text(`kubernetes/${part}/kustomization.yaml`))
		const files = readdirSync(join(folder, 'kubernetes', part)).filter(
			(name) => !['kustomization.yaml', 'settings.yaml'].includes(name),
		)
		expect(listed.filter((name: string) => name !== '../hosts').sort()).toEqual(files.sort())
	}
	expect(new Set(resources)).toEqual(new Set(['hosts', 'judge']))
})

// Proves: install.settings
test('every setting that the files give is one that the host takes', () => {
	const compose = parse(text('compose.yaml'), { merge: true })
	const values = (given: object) =>
		Object.fromEntries(
			Object.entries(given).map(([name, value]) => [
				name,
				String(value).replace(/\$\{\w+(:\?[^}]*)?\}/g, 'x'),
			]),
		)
	const listed = (list: { name: string; value: string }[]) =>
		Object.fromEntries(list.map(({ name, value }) => [name, value]))
	const literals = parse(text('kubernetes/hosts/kustomization.yaml')).configMapGenerator[0].literals
	const kubernetes = {
		...Object.fromEntries(literals.map((line: string) => line.split('='))),
		...listed(named('hosts: Deployment berth').spec.template.spec.containers[0].env),
		...listed(parse(text('kubernetes/judge/settings.yaml')).spec.template.spec.containers[0].env),
	}
	for (const given of [values(compose['x-host'].environment), kubernetes])
		expect(readConfig(given as NodeJS.ProcessEnv)).toMatchObject({
			BASE_URL: expect.stringMatching(/^https:/),
			TRUST_PROXY: expect.anything(),
		})
})

// Proves: install.drains
test('whoever stops a host waits for as long as its stop may take', () => {
	const { SHUTDOWN_SECONDS, STOP_GRACE_SECONDS } = readConfig({})
	const stopSeconds = SHUTDOWN_SECONDS + STOP_GRACE_SECONDS + 20
	const pod = named('hosts: Deployment berth').spec.template.spec
	const [, pause] = pod.containers[0].lifecycle.preStop.exec.command
	expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(stopSeconds + Number(pause))
	const compose = parse(text('compose.yaml'), { merge: true })
	for (const host of ['host1', 'host2'])
		expect(Number.parseInt(compose.services[host].stop_grace_period, 10)).toBeGreaterThanOrEqual(stopSeconds)
})

// Proves: install.unprivileged
test('hosts have no privileges, a root that they cannot write, and one user everywhere', () => {
	const uid = /useradd --uid (\d+)/.exec(text('Containerfile'))?.[1]
	expect(text('Containerfile')).toMatch(/^USER berth$/m)
	for (const name of ['hosts: Deployment berth', 'hosts: Job berth-migrate']) {
		const { securityContext: pod, containers } = named(name).spec.template.spec
		expect([pod.runAsNonRoot, pod.runAsUser]).toEqual([true, Number(uid)])
		expect(containers[0].securityContext).toEqual({
			allowPrivilegeEscalation: false,
			readOnlyRootFilesystem: true,
			capabilities: { drop: ['ALL'] },
		})
	}
	const compose = parse(text('compose.yaml'), { merge: true })
	for (const host of ['host1', 'host2'])
		expect(compose.services[host]).toMatchObject({
			user: `${uid}:${uid}`,
			read_only: true,
			cap_drop: ['ALL'],
		})
})
