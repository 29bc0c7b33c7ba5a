package redact

import (
	"regexp"
	"strings"
	"unicode"
)

// Numbers and addresses that what stands before them announces: record numbers behind one of very many labels, and telephone numbers
// behind words that a sentence may have between them.

const (
	// idLabel are what notes write before the number of a record, a card, a licence or a thing that belongs to somebody.
	idLabel   = `(?:störmeldung|begleitschein|(?:geburten|sterbe|unfall)buch|standesamt|fallbogen|flowcell|(?:dienst|gast)ausw(?:eis|\.)|con(?:signment)? note|awb|waybill|invoice|inv no|tracking(?: no)?|membership(?: no)?|authori[sz]ation(?: no)?|autorizaci[oó]n|remito|oficio|ticket|sendungs-?nr|paket-?nr|police log|vordruck|m\.?r\.?n|medical record|med rec|badge|shield|akt(?:z|\.z)?|aktenzeichen|gesch(?:äfts)?zeichen|az|vsnr|svnr|sv-?nr|vers(?:icherten)?\.?-?(?:nr|nummer)|versichertennummer|kvnr|krankenkassen-?nr|fall-?(?:nr|nummer)|pat(?:ienten)?\.?-?(?:nr|nummer|id)|aufn(?:ahme)?\.?-?(?:nr|nummer)|maßn(?:ahme)?\.?-?nr|mitgl(?:ieds)?\.?-?nr|renten-?(?:nr|nummer)|unfall-?(?:nr|nummer)|schaden-?(?:nr|nummer)|labor-?(?:nr|nummer)|proben?-?(?:nr|nummer)|präparat-?(?:nr)?|blockn(?:umme)?r|vtr\.?-?nr|zsr-?nr|gln|eangln|ahv(?:-?n(?:umme)?r)?|dvr|lanr|bsnr|ppsn?|pps no|pims(?: no)?|gms(?: no)?|medical card|chi(?: no)?|h&c|hsc no|nhs(?: no| number)?|nino?|crn|hosp(?:ital)?\.? (?:no|number)|unit (?:no|number)|mcrn|imc(?: reg)?|nmbi|an bord altranais pin|gmc|nmc|hcpc|gphc|gdc|goc|ahpra|provider(?: no)?|prescriber(?: no)?|medicare(?: no)?|dva(?: no)?|ihi|ndis(?: no)?|urn?|umrn|uhid|ip ?no|op ?no|ipd|opd no|cr ?no|mr ?no|mrd(?: no)?|regn?(?:istration)?\.?(?: ?no)?|mlc(?: no)?|fir(?: no)?|aadhaar|adhar|aadhar|abha(?: id)?|cmchis(?: urn)?|pmjay|ab-pmjay|ration card|voter id|ifsc|nikshay id|tb no|anc no|rch id|mcts|egd no|usn|ssn|dob/ssn|edipi|dod id|va (?:id|claim)|member(?: id)?|mbi|hicn|humana|subscriber|our ref|your ref|unser zeichen|ihr zeichen|csn|acc(?:ession)?|specimen|spec|surg path|path no|cyt(?:ology)? no|req(?:uisition)?|npi|dea|lic(?:ense|ence)?|upin|tax id|ein|md lic|rn lic|employee(?: id| no)?|staff (?:id|no)|payroll|door code|gate code|locker(?: code)?|passcode|pass(?:port)?(?: no)?|visa|driver'?s lic(?:ense)?|kfz(?:-kennz\.?)?|kennzeichen|kennz|veh[ií]culo|placa|ods|muestra|ficha|orden|agente|buckle|h-nr|ncjdrsu|carnet|kd(?:-nr)?|hkid|sr\.? ?no|manilla|proband|röntgen-nr|ssn last (?:4|four)|last (?:4|four)|no\. ending|ending|endet auf|prontuario|protocolo|acta|rego|vin|imei|udi|serial(?: no)?|s/n|sn|device id|implant id|blood band|wristband|bracelet|brazalete|pulsera|temp(?:orary)? (?:no|number|id)|study (?:id|no)|participant|rand(?:omi[sz]ation)?(?: no)?|barcode|inmate|prisoner(?: no)?|nomis|cad|run ?(?:no|#)|job(?: no)?|docket|ticket|hcl|historia(?: cl[ií]nica)?|nhc|n\.? ?h\.? ?c|expediente|folio|afiliado|afil(?:iación)?|nss|n\.?s\.?s|curp|ssa|cartilla|agregado(?: médico)?|cuil|cuit|dni|d\.n\.i|nie|nif|cip(?:a)?|sip|naf|tis|tarjeta(?: sanitaria)?|pasaporte|legajo|obra social|pami|ioma|osde|credencial|socio|póliza|poliza|siniestro|c[ée]d(?:ula)?(?: prof(?:esional)?)?|rut|m\.? ?n|m\.? ?p|n\.?º ?col|expte|móvil|patente|dominio|chapa|interno n|chart|antrag|policy|account|pin|card no|stent card no|mat\.|col\.|doc\.|locker code|access code|pn code|cas|crime (?:ref|no)|police (?:log|ref)|log (?:no|ref)|armband|seq(?: no)?|conf(?:irmation)?(?: no)?|emis|ubrn|jar|course id)`
	weakLabel = `(?:chart|antrag|vorgang|auftrags?-?(?:nr|nummer)?|e-?nr|j-?nr|ik(?:-?nr)?|pan|bank|a/c(?: no)?|social|claim|group|policy|auth(?:orization)?|ref(?:erral)?(?: no| #)?|har|fin|acct|account|visit|encounter|case|order|pin|key ?(?:safe|code|box)|code|plate|tag|reg|lot|batch|card(?: no)?|band|subject(?: id| no)?|collar|folder|last ?4|paperwork|screening(?: no)?|kit|doc|incident|h\.? ?c(?:l[ií]nica)?|exp|rfc|ine|cite?s?|mat(?:r[ií]cula)?|col(?:egiad[oa])?|bolsa|unidad|lote|serie)`
	idSep     = `\.?[ \t]*(?:(?:#|:|=|no\.?|nr\.?|nº|n\.º|n°|num(?:ber)?\.?|núm\.?|id|is|ist|-)[ \t]*){0,3}`
	// idValue is a code of digits, with letters before and between.
	idValue = `((?:[A-Z][A-Za-z]{0,5}[ ./-]?){0,2}[A-Za-z]{0,6}[-/.]?\d[\dA-Za-z*#]*(?:[./·,*#_-]{1,2}[A-Za-z]{0,6}\d[\dA-Za-z*#]*|[./·*#_-][A-Za-z]{1,4}\b|(?: | ?[-/] ?)\d[\d]*(?:[A-Z]\b)?| [A-Z] \d{2,}| [A-Z]\b)*)`
	dialled = `(\+?\(?\d[\dO]*(?:[ ]?[-/.() ][ ]?\(?[\dO]+\)?){1,8})\b`
	extend  = `(?i:[ ]?[-/,;]?[ ]?\(?(?:ext(?:ension)?|extn|x|int(?:erno)?|dw|kl(?:appe)?|app(?:arat)?|nst|op[ct]?|anexo|anx|característica|durchwahl|转|分机)[. /]*\d{1,6}\)?|#\d{1,6})`
)

