import type { Script } from './script.ts'

/** What is wrong with a bundle or an agent's folder; all of them are told at once. */
export interface BundleFault {
	/** Path inside the agent's folder or the bundle; empty where the file as a whole is meant. */
	file: string
	/** JSON Pointer (RFC 6901) into the file where it has structure, otherwise empty. */
	pointer: string
	/** 1-based; null where a line says nothing. */
	line: number | null
	message: string
}

/** So many are told; a file of nothing but faults is not listed to its end. */
export const FAULTS_MAX = 100

/** Adds as many as may still be told, and asks for no more. */
export function addFaults(faults: BundleFault[], found: Iterable<BundleFault>): void {
	if (faults.length >= FAULTS_MAX) return
	for (const one of found) {
		faults.push(one)
		if (faults.length >= FAULTS_MAX) return
	}
}

/**
 * Those at lines where nothing is told yet, and those that name something else there: one mistake is found by several
 * checks, and a line may have several mistakes.
 */
export function elsewhere(faults: BundleFault[], told: BundleFault[]): BundleFault[] {
	return faults.filter(({ file, line, message }) => {
		const here = told.filter((one) => one.file === file && one.line === line)
		if (line === null || here.length === 0) return true
		const names = [...message.matchAll(QUOTED)].map(([name]) => name)
		return names.length > 0 && !names.some((name) => here.some((one) => one.message.includes(name)))
	})
}

const QUOTED = /(?<=['"`])[\w@./:-]+(?=['"`])/g

export class BundleError extends Error {
	readonly faults: BundleFault[]
	/** For people, one a fault. */
	readonly lines: string[]
	/** Programs of the bundle, where it could be read that far: they may have faults as well. */
	readonly scripts: Script[]
	constructor(faults: BundleFault[], scripts: Script[] = []) {
		const lines = faults.map(faultLine)
		super(lines.join('\n'))
		this.name = 'BundleError'
		this.faults = faults
		this.scripts = scripts
		this.lines = lines
	}
}

export function fault(file: string, message: string, line: number | null = null, pointer = ''): BundleFault {
	return { file, pointer, line, message }
}

/** One line for people: `agent.yaml:7 /model/provider: …`. */
export function faultLine({ file, pointer, line, message }: BundleFault): string {
	const place = line === null ? file : `${file}:${line}`
	return [place, pointer]
		.filter(Boolean)
		.join(' ')
		.concat(place || pointer ? ': ' : '', message)
}

export function pointerOf(path: readonly PropertyKey[]): string {
	return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
