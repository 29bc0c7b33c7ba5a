package redact

import (
	"regexp"
	"strings"
	"unicode"

	"lacuna/knowledge/plaintext"
)

const (
	// after a label: a colon, a number sign, a cell of a table, "is" and the like
	sep = `(?:[ \t"*_]*(?:[:#=|]|(?i:no\b\.?|nos\b\.?|num(?:ber|mer)?\b\.?|nr\b\.?|id\b|is\b|was\b|ist\b|n\.?º|nº|núm\b\.?)))*[ \t"*_]*`
	// an identifier of letters and digits: one part, and more with a digit behind a space or a mark
	code = `([A-Za-z]{0,5}[-/.]?\d[A-Za-z0-9]*(?:(?: ?[-./_]|[ ])[A-Za-z]{0,2}\d[A-Za-z0-9]*)*(?:[-/][A-Za-z0-9]+)*)`
	// a telephone number
	dial = `(\+?[(\d][\d() ./\-]{4,22}\d)`
)

// rules lists the rules in the order in which they are applied; each sees the whole text.
var rules = []rule{
	{Email, "e-mail", re(`[\p{L}\p{N}._%+-]+ ?(?:@|\(at\)|\[at\]) ?[\p{L}\p{N}-]+(?:(?:\.| ?(?:\(dot\)|\[dot\]) ?)[\p{L}\p{N}-]+)+`), isMail},
	{URL, "address", re(`(?i)\b(?:https?|ftps?|file|sftp|ssh|tel|mailto|skype):(?://)?[^\s<>"'()\[\]|]+`), isOwnAddress},
	{URL, "www", re(`(?i)\bwww\.[^\s<>"'()\[\]|]+`), nil},
	{URL, "host", re(`\b(?:[A-Za-z0-9]+-[A-Za-z0-9-]+\.)?(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+` + domains + `\b(?::\d+)?(?:/[^\s<>"'()\[\]|]*)?`), isHost},
	{URL, "host of a share", re(`(?:^|[\s("=])(\\\\[A-Za-z0-9][\w.-]+(?:\\[^\s\\,;|]+)*)`), nil},
	{URL, "host, labelled", re(`(?i)\b(?:host(?:name)?|server|servidor|(?:work)?station|wks|rechner|arbeitsplatz|gerät|equipo|terminal|cart|endpoint)\b[ :=("]*([a-z][a-z0-9]*(?:-[a-z0-9]+)*-?\d{2,4}|[a-z]+(?:-[a-z0-9]+)+-?\d+)\b`), isNamedHost},
	{URL, "handle", re(`(?:^|[\s(])(@[A-Za-z][\w.]{3,30})\b`), nil},
	{IP, "IPv4", re(`\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b`), isIPv4},
	{IP, "IPv6", re(`(?i)\b(?:[0-9a-f]{1,4}:){3,7}(?::?[0-9a-f]{1,4}){1,4}\b`), nil},
	{IP, "IPv6, short", re(`(?i)\b(?:[0-9a-f]{1,4}:){1,6}:(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){0,5})?(?:/\d{1,3})?`), hasDigits(2)},
	{Device, "MAC", re(`(?i)\b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b`), isAddressOfACard},

	{SSN, "SSN", re(`\b\d{3}-\d{2}-\d{4}\b`), isSSN},
	{SSN, "SSN, labelled", re(`(?i)\b(?:ssn|soc(?:ial)?\.? sec(?:urity)?\.?|sin|tax id|tin|steuer-?id)` + sep + `((?:[x*]{3}|\d{3})[ -]?(?:[x*]{2}|\d{2})[ -]?\d{4})\b`), nil},
	{SSN, "identity card", re(`\b\d{17}[\dXx]\b`), nil},
	{SSN, "NHS number", re(`\b\d{3}[ -]?\d{3}[ -]?\d{4}\b`), isNHS},
	{SSN, "DNI and NIE", re(`\b(?:\d{8}|\d{2}\.\d{3}\.\d{3}|[XYZ]-?\d{7})[- ]?[A-Z]\b`), nil},
	{SSN, "national insurance", re(`\b[A-CEGHJ-PR-TW-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D]\b`), nil},
	{SSN, "Krankenversichertennummer", re(`\b[A-Z]\d{9}\b`), nil},

	{Phone, "phone, labelled", re(`(?i)(?:\b(?:tel|telephone|telefon|teléfono|tfno|tlf|phone|ph|mobile|mob|movil|móvil|handy|cell|pager|fax|funk|home|work|landline|rückruf|call(?:ed)?(?: (?:him|her|them|us|me|back))?(?: (?:on|at|back on))?|ring(?: (?:him|her|them|us|me))?(?: on)?|text|whatsapp|contact|reach(?:ed)?(?: at)?)\b|☎|📞)\.?(?: *\([a-z]+\))?` + sep + dial), isDialled},
	{Phone, "fax, labelled", re(`(?i)\b(?:fax|tel|durchwahl|dw|ext|extension|extn|bleep|blp|pager|page|pgr|beeper|vocera|ascom|klappe|int|dect|busca|interno|anexo|apparat|funk|转|分机)\.?` + `(?:[ \t]*(?:[:#=|]|no\.?|nr\.?))?[ \t]*(-? ?\d(?:[ -]?\d){2,5})\b`), nil},
	{Phone, "extension, Chinese", re(`(?:转|分机|内线|短号)[ :]*(\d{3,6})`), nil},
	{Phone, "name of a messenger", re(`(?i)\b(?:skype|telegram|signal|wechat|line|teams|zoom|healthlink|instagram|insta|facebook|fb|ig|twitter)(?: ?(?:id|name|handle))?[ :]+([a-z][\w.:-]*[\d_.:][\w.:-]*)`), nil},
	{Email, "e-mail, in words", re(`(?i)\b[a-z0-9._]+(?: [a-z]+)? (?:at|\(at\)|\[at\]|@) (?:[a-z0-9-]+ ){1,3}(?:dot|punkt|punto|\(dot\)|\[dot\]) (?:[a-z]{2,10})(?: (?:dot|punkt) [a-z]{2,10})?\b`), nil},
	{Phone, "phone, labelled", re(`(?:电话|手机|联系方式|联系电话|传真|座机|热线)\s*[:|]?\s*` + dial), hasDigits(6)},
	{Phone, "phone, India", re(`\b(?:\+?91[ -])?[6-9]\d{4}[ -]\d{5}\b`), nil},
	{Phone, "phone, China", re(`\b1[3-9]\d[ -]?\d{4}[ -]?\d{4}\b`), nil},
	{Phone, "phone, China", re(`\b0\d{2,3}-\d{7,8}\b`), nil},
	{Phone, "WeChat", re(`(?i)(?:微信|wechat|qq)(?:号)?\s*[:|]?\s*([A-Za-z0-9_-]{5,20})`), nil},
	{Phone, "phone, international", re(`(?:\+|\b00)\d{1,3}[ .\-/]?(?:\(0\)[ .\-]?)?\(?\d[\d ().\-/]{5,16}\d\b`), isDial},
	{Phone, "phone, North America", re(`(?:\b1[ .\-])?(?:\(\d{3}\) ?|\b\d{3}[ .\-/])\d{3}[ .\-]\d{4}\b(?: ?(?i:x|ext\.?|#|opt\.?) ?\d{1,5})?`), nil},
	{Phone, "phone, area in brackets", re(`\(0\d{1,5}\) ?\d{2,4}(?:[ \-]?\d{2,5}){0,3}\b`), hasDigits(8)},
	{Phone, "phone, trunk prefix", re(`\b0\d{2,5} ?[ /-] ?\d{2,8}(?:[ -]\d{1,5}){0,4}\b`), isDial},
	{Phone, "phone, trunk prefix", re(`\b0[1-9]\d{8,9}\b`), nil},
	{Phone, "phone, Spain", re(`\b[6789]\d{2}[ .-]?\d{3}[ .-]\d{3}\b|\b[6789]\d{2}[ .-]\d{2}[ .-]\d{2}[ .-]\d{2}\b`), nil},
	{Phone, "phone, local", re(`(?i)\b(?:call|phone|tel|cell|home|work|at|reach|ring|fax|contact|number|on|is|:)[ :.]*(\d{3}-\d{4})\b`), nil},
	{Phone, "phone, example", re(`\b555[-.]\d{4}\b`), nil},

	{Age, "age", re(`(?i)\b(?:aged?|alter|edad|aet\.?)[ \t]*(?:of|is|von|[:|])?[ \t]*(9\d|1[0-2]\d)\b`), nil},
	{Age, "years old", re(`(?i)(?:^|[^\d.,±])\b(9\d|1[0-2]\d)(?:[ -]*(?:years?|yrs?|y)[ -]*(?:old|of age)|[ -]*(?:jährige[rnms]?|jaehrige[rnms]?|jahre(?:n)?|j\.|años|yrs?\b|years?\b)|\s*-?\s*y/?[/.]?o\b)`), nil},
	{Age, "age and sex", re(`(?:^|[^\w.,/-]|\D,)(?:(9\d|1[01]\d) ?(?:[FMfmV]\b|[♀♂])|(9\d|10[1-9]|11[1-9]) ?[Ww]\b)(?: |,|\.|;|$|\n|\))`), nil},
	{Age, "age", re(`(?i)\b(?:turned|is now|now aged|wird|is|am|turning)(?: (?:just|nearly|almost|already))? (9\d|1[01]\d)\b(?:[ ,.!)]|$)`), nil},
	{Age, "age, in words", re(`九十[一二三四五六七八九]?|一百(?:零[一二三四五六七八九])?岁`), nil},
	{Age, "sex and age", re(`(?:^|[^\pL/])(?:F|M|female|male|woman|man|lady|gentleman),? ?(?:aged )?(9\d|1[01]\d)(?:$|[^\w.]|\.(?:$|\D))`), nil},
	{Age, "nonagenarian", re(`(?i)\b(?:nonagenarian|centenarian)\b`), nil},
	{Age, "Chinese age", re(`(9\d|1[0-2]\d)\s*(?:周?岁)`), nil},

	{Record, "record number", re(`(?i)\b(?:mrn|mr|m\.r\.n\.?|med(?:ical)?\.? rec(?:ord)?\.?|records?|hosp(?:ital)?|pat(?:ient)?|pt|chart|case|unit|ur|urn|uhid|accession|acc|specimen|sample|lab|encounter|visit|admission|episode|file|order|requisition|report|study|exam|chi|hn|pid|pas|nhc|referral|booking|invoice|receipt|ticket|protocol|subject|participant|screening|barcode|request|req|prescription|script|rx)\.?[ \t]*(?:#|id\b|no\b\.?|num(?:ber)?\b\.?|nr\b\.?|mrn|ref\b|n\.?º)` + sep + code), hasDigits(3)},
	{Record, "MRN", re(`(?i)\b(?:mrn|urn|ur|uhid|nhs|chi|h\+c|nhc|cipa?|pid|uid|guid|emr|ehr|epic|dossier|id|ids|ipp|hosp(?:ital)?|h&c|dva|tsi|cn|ppn|pesel|bsn|ahv|svnr|kvnr|versicherten-?(?:nr|nummer)|patienten-?(?:nr|nummer|id)|fall-?(?:nr|nummer|id)|aufnahme-?(?:nr|nummer)|akten(?:zeichen)?|az|auftrags-?(?:nr|nummer)|labor-?(?:nr|nummer)|proben?-?(?:nr|nummer)|historia(?: clínica)?|n\.?º? ?hc|expediente|episodio|nass|nuss|n\.?s\.?s\.?|seguridad social|tarjeta sanitaria|tis|curp|rfc|dni|nie|nif|cedula|cédula|medicare|medicaid|ihi|our ref|your ref|ref|reference|zeichen)\b\.?` + sep + code), isRecordNumber},
	{Record, "Chinese record number", re(`(?:病历号?|住院号|住院病历号|门诊号|就诊号|登记号|病案号|檔號|档号|编號|編號|病歷號碼?|身分證字?號?|健保卡號?|住院號|門診號|檢體編?號?|標本號|樣本|样本|掛號|就診號|單號|筛选号|受试者编?号|检查号|检验号|标本号|条码号?|编号|卡号|医保号?|医保卡号?|社保号?|社会保障号|影像号|病理号|X线号|CT号|就诊卡号?|证件号码?|身份证号?码?|护照号?|工号|执业证号?|发票号|单号)\s*[:|]?\s*([A-Za-z0-9][A-Za-z0-9 /-]{2,24}[A-Za-z0-9])`), nil},
	{Account, "account", re(`(?i)\b(?:account|acct|a/c|policy|póliza|poliza|member(?:ship)?|subscriber|beneficiary|insurance|insured|insurer|claim|authori[sz]ation|auth|medicare|medicaid|medi-?cal|hicn|mbi|card|kreditkarte|konto|iban|bic|sort code|cuenta|mutua|aetna|cigna|anthem|bcbs|uhc|humana|kaiser|bupa|aok|tk|barmer|dak)\.?[ \t]*(?:member|card|group|policy|plan)?[ \t]*(?:#|id\b|no\b\.?|num(?:ber|mer)?\b\.?|nr\b\.?|n\.?º|:)` + sep + code), hasDigits(3)},
	{Account, "card", re(`\b(?:\d[ -]?){12,18}\d\b`), isCard},
	{Account, "IBAN", re(`\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b`), isIBAN},
	{Licence, "licence, Chinese", re(`\p{Han}{0,4}字第 ?[A-Z0-9]{3,9} ?[号號]`), nil},
	{Licence, "licence", re(`(?i)\b(?:licen[cs]e|lic|certificate|cert|registration|reg|gmc|nmc|hcpc|gphc|ahpra|mcr|imc|npi|dea|upin|passport|reisepass|personalausweis|pasaporte|driver'?s? licen[cs]e|dl|cbp|cmp|rne|病专|colegiado|n\.?º? ?col|col|lanr|bsnr|arzt-?nr|efn|pin|provider|prescriber|pcn|bin|grp)\b\.?` + sep + code), hasDigits(4)},
	{Licence, "DEA number", re(`\b[A-Z]{2}\d{7}\b`), isDEA},
	{Vehicle, "VIN", re(`\b[A-HJ-NPR-Z0-9]{17}\b`), isVIN},
	{Vehicle, "plate", re(`(?i)\b(?:licen[cs]e plate|number plate|registration plate|plate|kennzeichen|matr[íi]cula|mat\.|rego|vrm|(?:car|vehicle|ambulance|van|truck) reg(?:istration|o)?|车牌号?)\b` + sep + `([\p{L}0-9][\p{L}0-9 ·-]{1,9}[\p{L}0-9])\b`), isPlate},
	{Vehicle, "plate, China", re(`[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼][A-Z]·?[A-Z0-9]{5,6}\b`), nil},
	{Vehicle, "plate, Germany", re(`\b[A-ZÄÖÜ]{1,3}-[A-Z]{1,2} ?\d{1,4}\b`), isPlateShape},
	{Vehicle, "plate, United Kingdom", re(`\b[A-Z]{2}\d{2} [A-Z]{3}\b`), nil},
	{Device, "serial number", re(`(?i)\b(?:serial|s/n|sn|udi|device|lot|implant|batch|model|ch\.-?b|charge(?:n-?nr)?|seriennummer|serien-?nr|nº de serie|lote|gerät|pacemaker|icd|lead|lens|pump|meter|monitor|imei|mac)\.?[ \t]*(?:#|id\b|no\b\.?|num(?:ber)?\b\.?|nr\b\.?|s/n|sn|:)` + sep + code), hasDigits(2)},
	{Device, "serial number", re(`(?i)\b(?:serial|s/n|sn|udi|imei|lot)\b[ \t]*` + code), hasDigits(4)},
	{Device, "UDI", re(`\(01\)\d{14}(?:\(\d{2}\)[A-Za-z0-9]+)*`), nil},
	{Record, "letters in slashes", re(`\b([A-Za-z]{1,5}(?:/[A-Za-z]{1,5}){1,2}/[A-Z]?\d{4,}(?:[/-]\d{1,6})*)\b`), nil},
	{Record, "UUID", re(`(?i)\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b`), nil},

	{Place, "street", re(`\b\d{1,5}[A-Za-z]?(?:[-/]\d{1,4}[A-Za-z]?)?,? +(?:[A-Z0-9][\p{L}\d.'-]*\s+){1,4}(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Way|Place|Pl|Square|Sq|Terrace|Tce|Close|Crescent|Cres|Row|Gardens|Gdns|Yard|Mews|Hill|Grove|Park|Walk|Track|Highway|Hwy|Parade|Pde|Circle|Cir|Trail|Parkway|Pkwy|Plaza|Loop|Rise|View|Green|Quay|Wharf|Alley|Path|Route|Turnpike|Pike|Point|Ridge|Run|Bend|Crossing)\b\.?`), nil},
	{Place, "street, without a number", re(`\b(?:[A-Z][\p{L}.'-]+ ){1,3}(?:Street|Avenue|Ave|Road|Rd|Lane|Ln|Boulevard|Blvd|Crescent|Terrace|Mews)\b\.?`), isFacility},
	{Place, "way to a place", re(`\b(?:[AMB] ?\d{1,4},? (?:km \d+(?:[.,]\d)?|layby|near|nr|J\d+)[^\n,;.]{0,40}|[NS]\d{1,2} \d{1,2}(?:\.\d+)? [EW]\d{1,3} \d{1,2}(?:\.\d+)?)`), nil},
	{Place, "house", re(`\b(?:Flat|Apt|Apartment|Suite|Unit|Lot|Plot|House|Box|P\.?O\.? Box|Postfach|Apartado|Wohnung|Piso|Apto|Ste)\.? ?#?\d+[A-Za-z]?\b`), nil},
	{Place, "flat", re(`(?i)\b(?:apt|apartment|flat|suite|ste)\.? *#? *\d+[a-z]?\b`), nil},
	{Place, "street, German", re(`(?:\b(?:Am|An der|Auf der|Auf dem|Im|In der|Zum|Zur|Unter den|Alte[rn]?|Neue[rn]?|Große|Kleine|Hohe|Lange) )?(?:\p{Lu}[\p{L}.'-]*[ -]){0,3}(?:\p{Lu}[\p{L}-]{2,})(?:[Ss]traße|[Ss]trasse|[Ss]tr\.?|[Kk]ai|[Qq]uai|[Zz]eile|[Bb]oden|[Ww]eg|[Aa]llee|[Pp]latz|[Gg]asse|ring|damm|[Uu]fer|[Cc]haussee|[Ss]teig|[Ss]tieg|hof|[Mm]arkt|[Tt]eich|[Gg]raben|[Pp]fad|[Ww]iese|[Ww]inkel) ?\d{1,3} ?[a-z]?\b`), nil},
	{Place, "street, German", re(`\b(?:Am|An der|Auf der|Auf dem|Im|In der|Zum|Zur|Unter den) \p{Lu}[\p{L}-]+ \d{1,4} ?[a-z]?\b`), nil},
	{Place, "street, Spanish", re(`\b(?:C/ ?|[Cc]alle|Avda\.?|Avenida|Av\.|Plaza|Pza\.?|Paseo|P\.º|Camino|Carretera|Ctra\.?|Ronda|Travesía|Urb\.?|Urbanización|Colonia|Col\.|Barrio|Bulevar|Pasaje) ?(?:de |del |de la |de los |de las |la |el |los |las )*\p{Lu}[\p{L}'-]+(?: (?:de |del |la |y )*\p{Lu}[\p{L}'-]+){0,4}(?:,? (?:n\.?º ?|núm\.? ?|#)?\d{1,4} ?[A-Za-z]?\b)?(?:,? ?(?:\d{1,2}\.?[ºª]|piso \d+|bajo|ático)(?: ?-? ?(?:[A-Z]\b|izda\.?|dcha\.?|\d+[ºª]?))?)?`), isSpanishStreet},
	{Place, "postal code and town", re(`\b(?:D-|A-|CH-|E-)?\d{5} (?:de |del |la |el )?\p{Lu}[\p{Ll}\p{M}]+(?:[ -](?:(?:am|an der|im|in|ob der|vor der|bei|de|del|la|los|las|el) )*\p{Lu}[\p{Ll}\p{M}]+)*(?:/\p{Lu}\p{Ll}+)?`), isTown},
	{Place, "postal code and town, Austria", re(`\b(?:A-|CH-)?[1-9]\d{3} \p{Lu}[\p{Ll}\p{M}]{3,}\b(?: am \p{Lu}\p{Ll}+)?`), isSmallTown},
	{Place, "state and ZIP", re(`(?:(?:[A-Z][\p{L}.'-]+ ){0,2}[A-Z][\p{L}.'-]+,? )?\b(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY]|AB|BC|MB|NB|NS|ON|QC|SK|NSW|VIC|QLD|SA|TAS|ACT|NT),? +\d{4,5}(?:-\d{4})?\b`), nil},
	{Place, "town and state", re(`\b(?:[A-Z][\p{L}.'-]+ ){0,2}[A-Z][\p{L}.'-]+, ?(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY]|NSW|VIC|QLD|TAS|ACT)\b`), nil},
	{Place, "ZIP, labelled", re(`(?i)\b(?:zip|postal|postcode|plz|c\.?p\.?|cód(?:igo)? postal)(?:\s*code)?` + sep + `([A-Z]{0,2}\d[A-Z0-9]{2,4}(?:[- ]\d[A-Z0-9]{1,3})?)\b`), nil},
	{Place, "postcode", re(`\b[A-Z]{1,2}\d[A-Z\d]? ?\d[ABD-HJLNP-UW-Z]{2}\b`), nil},
	{Place, "postcode, Canada", re(`\b[A-Z]\d[A-Z] ?\d[A-Z]\d\b`), isCanadian},
	{Place, "facility", re(`\b(?:The )?(?:(?:St\.?|Saint|Sankt|of|[A-Z][\p{L}'-]+)\s+){1,5}?(?:(?:General|University|Community|Memorial|Regional|District|Royal|Base|County|City|Veterans|Children'?s|Women'?s|Teaching|Cottage)\s+)*(?:Hospitals?|Infirmary|Hospice|Medical Cent(?:er|re)|Health Cent(?:er|re)|Nursing Home|Care Home|Retirement Home|Rest Home|Clinic|Surgery|Practice|Pharmacy|Lodge|Ward|Elementary|Primary School|High School|Grammar School|School|Academy|Church|Prison|Airport|Dental|Sanatorium|Rehab(?:ilitation)?(?: Cent(?:er|re))?)\b(?: (?:of|at|in) [A-Z][\p{L}-]+)?`), isFacility},
	{Place, "facility, by its subject", re(`\b((?:[A-Z][\p{L}'-]+ (?:& )?){1,3}(?:Dermatology|Imaging|Radiology|Endoscopy|Orthopa?edics|Cardiology|Oncology|Ha?ematology|Pathology|Diagnostics|Behavioral(?: Health)?|Pa?ediatrics|Urology|Neurology|Family Medicine|Internal Medicine|Medical Group|Regional|Surgical|Women's Health|Home (?:Care|Health)|Eye (?:Clinic|Center|Centre)|(?:Hernia|Heart|Cancer|Spine|Surgery|Birth|Dialysis|Sleep|Fertility) Cent(?:er|re)|Health Board|Health Trust|Labs|Laboratories|General|Infirmary)(?: (?:ED|ER|ICU|Hospital|Center|Centre|Clinic|Unit))?)\b`), isNamedPlace},
	{Place, "facility, German", re(`\b(?:(?:Universitäts|Kreis|Stadt|Fach|Reha|Zentral|Uni|Bezirks|Landes)?(?:[Kk]linikum|[Kk]linik|[Kk]rankenhaus|[Ss]pital)|Praxis|MVZ|Gemeinschaftspraxis|Seniorenheim|Pflegeheim|Altenheim|Apotheke|Labor|Hospiz|Grundschule|Gymnasium|Seniorenresidenz|Haus) (?:(?:St\.|Sankt|Dr\.|am|an der|der|zum|zur|im|in|für|Am|Zum|Zur) )*\p{Lu}[\p{L}-]+(?: \p{Lu}[\p{L}-]+){0,2}(?: g?GmbH)?`), isGermanFacility},
	{Place, "facility, German", re(`\b\p{Lu}[\p{L}-]+-(?:Klinikum|Klinik|Krankenhaus|Hospital|Spital|Apotheke|Stift|Heim|Schule|Gymnasium)\b(?: \p{Lu}[\p{Ll}]+)?`), nil},
	{Place, "facility, Spanish", re(`\b(?:Hospital|Clínica|Centro de Salud|Centro Médico|C\.S\.|CS|Ambulatorio|Residencia|Farmacia|Consultorio|Sanatorio|Policlínica|Complejo Hospitalario|Instituto|Colegio|Universidad|CAP|CAE|E\.I\.|Res\.|Fcia\.(?: Lda\.)?|Gabinete(?: Radiológico)?|Laboratorios?|Óptica|Geriátrico|Maternidad)(?: (?:Universitario|General|Clínico|Comarcal|Regional|Provincial|Infantil|Militar))*(?: (?:de|del|de la|de los|la|el|los|las|San|Santa|Ntra\.|Nuestra|Sra\.|Señora|Virgen))*(?: \p{Lu}[\p{L}'-]+){1,4}`), isSpanishFacility},
	{Place, "address, labelled", re(`\b(?i:address|addr|home address|residence|anschrift|adresse|wohnhaft(?: in)?|wh\.|domicilio|dirección|lives? at|resides? at|living at|住址|地址|家庭住址|户籍|户口地址|籍贯|现住址|通讯地址|工作单位|单位|出生地)[ \t]*[:|]?[ \t]*((?:\p{Han}[^\n|;,]{3,60}|[\p{Lu}\d#][\p{L}\d.'#/()º-]*)(?:,? (?:(?:de|del|la|las|los|el|of|the|an|der|am|im|in|on|upon|via|near|bei|by|n\.º|nº|piso|bajo|flat|apt|unit)\b ?)*[\p{Lu}\d#][\p{L}\d.'#/()º-]*)*)`), isAddress},
	{Place, "coordinates", re(`[-+]?\d{1,2}\.\d{3,8}° ?[NS]?,? *[-+]?\d{1,3}\.\d{3,8}° ?[EWO]?|[-+]?\d{1,2}\.\d{4,8}, ?[-+]?\d{1,3}\.\d{4,8}\b`), nil},
	{Place, "coordinates", re(`\b\d{1,2}\.\d{3,8} ?[NS],? *\d{1,3}\.\d{3,8} ?[EWO]\b`), nil},
	{Place, "coordinates", re(`\d{1,2}[°º] ?\d{1,2}['′] ?(?:\d{1,2}(?:\.\d+)?["″'']{1,2})? ?[NS],? *\d{1,3}[°º] ?\d{1,2}['′] ?(?:\d{1,2}(?:\.\d+)?["″'']{1,2})? ?[EWO]`), nil},
	{Place, "grid reference", re(`(?i)\b(?:grid ref(?:erence)?|os grid|what3words|w3w|plus code)[ .:]*([A-Z0-9/][A-Za-z0-9./+ ]{4,30}[A-Za-z0-9])`), nil},
	{Place, "Chinese address", re(`(?:\p{Han}{2,5}省)?(?:\p{Han}{2,5}市)?(?:\p{Han}{1,5}[区县旗])?(?:\p{Han}{1,6}[镇乡])?(?:\p{Han}{1,6}(?:路|街道|街|大道|巷|弄|村|胡同|小区|花园|新村|苑|里))(?: *\d{1,5} *(?:弄|号|巷))+(?: *\d{1,5} *(?:号楼|号|室|栋|楼|幢|单元|层|座))*`), nil},
	{Place, "Chinese address", re(`\p{Han}{2,4}省(?:\p{Han}{2,5}市)?(?:\p{Han}{1,5}[区县])?(?:\p{Han}{1,6}[镇乡村])*|\p{Han}{2,3}市\p{Han}{1,4}[区县](?:\p{Han}{1,5}(?:镇|乡|街道|村|小区|社区))*`), isBelowProvince},
	{Place, "Chinese facility", re(`(?:\p{Han}{2,6}[省市区县])?(?:\p{Han}{1,5})?(?:第[一二三四五六七八九十]+|人民|中心|附属|儿童|妇幼保健|妇产|中医|中西医结合|协和|肿瘤|胸科|口腔|眼科|友谊|同济|华山|瑞金|大学)+(?:人民|医科大学|附属|中心)*(?:医院|卫生院|卫生服务中心|保健院|诊所|大学|中学|小学|幼儿园)`), nil},
	{Place, "Chinese facility", re(`(?:\p{Han}{2,8})(?:养老院|敬老院|福利院|卫生服务中心|卫生院|卫生所|小学|中学)`), nil},
	{Name, "folder of a user", re(`(?:[\\/](?:Users|home|Benutzer|Usuarios|Documents and Settings)[\\/])([\w.-]{2,40})`), nil},
	{Record, "file name in quotation marks", re(`"([^"\n/]{3,60}\.(?i:pdf|docx?|rtf|odt|txt|jpe?g|png|tiff?|xlsx?|csv))"`), isPersonalFile},
	{Record, "file name", re(`[\p{L}\p{N}_][\p{L}\p{N}_.+()-]{2,80}\.(?i:pdf|docx?|rtf|odt|txt|log|pco|edf|bak|jpe?g|png|tiff?|bmp|heic|dcm|dicom|xlsx?|csv|tsv|hl7|xml|json|zip|mp[34]|wav|m4a|mov|eml|msg|pptx?|html?)\b`), isPersonalFile},
}

