/**
 * Words of other languages without their endings: enough to find spielt under spielen, hombres under hombre. A word
 * may be of a verb or of a name, so it has a root as each. Words are folded: no accents, lower case.
 */
interface Endings {
	/** Of names: plurals and cases first, then what a language puts on all of them; one of each is cut. */
	name: readonly string[]
	verb: string
}

const ENDINGS: Record<string, Endings> = {
	de: { name: ['en ern er em es e n s'], verb: 'end ten tet te et en st t e' },
	es: {
		name: ['es s', 'amiento o a e n'],
		verb: 'iendo ando aron ieron aban ian ados adas idos idas ado ada ido ida aba ia an en ar er ir o a e',
	},
	fr: {
		name: ['s x', 'ement e i a'],
		verb: 'issent issant aient ees ant ent ait ons ez es er ir ee e i a u',
	},
	it: {
		name: ['a e i o'],
		verb: 'ando endo ato ata ati ate ito ita iti ite uto are ere ire ano ono a e i o',
	},
	pt: {
		name: ['oes es s', 'ao o a e'],
		verb: 'ando endo indo aram eram ado ada ido ida ava iam am em ar er ir ou eu o a e',
	},
	nl: { name: ['en ers es e s'], verb: 'end ten te den de en t' },
	ru: {
		name: [
			'ами ями ого его ому ему ыми ими ыи ии ои ая яя ое ее ые ие ов ев еи ам ям ах ях ом ем ою а я о е ы и у ю ь',
		],
		verb: 'ывать ает яет ают яют уют ить ать ять еть ала али ила или ела ет ит ут ют ат ят ал ил ел ть',
	},
	tr: {
		name: ['ler lar', 'nin nun den dan da de yi yu in un i u a e'],
		verb: 'iyor uyor yor mak mek di du ir ar',
	},
}
const LEFT = 3

const lists = new Map(
	Object.entries(ENDINGS).map(([language, { name, verb }]) => [
		language,
		{ name: name.map(longestFirst), verb: longestFirst(verb) },
	]),
)
function longestFirst(list: string): string[] {
	return list.split(' ').sort((a, b) => b.length - a.length)
}

const fits = (word: string, ending: string) => word.length - ending.length >= LEFT && word.endsWith(ending)
const cut = (word: string, endings: readonly string[]): string => {
	const ending = endings.find((one) => fits(word, one))
	return ending ? word.slice(0, -ending.length) : word
}

/** What the word may stand under in a dictionary as a name: one ending cut, the shortest first. */
export function singulars(word: string, language: string): string[] {
	const endings = lists.get(language)!.name[0]!.toReversed()
	return endings.filter((one) => fits(word, one)).map((one) => word.slice(0, -one.length))
}

export const nameRoot = (word: string, language: string): string =>
	lists.get(language)!.name.reduce(cut, word)

export function verbRoot(word: string, language: string): string {
	const participle = (language === 'de' || language === 'nl') && word.length > 5 && word.startsWith('ge')
	return cut(participle ? word.slice(2) : word, lists.get(language)!.verb)
}
