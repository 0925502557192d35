/** The everyday probes as tables: both halves, losses first. */
import { type Half, type Probed, SURE } from './probes.ts'
import type { Twisted } from './twists.ts'

export interface Everyday {
	probed: Probed[]
	twisted: Twisted[]
}

const HALVES: Half[] = ['tuning', 'kept back']
const WORST = 10
const LONGEST_UNITS = 160

const cell = (text: string): string =>
	text.replace(/\s+/g, ' ').replaceAll('|', '\\|').replaceAll('<', '&lt;').slice(0, LONGEST_UNITS)
const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`
const wrongSure = ({ right, said }: Probed): boolean => !right && said > SURE

function groups<T>(list: readonly T[], key: (one: T) => string): [string, T[]][] {
	const found = new Map<string, T[]>()
	for (const one of list) {
		const group = found.get(key(one))
		if (group) group.push(one)
		else found.set(key(one), [one])
	}
	return [...found]
}

export function probeTables({ probed, twisted }: Everyday): string[] {
	const lines = groups(probed, ({ tool, kind }) => `${tool} | ${kind}`)
	const holds = groups(twisted, ({ tool, twist }) => `${tool} | ${twist}`)
	return [
		'## Everyday probes',
		'',
		`Right answers of all, in the half for tuning and the half kept back. "Sure and wrong" counts wrong answers above ${SURE}.`,
		'',
		'| tool | probes | tuning | kept back | chance | sure and wrong |',
		'|-|-|-:|-:|-:|-:|',
		...lines.map(([name, list]) =>
			row([
				name,
				...HALVES.map((half) => {
					const own = list.filter((one) => one.half === half)
					return `${own.filter(({ right }) => right).length}/${own.length}`
				}),
				(list.reduce((sum, { chance }) => sum + chance, 0) / list.length).toFixed(2),
				list.filter(wrongSure).length,
			]),
		),
		'',
		'### Twists',
		'',
		'| tool | twist | tuning | kept back |',
		'|-|-|-:|-:|',
		...holds.map(([name, list]) =>
			row([
				name,
				...HALVES.map((half) => {
					const own = list.filter((one) => one.half === half)
					return `${own.filter(({ held }) => held).length}/${own.length}`
				}),
			]),
		),
		'',
	]
}

/** The surest wrong answers of every tool. Of the half kept back no row is shown: who reads the page would tune by it. */
export function worstErrors(probed: readonly Probed[]): string[] {
	const wrong = probed.filter(({ right, half }) => !right && half === 'tuning')
	return [
		'### Worst errors',
		'',
		'| tool | asked | said |',
		'|-|-|-|',
		...groups(wrong, ({ tool }) => tool).flatMap(([tool, list]) =>
			list
				.toSorted((a, b) => b.said - a.said || a.id.localeCompare(b.id))
				.slice(0, WORST)
				.map(({ asked, answer }) => row([tool, cell(asked), cell(answer)])),
		),
		'',
	]
}