var labelRules = []rule{
	{Record, "label", re(`(?i:(?:^|[^\pL\d])` + idLabel + `\b)` + idSep + idValue), isLabelled},
	{Record, "label", re(`(?i:(?:^|[^\pL\d])` + weakLabel + `)\.?[ \t]*(?:(?:#|:|=|(?i:no\b\.?|nr\b\.?|nº|n\.º|n°|number|id\b))[ \t]*)+` + idValue), isLabelled},
	{Record, "label", re(`(?i:(?:^|[^\pL\d])` + weakLabel + `\b)\.?[ \t]*` + idValue), isLongLabelled},
	{Record, "lot behind its vaccine", re(`\b(?i:pcv-?(?:7|10|13|15|20)|men-?(?:b|c|acwy)|hexa(?:valente)?|penta(?:valente)?|rota(?:virus)?|dtap|tdap|mmrv?|hpv-?[249]?|hep-?[ab]|hib|ipv|opv|bcg|kinrix|proquad|pediarix|pentacel|vaxelis|infanrix(?:[ -]hexa)?|hexyon|prevenar(?:[ -]?(?:13|20))?|bexsero|priorix(?:[ -]tetra)?|boostrix|repevax|shingrix|varivax|6-in-1|havrix|engerix(?:-b)?|rotarix|rotateq|nimenrix|menveo|fluad|encepur|fsme-immun)(?: (?i:[lr]|li|re|im|sc|po))?[ :]{1,2}([A-Z0-9]{5,9})\b`), isMixedShape},
	{Record, "lot", re(`\b(?:(?i:lots?|lote|ch(?:arge)?\.-?b\.?|charge|batch|serial(?: no)?|s/n)|SN)\.?[ \t:#]*(?:(?i:no|nr|nº|n°)\.? ?)?([A-Z0-9][A-Z0-9/-]{3,15})\b`), isMixed},
	{Record, "number and a letter", re(`\b\d{7,8}[A-Z]\b`), nil},
	{Record, "plate behind a car", re(`(?i:\b(?:vehicle|parking|parked|plates?|rego|number plate|ute|van|car|truck|driving an?)\b[^\n\d]{0,12}?[ (:])((?:[A-Z]{2,4} \d{2,4}|\d{2,4} [A-Z]{2,3}|[A-Z]{2,3} \d[A-Z]\d|\d[A-Z]{2}-?\d[A-Z]{2})(?: \d{1,4})?)\b`), isRegistration},
	{Name, "initials of a typist", re(`(?m)(?:(?:\b[DT]:?|[Dd]ictat\w*|[Dd]iktiert|[Tt]ranscri\w*|[Tt]yped|[Ss]igned\)?|read\)?) ?[^\n]{0,30}?[ \t])([A-Za-z]{2,4}[:/][a-z]{2,4})[ \t]*(?:$|Job\b|[DT]:)`), isTypist},
	{Name, "initials of a typist", re(`(?m)\b([A-Z]{2,4}[:/][a-z]{2,4})[ \t]+(?:[Dd]ictated|Job)\b`), isTypist},
	{Name, "name of a user", re(`(?i:\b(?:scribed?|dok|doc|facultativo(?: de guardia)?|bearbeiter|bearb|verified|validated|entered|resulted|released|authenticated|reviewed|signed|read|packed|performed|collected|received|user|tech|op|operator|analyst|validado|tramitado|firmado|freigegeben|vidiert)(?: electronically)?(?: by| por| von| durch)?:? +)([a-z]{3,14}\d{0,3}|[a-z]+\.[a-z]+|[A-Z]{5,12}\d{0,2})(?:[ ,.;\n]|$)`), isUser},
	{Name, "name of a user, with a line", re(`(?:^|[^\w.@/-])([a-z]{3,}_[a-z]{1,12}\d{0,3})(?:_[a-z\d]+)*(?:[^\w]|$)`), isUnderscored},
	{Name, "name in a chat", re(`(?m)^\[[\d/:,. ]{4,18}(?: ?[AaPp]\.?[Mm])?\] (\pL[\w.-]{2,15}(?: \p{Lu}[\pL.]*)?):`), isChatting},
	{Record, "masked", re(`\b[A-Z]{1,2}\d{3,6}\*{0,4}\([\dA]\)`), nil},
	{Phone, "phone, masked", re(`\(?\b\d{3,4}\)?[- ]?\d{0,4}[- ]?\d{0,2}(?:[×xX*]{2,4}\d{1,4}|\d[×*]\d)\b`), hasDigits(6)},
	{Phone, "phone with letters", re(`(?:^|[^\w])(\(?\d[\dOl]{2}\)?[ -][\dOl]{3}[ -][\dOl]{2,4}(?: [\dOl]{2})?)(?:[^\w]|$)`), isBadlyDialled},
	{Record, "number of a laboratory, UK", re(`\b[A-Z],\d{2}\.\d{6,8}\.[A-Z]\b`), nil},
	{Record, "plate behind its vehicle", re(`(?i:\b(?:matr(?:[íi]cula)?|placas?|patente|vehículo|furgoneta|turismo|camión|coche|moto|kennzeichen|kz|reg(?:istration)?|van|car|truck|bike))\.? (?:no\.? |implicado )?((?:\d{3,4} ?[A-Z]{2,3}|[A-Z]{1,3}\d{1,3} ?[A-Z]{3}|[A-Z]{1,3}[- ][A-Z]{1,2} ?\d{1,4}))\b`), nil},
	{Record, "file of a court, German", re(`\b(\d{1,4} (?:(?:U?Js|XVII)(?: [A-Z])? \d{1,6}(?:/\d\d)?|(?:Ls|Ds|Cs|Gs|KLs|Ks|AR|Zs|XIV|VIII|VI)(?: [A-Z])? \d{1,6}/\d\d))\b`), nil},
	{Record, "file of a court, German", re(`\b(?:AG|LG|OLG|SG|VG|Amtsgericht|Landgericht|Sozialgericht)[ \pL,-]{0,24} (\d{1,4} [A-Z] \d{1,6}/\d\d)\b`), nil},
	{Record, "file of a court, German", re(`(?i:\b(?:Az|Aktenzeichen|Zl|GZ|Gz|Geschäftszahl)\.?:? ?)(\d{1,3} [A-Z][A-Za-z]{0,4} \d{1,5}/\d{2}(?: ?[A-Za-z]\b)?)`), nil},
	{Record, "longer number", re(`\b\d{7,20}\b`), nil},
	{Record, "masked", re(`(?:^|[^\pL\d])((?:(?:[Xx•#]{2,6}|\*{3,6})[ -]?){1,4}\d{2,6})\b`), nil},
	{Record, "reference of a letter", re(`\b(?i:(?:our|your|my|ours|yours|unser|ihr|ref|zeichen|diktat(?:zeichen)?|dikt|dict|typed|job)(?: ref(?:erence)?| zeichen)?)[.: ]+([A-Za-z]{1,8}(?:[/.-][A-Za-z0-9.]+)+(?: \d{3,})?)`), nil},
	{Record, "number of a row", re(`(?m)^[ \t|]*(\d{3,6}-\d{1,4})[ \t|]{2,}\p{Lu}`), nil},
	{Record, "plate in dots", re(`\b[A-Z]{1,3}[·•]\d{1,4}(?:[·•][A-Z]{1,3})?\b`), nil},
	{Record, "registration", re(`\b(?:[A-Z]{2}[ -]?\d{1,2}[ -]?[A-Z]{1,2}[ -]?\d{3,4})\b`), isRegistration},
	{Record, "code of words", re(`\b(?:[A-Z0-9]{1,4}-)+(?:ALPHA|BRAVO|CHARLIE|DELTA|ECHO|FOXTROT|GOLF|HOTEL|INDIA|JULIET+|KILO|LIMA|MIKE|NOVEMBER|OSCAR|PAPA|QUEBEC|ROMEO|SIERRA|TANGO|UNIFORM|VICTOR|WHISKEY|X-?RAY|YANKEE|ZULU)(?:-[A-Z0-9]+)*\b`), nil},
	{Phone, "phone with an extension", re(`((?:\+|\(|\b)\d[\d ().\-/]{5,20}\d` + extend + `)`), isExtended},
	{Phone, "phone with letters", re(`(?:^|[^\w])(\+?[0O][\dOl]{1,5}[ ()./-]{1,2}[\dOl][\dOl ()./-]{3,14}[\dOl])(?:[^\w]|$)`), isBadlyDialled},
	{Phone, "phone behind words", re(`(?i:\b(?:tel|telephone|telefon|teléfono|tfno|tlf|phone|mobile|mob|m[oó]vil|handy|natel|cell?|cel|pager|fax|landline|home|rückruf|call(?:ed|back|ing)?|cb|cb#|ring|rang|text|txt|sms|whatsapp|wa|contact|reach(?:able|ed)?|erreichbar|dial|number|nummer|número|ctc|tox|poisons?(?: info)?|hotline|helpline|line)\b[^\d\n@|]{0,28}?[ :(#.])` + dialled), isDialBehind},
	{Phone, "extension behind words", re(`(?i)\b(?:paged?|bleep(?:ed)?|bl|blp|ext|extn|intercom|piep(?:ser)?|dienst(?:telefon)?|busca|ring (?:me|us|him|her) on|call (?:me|us|him|her) on|(?:me|us|him|her) on|catch me on|reach me on)(?: \p{Lu}{2,4})?[ .:]{1,2}(\d{2,5})\b`), nil},
	{Phone, "extension behind words", re(`(?:联系|联络|聯絡|分机|分機|内线|內線)[::]? ?(\d{3,6})\b`), nil},
	{Phone, "extension behind words", re(`(?i)\b(?:local|cualquier (?:cosa|duda) (?:al|mi anexo)|bleep (?:\pL+ ){1,4})(?: )?(\d{4,5})\b`), nil},
	{Phone, "extension behind words", re(`\b(?:Ruf|Funk|Handy) (\d{3,5})\b`), nil},
	{Phone, "extension behind a name", re(`\p{Lu}\p{Ll}+ (?:\((\d{4,5})\)|on (\d{4})\b)`), nil},
	{Phone, "phone, spaced slashes", re(`\b\d{3} ?/ ?\d{3} ?/ ?\d{4}\b`), nil},
	{Phone, "phone with double", re(`(?i)\b\d[\d -]{2,12}[ (-]{1,2}(?:double|triple|treble|doppel|doble)[ -]\w+\)?(?:[ -]?\d+)*`), nil},
	{Phone, "last digits of a person", re(`\b(?:Frau|Herrn?|Fr\.|Hr\.|Dr\.|Sekr\pL*\.?|Sekretariat|Ambulanz|Station|Pforte|Büro|Praxis|Anmeldung|Labor|App\.|Durchwahl|DW|Tel\.|fx|fax)(?: \pL[\pL.-]*){0,3},? (-\d{2,5})\b`), nil},
	{URL, "name of an account", re(`(?i:\b(?:handle|user(?:name)?|user id|login|edi|healthlink|edrds user|edrs user|upi|ig|snap(?:chat)?|insta(?:gram)?|telegram|tiktok|line id|skype|discord|twitter|gamertag|screen name|call ?sign|ham radio|app name|usuario|benutzer|kennung|hin)\b(?: edi| id| name| handle)?[:= ]+)@?([A-Za-z][\w.-]{2,30})\b`), isAccount},
	{Email, "address without a domain", re(`\b[A-Za-z][\w]*[._\d][\w.]*@[A-Za-z][\w-]{2,}\b`), nil},
	{Email, "e-mail, with words", re(`(?i)\b[\pL\d._-]+ ?(?:\((?:at|arroba|dot|punkt|punto)\)|\[(?:at|arroba)\]|@| at | arroba )[\pL\d._-]* ?(?:(?:\(at\)| at | arroba |\(arroba\)|@) ?)?(?:[\pL\d-]+ ?(?:\.|\(dot\)|\(punto\)| dot | punkt | punto ) ?){1,3}` + domains + `\b`), isSpokenMail},
	{Date, "birth in groups", re(`(?:\p{Lu}{2,}|\b(?i:dob|born|b\.?|geb\.?|nac\.?|d\.o\.b\.?))[,:]? ((?:0[1-9]|[12]\d|3[01]) (?:0[1-9]|1[0-2]) (?:(?:19|20)\d\d|\d\d))\b`), nil},
	{Age, "age, by letter", re(`(?m)(?:^|[^\d.,/])((?:9\d|1[01]\d|9O)) ?(?:a\.|a\b[,:;]|a\b\)|a$|a  |ans\b|J\.|J\b[,:;])`), nil},
	{Age, "age, by sex", re(`(?i)(?:^|[^\d.,/])(9\d|1[01]\d) ?(?:y/?o ?[fm]?|y[fm])\b`), nil},
	{Age, "age, of a birthday", re(`(?i)\b(?:turn(?:s|ed|ing)?|wird(?: heute| morgen)?|cumple|cumplió|(?:he|she)(?:'ll| will| would) be|will be|edad|alter|just turned) (9\d|1[01]\d)(?:[^\d.:/%]|\.\D|$)`), nil},
	{Age, "age, of a birthday", re(`(?i)(?:^|[^\d.,/])(9\d|1[01]\d) (?:on (?:` + weekday + `)|next (?:week|month|birthday)|last (?:week|birthday)|years young)\b`), nil},
	{Age, "sex and age", re(`\b[MFWV]/(9\d|1[01]\d)\b`), nil},
	{Age, "Chinese age", re(`(?:年龄|年齡|岁数)[:: ]?(9\d|1[01]\d)`), nil},
	{Age, "age, in DICOM", re(`\b0(9\d)Y\b|\b(1[01]\d)Y\b`), nil},
	{Age, "age, behind a name", re(`\p{Lu}\p{Ll}{2,}["')]*,? \(?(?:rm \d+, )?(9\d|1[01]\d)(?:,|:|\.(?:\s|$)|\)| - |\n|$)`), nil},
	{Age, "age, behind a birth", re(`\b1[89]\d\d[,;]? \(?(9\d|1[01]\d) ?(?:[yJa]\b\.?)?(?:\)|,|;|\.(?:\s|$))`), nil},
	{Age, "age at death", re(`(?i)(?:\b(?:lived to|died at|died aged|gestorben mit|murió (?:a los|con))|† ?(?:mit|at|with|a los|con)?) (9\d|1[01]\d)\b`), nil},
	{Age, "age, of a birthday", re(`(?i)(?:^|[^\d.,/])(9\d|1[01]\d)(?:th|st|nd|rd|\.|º)? ?(?:birthday|geburtstag|cumpleaños)`), nil},
	{Age, "age and sex, by a mark", re(`(?:^|[^\d.,/])(9\d|1[01]\d)(?:/[MFW]\b| ?[MFWmfw](?: ?\|| {2,}))`), nil},
	{Age, "age, between a name and a sex", re(`\p{Lu}\p{Ll}{2,}["')]* {1,16}(9\d|1[01]\d) {1,6}[MFWV]\b`), nil},
	{Age, "age, in words", re(`(?i)\b(?:aged?|is|turned|turning|she'?s|he'?s|wird|now) (ninety(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?)\b`), nil},
	{Age, "age, in words", re(`(?i)\b(ninety(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?)[ -](?:year|yr|yo\b)`), nil},
	{Age, "age of a relative", re(`(?i)\b(?:mother|mum|mom|mam|father|dad|sister|brother|wife|husband|partner|spouse|son|daughter|aunt|uncle|grand\pL+|nan|gran|mutter|vater|schwester|bruder|(?:ehe)?mann|(?:ehe)?frau|oma|opa|madre|padre|hermana|hermano|esposa|esposo|mujer|marido|abuel[oa]|tía|tío)\b[^\d\n;:]{0,18}?\b(9\d|10\d)(?:[,;.)]?(?:\s|$) ?(?:at|is|was|now|well|still|alive|in|fit|lives?|and|y|died|but|with|who|has|home|sano|sana|vive|lebt|noch)\b|[,;.)](?:\D|$)|$)`), nil},
	{Age, "age at death", re(`(?i)\b(?:alive|dead|died|living|verst(?:orben)?\.?|gest(?:orben)?\.?|passed(?: away)?|demented|dement|d\.|ca|cancer) (?:(?:at|mit|with|aged?|im alter von) )?(9\d|10\d)(?:[,;.)]|\s|$)`), nil},
	{Age, "age, by letter", re(`(?:^|[^\d.,/-])(9\d|10\d) ?y(?:rs?)?\b`), nil},
	{Age, "age of a birthday, alone", re(`(?i)\b(?:her|his|their|my) (9\d|10\d)th\b`), nil},
	{Age, "age behind a title", re(`\b(?:Mr|Mrs|Ms|Miss|Mdm|Herr|Frau|Hr|Fr|Sra?|Don|Doña)\.? (?:\p{Lu}[\p{L}.'-]* |van |den |de |von ){0,3}\p{Lu}[\p{L}'-]+,? (9\d|10\d)(?:,|;|\.|\s|$)`), nil},
	{Age, "age, in words", re(`(?i)\b(?:at|of|aged?|with|was|were|is) (ninety(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?)(?:[,.;)\n]| (?:he|she|with|and|who|on|when|last|next)\b|$)`), nil},
}

