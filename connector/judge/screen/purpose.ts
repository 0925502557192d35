/**
 * Whether a purpose says that the text is what a user asks the agent for. A request is then what it is there for, and only
 * an order to drop rules or to keep something from the user counts. Any other purpose reads a text as data.
 */
const WHO =
	"(?:users?|customers?|clients?|owners?|callers?|people|nutzers?|benutzers?|kunden|utilisateur|client|usuario|cliente|utente|usuário|gebruiker)(?:'s?|’s?)?"
const SAID =
	'(?:requests?|messages?|prompts?|questions?|instructions?|inputs?|tasks?|orders?|turns?|anfragen?|nachrichten?|fragen?|demandes?|messages?|solicitud|mensaje|pregunta|richiesta|messaggio|domanda|pedido|mensagem|pergunta|verzoek|bericht|vraag)'
const OWN = new RegExp(
	`^(?:an?|the|this is|answer|carry out|follow|handle|do|fulfil|execute|read|understand|reply to|eine?|die|das|une?|la|le|una?|il|o|a|het|een|,| )*\\b(?:${WHO} (?:own |direct |next |last |first |new |chat |own written )*${SAID}|${SAID} (?:written |typed |sent |given )?(?:of|from|by|des|der|vom|de l'|de|del|della|dell'|do|van de) ?(?:the |our |a |my |an )?${WHO}|what (?:the |our |a |my )?${WHO} (?:asks?|asked|wants?|wrote|says?|said))\\b`,
	'i',
)

export const isOwnRequest = (purpose: string): boolean => OWN.test(purpose.trim())
