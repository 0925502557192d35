/**
 * Orders that are planted in data without any of the usual marks: beside each other stand a word for a machine that reads, and
 * something to be kept quiet, sent away, favoured or taken as allowed. One of these alone says little. The model of the
 * whole text learns what they are worth together.
 */
import type { Sentence } from '../text/document.ts'
import { BIT, bitsOf } from './planted-bits.ts'

const MOST_SENTENCES = 400
const FEWEST_WORDS = 2
/** Sentences about a machine; a text that has more of them is about machines. */
const FEW_ABOUT = 2
const SOME_SENTENCES = 3

const NONE = {
	/** A machine that reads is named; a program, which may be one. */
	machine: 0,
	program: 0,
	/** How many kinds of signs stand beside it. */
	told: 0,
	toldProgram: 0,
	conceals: 0,
	sends: 0,
	favours: 0,
	warrants: 0,
	for: 0,
	owned: 0,
	forbids: 0,
	/** Beside no machine, too. */
	quiet: 0,
	away: 0,
	quietAway: 0,
	/** Of all sentences, those that name one. */
	share: 0,
	alone: 0,
}
export const PLANTED_SIGNS = Object.keys(NONE).map((name) => `planted.${name}`)

export function plantedSigns(pieces: readonly Sentence[]): number[] {
	const step = Math.max(1, Math.ceil(pieces.length / MOST_SENTENCES))
	const seen = pieces
		.filter(({ words }, i) => i % step === 0 && words.length >= FEWEST_WORDS)
		.map((piece) => bitsOf(piece))
	const found = { ...NONE }
	let about = 0
	seen.forEach((own, i) => {
		// What a machine is told goes on in the next sentence.
		const both = own | (seen[i + 1] ?? 0)
		if (own & BIT.conceals!) found.quiet = 1
		if (own & BIT.sendsAway!) found.away = 1
		if (own & BIT.conceals! && both & BIT.sendsAway!) found.quietAway = 1
		if (own & (BIT.machine! | BIT.program!)) about++
		if (own & BIT.machine!) machineIn(own, both, found)
		else if (own & BIT.program!) programIn(own, both, found)
	})
	found.share = about / Math.max(1, seen.length)
	found.alone = about > 0 && about <= FEW_ABOUT && seen.length >= SOME_SENTENCES ? 1 : 0
	return Object.values(found)
}

function machineIn(own: number, both: number, found: typeof NONE): void {
	found.machine = 1
	const signs = count(own, 'must', 'reads', 'whole', 'isFor') + count(both, ...WANTED)
	found.told = Math.max(found.told, signs)
	if (both & BIT.conceals!) found.conceals = 1
	if (both & BIT.sendsAway!) found.sends = 1
	if (both & BIT.favour!) found.favours = 1
	if (both & BIT.warrant!) found.warrants = 1
	if (own & BIT.isFor!) found.for = 1
	if (own & BIT.isOwned!) found.owned = 1
	if (own & BIT.forbids!) found.forbids = 1
}

function programIn(own: number, both: number, found: typeof NONE): void {
	found.program = 1
	if (own & (BIT.reads! | BIT.isFor!))
		found.toldProgram = Math.max(found.toldProgram, count(both, 'must', ...WANTED))
}

const WANTED = ['conceals', 'sendsAway', 'favour', 'warrant']

const count = (bits: number, ...names: string[]): number => names.filter((name) => bits & BIT[name]!).length
