/**
 * Texts that tell of attacks: reports, courses, pages on security. They name attackers, tests and weaknesses, which an
 * attack itself does not, and quote its words with or without quotation marks.
 */
const FIELD =
	/\b(?:prompt[- ]injections?|injection attacks?|injected (?:prompts?|instructions?|text|lines?|orders?|commands?)|jailbreaking|jailbreak (?:attempts?|attacks?|prompts?)|attackers?|adversar\p{L}+|vulnerabilit\p{L}+|red[- ]team\p{L}*|mitigat\p{L}+|threat (?:model|actor)s?|malicious\p{L}*|exploit(?:s|ed|ation)?|researchers?|security (?:course|team|training|report|test|review|check|audit)|phish\p{L}*|penetration test\p{L}*|trick(?:s|ed)? (?:the|an?|our|into)|angreifer\p{L}*|schwachstelle\p{L}*|attaquants?|vulnerabilites?|atacantes?|vulnerabilidad\p{L}*|attaccant[ei]|aanvallers?|saldirgan\p{L}*)\b|злоумышленник|уязвимост|атакующ|επιτιθεμεν|攻击者|攻擊者|注入攻击|提示注入|攻撃|공격자|हमलावर/u

const READ_UNITS = 4_000

/** `text` is folded. */
export const tellsOfAttacks = (text: string): boolean => FIELD.test(text.slice(0, READ_UNITS))