// personalRules apply in notes about people only: elsewhere such forms are mostly something else.
var personalRules = []rule{
	{Record, "number after a sign", re(`(?i)(?:\b[\p{L}-]*(?:no|nos|nr|núm|nummer|number|id|ref|code|kod|serie|lote|seal|job|offer|claim|kit|lab|karte|chiffre|cert|fob|employee|collar|case|prescription|request|scr|rand|carn[eé]|cc|rut|m\.p|afil|tel|anexo|az|nomis|pnc|cad|prf|vorgang|auftrag|konserve|iptus|iaptus)\b[.:#º]*|#|nº)[ :.#]*((?:[A-Z]{1,5}[ ./-]?)?\d[A-Z0-9]*(?:[-./ ][A-Z0-9]*\d[A-Z0-9]*)*(?:-[A-Z]{1,4})?)\b`), isNumbered},
	{Phone, "extension", re(`(?:^|[ ,(;:])([xX]\d{3}|[xX] ?\d{4,6})(?:[ ,.;)\n]|$)`), nil},
	{Record, "number in slashes", re(`\b([A-Za-z]{2,5}(?:/[A-Za-z]{1,5})?/[A-Z]?\d{3,}(?:[/-]\d{1,6})*)\b`), nil},
	{Record, "file", re(`(?i:\b(?:case file|file|dossier|akte|chart|folio|subj(?:ect)?|site)) ((?:[A-Z]{1,5}-)?\d{3,8}(?:-\d{2,6})?)\b`), nil},
	{Record, "long number", re(`\b\d{6,20}\b`), nil},
	{Record, "number in groups", re(`\b\d{1,6}(?:[ -]\d{3,6}){1,5}(?:[ -][A-Z0-9]{1,3})?\b`), isGrouped},
	{Record, "letters and groups", re(`\b([A-Z]{1,4}[ -]?\d{1,6}(?:[ -]\d{2,6}){1,5}(?:[ -][A-Z0-9]{1,3})?)\b`), isLettered},
	{Record, "letters and digits", re(`\b(?:[A-Z]{1,6}[-/_])?[A-Z]*\d[A-Z0-9]*(?:[-/.][A-Z0-9]+)*\b`), isRecordShape},
	{Record, "letters and a number", re(`\b([A-Z]{2,5} \d{5,10}(?:-[A-Z0-9]{1,3})?)\b`), isLettered},
	{Phone, "number with a zero", re(`(?:^|[^\w.,/-])(0 ?\d[\d ()./-]{6,18}\d)\b`), isDial},
	{Phone, "number with a letter O", re(`(?:^|[^\w])(\+?[0o][\dO ()./-]{6,16}[\dO])\b`), hasDigits(8)},
	{Phone, "number in dots", re(`\b\d{3}\.[\dO]{3}\.[\dO]{4}\b`), nil},
	{Phone, "last digits", re(`(?i)(?:/|or|und|oder|and) ?(-\d{2,4})\b`), nil},
	{Phone, "number in single digits", re(`\b\d(?: \d){6,12}\b`), nil},
	{Phone, "number with a star", re(`(?:^|\s)(\*\d?-?\d{3,5})\b`), nil},
	{Date, "numbers with spaces", re(`\b(?:0[1-9]|1[0-2]) (?:0[1-9]|[12]\d|3[01]) (?:\d{4}|\d\d)\b`), nil},
	{Place, "place", re(`\b(?:in|at|from|near|nr|via|to|visiting|aus|in|nach|bei|en|de|lives in|born in|donor hosp|hotel|site) ((?:(?:St\.?|San|Santa|Los|Las|Bad|New|Old|Upper|Lower|Great|Little|North|South|East|West|Port|Mount|Fort|The) )?[A-Z][\p{Ll}\p{M}'-]+(?:[ -](?:(?:upon|on|under|le|la|de|del|am|an der|in|by|the|of|a\. d\.)[ -])?[A-Z][\p{Ll}\p{M}'-]+){0,3})`), isPlaceName},
	{Place, "ward", re(`\b(?:Ward|Station|Bay|Pabellón|Planta|Sala|Flur|Zimmer|Zi\.|Room|Rm|Hab\.?|Habitación|Cama|Box|cell|room|ward|bay|chair|Jct|Bed) ?(?:[A-Z]{1,4} ?-?)?\d{1,4}(?:-\d{1,4})?[A-Za-z]?\b`), nil},
	{Place, "place by its kind", re(`\b((?:The )?(?:[A-Z][\p{L}'-]+ (?:& )?){1,4}(?:Ward|ward|House|Lodge|Cottage|Barn|Inn|Hotel|Arms|Court|Hall|Manor|Villa|Farm|Nursery|Bakery|Freight|Ltd|Limited|GmbH|AG|Inc|LLC|Plc|PLC|Academy|Polyclinic|Private|General|Infirmary|Hosp|Hospital|Centre|Center|Stift|Surgery|Depot|depot|Baths|baths|Lido|roundabout|branch|Basin|Bank|Medical|Genetics|Dental|Pharmacy|Herbs|Stores?|Supermarket|Garage|Chapel|Church|Baptist|Mosque|Temple|Synagogue|Cathedral|Priory|Abbey|College|University|Institute|Primary|Secondary|Elementary|Kindergarten|Creche|Prison|Barracks|Station|station|Park|Bay|Hill|Island|Beach|Gate|Green|Bridge|Wood|Vale|Junction|Quarter|satellite|Unit|Nurses|Visiting Nurses|Mental Health Services?|Health Services?|Multi-Purpose Service|Research Facility|HC|Drug|Utility|bypass|packing shed|shed|boat ramp|allotment|footy ground|oval|Surgeries|Hospice))\b`), isNamedPlace},
	{Place, "place by its kind, German", re(`\b(?:\p{Lu}[\p{L}-]*)?(?:[Ss]parkasse|[Kk]linik|[Kk]linikum|[Ss]tift|[Ii]nstitut|[Aa]gentur|[Hh]eim|[Ss]chule|[Pp]raxis|[Aa]potheke|[Ww]erke?|[Kk]irche|[Zz]entrum|[Kk]indergarten|[Kk]ita|[Hh]ospiz|[Rr]esidenz|BKK|AOK|Pietät|Taxi|Möbel|Physio|[Aa]mbulanz|Psychiatrische Klinik) \p{Lu}[\p{L}-]+(?: \p{Lu}[\p{L}-]+)?(?: g?(?:GmbH|AG|e\.V\.))?`), isGermanFacility},
	{Place, "place by its kind, Spanish", re(`\b(?:[Pp]osta|[Ll]iceo|[Vv]ereda|[Ff]inca|[Bb]arrio|[Ss]ala|[Jj]ardín|[Ee]scuela|[Cc]olegio|[Cc]aserío|[Cc]omunidad|[Mm]ercado|[Ii]glesia|[Pp]arroquia)(?: (?:de|del|la|el|Técnico|Municipal|Nacional))* \p{Lu}[\p{L}'-]+(?: (?:de |del |la )*\p{Lu}[\p{L}'-]+){0,2}`), nil},
	{Place, "Chinese place", re(`(?:从|飞往|飞回|来自|回到|前往|转至)(\p{Han}{2,4}?)(?:回|带|飞|来|转|返|老家|[,.;、]|$)`), nil},
	{Place, "Chinese place by its kind", re(`\p{Han}{2,8}(?:厂|公司|速递|速遞|快递|快遞|药房|藥房|药店|藥局|診所|诊所|诊疗所|实验室|實驗室|治疗中心|治療中心|警署|派出所|護理院|护理院|支行|分行|银行|车间|商场|超市|公园|小区|花园|园区|卫生室|医院|村)(?:[A-Z]?\d+[栋楼号室]?)?`), nil},
}

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
	{Record, "label", re(`(?:\bMR[ #:]+|(?i:\bpat\.?nr)[.: ]+)(\d{2,4}(?:[- ]\d{2,4}){2,3}|\d{6,10})\b`), nil},
	{Record, "label", re(`\b(?:H\. ?C\.?|(?i:ficha(?: cl[ií]nica)?|expediente|folio|cert(?:ificado|\.)?(?: de)? (?:defunci[óo]n|nacimiento)|acta(?: de \pL+)?))[ :]*(?i:n\.?[º°o]\.?|núm\.?|nro\.?|#)?[ :]*((?:[A-Z]{1,3}[ -])?\d[\d.\-/]{1,12}\d)\b`), hasDigits(4)},
	{Record, "label", re(`(?i:\b(?:slides?|histo(?:logy)?))[ .:#]*(?i:no\.? ?)?([A-Z]{1,2}[ -]?\d{2,6}[/-]\d{2,6})\b`), nil},
	{Record, "plate behind its vehicle", re(`(?i:\b(?:pkw|kfz|auto|wagen|fahrzeug|kennz\pL*|mofa|motorrad|lkw)\b[^\n\d-]{0,20}?[ (:])([A-ZÄÖÜ]{1,3}[ -]?\d{1,5} ?[A-Z]{1,3})(?:[^\pL\d]|$)`), isRegistration},
	{Record, "plate behind its vehicle", re(`(?i:\b(?:ambulancia|unidad|patrulla|m[óo]vil|camioneta|mototaxi|taxi|auto|cami[óo]n)(?: de)?(?: placas?)?:? )([A-Z]{2,3}-\d{3,4}|[A-Z]\d[A-Z]-\d{3})\b`), nil},
	{Phone, "phone behind words", re(`\b(?:HP|H/P|Hp|hp|hse|Hse)[ .:]*([3689]\d{3} ?\d{4})\b`), nil},
	{Phone, "fax, labelled", re(`\b(?:Nebenstelle|KL\.|Kl\.)[: ]{1,2}(\d{3,5})\b`), nil},
	{Record, "lot behind its vaccine", re(`\b(?i:pcv-?(?:7|10|13|15|20)|men-?(?:b|c|acwy)|hexa(?:valente)?|penta(?:valente)?|rota(?:virus)?|dtap|tdap|mmrv?|hpv-?[249]?|hep-?[ab]|hib|ipv|opv|bcg|kinrix|proquad|pediarix|pentacel|vaxelis|infanrix(?:[ -]hexa)?|hexyon|prevenar(?:[ -]?(?:13|20))?|bexsero|priorix(?:[ -]tetra)?|boostrix|repevax|shingrix|varivax|6-in-1|havrix|engerix(?:-b)?|rotarix|rotateq|nimenrix|menveo|fluad|encepur|fsme-immun)(?: (?i:[lr]|li|re|im|sc|po))?[ :]{1,2}([A-Z0-9]{5,9})\b`), isMixedShape},
	{Record, "lot", re(`\b(?:(?i:lots?|lote|ch(?:arge)?\.-?b\.?|charge|batch|serial(?: no)?|s/n)|SN)\.?[ \t:#]*(?:(?i:no|nr|nº|n°)\.? ?)?([A-Z0-9][A-Z0-9/-]{3,15})\b`), isMixed},
	{Record, "number and a letter", re(`\b\d{7,8}[A-Z]\b`), nil},
	{Record, "plate behind a car", re(`(?i:\b(?:vehicle|parking|parked|plates?|rego|number plate|ute|van|car|truck|driving an?)\b[^\n\d]{0,12}?[ (:])((?:[A-Z]{2,4} \d{2,4}|\d{2,4} [A-Z]{2,3}|[A-Z]{2,3} \d[A-Z]\d|\d[A-Z]{2}-?\d[A-Z]{2})(?: \d{1,4})?)\b`), isRegistration},
	{Name, "initials of a typist", re(`(?m)(?:(?:\b[DT]:?|[Dd]ictat\w*|[Dd]iktiert|[Tt]ranscri\w*|[Tt]yped|[Ss]igned\)?|read\)?) ?[^\n]{0,30}?[ \t])([A-Za-z]{2,4}[:/][a-z]{2,4})[ \t]*(?:$|Job\b|[DT]:)`), isTypist},
	{Name, "initials of a typist", re(`(?m)(?:^|[ \t]{2,})([A-Z]{2,4}[:/][a-z]{2,4})(?:[ \t]{2,}|[ \t]*$)`), isTypist},
	{Name, "initials of a typist", re(`(?m)\b([A-Z]{2,4}[:/][a-z]{2,4})[ \t]+(?:[Dd]ictated|Job)\b`), isTypist},
	{Name, "name of a user", re(`(?i:\b(?:scribed?|dok|doc|facultativo(?: de guardia)?|bearbeiter|bearb|verified|validated|entered|resulted|released|authenticated|reviewed|signed|read|packed|performed|collected|received|user|tech|op|operator|analyst|printed|exported|impreso|impr\.|registrado|export|prelim|prepared|created|filed|scanned|acknowledged|gedruckt|validado|tramitado|firmado|freigegeben|vidiert)(?: electronically)?(?: by| por| von| durch)?:? +)([a-z]{3,14}\d{0,3}|[a-z]+\.[a-z]+|[A-Z]{5,12}\d{0,2})(?:[ ,.;\n]|$)`), isUser},
	{Name, "name of a user", re(`(?m)(?:^|[ \t|;,\[])(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?Z?|\d{1,2}/\d{1,2}/\d{2,4}(?: \d\d:\d\d(?::\d\d)?)?)[\]]?[ \t|;,]+([a-z]{4,14}\d{0,3}|[a-z]+[._][a-z]+)(?:[ \t]{2,}| ?[|;,]|[ \t]*$)`), isUser},
	{Name, "name of a user", re(`(?m)^[dl-][rwxst-]{9}[+.@]? +\d+ ([a-z][\w.-]{2,20}) `), isNoRoot},
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
	if isDigit(s[0]) && strings.Contains(s, "@ ") {
		return false // APTT 62 @ 4h. No heparin
	}
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
	if findings[b] {
		return false // CVS:nad
	}
	if a == strings.ToUpper(a) && b == strings.ToLower(b) && strings.Contains(s, ":") {
		return true
	}
	return !(len(a) > 2 && isWord(strings.ToLower(a)) || len(b) > 2 && isWord(b)) && !functionWords[strings.ToLower(a)] && !functionWords[b] && !unitNear(b) && !isMedicine(strings.ToLower(a)) && !isMedicine(b)
}