// isLabelled refuses what is no number of anybody: too few digits, decimal numbers and codes of medicine.
func isLabelled(s string) bool {
	return len(digitsOf(s)) >= 3 && (!decimals.MatchString(s) || thousands.MatchString(s)) && !isYears(s) && !shortRatio.MatchString(s)
}

// isMixed reports whether a code in capitals has a digit and a letter, or four digits.
func isMixed(s string) bool {
	digits := len(digitsOf(s))
	return digits > 0 && (strings.ContainsFunc(s, unicode.IsLetter) || digits >= 4)
}

// isMixedShape wants both letters and digits.
func isMixedShape(s string) bool {
	return isMixed(s) && strings.ContainsFunc(s, unicode.IsLetter)
}

// isLongLabelled is for labels that are also words.
func isLongLabelled(s string) bool {
	return len(digitsOf(s)) >= 5 && isLabelled(s) && !inRows.MatchString(s)
}

var thousands = regexp.MustCompile(`^\d{1,3}(?:[.,]\d{3})+$`)

var shortRatio = regexp.MustCompile(`^(?:\d{1,3}(?:[/.,-]\d{1,2}){1,3}|[A-Z]\d{2}(?:\.\d+)?)$`)

// isExtended reports whether a number is long enough without its extension.
func isExtended(s string) bool {
	n := digitsOf(extension.ReplaceAllString(s, ""))
	return len(n) >= 7 && !inRows.MatchString(s)
}

