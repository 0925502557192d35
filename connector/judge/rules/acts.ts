/**
 * What somebody does by writing a text: thanks, apologises, invites, congratulates, warns, asks for help or a meeting,
 * advertises. Thanks, apologies and congratulations have words of their own, so that a text without these does none.
 */
/** Probability where the text has a sign of it, and where it has none; null leaves that to the models. */
interface Act {
	named: RegExp
	sign: RegExp
	without: number | null
}

const HOLDS = 0.87
const NONE = 0.12

const ACTS: Act[] = [
	{
		named:
			/^(?:thanks?|thanking|is thanking|is grateful|expresses? (?:thanks|gratitude)|is a thank[ -]you|says? thanks?|says? thank you)\b|^dankt|^bedankt sich|^remercie|^agradece|^ringrazia/u,
		sign: /\b(?:thank\p{L}*|grateful|appreciate\p{L}*|dank\p{L}*|bedank\p{L}*|merci|remerci\p{L}*|gracias|agradec\p{L}*|grazie|ringrazi\p{L}*|obrigad\p{L}*|tesekkur\p{L}*|dzieku\p{L}*)\b|спасибо|благодар|谢谢|ありがとう/u,
		without: NONE,
	},
	{
		named:
			/^(?:apologi[sz]es?|is apologi[sz]ing|is sorry|says? sorry|is an apology|contains an apology|expresses? regret)\b|^entschuldigt sich|^s'excuse|^se disculpa|^si scusa/u,
		sign: /\b(?:sorry|apolog\p{L}*|regret\p{L}*|forgive|excuse (?:me|us|the)|entschuldig\p{L}*|verzeih\p{L}*|tut (?:mir|uns) leid|desole\p{L}*|pardon\p{L}*|lo siento|sentimos|perdon\p{L}*|disculp\p{L}*|scus\p{L}*|dispiace|desculp\p{L}*|ozur)\b|извин|прости|抱歉|すみません/u,
		without: NONE,
	},
	{
		named:
			/^(?:congratulates?|is congratulating|offers? congratulations|is a congratulation)\b|^gratuliert|^felicite|^felicita/u,
		sign: /\b(?:congrat\p{L}*|well done|hats off|bravo|gluckwunsch\p{L}*|gratul\p{L}*|felicit\p{L}*|enhorabuena|auguri|complimenti|parabens)\b|поздрав/u,
		without: NONE,
	},
	{
		named:
			/^(?:invites?|is inviting|is an invitation|contains an invitation)\b|^ladt .*ein$|^invite|^invita/u,
		sign: /\b(?:invit\p{L}*|join (?:us|me)|would you like to (?:come|join)|(?:do|will) you want to (?:come|join)|come (?:over|along|and join|round)|please come|rsvp|einlad\p{L}*|eingeladen|lade|komm(?:t)? (?:doch )?vorbei|venez|ven a|vieni)\b/u,
		without: null,
	},
	{
		named:
			/^(?:asks? (?:for|someone for|the \p{L}+ for) (?:help|advice|assistance|support)|is asking for (?:help|advice|support)|needs? (?:help|advice|support)|wants? (?:help|advice)|requests? (?:help|support|assistance)|is a (?:request|cry) for help)$/u,
		sign: /\b(?:help|advice|advise|assist\p{L}*|how (?:do|can|could|should) (?:i|we)|what (?:can|should) (?:i|we) do|(?:could|can|would) (?:you|someone|somebody|anyone) (?:please )?(?:tell|show|explain|look|check)|stuck|does anyone know|hilfe|helfen|aide\p{L}*|ayuda\p{L}*|aiut\p{L}*)\b/u,
		without: null,
	},
	{
		named:
			/^(?:wants? to meet|asks? (?:for|to arrange) a meeting|suggests? (?:a meeting|meeting|to meet)|proposes? (?:a meeting|meeting|to meet))\b/u,
		sign: /\b(?:(?:shall|can|could|should|may) we (?:meet|talk|sit|get together)|let's (?:meet|talk|have|get|grab)|meet (?:up|on|at|in|next|for)|time for (?:an? )?(?:coffee|lunch|dinner|drink|chat|call|meeting)|free (?:for|on|next)|join me|over (?:a )?(?:coffee|lunch))\b/u,
		without: null,
	},
	{
		named:
			/^(?:is (?:an )?(?:ad|advert|advertisement|advertising)|is promotional|advertises?|promotes?|is a sales? (?:pitch|offer)|is marketing)\b|^ist (?:eine )?werbung|^est une publicite|^es (?:un anuncio|publicidad)/u,
		sign: /\b(?:buy (?:one|two|\d+|now|today)|(?:half|special|best|low(?:est)?) prices?|\d+ ?(?:%|percent) (?:off|discount)|on sale|sale (?:ends|starts)|special offer\p{L}*|only (?:today|this (?:week|weekend|month))|limited (?:time|offer|edition)|(?:order|shop|book|call|sign up|subscribe|try it) (?:now|today)|don't miss|discount\p{L}*|free (?:shipping|delivery|trial|gift)|get (?:one|two|yours) (?:free|now|today)|angebot\p{L}*|rabatt\p{L}*|jetzt (?:kaufen|bestellen|sichern)|promo\p{L}*|solde\p{L}*|oferta\p{L}*|descuento\p{L}*|offerta|sconto)\b|скидк/u,
		without: null,
	},
	{
		named: /^(?:warns?|is warning|is a warning|contains a warning)\b|^warnt|^avertit|^advierte|^avverte/u,
		sign: /\b(?:warning|warn\p{L}*|beware|caution|danger\p{L}*|be careful|watch out|do not (?:touch|open|enter|click|swim|eat|drink)|achtung|vorsicht|gefahr|attention|cuidado|peligro|attenzione|pericolo)\b|осторожно/u,
		without: null,
	},
]

/** `said` is what is said of the text or its writer, `text` the text, both folded. */
export function actIn(said: string, text: () => string): number | null {
	const act = ACTS.find(({ named }) => named.test(said))
	if (!act) return null
	return act.sign.test(text()) ? HOLDS : act.without
}
