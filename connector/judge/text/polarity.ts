/**
 * Words that praise and words that blame, and scales of other kinds, as a short list of the project's own: what a reader
 * takes from a word at once. Folded spelling; an entry ending in `*` stands for every word that begins so.
 */

import { languageOf } from './languages.ts'
import { valenceOf } from './valence.ts'

interface Scale {
	high: string
	low: string
}

export const SCALES: Record<string, Scale> = {
	good: {
		high: 'good great excellent fantastic wonderful perfect perfectly awesome amazing brilliant superb lovely love loved loves loving like liked best better nice delicious tasty happy glad pleased delighted satisfied enjoy* recommend* friendly kind helpful clean spotless quiet comfortable beautiful fun funny fast reliable masterpiece outstanding splendid impressive favourite favorite charming smile* smiled welcome warm thank thanks easy success win won shining works laughed bestens gut gute guter gutes super toll prima ausgezeichnet hervorragend wunderbar perfekt zufrieden freundlich gerne schon schone lecker empfehl* liebe danke bon bonne bien excellent* parfait* merveilleu* ravi* genial* delicieu* magnifique content* satisfait* adore* merci bueno buena bien excelente maravillos* perfect* genial feliz content* encanta* recomiend* delicios* gracias ottim* buon* perfett* meraviglios* delizios* eccellent* felice soddisfatt* consigli* grazie bom boa otim* excelente maravilhos* perfeit* adorei gostei feliz satisfeit* recomendo obrigad* goed goede geweldig* uitstekend prachtig blij tevreden lekker heerlijk fijn bedankt отличн* хорош* прекрасн* замечательн* понравил* супер довол* спасибо рекомендую вкусн* iyi harika mukemmel guzel memnun begendim sevdim lezzetli tesekkur*',
		low: 'bad terrible awful horrible worst worse poor poorly hate hated hates hating dislike* disappoint* boring boredom bored rude unfriendly dirty filthy noisy loud broken broke break fail* useless waste wasted angry furious annoy* sad unhappy ugly slow cold tasteless disgust* damn stupid overpriced expensive wrong problem* complain* complaint scam died dead cry* crying stains hair never ignored refuse* hurt pain painful nasty dreadful mess lousy mediocre weak scandal avoid poison* dangerous schlecht* furchtbar* schrecklich* enttausch* frechheit kaputt schmutzig* laut unfreundlich* unzufrieden argerlich* leider mauvais* horrible* terrible* decu* nul nulle sale bruyant* eviter deteste* pire malo mala malisimo terrible horrible peor suci* ruidos* decepcion* odio fatal cattiv* pessim* orribil* terribil* sporc* delus* rumoros* odio ruim mau ma pessim* horrivel terrivel suj* barulhent* decepcion* odeio ninguem slecht* vreselijk* verschrikkelijk* vies teleurgesteld lawaai* ontevreden kapot плох* ужас* отврат* худш* сломан* грязн* разочаров* недовол* ненавижу kotu berbat korkunc begenmedim kirli bozuk kizgin* memnuniyetsiz* nefret rezalet',
	},
	urgent: {
		high: 'urgent* immediately asap now emergency critical down losing help act quickly hurry rush deadline instantly once tomorrow today tonight crash* outage broken fire leak* stuck blocked dringend* sofort eilig* umgehend heute notfall urgente* inmediat* hoy immediat* aujourd subito oggi hoje spoed vandaag срочно сегодня acil hemen pilne natychmiast',
		low: 'whenever wait waits weeks eventually someday leisure later patience relax sometime indefinitely months irgendwann cuando wenn',
	},
	polite: {
		high: 'please kind kindly thank thanks grateful appreciate dear would could may regards sorry pardon sincerely pleasure welcome bitte danke vielen lieben herzlich* por favor gracias amable merci cordialement veuillez grazie prego cortesemente obrigad* gentileza graag bedankt alstublieft пожалуйста спасибо lutfen tesekkur* prosze dziekuje',
		low: 'idiot* stupid damn shut fool* moron* hell crap useless lazy incompetent liar* dumb nonsense jerk ridiculous pathetic clown* trash now depp dumm* blod* halt* idiot* imbecil* stupid* cretin* домм* идиот* aptal salak',
	},
	fast: {
		high: 'fast quick* immediately instant* same minutes seconds hours overnight prompt* swift* rapid* early ahead next schnell sofort rapid* enseguida vite subito velocemente snel быстро hizli* szybko',
		low: 'slow* weeks months years wait* waiting late delay* forever ages eternity overdue langsam* wochen monate verspat* lent* semanas meses semaines mois settimane mesi langzaam weken maanden медленно недел* месяц* yavas hafta* ay tydzien tygodni*',
	},
	formal: {
		high: 'dear sir madam sincerely faithfully regards enquire hereby pursuant respectfully kindly mr mrs ms dr yours apply writing advertised undersigned herewith request grateful geehrte* freundlichen cordialement estimad* atentamente',
		low: 'hey dude lol hi yo gonna wanna whats sup bro haha btw omg thx u pls cool gotta yeah ya nope guys coming 2nite tonite c r ur gr8',
	},
	sure: {
		high: 'certain certainly sure definitely absolutely undoubtedly surely positive convinced percent clearly doubtless guaranteed own eyes proof fact sicher bestimmt zweifellos seguro certo certain',
		low: 'maybe perhaps possibly might hmm guess probably unsure doubt unclear wonder know? think believe might could seems vielleicht moglicherweise quiza* tal peut-etre forse talvez misschien может наверное belki chyba',
	},
	dear: {
		high: 'expensive luxury overpriced costly pricey premium exorbitant teuer caro cher duur дорог*',
		low: 'cheap bargain discount free affordable only inexpensive sale billig gunstig barato goedkoop дешев*',
	},
	safe: {
		high: 'safe tested certified harmless secure protected approved sicher ls cat grep pwd whoami echo',
		low: 'danger* unsafe hazard* toxic poison* risk* swallow* choking harmful sharp rm rmdir mkfs dd shutdown sudo chmod drop truncate',
	},
	severe: {
		high: 'deadly destroy* deleted lost lose losing all everything crash* down outage breach stolen unusable unbearable hospital emergency dead die died burn* explod* bleeding hurricane hundreds killed disaster catastroph* severe violent devastat* massive fatal extreme flood*',
		low: 'light mild breeze few drops slight gentle calm minor small little tiny typo cosmetic barely hardly colour color font',
	},
	yes: {
		high: 'yes yeah yep agree agreed absolutely certainly sure indeed true correct right ja oui si sim da evet',
		low: 'no nope disagree never not false wrong incorrect nein non nao niet net hayir',
	},
}

