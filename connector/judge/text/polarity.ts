/**
 * Words that praise and words that blame, and scales of other kinds, as a short list of the project's own: what a reader
 * takes from a word at once. Folded spelling; an entry ending in `*` stands for every word that begins so.
 */

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
		high: 'urgent* immediately asap now emergency critical down losing help act quickly hurry minute deadline instantly crash* outage dringend* sofort eilig* urgente* inmediat* immediat* subito spoed срочно acil',
		low: 'whenever hurry? weeks eventually someday leisure later patience relax sometime',
	},
	formal: {
		high: 'dear sir madam sincerely faithfully regards enquire hereby pursuant respectfully kindly mr mrs dr yours geehrte* freundlichen cordialement estimad* atentamente',
		low: 'hey dude lol hi yo gonna wanna whats sup bro haha btw omg thx u pls cool',
	},
	sure: {
		high: 'certain certainly sure definitely absolutely undoubtedly surely positive convinced percent clearly',
		low: 'maybe perhaps possibly might hmm guess probably unsure doubt unclear wonder know?',
	},
	dear: {
		high: 'expensive luxury overpriced costly pricey premium exorbitant teuer caro cher duur дорог*',
		low: 'cheap bargain discount free affordable only inexpensive sale billig gunstig barato goedkoop дешев*',
	},
	safe: {
		high: 'safe tested certified harmless secure protected approved sicher',
		low: 'danger* unsafe hazard* toxic poison* risk* swallow* choking harmful sharp',
	},
	severe: {
		high: 'deadly destroy* hurricane hundreds killed disaster catastroph* severe violent devastat* massive fatal extreme flood*',
		low: 'light mild breeze few drops slight gentle calm minor small little',
	},
	yes: {
		high: 'yes yeah yep agree agreed absolutely certainly sure indeed true correct right ja oui si sim da evet',
		low: 'no nope disagree never not false wrong incorrect nein non nao niet net hayir',
	},
}

const NEGATIONS = new Set(
	"not no never nothing nobody hardly barely without isn't wasn't aren't don't didn't doesn't won't can't cannot nicht kein keine nie pas jamais sans no nunca sin non mai senza nao sem niet geen nooit не нет degil".split(
		' ',
	),
)
const REACH_WORDS = 3

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

/** Where the words lean on a scale. A negation before a word turns it: "not good", "never had a better day". */
export function leaning(words: readonly string[], name: string): Leaning {
	const lookup = lookupOf(name)
	let sum = 0
	let count = 0
	for (let i = 0; i < words.length; i++) {
		let sign = signOf(words[i]!, lookup)
		if (!sign) continue
		let turned = false
		for (let k = Math.max(0, i - REACH_WORDS); k < i; k++)
			if (NEGATIONS.has(words[k]!) && !keeps(words, k, i, name)) turned = !turned
		if (NEGATIONS.has(words[i]!) && i + 1 < words.length && hasSign(words, i + 1, lookup)) continue
		if (turned) sign = -sign
		sum += sign
		count++
	}
	return { value: count ? sum / count : 0, words: count }
}

/** "Never better", "can't stop crying", and a "no" that answers turn nothing. */
const keeps = (words: readonly string[], k: number, i: number, name: string): boolean =>
	words[i] === 'better' || words[k + 1] === 'stop' || (name === 'yes' && words[k] === 'no')

const hasSign = (words: readonly string[], from: number, lookup: Lookup): boolean =>
	words.slice(from, from + REACH_WORDS).some((word) => signOf(word, lookup) !== 0)

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
