import type { Family, Labels } from './series.ts'

export const contentType = 'text/plain; version=0.0.4; charset=utf-8'

/** Prometheus text exposition format 0.0.4. */
export const prometheusText = (families: Family[]): string => families.map(textOf).join('')

function textOf(family: Family): string {
	const { name, help, type } = family
	return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${linesOf(family).join('')}`
}

function linesOf(family: Family): string[] {
	const { name } = family
	if (family.type !== 'histogram') return family.samples.map(({ labels, value }) => line(name, labels, value))
	return family.samples.flatMap(({ labels, counts, sum }) => {
		let all = 0
		const buckets = counts.map((count, at) => {
			all += count
			return line(`${name}_bucket`, { ...labels, le: String(family.bounds[at] ?? '+Inf') }, all)
		})
		return [...buckets, line(`${name}_sum`, labels, sum), line(`${name}_count`, labels, all)]
	})
}

function line(name: string, labels: Labels, value: number): string {
	const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escaped(text)}"`)
	return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`
}

const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