export const NEGATIONS = new Set(
	"not no never nothing nobody hardly barely without isn't wasn't aren't don't didn't doesn't won't can't cannot nicht kein keine nie pas jamais sans no nunca sin non mai senza nao sem niet geen nooit не нет degil".split(
		' ',
	),
)
const REACH_WORDS = 3

/** A negation, "far from" or "anything but". */
const denies = (words: readonly string[], k: number): boolean =>
	NEGATIONS.has(words[k]!) ||
	(words[k] === 'from' && words[k - 1] === 'far') ||
	(words[k] === 'but' && words[k - 1] === 'anything')

const CANNOT = new Set("cannot can't couldn't not".split(' '))
const ENOUGH_WORDS = 5
/** "Cannot recommend it enough" denies nothing. */
const isEnough = (words: readonly string[], k: number, i: number): boolean =>
	CANNOT.has(words[k]!) &&
	(words[k] !== 'not' || words[k - 1] === 'can' || words[k - 1] === 'could') &&
	words.slice(i + 1, i + 1 + ENOUGH_WORDS).some((word) => word === 'enough' || word === 'highly')

interface Lookup {
	whole: Map<string, number>
	starts: [string, number][]
}

const lookups = new Map<string, Lookup>()

function lookupOf(name: string): Lookup {
	let made = lookups.get(name)
	if (made) return made
	made = { whole: new Map(), starts: [] }
	for (const [sign, list] of [
		[1, SCALES[name]!.high],
		[-1, SCALES[name]!.low],
	] as const)
		for (const entry of list.split(' ')) {
			if (entry.endsWith('*')) made.starts.push([entry.slice(0, -1), sign])
			else if (!entry.endsWith('?')) made.whole.set(entry, sign)
		}
	lookups.set(name, made)
	return made
}

function signOf(word: string, { whole, starts }: Lookup): number {
	return whole.get(word) ?? starts.find(([start]) => word.startsWith(start))?.[1] ?? 0
}

export interface Leaning {
	/** −1 for all low, 1 for all high. */
	value: number
	/** How many words said so. */
	words: number
}

/**
 * Where the words lean on a scale. A negation before a word turns it: "not good", "never had a better day". `rated`
 * reads the words that people rated as well, where the scale is praise and blame.
 */