// findings are what stands behind the short name of a part of the body.
var findings = plaintext.Set(`nad nil neg pos reg wnl nl snt ctab cta ok norm nt nd nkda na nka rrr`)

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

// isNoRoot refuses the owner of files who is nobody.
func isNoRoot(s string) bool { return s != "root" && s != "nobody" }

// isUser refuses words and abbreviations of medicine.
func isUser(s string) bool {
	lower := strings.ToLower(s)
	return strings.ContainsAny(s, ".0123456789") && !isMedicine(lower) && len(digitsOf(s)) < 4 || len(s) > 5 && !isWord(lower) && !isMedicine(lower) && !known().brand[lower] && !isCompound(lower)
}

// Numbers and dates as people dictate them: "oh seven seven double-oh 900 882", "siebzehnten jänner fünfundvierzig",
// "h as in harry five five two".

// Words of numbers, in English, German and Spanish.
const (
	digitWord = `(?:zero|nought|oh|one|two|three|four|five|six|seven|eight|nine|niner|null|eins|ein|zwei|zwo|drei|vier|fünf|fuenf|sechs|sieben|acht|neun|cero|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|[〇零一二三四五六七八九])`
	tensWord  = `(?:(?:twenty|thirty|forty|fourty|fifty|sixty|seventy|eighty|ninety)(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|zehn|elf|zwölf|(?:drei|vier|fünf|sech|sieb|acht|neun)zehn|(?:(?:ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun)und)?(?:zwanzig|dreißig|dreissig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig)|diez|once|doce|trece|catorce|quince|dieci(?:séis|seis|siete|ocho|nueve)|veinti?(?:uno|dós|dos|trés|tres|cuatro|cinco|séis|seis|siete|ocho|nueve)?|(?:treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa)(?: y (?:uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve))?)`
	repeated  = `(?:double|triple|treble|quadruple|doppel|dreifach|doble|triple)`
	// ordinalWord are the days of a month.
	ordinalWord = `(?:` + spelled + `|(?:ersten?r?|zweiten?r?|dritten?r?|vierten?r?|fünften?r?|sechsten?r?|siebe?n?ten?r?|achten?r?|neunten?r?|zehnten?r?|elften?r?|zwölften?r?|(?:drei|vier|fünf|sech|sieb|acht|neun)zehnten?r?|(?:(?:ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun)und)?(?:zwanzigsten?r?|dreißigsten?r?|dreissigsten?r?)))`
	yearWords   = `(?:(?:nineteen|twenty|two thousand(?: and)?|eighteen|oh|o)(?:[- ](?:hundred|oh|o|` + tensWord + `|` + digitWord + `)){1,3}|` + tensWord + `|(?:neunzehn|acht?zehn|zwanzig|zweitausend)(?:hundert)?(?:und)?(?:` + tensWord + `|` + digitWord + `)?|null ` + digitWord + `|mil novecientos(?: ` + tensWord + `)?|dos mil(?: ` + tensWord + `| ` + digitWord + `)?|(?:18|19|20)?\d\d)`
	spelt       = `(?:` + repeated + `[- ])?(?:` + digitWord + `|o)`
)

