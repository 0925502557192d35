/**
 * What an instruction to an agent is made of, in the languages met most often: written by hand, folded (lower case, no
 * accents). An entry ending in `*` stands for every word that begins so. `unspaced` lists are looked up anywhere.
 */
export const CONCEPTS: Record<string, string> = {
	ignore:
		'ignor* disregard* forget* forgot overlook neglect bypass* circumvent* override* overrul* abandon discard drop skip stop cease abort nullif* erase delete wipe vergiss vergessen vergesst missacht* ubergeh* umgeh* losche* oubli* neglige* contourn* olvid* omit* descart* desestim* elud* esquec* desconsider* descart* dimentic* trascur* tralasci* negeer* vergeet zignoruj* ignoruj* zapomnij* pomin* игнорир* проигнорир* забуд* забыть отмен* удали* обойди* unut* yoksay* gormezden bypass* abaikan lupakan lewati bo qua quen يتجاهل تجاهل* انس* अनदेख* भूल* नजरअंदाज* αγνο* ξεχα* ignora* uita* nesocot* sivuuta* unohda* glem* glom* ignorer* bortse* zapomen* felejts* ігнор* забуд*',
	prior:
		'previous* prior above earlier preceding former before foregoing initial original existing vorherig* vorig* bisherig* obig* fruher* vorangehend* vorangegangen* precedent* anterieur* ci-dessus avant anterior* previ* arriba antes acima precedent* sopra finora vorige eerdere bovenstaande poprzedni* wczesniejsz* powyzsz* предыдущ* прежн* ранее выше onceki yukaridaki sebelumnya truoc السابق* سابق* أعلاه पिछल* पूर्व उपरोक्त προηγουμεν* anterioar* aiempi* tidligere tidigare predchoz* elozo korabbi попередн*',
	instruction:
		'instruct* instruktion* prompt* rule* guideline* directive* command* order orders anweisung* anleitung* befehl* regel* vorgabe* richtlinie* aufgabe* consigne* directiv* regle* ordres instruccion* indicacion* orden ordenes regla* mandat* instruc* regra* ordem ordens istruzion* regole comand* instructies opdracht* regels instrukcj* polecen* zasad* инструкц* указани* правил* команд* talimat* kural* komut* instruksi perintah aturan huong dan chi thi التعليمات تعليمات* الأوامر أوامر* القواعد निर्देश* आदेश* नियम* οδηγι* κανον* εντολ* instructiun* reguli ohje* instruks* instruktioner pokyn* utasitas* інструкц*',
	restriction:
		'restrict* filter* limitation* limits censor* policy policies safeguard* guardrail* ethic* moral* safety constraint* boundar* guideline* beschrankung* einschrankung* zensur* restriccion* limite* filtro* etic* restric* restrizion* limitation* ograniczen* ограничен* фильтр* kisitlama* sinir* pembatasan القيود قيود* प्रतिबंध*',
	role: 'act acts acting pretend* roleplay* role-play* role persona character impersonat* simulat* emulat* imagine imagin* behave become spiele spiel verhalte stell rolle agiere handle agis agissez imagine* joue jouez comporte* actua* actue* finge* imagina* comporta* interpreta* haz aja finja imagin* agisci fingi* comportati doe speel udawaj* zachowuj* wciel* притвор* представь* веди действуй роль davran* canlandir* taklit bertindak berpura* dong vai تصرف* تظاهر* تخيل* अभिनय कल्पना προσποι* φαντα*',
	mode: 'dan jailbreak* jailbroken unrestricted uncensored unfiltered unlimited unlocked developer-mode devmode godmode stan dude evil amoral immoral unethical dev god sudo root admin* debug maintenance freed liberated',
	system:
		'system* systemprompt backend internal hidden secret* confidential geheim* intern* versteckt* sistema* cache* secret* segret* секрет* систем* скрыт* gizli sistem rahasia النظام سري* सिस्टम गुप्त σύστημα συστημ* μυστικ* configuration',
	reveal:
		'reveal* show* print* output* display* repeat* leak* expose* disclose* dump* list* echo* share tell give return recite zeig* gib gebe nenne wiederhol* verrat* offenbar* enthull* affich* montre* revele* revelez repetez repeter divulgu* donne* muestr* revel* repit* imprim* dime dame lista mostr* mostra* repita diga exib* rivela* ripeti* stampa* dimmi elenca toon onthul herhaal ujawnij* pokaz* powtorz* покаж* раскро* выведи* повтори* перечисли* goster* acikla* yazdir* tampilkan ungkapkan tunjukkan اعرض* أظهر* اكشف* اطبع* दिखा* बताओ बताएं प्रकट δειξ* αποκαλυ* afisea* dezvalu*',
	send: 'send* email* e-mail* forward* post* upload* transfer* wire pay deposit* submit* share publish* withdraw* purchas* buy order* book sende* schick* uberweis* weiterleit* envoi* envoy* transfer* virement envia envie envialo enviar mandar manda reenvia* pagar paga pague deposit* compre compra* invi* inoltra* trasferis* stuur* wyslij* przeslij* przelej* отправ* перешли* перевед* gonder* aktar* ilet* kirim* transfer* gui chuyen أرسل* حول* ادفع* भेज* ट्रांसफर στειλ* μεταφερ* trimite* transfera* laheta* skicka* posli*',
	asset:
		'password* passwd passphrase credential* token* apikey secret* key keys account* bank* card* ssn passport* address* payment* wallet* crypto* bitcoin money fund* saving* medical patient* genetic* credit private personal contact* history location passwort* kennwort* konto* zugangsdaten mot motdepasse identifiant* compte* contrasena* credencial* cuenta* clave* senha* conta credenciais password* conto wachtwoord* hasl* konta пароль* пароли аккаунт* счет* деньг* данные sifre* hesab* parola* kata sandi rekening mat khau tai khoan كلمة المرور حساب* पासवर्ड खाते खाता κωδικ* λογαριασμ*',
	urgent:
		'important urgent* attention immediate* warning critical alert crucial vital mandatory emergency priority wichtig* dringend* achtung sofort* important* urgence immediatement urgente* importante atencion inmediat* atencao imediat* attenzione immediat* belangrijk dringend wazne pilne uwaga важно срочно внимание немедленно onemli acil dikkat hemen penting segera quan trong ngay مهم عاجل* انتباه فورا महत्वपूर्ण जरूरी तुरंत ध्यान σημαντικ* επειγον προσοχη important* urgent*',
	hide: 'secretly silently quietly discreetly covertly heimlich unauffallig discretement secret* discretamente secretamente silenziosamente segretamente potajemnie тайно незаметно gizlice diam-diam سرا चुपके',
	answer:
		'answer* respon* repl* output* response* completion message antwort* beantwort* reponse* repond* respuest* respond* contest* respost* rispost* rispond* antwoord* odpowied* odpowiad* ответ* отвеч* cevap* yanit* jawab* balas* tra loi أجب* الرد ردك إجاب* उत्तर जवाब απαντ* raspun* vastaa* svar* odpov* valasz*',
	say: 'say saying write* type spell state sag* sage schreib* dis dites ecri* diga escrib* escrev* dimmi scrivi* zeg schrijf* powiedz napisz* скаж* напиш* soyle* yaz* katakan tulis noi viet قل اكتب* कहो कहें लिखो लिखें πες γραψ* spune scrie*',
	task: 'task* question* request* goal objective mission job text topic aufgabe* frage* auftrag* text* tache* question* demande* tarea* pregunt* solicitud* tarefa* pergunt* compit* domand* richiest* taak vraag zadani* pytani* задач* вопрос* запрос* gorev* soru* tugas pertanyaan nhiem vu cau hoi المهمة السؤال* مهم* कार्य सवाल प्रश्न εργασι* ερωτη*',
	model:
		'ai assistant* chatgpt gpt* model* llm* bot* chatbot* agent* claude gemini llama openai anthropic language-model ki assistent* modell* ia assistant* modele* asistent* asistente* modelo* assistente* robot* ии ассистент* модел* бот* yapay asistan* asisten المساعد نموذج* सहायक मॉडल βοηθ*',
	user: 'user* customer* human operator owner nutzer* benutzer* utilisateur* usuari* utente* utenti gebruiker* uzytkownik* пользовател* kullanici* pengguna nguoi dung المستخدم* उपयोगकर्ता χρηστ*',
	you: "you your yours yourself you're youre u ur du dir dich dein* deine* ihr euch eure* sie ihre* ihnen tu te toi vous votre vos ton ta tes tú usted ustedes vosotros su sus tus voce voces seu sua teu tua lei voi tuo tuoi tua vostro je jij jouw uw u ty ciebie twoj* wasz* pan ты тебе тебя твой твои твоя вы вас вам ваш* sen sana senin siz sizin size kamu anda ban أنت لك आप आपको आपके तुम तुम्हें εσυ σου εσεις σας tu tau sinun",
	me: "i me my mine i'm im we us our ich mir mich mein* wir uns je moi mon ma mes nous yo mi mis me nosotros eu meu minha me io mio mia miei ik mij mijn ja mnie moj* я мне меня мой мои ben bana benim saya aku toi أنا لي मैं मुझे मेरे मेरा εγω μου",
	now: 'now instead henceforth onwards anymore new next start begin starting following jetzt nun stattdessen neue neuen neues neuer folgend* ab desormais maintenant nouvelle nouvelles nouveau nouveaux suivant* ahora nuev* siguiente* lugar partir agora novo nova novas novos seguinte seguintes adesso ora nuov* seguent* invece nu voortaan nieuwe teraz nowe nastepuj* теперь сейчас нов* следующ* вместо отныне simdi artik yeni bunun asagidaki sekarang berikut baru gio bay hay الآن التالي* الجديد* अब नए निम्नलिखित नया τωρα νεα νεες acum',
	all: 'all any every everything whatever anything entire alle* alles jede* jegliche* sämtliche samtliche* tout toute* tous todo* toda* cualquier* tudo tutt* ogni alle alles wszystk* wszelk* все всё всех всем любые tum butun her semua tat ca moi كل جميع सभी सब सारे ολες ολα toate tot',
	not: "not no never don't dont doesn't without nor neither cannot can't kein* nicht nie niemals ohne ne pas jamais sans aucun* no nunca sin nada nao nem sem non mai senza niet geen nooit nie nigdy bez не нет никогда без degil asla olmadan tidak jangan tanpa khong لا لم بدون नहीं मत बिना μην δεν χωρις nu",
	must: 'must should shall need* have required require* ensure obey comply strictly adhere follow only exactly always muss musst sollst sollen darfst befolg* nur genau immer dois devez doit faut seulement suivez suis debes debe tienes obedec* solo siempre deve* dever* somente apenas sempre devi dovete segui* solo sempre moet* volg alleen altijd musisz nalezy tylko zawsze przestrzegaj должен должны следуй* выполн* только всегда yalnizca sadece daima uy harus hanya ikuti selalu phai chi يجب فقط اتبع* करना होगा केवल हमेशा πρεπει μονο trebuie doar',
	please:
		'please kindly pls bitte veuillez plait merci por favor prego graag alstublieft prosze пожалуйста lutfen tolong silakan vui long xin من فضلك يرجى कृपया παρακαλω rog',
	execute:
		'execute* run running eval exec script shell bash curl wget powershell cmd os.system subprocess import sudo rm chmod javascript sql query install download* click visit open navigate fuhre ausfuhren execut* ejecut* ejecuta* executa* esegui* voer uruchom* wykonaj* выполни* запусти* calistir* jalankan نفذ* चलाएं चलाओ',
	verb: 'write generate create provide describe explain summari* translate make add include insert append begin end change modify replace use find get retrieve fetch search check update set enable disable grant remove rename edit schedule cancel suggest recommend encourage mention promote advertise introduce draft compose design develop compare analy* calculat* compute solve convert classify identify determine evaluate discuss give tell help let name count encode decode rewrite paraphrase spell complete continue read recite sing play draw build plan teach register activate unlock turn log save store copy call contact notify invite warn tease highlight urge erstell* generier* ubersetz* fasse erklar* beschreib* nenne analysier* mach* fuge ecris traduis resume* explique* decri* cree* ajoute* fais faites genere* donnez escrib* traduc* resum* expli* describ* crea* genera* anade* haz proporcion* traduz* escrev* crie gere descreva faca traduci* scrivi* riassum* spiega* descriv* aggiungi fai vertaal* schrijf* beschrijf* leg przetlumacz* opisz* wyjasnij* stworz* переведи* опиши* объясни* создай* напиши* сделай* cevir* ozetle* acikla* olustur* terjemahkan jelaskan buat ringkas dich tom giai ترجم* لخص* اشرح* अनुवाद समझाएं बनाओ μεταφρασε εξηγ* traduce* genereaza* creeaza*',
}

