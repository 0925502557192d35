/** Words that carry no topic, folded (no accents), in the languages met most often. */
const LISTS = [
	"a an the of to in on at by for from with as and or but if is are was were be been being am it its this that these those he she they we you i his her their our your my me him them us who whom which what when where why how do does did has have had will would can could may might shall should must there here not no so than then too very just also about into over after before out up down off again more most other some such only own same s t d ll m re ve it's i'm i'd i've don't that's",
	'der die das ein eine einer eines einem einen und oder aber ist sind war waren wird werden wurde wurden mit von zu zum zur im in an am auf fur aus bei nach uber unter vor als wie auch nur noch nicht kein keine es er sie wir ihr ich du mich dich sich sein seine ihre ihren ihrem dass wenn was wer wo hat haben hatte kann konnen soll dem den des um durch bis so man',
	'el la los las un una unos unas y o pero es son era eran fue fueron ser estar esta estan este esto estos ese eso con de del al a en por para como que se su sus lo le les mi tu yo ella ellos nosotros no si mas muy ya tambien cuando donde quien cual ha han habia hay entre sobre sin',
	"le la les un une des et ou mais est sont etait ont a ete etre avec de du au aux en dans par pour sur comme que qui ce cet cette ces se sa son ses leur leurs il elle ils elles nous vous je tu on ne pas plus tres aussi quand ou quoi quel quelle y d'un d'une l qu'il c'est",
	'il lo la i gli le un uno una e o ma sono era erano essere con di del della dei delle al alla da dal in nel nella per su come che si suo sua loro io tu noi voi non piu anche quando dove chi ha hanno',
	'o a os as um uma uns umas e ou mas sao foi ser com de do da dos das ao em no na nos nas por para como que se seu sua eu ele ela eles nao mais muito ja tambem quando onde quem ha tem',
	'de het een en of maar is zijn was waren wordt worden met van te voor op aan in uit bij naar over onder als ook alleen nog niet geen dat die dit deze hij zij wij ik je u er om door tot heeft hebben kan',
	'и в во не на я с со как а то все она так его но да ты к у же вы за бы по ее мне было вот от меня о из ему теперь для мы их чем была до это этот что при',
	've bir bu da de icin ile o ne cok gibi daha en kadar mi sonra ama olarak olan var yok',
]

/** Of the lists above, in their order. */
export const LANGUAGES = ['en', 'de', 'es', 'fr', 'it', 'pt', 'nl', 'ru', 'tr'] as const
export const STOP_LISTS: readonly (readonly string[])[] = LISTS.map((list) => list.split(' '))
export const STOP_WORDS: ReadonlySet<string> = new Set(STOP_LISTS.flat())
