/** Where the weights lie: beside the sources, which a build leaves in place. */
import { existsSync } from 'node:fs'

export const WEIGHTS = [
	'judge.bin',
	'lexicon.bin',
	'languages.bin',
	'meanings.bin',
	'valence.bin',
	'encoder.bin',
] as const

export function weightsFile(name: string): URL {
	for (const base of [
		'../weights/',
		'../connector/judge/weights/',
		'../../connector/judge/weights/',
		'./weights/',
	]) {
		const url = new URL(base + name, import.meta.url)
		if (existsSync(url)) return url
	}
	throw new Error(`The judge’s weights (${name}) are missing from connector/judge/weights.`)
}
