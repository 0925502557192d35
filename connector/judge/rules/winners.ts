/** "Who lost the match?" of a text that says who beat whom: of the options, the one on that side. */
import { directionOf } from './reversed.ts'

const ENDED = /^(?:who|which (?:team|side|club|player|party|country)) (won|wins|lost|loses)\b[^?]{0,40}\??$/i

export function winnerOf(question: string, options: readonly string[], context: string): number {
	const [, ended] = ENDED.exec(question.trim()) ?? []
	if (!ended) return -1
	const won = /^wo|^wi/i.test(ended)
	for (const [winner, one] of options.entries())
		for (const [loser, other] of options.entries())
			if (winner !== loser && directionOf(`${one} beat ${other}.`, context) === 'same')
				return won ? winner : loser
	return -1
}
