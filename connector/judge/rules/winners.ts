/** "Who lost the match?" of a text that says who beat whom: of the options, the one on that side. */
import { fold } from '../text/fold.ts'
import { hasWord } from './asked.ts'
import { relationsIn } from './relations.ts'
import { directionOf, LONGEST_UNITS } from './reversed.ts'

const ENDED = /^(?:who|which (?:team|side|club|player|party|country)) (won|wins|lost|loses)\b[^?]{0,40}\??$/i
const BEAT = relationsIn('Ann beat Bob.')[0]!.kind

export function winnerOf(question: string, options: readonly string[], context: string): number {
	const [, ended] = ENDED.exec(question.trim()) ?? []
	if (!ended || context.length > LONGEST_UNITS) return -1
	const told = context.split(/(?<=[.!?;])\s+/).flatMap(relationsIn)
	if (!told.some(({ kind }) => kind === BEAT)) return -1
	const won = /^wo|^wi/i.test(ended)
	// Every pair of options is a claim: those that the text does not name are left out first.
	const text = fold(context).text
	const named = [...options.keys()].filter((place) => isNamed(options[place]!, text))
	for (const winner of named)
		for (const loser of named)
			if (winner !== loser && directionOf(`${options[winner]} beat ${options[loser]}.`, context) === 'same')
				return won ? winner : loser
	return -1
}

const isNamed = (option: string, text: string): boolean =>
	fold(option)
		.text.split(' ')
		.some((word) => word !== 'the' && hasWord(text, word))