export function leaning(words: readonly string[], name: string, rated = name === 'good'): Leaning {
	const lookup = lookupOf(name)
	const language = rated ? languageOf(words) : 0
	const values = words.map((word, i) => {
		if (name === 'good' && isNeverAgain(words, i)) return -LISTED
		const own = signOf(word, lookup)
		if (name !== 'good') return own
		if (own) return LISTED * own
		return !rated || NEGATIONS.has(word) ? 0 : valenceOf(word, language)
	})
	const turn = values.findLastIndex((_, i) => TURNS.has(words[i]!))
	let sum = 0
	let loud = 0
	let count = 0
	for (let i = 0; i < words.length; i++) {
		let value = values[i]!
		if (!value) continue
		let turned = false
		for (let k = Math.max(0, i - REACH_WORDS); k < i; k++)
			if (denies(words, k) && !keeps(words, k, i, name) && !isEnough(words, k, i)) turned = !turned
		const again = isNeverAgain(words, i)
		if (again) turned = false
		if (!again && NEGATIONS.has(words[i]!) && i + 1 < words.length && hasValue(values, i + 1)) continue
		if (turned) value *= DENIED
		else if (rated && value < 0 && lessens(words, i)) value *= DENIED
		if (i > 0 && STRONGER.has(words[i - 1]!)) value *= STRONG
		if (turn > 0 && i !== turn) value *= i < turn ? BEFORE_TURN : AFTER_TURN
		sum += value
		loud += Math.abs(value)
		if (Math.abs(value) >= HEARD) count++
	}
	if (loud < LEAST_HEARD) return { value: 0, words: 0 }
	return { value: sum / (loud + RESERVE), words: Math.max(1, count) }
}

/** Less of what is bad is good: "unemployment fell". The word that lessens is not bad itself. */
const LESSENS = new Set(
	'fell fall falls fallen drops dropped declined decreased fewer less lowest lower ended solved fixed prevented avoided stopped removed reduced'.split(
		' ',
	),
)
const lessens = (words: readonly string[], i: number): boolean =>
	LESSENS.has(words[i]!)
		? words.slice(Math.max(0, i - REACH_WORDS), i).some((word) => BURDENS.has(word))
		: BURDENS.has(words[i]!) &&
			words.slice(Math.max(0, i - REACH_WORDS), i + REACH_WORDS).some((word) => LESSENS.has(word))
const BURDENS = new Set(
	'unemployment crime debt deaths accidents pollution poverty inflation violence errors bugs complaints injuries losses costs pain stress noise waste delays'.split(
		' ',
	),
)

/** A word of the project's own list, beside words that people rated from −1 to 1. */
const LISTED = 0.7
const DENIED = -0.8
const STRONG = 1.3
/** What stands before "but" counts less than what follows. */
const BEFORE_TURN = 0.6
const AFTER_TURN = 1.3
const HEARD = 0.2
/** A text that says less is silent. */
const LEAST_HEARD = 0.1
/** One word alone does not settle it. */
const RESERVE = 0.3
const TURNS = new Set('but however aber jedoch pero mais ma mas maar но ama ale'.split(' '))
const STRONGER = new Set(
	'very really so extremely absolutely totally completely highly too sehr wirklich absolut total muy tres molto muito heel erg zeer очень cok bardzo'.split(
		' ',
	),
)

/** "Never better", "can't stop crying", and a "no" that answers turn nothing. */
const keeps = (words: readonly string[], k: number, i: number, name: string): boolean =>
	words[i] === 'better' ||
	isBeyond(words, k, i) ||
	words[k + 1] === 'stop' ||
	isNeverAgain(words, k) ||
	(name === 'yes' && words[k] === 'no')

/** "Could not be happier": nothing is more so. */
const isBeyond = (words: readonly string[], k: number, i: number): boolean =>
	(/^could(?:n't)?$/.test(words[k]!) || words[k - 1] === 'could') &&
	words[i - 1] !== undefined &&
	/^(?:be|more)$/.test(words[i - 1]!) &&
	(words[i - 1] === 'more' || words[i]!.endsWith('er'))

const AGAIN = new Map(
	Object.entries({
		never: 'again',
		nie: 'wieder',
		nunca: 'mas',
		mai: 'piu',
		nooit: 'meer',
		jamais: 'plus',
	}),
)
/** Blame by itself, in one word's place. */
const isNeverAgain = (words: readonly string[], i: number): boolean =>
	words[i + 1] !== undefined && AGAIN.get(words[i]!) === words[i + 1]

const hasValue = (values: readonly number[], from: number): boolean =>
	values.slice(from, from + REACH_WORDS).some((value) => value !== 0)

/** In scripts without spaces the words are looked for anywhere. */
export const UNSPACED_GOOD = {
	high: '好 满意 喜欢 优秀 完美 推荐 积极 美味 很棒 感谢 良い 最高 満足 素晴らしい おいしい 好き ありがとう',
	low: '差 坏 糟 失望 讨厌 不满 不好 不喜欢 不满意 消极 再也不 最悪 不満 悪い ひどい 二度と まずい 嫌い がっかり',
}

export function unspacedLeaning(text: string): Leaning {
	let rest = text
	let [high, low] = [0, 0]
	for (const word of UNSPACED_GOOD.low.split(' '))
		if (rest.includes(word)) {
			low++
			rest = rest.replaceAll(word, ' ')
		}
	for (const word of UNSPACED_GOOD.high.split(' ')) if (rest.includes(word)) high++
	return { value: high + low ? (high - low) / (high + low) : 0, words: high + low }
}