var spokenRules = []rule{
	{Phone, "number in words", re(`(?i)\b(?:(?:[a-z]{1,3}|[a-z] (?:as in|for|wie|de) \p{L}+)[ ,]+){0,4}(?:(?:` + spelt + `|\d{1,4})(?:[ ,-]+(?:(?:dash|hyphen|stroke|slash|strich|bindestrich|doppelstrich|punkt|dot|guion|guión|space|and then|then)[ ,-]+)?)){3,}(?:` + spelt + `|` + tensWord + `|\d{1,8})(?:[ ,-]+(?:(?:dash|hyphen|strich|punkt|guion|guión)[ ,-]+)?(?:` + spelt + `|` + tensWord + `|\d{1,8})\b)*\b`), isSpokenNumber},
	{Phone, "number in words, labelled", re(`(?i)\b(?:extension|ext|bleep|pager|dial|durchwahl|klappe|dw|interno|apparat|ends in|ending(?: in)?|last (?:two|three|four)(?: digits)?|endziffern?|nummer|number(?: is)?|schaden nr|versicherungsnummer|versichertennummer|nr|mrn|dni|doc)[ :.]+((?:(?:[a-z]{1,2} |[a-z] (?:as in|for|wie|de) \pL+ ){0,4}(?:` + repeated + `[- ])?(?:` + digitWord + `|` + tensWord + `|\d{1,4}|strich|doppelstrich|punkt|komma|dash|double|o)[ ,-]+){1,14}(?:` + digitWord + `|` + tensWord + `|\d{1,8})|` + tensWord + `)\b`), isLabelledSpoken},
	{Phone, "number in Chinese", re(`[〇零幺一二三四五六七八九]{3,4}[ -]?[〇零幺一二三四五六七八九]{3,4}[ -]?[〇零幺一二三四五六七八九]{3,4}|\b1[3-9]\d ?[加和空] ?\d{4} ?[加和空] ?\d{4}|[〇零幺一二三四五六七八九]{3,4}-?\d?号?(?:分机|内线)`), nil},
	{Phone, "number with words for marks", re(`(?i)\b\d+(?: \d+)*(?: (?:dash|hyphen|slash|stroke|strich|bindestrich|doppelstrich|schrägstrich|punkt|dot|guion|guión|barra) \d+(?: \d+)*)+\b`), hasDigits(5)},
	{Date, "spoken", re(`(?i)\b(?:the )?(?:` + ordinalWord + `|` + day + `(?:st|nd|rd|th)) (?:of |day of )(?:the |month )?(?:` + ordinalWord + `|` + day + `(?:st|nd|rd|th)|` + monthLong + `)(?:,? (?:of )?` + yearWords + `)?\b`), nil},
	{Date, "spoken", re(`(?i)\b(?:den |am |vom |bis |zum |seit )?` + ordinalWord + ` (?:(?:ersten?|zweiten?|dritten?|vierten?|fünften?|sechsten?|siebe?n?ten?|achten?|neunten?|zehnten?|elften?|zwölften?)r?|` + monthLong + `|` + monthShort + `)(?: ` + yearWords + `)?\b`), isSpokenDate},
	{Date, "spoken", re(`(?i)\b(?:` + digitWord + `|` + tensWord + `|\d{1,2}|primero) (?:días? del mes )?de ` + monthLong + `(?: (?:de|del|de el)(?: año)? ` + yearWords + `)?\b`), nil},
	{Date, "spoken", re(`(?i)\b(?:` + digitWord + `|` + tensWord + `|primero) del (?:` + digitWord + `|` + tensWord + `) del? ` + yearWords + `\b`), nil},
	{Date, "spoken", re(`(?i)\b` + monthLong + ` del? (?:` + tensWord + `|dos mil(?: ` + tensWord + `| ` + digitWord + `)?)\b`), nil},
	{Date, "spoken day", re(`(?i)\b(?:lunes|martes|mi[ée]rcoles|jueves|viernes|s[áa]bado|domingo) (?:` + tensWord + `|` + digitWord + `)\b`), nil},
	{Date, "spoken", re(`(?i)\b(?:` + monthLong + `|feb|sept?|oct|nov|dec|jan|aug) (?:the )?(?:` + ordinalWord + `|` + tensWord + `|` + digitWord + `)\b(?:,? ` + yearWords + `\b)?`), isSpokenMonth},
	{Date, "spoken", re(`(?i)\b(?:` + monthLong + `) (?:` + yearWords + `)\b`), isSpokenMonth},
	{Date, "spoken", re(`(?i)\b(?:dob|born|date of birth|birth ?day|d\.o\.b\.?|geboren(?: am)?)(?: is| was|:)? ((?:` + digitWord + `|` + tensWord + `|oh[- ]` + digitWord + `)[ ,-]+(?:` + digitWord + `|` + tensWord + `|oh[- ]` + digitWord + `)[ ,-]+` + yearWords + `)\b`), nil},
	{Date, "spoken", re(`(?i)\b((?:oh|o|zero)[- ]` + digitWord + `,? (?:(?:oh|o|zero)[- ])?(?:` + digitWord + `|` + tensWord + `),? ` + tensWord + `)\b`), nil},
	{Date, "spoken day", re(`(?i)\b((?:mon|tues|wednes|thurs|fri|satur|sun)day,? (?:the )?` + spelled + `)\b`), nil},
	{Date, "spoken day", re(`(?i)\b(?:on|since|from|until|till|til|by|before|after|last|for|due|` + weekday + `) ((?:the )?` + spelled + `)(?:[,.;)\n]|$| (?:with|to|and|so|but|because|since|he|she|they)\b)`), nil},
	{Date, "spoken day", re(`(?i)\b(?:am|bis|bis zum|seit dem|ab dem|vom|zum) (` + ordinalWord + `)(?: (?:dann|mittags|abends|früh|um|wieder|punkt|komma|und|absatz)|[,.;]|$)`), isSpokenDate},
	{Age, "age, spoken", re(`(?i)\b(?:age[d:]*|is|turned|turning|he'?s|she'?s|now|she is|he is) ((?:a|one) hundred(?: and (?:` + digitWord + `|` + tensWord + `))?)\b(?: (?:years?|next|now|this|today|in|on|last)\b|[.,;]| ?$)`), isHundred},
	{Age, "age, spoken", re(`(?i)\b(?:(?:noventa(?: y (?:uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve))?|cien|ciento (?:uno|dos|tres|cuatro|cinco))(?: (?:años|pirulos|abriles|primaveras))|(?:(?:ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun)und)?neunzig(?:jährige?[rnms]?| jahre|)|hundert(?:ein|zwei|drei|vier)?jährige?[rnms]?)\b`), isSpokenAge},
}

