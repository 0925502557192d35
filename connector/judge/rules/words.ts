/** Numbers and units in words, as the rules read them. Folded spelling: lower case, no accents. */

const list = (text: string): string[] => text.split(' ')

export const NUMBER_WORDS = new Map<string, number>()
list(
	'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty',
).forEach((word, value) => {
	NUMBER_WORDS.set(word, value)
})
list('twenty thirty forty fifty sixty seventy eighty ninety').forEach((word, i) => {
	NUMBER_WORDS.set(word, 10 * (i + 2))
})
/** From two to twelve: "one" is an article in most of these. */
for (const words of [
	'zwei drei vier funf sechs sieben acht neun zehn elf zwolf',
	'deux trois quatre cinq six sept huit neuf dix onze douze',
	'dos tres cuatro cinco seis siete ocho nueve diez once doce',
	'due tre quattro cinque sei sette otto nove dieci undici dodici',
	'dois tres quatro cinco seis sete oito nove dez onze doze',
	'twee drie vier vijf zes zeven acht negen tien elf twaalf',
	'два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать',
	'iki uc dort bes alti yedi sekiz dokuz on onbir oniki',
])
	list(words).forEach((word, i) => {
		// "on", "once" and "due" are English first, "sei" is German for "be".
		if (!['on', 'once', 'due', 'sei', 'as', 'nove'].includes(word) && !NUMBER_WORDS.has(word))
			NUMBER_WORDS.set(word, i + 2)
	})
for (const [word, value] of [
	['zwanzig', 20],
	['vingt', 20],
	['veinte', 20],
	['venti', 20],
	['vinte', 20],
	['twintig', 20],
	['двадцать', 20],
	['yirmi', 20],
	['dozen', 12],
] as const)
	NUMBER_WORDS.set(word, value)

export const SCALES = new Map([
	['hundred', 100],
	['thousand', 1_000],
	['million', 1_000_000],
	['millions', 1_000_000],
	['millionen', 1_000_000],
	['billion', 1_000_000_000],
	['billions', 1_000_000_000],
])

export const FRACTIONS = new Map([
	['third', 3],
	['thirds', 3],
	['quarter', 4],
	['quarters', 4],
	['fifth', 5],
	['fifths', 5],
	['tenth', 10],
	['tenths', 10],
])

/** Kind of quantity and how many of its base one unit is. */
export type Unit = readonly [kind: string, factor: number]
export const UNITS = new Map<string, Unit>()
const units = (kind: string, factor: number, words: string) => {
	for (const word of list(words)) UNITS.set(word, [kind, factor])
}

units('volume', 1, 'ml millilitre millilitres milliliter milliliters')
units('volume', 10, 'cl')
units('volume', 1_000, 'l litre litres liter liters litro litros litri')
units('mass', 0.001, 'mg milligram milligrams')
units('mass', 1, 'g gram grams gramme grammes gramm')
units('mass', 1_000, 'kg kilo kilos kilogram kilograms kilogramm')
units('mass', 1_000_000, 't tonne tonnes')
units('length', 0.001, 'mm millimetre millimetres millimeter millimeters')
units('length', 0.01, 'cm centimetre centimetres centimeter centimeters')
units('length', 1, 'm metre metres meter meters metros metri')
units('length', 1_000, 'km kilometre kilometres kilometer kilometers')
units('time', 1, 'second seconds sec sekunden')
units('time', 60, 'minute minutes min minuten minutos minuti')
units('time', 3_600, 'hour hours h stunde stunden heure heures hora horas ora ore uur')
units('time', 86_400, 'day days tag tage tagen jour jours dia dias giorno giorni dag dagen')
units('time', 604_800, 'week weeks woche wochen semaine semaines semana semanas settimana settimane weken')
units('months', 1, 'month months monat monate monaten mois mes meses mese mesi maand maanden')
units('months', 12, 'year years jahr jahre jahren an ans annee ano anos anno anni jaar')
units('share', 1, '% percent pct prozent')
units('euro', 1, '€ eur euro euros')
units('dollar', 1, '$ usd dollar dollars bucks')
units('pound', 1, '£ gbp')
units('franc', 1, 'chf')

/** Kinds of which one thing has one: an amount is in one currency. */
export const MONEY = new Set(['euro', 'dollar', 'pound', 'franc'])

export const MONTHS = new Map<string, number>()
for (const words of [
	'january february march april may june july august september october november december',
	'jan feb mar apr - jun jul aug sep oct nov dec',
	'januar februar marz - mai juni juli - - oktober - dezember',
	'janvier fevrier mars avril - juin juillet aout septembre octobre novembre decembre',
	'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre',
	'gennaio febbraio - aprile maggio giugno luglio - settembre ottobre - dicembre',
])
	list(words).forEach((word, i) => {
		if (word !== '-') MONTHS.set(word, i + 1)
	})
