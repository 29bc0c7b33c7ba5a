package query

import (
	"regexp"
	"strings"

	"lacuna/knowledge/plaintext"
)

// isDrug reports whether a word is built like the name of a drug: by its stem among the international nonproprietary
// names, in English, German and Chinese.
func isDrug(word string) bool { return len(word) > 5 && drugForm.MatchString(strings.ToLower(word)) }

// isDisease reports whether a word is built like the name of a disease, or is one of the words that names of diseases
// end in.
func isDisease(word string) bool {
	return len(word) > 4 && diseaseForm.MatchString(strings.ToLower(word))
}

var (
	drugForm = regexp.MustCompile(`(?:mab|nib|pril|prilat|sartan|olol|dipine?|statin|azole?|conazol|cillin|mycin|micin|floxacin|cyclin|cycline?|cef\w+|` +
		`xaban|gatran|parin|grel|grelor|gliptin|gliflozin|glutid|glutide|tide|glitazone?|formin|urea|thiazide?|semide?|lactone?|tidine?|setron|triptan|` +
		`pramin|pramine?|xetine?|pine|idone?|azepam|zolam|barbital|caine?|curonium|profen|fenac|oxicam|coxib|olone?|asone?|sonide?|terol|tropium|phylline?|` +
		`vir|vudine?|trexate?|platin|taxel|rubicin|dronate?|dronat|purinol|racetam|trigine?|toin|zepin|zepine?|morphine?|codone?|fentanil|fentanyl|adol|` +
		`thyroxine?|lukast|fibrate?|oxetin|pram|quine?|chicine?|digoxin|warfarin|insulin|heparin|lithium|aspirin|paracetamol|amiodarone?)$|` +
		`(?:他汀|沙坦|洛尔|地平|普利|西林|霉素|沙星|唑|替尼|单抗|双抗|列净|格列\p{Han}|双胍|班|肝素|胰岛素|紫杉|铂|泼尼松\p{Han}?|茶碱|布洛芬|昔芬|巴林)$`)
	diseaseForm = regexp.MustCompile(`(?:itis|itides|emia|aemia|ämie|osis|ose|oma|om|pathy|pathie|algia|algie|uria|urie|plegia|paresis|sclerosis|sklerose|trophy|trophie|` +
		`penia|penie|cytosis|lithiasis|ectasis|stenosis|stenose|phobia|psychosis|dementia|demenz|delirium|epilepsy|epilepsie|asthma|diabetes|cancer|krebs|karzinom|` +
		`syndrome?|disease|disorder|failure|insufficiency|insuffizienz|infection|infektion|infarction|infarkt|fracture|fraktur|fibrillation|hypertension|hypotension|hypertonie|` +
		`embolism|embolie|thrombosis|thrombose|pneumonia|pneumonie|sepsis|stroke|schlaganfall|ulcer|ulkus|varices|varizen|gout|gicht|injury|abscess|abszess|overdose|migraine|migräne|psoriasis|eczema|` +
		`retention|malaria|shingles|zoster|anaphylaxis|anxiety|depression|metastases|metastasen|effusion|pregnan\w*|schwanger\w*)$|` +
		`(?:病|炎|癌|瘤|症|综合征|障碍|衰竭|感染|梗死|栓塞|出血|骨折|中毒|眩晕|积液|溃疡|结石|疱疹|哮喘|抑郁|妊娠|孕)$`)
)

// isLab reports whether a word names what is measured of a patient and decides on doses.
func isLab(word string) bool { return labs[strings.ToLower(word)] }

var (
	labs = plaintext.Set(`egfr gfr crcl creatinine krea kreatinin potassium kalium k sodium natrium na hb inr platelets qtc hba1c bmi weight gewicht ferritin
	calcium urate bilirubin alt ast albumin lvef ef psa tsh`)
	dosing = regexp.MustCompile(`(?i)\b(?:dos\w*|mg|how much|titrat\w*|reduc\w*|start\w*|safe|höchstdosis|wie viel|reduzieren)\b|剂量|减量|用量|加量|能不能用`)
	// value is what a measured thing or a drug is followed by.
	value = regexp.MustCompile(`^[ \t]*[:=]?[ \t]*\d+(?:[.,/]\d+)*(?:[ \t]*(?:%|(?:mg|mcg|µg|g|kg|ml|cm|mm|ms|units?|IE|周|岁)\b)(?:/(?:l|dl|h|d|kg|day|tag)\b)?)?`)
)

// courtesies stand before names of people.
var courtesies = plaintext.Set(`mr mrs ms miss mister madam dr prof sir herr herrn frau fräulein`)

// frameWords name a note, a part of it or the place where it is written, and not what it is about.
var frameWords = plaintext.Set(`consultation consult clinic letter draft note notes ward round rounds log week day days night today yesterday tomorrow
	page sheet plan todo tasks task list open question questions query queries answer answers reply meeting minutes agenda item items case cases bed bay room
	patient patients gp nurse doctor dr colleague sent received asked ask told said reads read see referral summary handover discharge admission admitted
	outpatients inpatients daily journal week status version reviewed reviewers title summary section chapter part point points remark remarks learnt
	learning doubts cards card deck faq header misc other others further general specific follow-up requirements problem context background introduction
	decision decisions consequences risks later links related references work job works get got need needs want wants know known think find found look looked
	thing things people team month months year years hour hours minute minutes morning evening monday tuesday wednesday thursday friday saturday sunday
	january february march april may june july august september october november december jan feb mar apr jun jul aug sep oct nov dec
	up before since still yet whether fuer je ich dont don call called booked done new old yes no call back please thank thanks time times cons spr reg f m y w yo
	brief entwurf ambulanz visite protokoll notiz notizen offen offene fragen frage aufgaben heute gestern morgen woche tag tage patient patientin zettel lernzettel
	labor befund befunde plan anlass hausbesuch medikation beurteilung anamnese diagnosen therapie kapitel abschnitt
	患者 病人 病例 记录 查房 门诊 主任 今天 明天 昨天 上周 本周 问题 疑问 待办 待查 笔记 纪要 讨论 会议 时间 备忘 说明 处理 诊断 卡片 复习 日记 科室 老师 大家 星期 周一 周二 周三 周四 周五`)

// unitWords are units and ways to dose; they say something behind a number only.
var unitWords = plaintext.Set(`mg mcg g kg ml l dl mmol mmhg cm mm od bd tds qds qid tid bid prn iv po im sc tr mikrogramm µg ug ng iu units unit`)
