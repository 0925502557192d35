/** Who does what to whom in one sentence, and the same from the other side: "B works for A" is "A is the boss of B". */
export interface Relation {
	/** Place in `RELATIONS`, and the word that it is about: "arrived" of "arrived before". */
	kind: string
	from: string
	to: string
	/** Whether both directions cannot hold at once. */
	oneWay: boolean
	/** What the sentence says besides. */
	rest: string
	/** The words that name the relation. */
	by: string
}

const NAME =
	"(?<!\\p{L})((?:[Tt]he )?\\p{Lu}[\\p{L}'-]+(?: \\p{Lu}[\\p{L}'-]+){0,2}|(?:[Tt]he|[Mm]y|[Oo]ur|[Hh]er|[Hh]is) \\p{Ll}[\\p{L}-]+)"
const ADVERBS = '(?:(?:has|had|have|also|still|just|later|already|then) )*'
const BE = '(?:is|are|was|were)'
/** What may stand between the verb and who it is done to: "owes 20 euros to". Never a further name. */
const THING = "(?: [\\p{Ll}\\d][\\p{Ll}\\d'.,-]*){1,4}"

/** From the one who does it; from the other; verbs that are used with "by". */
const RELATIONS: [does: string, undergoes: string, passive: string, oneWay: boolean][] = [
	[
		`${BE} the (?:boss|manager|supervisor|employer) of|manages|supervises|employs`,
		'reports to|reported to|works for|worked for',
		'managed|supervised|employed',
		true,
	],
	[
		`${BE} the (?:parent|father|mother) of`,
		`${BE} the (?:child|son|daughter) of|${BE} a (?:child|son|daughter) of`,
		'',
		true,
	],
	[`owns|${BE} the owner of`, 'belongs to|belonged to', 'owned', true],
	['(lives|live|lived|is|hangs|sits) above', '(lives|live|lived|is|hangs|sits) (?:below|under)', '', true],
	[
		'(arrived|came|ruled|spoke|left|finished|started|entered|opened|died|lived) before',
		'(arrived|came|ruled|spoke|left|finished|started|entered|opened|died|lived) after',
		'',
		true,
	],
	[`${BE} older than|was born before`, `${BE} younger than|was born after`, '', true],
	[
		'(earns|earned|has|weighs|costs|scored|sold|drinks) more than',
		'(earns|earned|has|weighs|costs|scored|sold|drinks) less than',
		'',
		true,
	],
	['precedes|preceded', 'comes after|came after', 'preceded', true],
	[
		'beat|beats|defeated|defeats|won against|won the (?:final|match|game) against',
		'lost to|lost against|lost the (?:final|match|game) to',
		'beaten|defeated',
		true,
	],
	['acquired|acquires|bought|took over|purchased', '', 'acquired|bought|taken over|purchased', true],
	[`replaced|replaces|became${THING} instead of`, '', 'replaced', true],
	[
		`(?:lets|let|rents out|rented out)${THING} to|${BE} the landlord of`,
		`(?:rents|rented)${THING} from|${BE} the tenant of`,
		'',
		true,
	],
	[`owes|owed|(?:owes|owed)${THING} to|${BE} in debt to`, '', 'owed', false],
	[`taught|teaches|(?:taught|teaches)${THING} to`, `(?:learned|learnt|learns)${THING} from`, 'taught', false],
	[`sent|sends|(?:sent|sends)${THING} to`, `(?:got|received)${THING} from`, 'sent', false],
	...'hired sued invited called bit blamed phoned visited thanked helped attacked warned accused praised criticised kissed hit'
		.split(' ')
		.map((verb): [string, string, string, boolean] => [verb, '', verb === 'bit' ? 'bitten' : verb, false]),
]

interface Pattern {
	pattern: RegExp
	/** The name that comes first is the one who does it. */
	forward: boolean
}

const patternOf = (inner: string): RegExp => new RegExp(`${NAME} ${ADVERBS}(?:${inner}) ${NAME}`, 'u')
const PATTERNS = RELATIONS.map(([does, undergoes, passive]): Pattern[] => [
	{ pattern: patternOf(does), forward: true },
	...(undergoes ? [{ pattern: patternOf(undergoes), forward: false }] : []),
	...(passive ? [{ pattern: patternOf(`${BE} (?:${passive})(?:${THING})? by`), forward: false }] : []),
])

const plain = (name: string): string => name.toLowerCase().replace(/^(the|my|our|her|his) /, '')

const PERSON = '(\\p{Lu}[\\p{L}-]+(?: \\p{Lu}[\\p{L}-]+)*)'
const OF_WHOM =
	'(boss|manager|supervisor|employer|parent|father|mother|child|son|daughter|owner|landlord|tenant)'
const WHOSE = new RegExp(`${PERSON}'s ${OF_WHOM} (is|was) ${PERSON}`, 'u')
const IS_WHOSE = new RegExp(`${PERSON} (is|was) ${PERSON}'s ${OF_WHOM}\\b`, 'u')
/** Who stands behind these words is not the one who does it: "the brother of Anna hired Tom". */
const PART_BEFORE = /\b(?:of|and|or|nor|for|with|from|than|to|by|that|who|whose|as) $/
const PART_AFTER = /^(?:['’]s\b| and \p{Lu}| and the | or )/u

/** Every relation that a sentence states of two alone. */
export function relationsIn(text: string): Relation[] {
	const sentence = text.replace(WHOSE, '$4 $3 the $2 of $1').replace(IS_WHOSE, '$1 $2 the $4 of $3')
	return PATTERNS.flatMap((patterns, kind) =>
		patterns.flatMap(({ pattern, forward }): Relation[] => {
			const found = pattern.exec(sentence)
			const names = found?.slice(1).filter((group) => group !== undefined)
			if (!found || !names) return []
			const [before, after] = [sentence.slice(0, found.index), sentence.slice(found.index + found[0].length)]
			if (PART_BEFORE.test(before) || PART_AFTER.test(after)) return []
			const [first, last] = [plain(names[0]!), plain(names.at(-1)!)]
			const verb = names.length > 2 ? names[1]! : ''
			if (/'s$/.test(first) || /'s$/.test(last) || first === last) return []
			return [
				{
					kind: `${kind} ${verb}`.replace(/ (live|lived)$/, ' lives'),
					from: forward ? first : last,
					to: forward ? last : first,
					oneWay: RELATIONS[kind]![3],
					rest: `${before} ${after}`,
					by: found[0],
				},
			]
		}),
	)
}
