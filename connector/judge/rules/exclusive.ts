/**
 * Words of which one thing has only one, also those that carry no topic: "before" and "after", "on" and "off", months.
 * Many have other meanings, so they count only in the same place of the same words; opposites.ts has those that count anywhere.
 */

/** A line is one group: its alternatives, each with the words for it in the languages met most often. Folded. */
const GROUPS = `
more mehr mas piu mais meer больше более fazla | fewer less weniger moins menos meno minder меньше менее az
plus | moins
before vor avant antes prima voor до | after nach apres despues dopo depois na после sonra
once | sonra
up upwards hoch arriba omhoog вверх yukari | down downwards runter abajo omlaag вниз asagi
on an aan | off aus uit
in inside | out outside
over above uber oben sobre sopra boven | under below unter debajo sous sotto sob onder
for | against
to | from
with mit avec con com met с | without ohne sans sin senza sem zonder без
always immer toujours siempre sempre altijd всегда | never nie niemals jamais nunca mai nooit никогда
most many viele plupart muchos molti muitos veel много | few wenige peu pocos pochi poucos weinig мало
everyone everybody alle jeder todos tutti tous iedereen все herkes | nobody niemand nadie nessuno ninguem никто kimse
first erste ersten premier premiere primer primero primera primo prima primeiro primeira eerste первыи первая birinci | second zweite zweiten deuxieme segundo segunda secondo seconda tweede второи вторая ikinci | third dritte dritten troisieme tercer tercero tercera terzo terza terceiro terceira derde третии ucuncu | last letzte letzten dernier derniere ultimo ultima laatste последнии
january | february | march | april | may | june | july | august | september | october | november | december
am | pm
left links gauche izquierda sinistra esquerda лево sol | right rechts droite derecha destra direita право sag
north nord norte noord север kuzey | south sud sur sul zuid юг guney | east ost est este oost восток dogu | west ouest oeste запад bati
yes ja oui si sim да evet | no nein non nao nee нет hayir
buyer kaufer acheteur comprador acquirente koper покупатель alici | seller verkaufer vendeur vendedor venditore verkoper продавец satici
landlord vermieter bailleur arrendador locatore verhuurder | tenant mieter locataire inquilino inquilina affittuario huurder
sender absender expediteur remitente mittente remetente afzender | recipient receiver empfanger destinataire destinatario ontvanger
employer arbeitgeber employeur empleador | employee arbeitnehmer employe empleado
lender | borrower
mother mutter mere madre mae moeder мать anne | father vater pere padre pai vader отец baba | sister schwester soeur hermana sorella irma zus сестра | brother bruder frere hermano fratello irmao broer брат | aunt tante | uncle onkel oncle | daughter tochter fille hija figlia filha dochter дочь | son sohn fils hijo figlio filho zoon сын | wife frau | husband mann
men man manner mann hommes homme hombres hombre uomini uomo homens homem mannen мужчины мужчина erkekler erkek | women woman frauen frau femmes femme mujeres mujer donne donna mulheres mulher vrouwen vrouw женщины женщина kadinlar kadin
boys boy jungen junge garcons garcon ninos nino ragazzi ragazzo meninos menino jongens jongen мальчики мальчик | girls girl madchen filles fille ninas nina ragazze ragazza meninas menina meisjes meisje девочки девочка
minimum mindestens least | maximum hochstens most
已 | 未
`

/** By word the groups it is in, and as which alternative. */
const places = new Map<string, Map<number, number>>()
GROUPS.split('\n').forEach((line, group) => {
	line.split('|').forEach((words, alternative) => {
		for (const word of words.trim().split(' '))
			if (word) places.set(word, (places.get(word) ?? new Map<number, number>()).set(group, alternative))
	})
})

export function exclude(one: string, other: string): boolean {
	const [mine, theirs] = [places.get(one), places.get(other)]
	if (!mine || !theirs) return false
	let differ = false
	for (const [group, alternative] of mine) {
		const against = theirs.get(group)
		// In one group they may be words for the same.
		if (against === alternative) return false
		if (against !== undefined) differ = true
	}
	return differ
}
