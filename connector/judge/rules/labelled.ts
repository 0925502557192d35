/**
 * Facts with a label, as product pages and forms give them: "Colour: navy blue", "Material: pine", "Team: Ann, Bo, Cy".
 * 1 holds, −1 does not, 0 unknown.
 */
import { fold } from '../text/fold.ts'
import { tokenize } from '../text/tokens.ts'
import { NUMBER_WORDS } from './words.ts'

interface Kind {
	label: RegExp
	/** A line is one value: its words in the languages met most often. */
	values: readonly string[]
}

const COLOURS = [
	'black schwarz schwarze noir noire negro negra nero nera preto preta zwart zwarte черныи черная siyah czarny czarna',
	'white weiss weisse blanc blanche blanco blanca bianco bianca branco branca wit witte белыи белая beyaz bialy biala',
	'red rot rote rouge rojo roja rosso rossa vermelho vermelha rood rode красныи красная kirmizi czerwony czerwona',
	'blue navy blau blaue bleu bleue azul blu blauw blauwe синии синяя mavi niebieski niebieska',
	'green grun grune vert verte verde groen groene зеленыи зеленая yesil zielony zielona',
	'yellow gelb gelbe jaune amarillo amarilla giallo gialla amarelo amarela geel gele желтыи желтая sari zolty zolta',
	'brown braun braune marron brun brune castano marrone bruin bruine коричневыи kahverengi brazowy brazowa',
	'grey gray grau graue gris grise grigio grigia cinza grijs grijze серыи серая gri szary szara',
	'pink rosa rose roze розовыи pembe rozowy rozowa',
	'orange naranja arancione laranja oranje оранжевыи turuncu pomaranczowy',
	'purple violet lila violett violette morado viola roxo paars фиолетовыи mor fioletowy',
]
const MATERIALS = [
	'oak eiche chene roble quercia carvalho eik дуб mese dab',
	'pine kiefer pin pino pinho grenen сосна cam sosna',
	'beech buche hetre haya faggio faia beuken',
	'walnut nussbaum noyer nogal noce nogueira notenhout',
	'steel stahl acier acero acciaio aco staal сталь celik stal',
	'plastic kunststoff plastik plastique plastico plastica kunststof пластик tworzywo',
	'glass glas verre vidrio vetro vidro стекло cam szklo',
	'leather leder cuir cuero pelle couro leer кожа deri skora',
	'cotton baumwolle coton algodon cotone algodao katoen хлопок pamuk bawelna',
	'wool wolle laine lana la wol шерсть yun welna',
	'silk seide soie seda seta zijde шелк ipek jedwab',
	'polyester',
	'linen leinen lin lino linho linnen лен keten',
	'aluminium aluminum алюминии',
	'ceramic keramik ceramique ceramica keramiek керамика seramik',
]
const KINDS: Kind[] = [
	{ label: /colou?r|farbe|couleur|cor\b|colore|kleur|цвет|renk|kolor/u, values: COLOURS },
	{ label: /material|matiere|materiau|materiale|materiaal|материал|malzeme/u, values: MATERIALS },
]
const LIST =
	/amenities|features|facilities|equipment|includes?|included|ausstattung|equipements?|servicios|servizi|comodidades|voorzieningen|удобства|olanaklar|wyposazenie/u
const PEOPLE =
	/team|members?|participants?|attendees?|present|guests?|players?|crew|teilnehmer|mitglieder|equipe|participantes|partecipanti|deelnemers|участники|katilimcilar|uczestnicy/u
const COUNTED =
	/\b(?:members?|people|persons?|participants?|attendees?|guests?|players?|mitglieder|teilnehmer|personen)\b/u
const LONGEST_UNITS = 400
const MOST_CLAIM_WORDS = 10
const DENIED = /\b(?:not|no|nicht|kein|keine|pas|non|nao|niet|geen|не|nie)\b|n't\b/u
const OFTEN =
	'has have with the a an hat das der die ein eine einen il le la el o there is are hotel room house flat zimmer'.split(
		' ',
	)

export function labelSays(claim: string, evidence: string): -1 | 0 | 1 {
	if (evidence.length > LONGEST_UNITS || claim.length > LONGEST_UNITS) return 0
	const said = fold(claim).text
	const { words } = tokenize(said)
	if (words.length > MOST_CLAIM_WORDS || DENIED.test(said)) return 0
	for (const { label, value } of recordsIn(fold(evidence).text)) {
		const says =
			oneOf(words, label, value) || listed(words, label, value) || counted(said, words, label, value)
		if (says) return says
	}
	return 0
}

const recordsIn = (text: string): { label: string; value: string }[] =>
	text.split(/[;\n|]|\.\s/).flatMap((part) => {
		const found = /^\s*[-*•]?\s*(\p{L}[\p{L} ]{1,24}):\s+(\S.*)$/u.exec(part)
		return found ? [{ label: found[1]!, value: found[2]! }] : []
	})

function oneOf(words: readonly string[], label: string, value: string): -1 | 0 | 1 {
	const kind = KINDS.find((one) => one.label.test(label))
	if (!kind) return 0
	const [wanted, more] = valuesIn(words, kind)
	if (wanted === undefined || more !== undefined) return 0
	const there = valuesIn(tokenize(value).words, kind)
	return there.length ? (there.includes(wanted) ? 1 : -1) : 0
}

const valuesIn = (words: readonly string[], { values }: Kind): number[] =>
	values.flatMap((line, i) => (line.split(' ').some((word) => words.includes(word)) ? [i] : []))

/** "The hotel has a pool": what a list lacks may be there as well. */
function listed(words: readonly string[], label: string, value: string): 0 | 1 {
	if (!LIST.test(label)) return 0
	const there = new Set(tokenize(value).words)
	const named = words.filter((word) => !OFTEN.includes(word))
	return words.some((word) => ['has', 'have', 'hat', 'with', 'a', 'tiene', 'heeft'].includes(word)) &&
		named.length > 0 &&
		named.every((word) => there.has(word))
		? 1
		: 0
}

function counted(said: string, words: readonly string[], label: string, value: string): -1 | 0 | 1 {
	if (!PEOPLE.test(label) || !COUNTED.test(said)) return 0
	const numbers = words.flatMap((word) => {
		const value = /^\d+$/.test(word) ? Number(word) : NUMBER_WORDS.get(word)
		return value === undefined ? [] : [value]
	})
	const names = value
		.split(/,\s*(?:and |und )?|\s(?:and|und|et|y|e|en|и|ve|i)\s/u)
		.filter((name) => name.trim())
	return numbers.length === 1 && names.length > 1 ? (numbers[0] === names.length ? 1 : -1) : 0
}