// isSpokenNumber refuses few digits, and values: those have a point or hundreds.
func isSpokenNumber(s string) bool {
	words, digits := 0, len(digitsOf(s))
	for _, w := range spokenDigit.FindAllString(s, -1) {
		words++
		switch w = strings.ToLower(w); {
		case strings.HasPrefix(w, "tripl"), w == "treble":
			digits += 2
		case len(w) > len("seven") && w != "fünf":
			digits += 2
		default:
			digits++
		}
	}
	return words >= 2 && digits >= 7 && !strings.Contains(strings.ToLower(s), "hundred")
}

var spokenDigit = regexp.MustCompile(`(?i)(?:\b(?:double|triple|treble|doppel|doble)\b|` + tensWord + `|\b(?:o|` + digitWord + `)\b)`)

func isLabelledSpoken(s string) bool {
	return len(spokenDigit.FindAllString(s, -1)) >= 1
}

// isSpokenDate refuses ordinal numbers that could be anything: a German date has the ending of one.
func isSpokenDate(s string) bool {
	return strings.HasSuffix(strings.ToLower(s), "n") || strings.ContainsRune(s, ' ')
}

// isSpokenMonth refuses the verbs may and march in small letters.
func isSpokenMonth(s string) bool {
	return !strings.HasPrefix(s, "may") && !strings.HasPrefix(s, "march") || strings.Count(s, " ") > 1
}