export const UNSPACED: Record<string, string> = {
	ignore: '忽略 无视 無視 忘记 忘掉 忘れ 不要理会 跳过 绕过 取消 ละเว้น เพิกเฉย ลืม ไม่สนใจ',
	prior: '之前 以前 上述 前面 先前 以上 前の これまで 以前の ก่อนหน้า ข้างต้น',
	instruction: '指令 指示 命令 规则 規則 提示 提示词 プロンプト ルール คำสั่ง คำแนะนำ กฎ',
	restriction: '限制 过滤 審査 审查 制限 制約 ข้อจำกัด',
	role: '扮演 假装 你现在是 充当 ふりをして 演じて 役割 として振る舞 สวมบทบาท แสดงเป็น',
	system: '系统 系統 秘密 机密 システム 秘密 ระบบ ลับ',
	reveal: '显示 输出 打印 透露 告诉我 列出 表示 出力 教えて 示して แสดง เปิดเผย บอก',
	send: '发送 發送 转账 转发 支付 发给 送信 送って 転送 支払 ส่ง โอน',
	asset: '密码 密碼 账户 帐户 信用卡 个人信息 パスワード 口座 個人情報 รหัสผ่าน บัญชี',
	urgent: '重要 紧急 緊急 注意 立即 马上 ทันที สำคัญ ด่วน',
	answer: '回答 回复 答案 返信 返答 ตอบ',
	say: '说 写 言って 書いて 言う พูด เขียน',
	task: '任务 问题 タスク 質問 งาน คำถาม',
	model: '人工智能 助手 模型 アシスタント モデル ผู้ช่วย',
	user: '用户 使用者 ユーザー ผู้ใช้',
	you: '你 您 あなた 君 คุณ',
	me: '我 私 ฉัน ผม',
	now: '现在 從現在 从现在 新的 以下 今から 新しい 次の ตอนนี้ ใหม่ ต่อไปนี้',
	all: '所有 全部 一切 すべて 全て ทั้งหมด',
	not: '不要 不能 没有 ないで しない อย่า ไม่',
	must: '必须 应该 只能 なければ 必ず だけ ต้อง เท่านั้น',
	please: '请 請 ください กรุณา โปรด',
	verb: '翻译 总结 解释 生成 创建 翻訳 要約 説明 作成 แปล สรุป อธิบาย สร้าง',
}