var extension = regexp.MustCompile(extend + `$`)

// isRegistration refuses codes of medicine such as CD34 CD117, and values such as FC 78 TA 110.
func isRegistration(s string) bool {
	letters := s[:strings.IndexFunc(s+"0", func(r rune) bool { return !unicode.IsLetter(r) })]
	return !clinicalCodes[letters] && !clinicalCodes[s[:1]] && !measured[letters]
}

func isDialBehind(s string) bool {
	n := len(digitsOf(s))
	return n >= 6 && n <= 15 && !inRows.MatchString(s) && !dateLike.MatchString(s) && !pressures.MatchString(s)
}

// pressures matches a pressure of blood, or two with their ranges.
var pressures = regexp.MustCompile(`^\d{2,3}(?:-\d{2,3})?/\d{2,3}(?:-\d{2,3})?$`)

var dateLike = regexp.MustCompile(`^(?:\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}-\d\d-\d\d)`)

func isBadlyDialled(s string) bool {
	letters := 0
	for _, r := range s {
		if r == 'O' || r == 'l' {
			letters++
		}
	}
	return letters > 0 && len(digitsOf(s))+letters >= 7 && len(digitsOf(s)) >= 4
}

// isSpokenMail refuses sentences: "looked at my hand. It was".
func isSpokenMail(s string) bool {
	return atHost.MatchString(s) || strings.ContainsAny(s, "@([") || strings.Contains(s, "arroba") || strings.Contains(s, " dot ") || strings.Contains(s, " punkt ") || strings.Contains(s, " punto ")
}

