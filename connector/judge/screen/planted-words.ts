/**
 * What an order that is planted in data is made of, in the languages met most often: folded, an entry ending in `*` stands
 * for every word that begins so. A list of `UNSPACED` is looked up anywhere in a text without spaces.
 */
export const PLANTED: Record<string, string> = {
	machine:
		"ai ais a.i ai-powered llm* gpt* chatgpt assistant* bot bots chatbot* copilot* autopilot* autotriage summariser* summarizer* classifier* screener* crawler* aggregator* model models modell* modele* modelo* modelli neural* ki ki-* ia ias assistent* assistenz* vorlesehilfe* asistent* asistente* assistente* asystent* agentow нейросет* ии ассистент* yapay zeka asistan* مساعد* ذكي الذكاء agent agents agente* agenten agenty machine-* robot* robotow 인공지능 ai는 ai가 ai에게 모델은 मशीन सहायक* tekoaly* umela inteligence artificial artificiel* artificiale kunstliche* kunstig* kunstmatig* sztuczn* βοηθο* l'ia l'agent",
	program:
		'software program programs programme programmes programm* programma* program* logiciel* tool tools tooling app apps application helper helpers hulpje* hilfsprogramm* planner* reader readers integrator* pipeline* operator* parser* reviewer* grader* integrat* processor* machine machines automat* digital* virtual* virtuel* robotic intelligence engine scanner* note-taking machine-readable программ* ohjelm*',
	reads:
		'read* reading process* scan* open* opening handle* handling handles sort* sorting summaris* summariz* review* parse* parsing crawl* index* grade* grading aloud see* land* lies liest lesen lis lit lee lea leen legge leest lezen czyta* okuyan ozetleyen',
	must: 'must shall should may let has have need needs required requested request supposed are is will soll* muss* darf* doit doivent devra debe* deben deve* devono dovr* moet* mogen powin* ma maja musi* должн* следует gerek* bitte please kindly prosze por favor veuillez lutfen пожалуйста यदि कृपया',
	negation:
		"not no never don't dont doesn't without neither nor needn't cannot nobody nothing nicht nie kein* ohne niemand ne pas jamais sans rien nunca sin nada non mai senza niet geen zonder nooit bez не без никогда degil",
	tell: 'mention* tell* telling inform* show* shown say* notify* notif* ask* asking cite* citing quote* refer* disclose* warn* reveal* confirm* bother* trouble* troubled explain* alert* flag* report* display* reproduce* reproducing sieh* erwahn* sag* hinweis* hinzuweis* informier* frag* nenn* avis* dire mentionn* preven* signal* demand* decir* menciona* pregunt* muestr* dirle chied* avvis* dica wspomin* mowi* pyta* informow* упомин* говор* сообщ* спраш* soyle* goster* sor*',
	hide: 'silently secretly quietly discreetly covertly hide* hidden omit* omitting conceal* drop skip* leave leaving out exclude* verschweig* weglass* heimlich cach* omet* omiss* ocult* nascond* tralasci* zataj* pomin* скрой* скрыва* gizle* unobtrusive* sparing spare invisible',
	send: 'send* forward* share sharing post* upload* submit* attach* paste* relay* transfer* pay* charge* wire release* grant* unlock* waive* accept* delegate* delegation email* mail append* copy export* put write insert weiterleit* schick* sende* uberweis* anhang* envoy* envoie* transmet* joign* virer envia* enviar* reenvi* mand* adjunt* pag* invi* inoltr* alleg* bonifico stuur* verzend* wyslij* wysla* przeslij* przelej* отправ* пришл* перевед* gonder* aktar* أرسل* ارسل*',
	asset:
		'password* passcode* key keys token* secret* credential* card cards cvc cvv iban account* passport* payslip* pin address* phone* contact contacts calendar* history location login code codes licence license* data conversation* messages correspondence file files contents config ssh wallet* mailbox inbox book statement* payment* deposit* fee fees refund* konto* passwort* kennwort* adress* telefon* ausweis* verlauf karte* compte* carte* adresse* cuenta* tarjeta* clave* numero direccion conto carta indirizzo rekening adres* haslo konto numer* парол* карт* адрес* hesap* hesab* sifre* kart* عنوان هاتف*',
	favour:
		'rank* rate rated rating score* scored label* mark* list* first best top only highest full approve* approved lift* verified compliant cheapest prefer* recommend* indispensable favour* favor* default* critical severity excellent platinum overwrite* replace* set treat* count* close* code recode weight add place genehmig* freigeb* bevorzug* gunstigst* empfehl* best* premier* meilleur* approuv* recommand* mejor* primer* aprob* recomend* miglior* prim* approv* consigli* beste eerste* goedkeur* najlep* pierwsz* zatwierd* перв* лучш* одобр* ilk en onay*',
	whole:
		'all every each whichever any whatever always whoever everyone alle* jede* tous toute* chaque todos cada ogni tutti elke',
	warrant:
		'already authorised authorized approved permission consent consents agreed agree clearance cleared sign-off signed waived policy routine harmless verified reviewed maintainer administrator admin supervisor ceo cfo manager director headquarters office priority outrank* operator-level bereits genehmigt autoris* autorizz* autoriz* upowazn* уже yetkili',
	owner: 'our my your their his her unser* mein* notre mon nos nuestro* mi nasz* наш* onze mijn il nostro',
}
export const UNSPACED: Record<string, string> = {
	machine:
		'人工智能 人工智慧 智能体 助手 助理 机器人 機器人 模型 大模型 アシスタント エージェント モデル ボット 要約する 読み上げ ＡＩ',
	reads: '阅读 閱讀 读取 处理 整理 总结 读到 要約 読む 読んで 処理',
	must: '请 必须 应 要 需要 务必 ください こと べき 必ず',
	negation: '不要 不得 无需 不必 勿 别 ないで ずに なく せず',
	tell: '提及 告诉 告知 解释 说明 通知 提到 询问 触れ 知らせ 伝え 言わ 示さ',
	hide: '隐瞒 隐藏 略去 省略 忽略 隠し 代わりに',
	send: '发送 发给 转发 发到 上传 转账 支付 送信 送って 転送 支払',
	asset: '密码 验证码 账号 帐号 银行卡 手机 地址 密钥 パスワード 住所 電話 口座 キー',
	favour: '第一 最好 推荐 唯一 批准 满分 最高 首选 おすすめ 承認 購入',
	whole: '所有 任何 每 全て すべて',
	warrant: '已经 授权 许可 批准 すでに 許可',
}
