/**
 * Prompts that give an assistant a role for an ordinary task: "I want you to act as a Spanish teacher". Users write them
 * by the thousand, and the words are those of an attack. One that names rules, limits or harm is left to the model, as is
 * one that stands in the middle of a text.
 */
const GIVES =
	/\b(?:i (?:want|need|would like|'d like) you to (?:act|play|be|behave|take)|act as (?:an?|my|the|if) |(?:play|take on|assume) the role of|your role is|you (?:are|will be|will act as) an? (?:\p{L}+ ){0,4}(?:assistant|expert|coach|teacher|tutor|guide|writer|editor|designer|engineer|developer|translator|analyst|consultant|doctor|advisor|interviewer|critic|specialist|professional|generator|chef|historian|philosopher|therapist|lawyer)\b|(?:du bist|sie sind) (?:ein|mein)|(?:handle|agiere|verhalte dich) (?:als|wie) |agis comme |joue le role |actua como |agisci come |atue como |doe alsof je )|扮演|充当|充當|担任|擔任|作为一名|作為一名|你是一[个名位個]/u
const HARM =
	/\b(?:dan|jailbr\p{L}*|(?:no|without|any|all|your|these|the) (?:\p{L}+ )?(?:rules?|limits?|limitations?|restrictions?|filters?|guidelines?|polic(?:y|ies))|unrestricted|uncensored|unfiltered|anything now|ethic\p{L}*|moral\p{L}*|immoral|amoral|illegal\p{L}*|openai|refuse|never say|character|hypothetical\p{L}*|fictional|evil|villain|system prompt|ignore|disregard|forget|bypass|hack\p{L}*|passwords?|credentials?|malware|weapons?|drugs?|bombs?|execute|run the following)\b|道德|限制|规则|規則|忽略|无视|無視|越狱|违法|非法/u

const BEGINNING_UNITS = 160
const READ_UNITS = 4_000

/** `text` is folded. */
export const givesRole = (text: string): boolean =>
	GIVES.test(text.slice(0, BEGINNING_UNITS)) && !HARM.test(text.slice(0, READ_UNITS))