// atHost matches an address whose only word is "at": of a sentence the stop would have a space behind it.
var atHost = regexp.MustCompile(`^[\w.-]+ at [\w-]+(?:\.[\w-]+)+$`)

// isAccount refuses words: the name of an account has a mark or a digit, or is none of any list.
func isAccount(s string) bool {
	return len(digitsOf(s)) > 0 || regexp.MustCompile(`[._-]`).MatchString(s) || !isWord(s)
}

// isTypist refuses two words, or parts of the day.
func isTypist(s string) bool {
	a, b, _ := strings.Cut(strings.ReplaceAll(s, ":", "/"), "/")
	if a == strings.ToUpper(a) && b == strings.ToLower(b) && strings.Contains(s, ":") {
		return true
	}
	return !(len(a) > 2 && isWord(strings.ToLower(a)) || len(b) > 2 && isWord(b)) && !functionWords[strings.ToLower(a)] && !functionWords[b] && !unitNear(b) && !isMedicine(strings.ToLower(a)) && !isMedicine(b)
}

// isUnderscored wants a word of no list or a name before the line, or a name behind it.
func isUnderscored(s string) bool {
	first, second, _ := strings.Cut(s, "_")
	second = strings.TrimRight(second, "0123456789")
	listed := func(w string) bool { return german.general(w) || known().clinical[w] || known().spanish[w] }
	named := isGiven(first) || isSurname(first) || !listed(first)
	return named && !known().clinical[first] && (len(second) <= 2 || !listed(second) || isGiven(second) || isSurname(second))
}

// isChatting refuses who writes only by a role.
func isChatting(s string) bool {
	first, _, _ := strings.Cut(strings.ToLower(s), " ")
	return !persons[first] && !titles[first] && !relations[first] && !never[first] && (!isWord(first) || isGiven(first))
}

// isUser refuses words and abbreviations of medicine.
func isUser(s string) bool {
	lower := strings.ToLower(s)
	return strings.ContainsAny(s, ".0123456789") && !isMedicine(lower) && len(digitsOf(s)) < 4 || len(s) > 5 && !isWord(lower) && !isMedicine(lower) && !known().brand[lower] && !isCompound(lower)
}