func isHundred(s string) bool { return !strings.Contains(s, "per") }

func isSpokenAge(s string) bool { return strings.Contains(s, " ") || strings.Contains(s, "jähr") }

// speaks reports whether a text may hold dictated numbers: it has two words of numbers.
func speaks(text string) bool {
	return len(numberWord.FindAllStringIndex(text, 2)) == 2 || strings.Contains(text, "hundred")
}

var numberWord = regexp.MustCompile(`\b(?:[Zz]ero|[Oo]h|[Oo]ne|[Tt]wo|[Tt]hree|[Ff]our|[Ff]ive|[Ss]ix|[Ss]even|[Ee]ight|[Nn]ine|[Nn]ull|[Ee]ins|[Zz]wei|[Zz]wo|[Dd]rei|[Vv]ier|[Ff]ünf|[Ss]echs|[Ss]ieben|[Aa]cht|[Nn]eun|[Cc]ero|[Uu]no|[Dd]os|[Tt]res|[Cc]uatro|[Cc]inco|[Ss]eis|[Ss]iete|[Oo]cho|[Nn]ueve|[Dd]iez|[Oo]nce|[Dd]oce|[Tt]rece|[Cc]atorce|[Qq]uince|[Dd]ieci\pL+|[Vv]eint\pL+|[Nn]oventa|[Tt]en|[Ee]leven|[Tt]welve|[Ff]irst|[Ss]econd|[Tt]hird|[Ff]ourth|[Ff]ifth|[Ss]ixth|[Tt]welfth|[Ee]leventh|[Tt]enth|[Ff]ünften|[Dd]ouble|[Tt]riple|dash|strich|doppelstrich|guion)\b|\p{L}+(?:teen|teenth|ieth|zehn|zehnten|zigsten|ßigsten|zig|undzwanzig|ty)\b|[ersz]ten\b|[〇零幺一二三四五六七八九]{3}`)

func spoken(text string) []hit {
	if !speaks(text) {
		return nil
	}
	return apply(spokenRules, text)
}
