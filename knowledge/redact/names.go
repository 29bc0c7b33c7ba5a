package redact

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/par"
	"lacuna/knowledge/plaintext"
)

// Names have no form of their own. They are found where something announces them (a label, a title, a salutation, a
// signature, a relation, an age behind), where lists of names agree, and in notes about a person wherever a
// capitalised word is no public vocabulary; and then everywhere else in the request.

// token is a word of a text.
type token struct {
	start, end int
	text       string // without a full stop behind
	lower      string
	stop       bool // a full stop follows
}

var tokenPattern = regexp.MustCompile(`[\p{Latin}\p{Greek}\p{Cyrillic}][\p{Latin}\p{Greek}\p{Cyrillic}\p{M}]*(?:['-][\p{Latin}\p{Greek}\p{Cyrillic}][\p{Latin}\p{Greek}\p{Cyrillic}\p{M}]*)*`)

func tokens(text string) []token {
	var all []token
	for _, at := range tokenPattern.FindAllStringIndex(text, -1) {
		start, end := at[0], at[1]
		word := text[start:end]
		for _, s := range []string{"'s", "'S"} {
			word = strings.TrimSuffix(word, s)
		}
		end = start + len(word)
		all = append(all, token{start, end, word, strings.ToLower(word), end < len(text) && text[end] == '.'})
	}
	return all
}

func startsUpper(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(r)
}

// isCaps reports whether a word has no small letter and at least two capitals.
func isCaps(s string) bool {
	return utf8.RuneCountInString(s) >= 2 && strings.IndexFunc(s, unicode.IsLower) < 0
}

func (t token) isInitial() bool { return utf8.RuneCountInString(t.text) == 1 && startsUpper(t.text) }

// capital reports whether a word is written as a name is.
func (t token) capital() bool {
	if len(t.text) > 3 && (t.text[:2] == "d'" || t.text[:2] == "l'") {
		return startsUpper(t.text[2:])
	}
	return startsUpper(t.text) && (isCaps(t.text) || strings.IndexFunc(t.text, unicode.IsLower) > 0) && utf8.RuneCountInString(t.text) > 1
}

// nonWord reports whether a word can only be a name: it is in a list of names or no vocabulary.
func (t token) nonWord(l language) bool { return !l.isWord(t.lower) }

func allWords(s string) bool {
	for _, t := range tokens(s) {
		if !isWord(t.lower) {
			return false
		}
	}
	return true
}

// looksLikeName reports whether a value is two to five capitalised words, one of them in a list of names.
func looksLikeName(s string) bool {
	words := strings.Fields(s)
	if len(words) < 2 || len(words) > 5 {
		return false
	}
	listed := false
	for _, w := range words {
		w = strings.Trim(w, ".,")
		if !startsUpper(w) && !particles[w] {
			return false
		}
		listed = listed || isGiven(w) || isSurname(w) && !isWord(strings.ToLower(w))
	}
	return listed
}

var (
	particles = plaintext.Set(`van von der den de del della da di du la le los las bin ibn al el ter ten zu zur zum y e dos das af av st st. san santa mac mc vom und`)
	titles    = plaintext.Set(`smt shri sri kum mdm encik puan datuk haji hajah ustad mr mrs ms miss mx mister missus rechtsanwalt rechtsanwältin pastor pastorin coach driver notar notärztin notarzt rettungssanitäter oa oä ass vikar imam rabbi chaplain inspector insp detective lawyer solicitor headteacher teacher doctorita licenciada licenciado lic ing hermana padre sor coordinator carer aide kumpel fellow seño caseworker anaes mta mtra mtla bms odp sonographer radiographer dispatcher disponent clerk receptionist phlebotomist podiatrist trainer chofer chófer auxiliar celador celadora matrona enfermera enfermero bestatter dolmetscher dolmetscherin dr dra doctor doctora prof professor profesor profesora sister nurse matron rev reverend father sir dame lady lord herr herrn frau hr fr señor señora señorita sr sra srta don doña dña d.ª mme mlle madame monsieur
		kollege kollegin kollegen oberarzt oberärztin chefarzt chefärztin assistenzarzt assistenzärztin stationsarzt arzt ärztin schwester pfleger pfarrer consultant registrar spr sho rn physio physiotherapist midwife gp mo pharmacist surgeon anaesthetist anesthesiologist attending resident intern np crnp cnm cns captain cpt sgt officer constable pc judge sw ot slt hca priv.-doz pd dipl-psych psych med dent vet rer nat habil ing univ fy1 fy2 st3`)
	labels = plaintext.Set(`patient patientname name nombre apellidos apellido paciente vorname nachname familienname geburtsname surname given forename first last full middle maiden preferred nickname nok kin contact re betreff betr betrifft asunto signed author dictated typed transcribed cc carer guardian gp consultant physician provider attending referring
		referrer spouse employer arzt hausarzt hausärztin ansprechpartner médico medico firmado firma fdo enfermera enfermero tutor contacto clinician surgeon anaesthetist anaesthetic assistant scrub assessor reviewer interpreter solicitor teacher keyworker coordinator operator radiologist pathologist therapist counsellor counselor psychologist psychiatrist cardiologist dermatologist oncologist
		aka alias née nee geb geborene by attn fao from to seen doctor nurse witness unterschrift gez i.a i.v patientin angehörige angehöriger familiar acompañante cuidador cuidadora cirujano anestesista remite reporter informant historian client resident mother father husband wife son daughter partner sister brother md rt rn np pa mamá papá driver aide index crew boss sec fob key reviewer initials who by proband donor recipient caller witness halter ratsuchende zuweisende beh begl attendee organizer cn`)
	// strictLabels announce a name without a colon, too.
	strictLabels = plaintext.Set(`surname forename vorname nachname apellidos nombre nok gez fdo née aka alias`)
	relations    = plaintext.Set(`wife husband son daughter brother sister mother father mum mom mam dad partner friend neighbour neighbor aunt auntie uncle grandson granddaughter grandmother grandfather grandma grandpa nan gran granny cousin niece nephew colleague carer caregiver fiancé fiancée fiance girlfriend boyfriend stepson stepdaughter stepmother stepfather twin baby infant boss landlord landlady roommate housemate flatmate
		ehefrau ehemann tochter sohn mutter vater schwester bruder enkel enkelin enkeltochter enkelsohn nichte neffe schwager schwägerin schwiegertochter schwiegersohn lebensgefährte lebensgefährtin lebenspartner partnerin freundin freund nachbarin nachbar oma opa tante onkel gattin gatte betreuer betreuerin
		esposa esposo marido mujer hija hijo madre padre hermana hermano nieta nieto sobrina sobrino pareja vecina vecino cuñada cuñado suegra suegro nuera yerno abuela abuelo tía tío amiga amigo novia novio prima primo cuidadora`)
	linking     = plaintext.Set(`is was called named ist heißt namens genannt llamada llamado es name nombre`)
	naming      = plaintext.Set(`named called namens genannt llamada llamado nicknamed alias`)
	persons     = plaintext.Set(`patient pt client resident patientin paciente boy girl man woman lady gentleman`)
	salutations = plaintext.Set(`morning afternoon evening hey dear hi hello hallo liebe lieber geehrte geehrter geehrten estimada estimado querida querido hola`)
	coreTitles  = plaintext.Set(`mr mrs ms mx dr dra herr herrn frau hr señor señora prof professor missus mme mlle doña`)
	smallTitles = plaintext.Set(`fr hr frau herr`) // of German notes without capitals, in which a name may be any word
	credentials = plaintext.Set(`rn md frcp frcs mrcp mrcs mrcgp frca phd msc bsc mbbs mbchb mbbch np pa-c pa do dds dmd dpm facs faap facc dnp aprn lpn cna pharmd rph rgn rmn spr sho consultant registrar gp physio slt ot lcsw psyd rd pt dpt crna cnm cns fy1 fy2 ct1 st3 facharzt oberarzt chefarzt arzt ärztin ssn hca midwife nurse frcpath frcr mrcpsych bds od mph esq jr sr dnb mch dm paramedic matron sister radiographer pharmacist dietitian`)
	closings    = plaintext.Set(`regards sincerely faithfully wishes grüßen grüße gruß grüssen saludo saludos atentamente cordialmente thanks cheers yours truly mfg signed gez unterschrift signature firmado fdo`)
	// never holds words that are in no name, although they follow words that announce names.
	never = plaintext.Set(`the a an this that these those he she it they his her hers its their we you i in on at of to for from with by and or but if no not yes is was are were has had have been be would could might must should denies denied reports
		reported presents presented complains complained states stated seen aged age year years old male female man woman boy girl child dob mrn nhs ssn sex gender tel fax ward bed room hospital clinic history past medical current today yesterday tomorrow monday tuesday wednesday thursday friday saturday sunday allergies allergy medication medications plan assessment diagnosis treatment examination blood pressure heart rate temperature all any some none unknown
		what when where which who why how does do did please thank thanks dear team colleague colleagues doctor doctors patient patients information leaflet leaflets care safety education group groups journal review reviews nil none unknown date time phone address email re ref our your my
		und oder der die das den dem des ein eine einer einem ist war wird wurde mit von bei zur zum im am an auf für nicht kein keine seit geb geboren wohnhaft damen herren el la los las un una y o con sin por para que se su de del en al es fue kollegin kollege kollegen`)
	ages = regexp.MustCompile(`^,? *[(\[]?,? *\d{1,3} ?(?:y\b|yo\b|y/o|yrs?\b|years?\b|F\b|M\b|f\b|m\b|♀|♂|J\b|Jahre|años|/[MFmf]\b|-year)`)
	// dosed matches what follows the name of a drug.
	dosed = regexp.MustCompile(`^ *(?:XL|SR|MR|ER|CR|LA|HCT|Plus|Forte)? *\d+(?:[.,/-]\d+)* ?(?i:mg|mcg|µg|μg|g|ml|units?|iu|ie|%|mmol|puffs?|tab|cap|od|bd|tds|qds|on|nocte|x)\b`)
	// finding matches what follows the name of a sign or a test.
	finding = regexp.MustCompile(`^(?:'s)?(?: ?[+\-–&/]| *[:(]? ?(?i:neg|pos|absent|present|normal|abnormal|test|sign|score|grade|scale|type|criteria|equivocal|intact|done|low|high|unremarkable|mild|disease|syndrome|homework|inventory|spots|matter|aphasia|fluids|curls|\d|[<>=]))`)
	// numbered matches a number behind a word, as behind the name of a test.
	numbered = regexp.MustCompile(`^ *\d`)
	// eponym matches what follows a person's name that has become the name of a thing.
	eponym = regexp.MustCompile(`^(?:['’]s?)?[ \t-]+(?i:disease|syndrome|signs?|tests?|cups?|stirrups?|graspers?|balloon|blade|frame|rings?|rods?|fever|nails?|collar|brace|cast|splint|block|approach|incision|repair|technique|tables?|nomogram|hugger|trial|scores?|scale|criteria|palsy|tumou?r|lymphoma|sarcoma|carcinoma|reflex|phenomenon|classification|fracture|contracture|chorea|ulcer|virus|stain|manoeuvre|maneuver|method|procedure|operation|catheter|tube|position|law|formula|equation|index|body|bodies|cells?|duct|gland|triad|pouch|nodes?|spots?|rash|thyroiditis|dementia|arteritis|esophagus|oesophagus|hernia|needle|coefficient|correction|distribution|bacillus|ataxia|atrophy|dystrophy|anomaly|malformation|deformity|aphasia|encephalopathy|neuropathy|nephropathy|granulomatosis|macroglobulin[ae]mia|cirrhosis|forceps|retractor|clamp|drain|stitch|suture|plate|nail|screw|prosthesis|rule|model|curve|plot|estimator|hypothesis|protocol|regimen|stage|staging|grade|grading|risk|questionnaire|inventory|krankheit|zeichen|antigen|antibod(?:y|ies)|agglutination|medium|agar|solution|angle|line|space|loop|canal|ligament|muscle|nerve|plexus|crisis|breathing|respiration|murmur|pulse)\b`)
)

// strength says how much announces a name.
type strength uint8

const (
	unannounced strength = iota
	announced            // by a label, a relation and the like: the first words may be vocabulary
	titled               // by a title such as Mr: they may be words of medicine, too
)

// nameable reports whether a word may be a part of a name.
func (r *reader) nameable(t token, by strength) bool {
	switch {
	case never[t.lower] || len(t.text) > 40:
		return false
	case by < titled && known().clinical[t.lower] && !isGiven(t.lower) && !isSurname(t.lower):
		return false
	case isCaps(t.text) && len(t.text) < 3 && !isSurname(t.lower):
		return false
	}
	return by >= announced || isGiven(t.lower) || isSurname(t.lower) || !r.lang.isWord(t.lower)
}

// reader finds names in one text.
type reader struct {
	text     string
	tokens   []token
	lang     language
	personal []bool // of each token: it stands in a note about a person
	hits     []hit
}

// gap is what stands between a token and the one before it.
func (r *reader) gap(i int) string {
	if i == 0 {
		return r.text[:r.tokens[0].start]
	}
	return r.text[r.tokens[i-1].end:r.tokens[i].start]
}

// isClose reports whether a token follows the one before it as a part of the same name does.
func (r *reader) isClose(i int) bool {
	if i <= 0 || i >= len(r.tokens) {
		return false
	}
	gap := r.gap(i)
	if strings.HasPrefix(gap, ".") {
		previous := r.tokens[i-1]
		if !previous.isInitial() && !titles[previous.lower] && previous.lower != "st" {
			return false
		}
		gap = gap[1:]
		if gap == "" {
			return previous.isInitial()
		}
	}
	return gap == " "
}

// run returns the token behind the name that begins with token i, or i if there is none. Announced names may have
// words that are vocabulary, too; with small, also in small letters.
func (r *reader) run(i int, by strength, small bool) int {
	end, commas := i, 0
	words := 0
	for k := i; k < len(r.tokens) && k < i+6; k++ {
		t := r.tokens[k]
		if k > i && !r.isClose(k) {
			if strings.Trim(r.gap(k), " ") != "," || len(r.gap(k)) > 2 || commas > 0 || words != 1 || !(isGiven(t.lower) || t.isInitial() || isCaps(r.tokens[i].text)) || isCredential(t) {
				break
			}
			commas++
		}
		switch {
		case isCredential(t) && words > 0:
			return end
		case particles[t.lower] && k+1 < len(r.tokens) && r.isClose(k+1) && (words == 0 || !startsUpper(t.text) || r.tokens[k+1].capital()) && t.lower != "und" && t.lower != "vom" && (startsUpper(r.tokens[k+1].text) || particles[r.tokens[k+1].lower] || small && !r.lang.isWord(r.tokens[k+1].lower)):
			continue
		case t.isInitial():
			if words == 0 && !t.stop && by == unannounced {
				return end
			}
			end = k + 1
			continue
		case t.capital() && r.nameable(t, by.at(words, isCaps(t.text))):
		case words == 0 && by == unannounced && t.capital() && !never[t.lower] && !known().clinical[t.lower] && k+1 < len(r.tokens) && r.isClose(k+1) && r.tokens[k+1].capital() && !r.lang.isWord(r.tokens[k+1].lower) && r.nameable(r.tokens[k+1], unannounced) && !announces(t.lower):
		case small && !startsUpper(t.text) && !never[t.lower] && !known().clinical[t.lower] && (isGiven(t.lower) || isSurname(t.lower) || !r.lang.isWord(t.lower)) && (words == 0 || !r.lang.isWord(t.lower) || isSurname(t.lower) && utf8.RuneCountInString(t.lower) > 3):
		default:
			return r.closed(i, end)
		}
		words++
		end = k + 1
	}
	return r.closed(i, end)
}

// at is the strength for a word of a name: only the first words of an announced name may be vocabulary.
func (s strength) at(words int, caps bool) strength {
	if words == 0 || words < 2 && !caps {
		return s
	}
	return unannounced
}

func strengthOf(is bool) strength {
	if is {
		return announced
	}
	return unannounced
}

// isGenitive reports whether a word is a given name as German writes whose mother somebody is: Elifs Mutter.
func isGenitive(word string) bool {
	name, ok := strings.CutSuffix(word, "s")
	return ok && isGiven(name)
}

// isEponymAt reports whether a word is the name of a sign, a score, a disease or a tool, by what stands behind it or with its other half:
// Harris hip score, Jackson-Pratt.
func isEponymAt(text string, p piece) bool {
	if thingBehind.MatchString(text[p.end:]) {
		return true
	}
	start, end := p.start, p.end
	if at := halfBefore.FindStringIndex(text[max(0, start-maxCode):start]); at != nil {
		start -= min(start, maxCode) - at[0]
	}
	if half := halfBehind.FindString(text[end:]); half != "" {
		end += len(half)
	}
	return end-start > p.end-p.start && known().eponym[strings.ToLower(text[start:end])]
}

var (
	halfBefore  = regexp.MustCompile(`\pL+-$`)
	halfBehind  = regexp.MustCompile(`^-\pL+`)
	thingBehind = regexp.MustCompile(`^(?:-\pL+)? (?i:(?:hip|knee|shoulder|elbow|ankle|wrist|pain|depression|anxiety|disability|performance|coma|frailty|mobility|memory|sleepiness|risk) )?` +
		`(?i:score|scale|index|criteria|classification|angle|cast|sign|questionnaire|drain|catheter|syndrome|disease|pouch|retractor|forceps|needle|manoeuvre|maneuver|procedure|staging|inventory|nomogram|splint|collar|tube|stent|cyst|fracture|hernia|lymphoma|palsy)\b`)
)

// closed refuses a run without a word, such as an initial alone.
func (r *reader) closed(i, end int) int {
	for k := i; k < end; k++ {
		if !r.tokens[k].isInitial() && !particles[r.tokens[k].lower] {
			return end
		}
	}
	return i
}

func isCredential(t token) bool {
	return credentials[t.lower] && (isCaps(t.text) || !startsUpper(t.text) || strings.IndexFunc(t.text[1:], unicode.IsUpper) > 0)
}

// add records the name of the tokens from i to end, unless it is the name of a thing.
func (r *reader) add(i, end int, rule string) bool {
	if i >= end || eponym.MatchString(r.text[r.tokens[end-1].end:]) || end < len(r.tokens) && r.gap(end) == "'s " && isDrug(r.tokens[end].lower) {
		return false
	}
	r.hits = append(r.hits, hit{Name, r.tokens[i].start, r.tokens[end-1].end, rule})
	return true
}

// behind returns what stands behind token i, and the beginning of the next line if the line ends there.
func (r *reader) behind(i int) string { return r.text[r.tokens[i].end:] }

var labelBehind = regexp.MustCompile(`^[ \t"*_]*(?:\([a-z /]{1,12}\))?[ \t"*_]*[:=|][ \t"*_|]*$`)

// maxTitles is how many titles, or words such as "is called", may stand before a name.
const maxTitles = 8

// find looks for names.
func (r *reader) find() []hit {
	for i, t := range r.tokens {
		next := i + 1
		hasNext := next < len(r.tokens)
		gap := ""
		if hasNext {
			gap = r.gap(next)
		}
		if !hasNext {
			break
		}
		n := r.tokens[next]
		near := gap == " " || gap == ". " || gap == "." || gap == ".: "
		switch {
		case titles[t.lower] && (near || strings.TrimLeft(gap, ". ") == "" && len(gap) <= 3) && (startsUpper(t.text) || coreTitles[t.lower] || n.capital() && !r.lang.isWord(n.lower) || isGiven(n.lower) && n.capital() || !r.lang.isWord(t.lower)):
			k := next
			for k < min(next+maxTitles, len(r.tokens)-1) && titles[r.tokens[k].lower] && len(r.gap(k+1)) <= 3 { // Prof. Dr. med.
				k++
			}
			weak := !coreTitles[t.lower]
			by := titled
			if weak {
				by = unannounced
			} else if !startsUpper(t.text) && !r.tokens[k].capital() && !isSurname(r.tokens[k].lower) && r.lang.isWord(r.tokens[k].lower) {
				break
			}
			r.add(k, r.run(k, by, !weak || r.tokens[k].nonWord(r.lang)), "title")
		}
		switch {
		case salutations[t.lower] && titles[n.lower]:
		case labels[t.lower] && labelBehind.MatchString(gap):
			k := next
			for k < min(next+maxTitles, len(r.tokens)-1) && titles[r.tokens[k].lower] && len(r.gap(k+1)) <= 3 {
				k++
			}
			end := r.run(k, announced, true)
			if r.add(k, end, "label") {
				r.more(end)
			}
		case strictLabels[t.lower] && (near || gap == "  ") && n.capital():
			r.add(next, r.run(next, announced, false), "label")
		case salutations[t.lower] && near && n.capital() && r.opensLine(i):
			r.add(next, r.run(next, announced, false), "salutation")
		}
		if smallTitles[t.text] && near && r.lang == german && !startsUpper(n.text) && !never[n.lower] && !functionWords[n.lower] {
			r.add(next, next+1, "title, small")
		}
		if relations[n.lower] && gap == " " && t.capital() && isGenitive(t.lower) {
			r.add(i, next, "genitive")
		}
		if relations[t.lower] {
			k := next
			between := gap
			for k < min(next+maxTitles, len(r.tokens)-1) && linking[r.tokens[k].lower] && len(r.gap(k+1)) <= 2 {
				k++
				between = r.gap(k)
			}
			linked := k > next && naming[r.tokens[k-1].lower]
			if b := strings.Trim(between, " "); b == "" || b == "," || b == "(" || b == ":" || b == "-" || b == ", \"" {
				c := r.tokens[k]
				if c.capital() && !strings.Contains(between, "\n") {
					r.add(k, r.run(k, strengthOf(linked || isGiven(c.lower)), false), "relation")
				} else if b == "" && isGiven(c.lower) && !function[c.lower] && (!r.lang.isWord(c.lower) || r.personal[k]) {
					r.add(k, k+1, "relation")
				}
			}
		}
		if naming[t.lower] && (near || gap == " \"" || gap == " '") && n.capital() {
			r.add(next, r.run(next, strengthOf(isGiven(n.lower)), false), "naming")
		}
		if persons[t.lower] && near && n.capital() && !t.stop {
			r.add(next, r.run(next, unannounced, false), "patient")
		}
		if closings[t.lower] {
			r.signature(next)
		}
		r.alone(i)
	}
	if len(r.tokens) > 0 {
		r.alone(len(r.tokens) - 1)
	}
	return r.hits
}

// function holds given names that are mostly other words in small letters.
var function = plaintext.Set(`may will can an in so see my do van les art son ma lu le la de han man tu ha young old little dear mark bill rob sue drew chase no long page many rich merry early else has is was be are he she us me`)

// otherThings holds given names that stand capitalised for other things in notes.
var otherThings = plaintext.Set(`max art gene ray an see so do le tu many can young love son man royal page lane little see star light see del era many dusty sunny clay rod dale chance price major price pa ma ha in la be no my eye young kidney colon summer winter autumn spring sunday monday king prince earl duke baron bishop dean mercy charity sierra florida georgia virginia carolina china india asia england america christian jewish west east north south marine rich sandy stormy merry young early king eastern western miss sister nurse sir lady baby angel brook forest gates garland glen hunter golden lucky faith`)

// opensSentence reports whether token i begins a sentence or a line.
func (r *reader) opensSentence(i int) bool {
	before := strings.TrimRight(r.text[:r.tokens[i].start], " \t\"'([*_>")
	return before == "" || strings.ContainsAny(before[len(before)-1:], ".!?\n:;-|")
}

// more reads on behind a name after a label, where more names stand in a list: "Obi / Farrukh".
func (r *reader) more(k int) {
	for k > 0 && k < len(r.tokens) {
		switch strings.Trim(r.gap(k), " ") {
		case "/", "&", "+", ";":
		default:
			return
		}
		end := r.run(k, unannounced, false)
		if !r.add(k, end, "list") {
			return
		}
		k = end
	}
}

// opensLine reports whether token i is among the first three words of its line.
func (r *reader) opensLine(i int) bool {
	line := strings.LastIndexByte(r.text[:r.tokens[i].start], '\n') + 1
	return len(strings.Fields(r.text[line:r.tokens[i].start])) <= 2
}

// signature reads names in the two lines behind a closing.
func (r *reader) signature(k int) {
	lines := 0
	for ; k < len(r.tokens) && lines <= 3; k++ {
		lines += strings.Count(r.gap(k), "\n")
		if t := r.tokens[k]; lines >= 1 && lines <= 3 && (strings.Contains(r.gap(k), "\n") || strings.HasSuffix(r.gap(k), "  ")) && (t.capital() || t.isInitial() || titles[t.lower]) {
			for k < len(r.tokens)-1 && titles[r.tokens[k].lower] {
				k++
			}
			if end := r.run(k, strengthOf(!r.lang.isWord(r.tokens[k].lower) || isGiven(r.tokens[k].lower) || r.tokens[k].isInitial()), false); end > k {
				r.add(k, end, "signature")
				k = end - 1
			}
		}
	}
}

// alone looks for a name at token i that nothing announces.
func (r *reader) alone(i int) {
	t := r.tokens[i]
	personal := r.personal[i]
	has := i+1 < len(r.tokens) && r.isClose(i+1)
	switch {
	case t.isInitial() && has && (personal || t.stop) && !quantified[r.previous(i)]:
		// An initial before a surname.
		k := i
		for k < len(r.tokens)-1 && r.tokens[k].isInitial() && r.isClose(k+1) {
			k++
		}
		for k < len(r.tokens)-1 && particles[r.tokens[k].lower] && r.isClose(k+1) {
			k++
		}
		if s := r.tokens[k]; s.capital() && !known().clinical[s.lower] && !never[s.lower] && (!r.lang.isWord(s.lower) || personal && t.stop && isSurname(s.lower)) && (personal || isSurname(s.lower)) {
			r.add(i, r.run(k, announced, false), "initial")
		}
		return
	case t.capital() && isGiven(t.lower) && has && !never[t.lower] && !known().clinical[t.lower]:
		s := r.tokens[i+1]
		k := i + 1
		for k < len(r.tokens)-1 && (s.isInitial() || particles[s.lower]) && r.isClose(k+1) {
			k++
			s = r.tokens[k]
		}
		listed := isSurname(s.lower) || isGiven(s.lower)
		ok := s.capital() && !never[s.lower] && !known().clinical[s.lower] && !isCaps(s.text) == !isCaps(t.text)
		if ok && (listed && !r.lang.isWord(s.lower) || personal && !r.lang.isWord(s.lower) || listed && !r.lang.isWord(t.lower) && (personal || !r.lang.general(s.lower))) {
			r.add(i, r.run(i, announced, false), "given name")
			return
		}
	case !startsUpper(t.text) && personal && isGiven(t.lower) && has && isSurname(r.tokens[i+1].lower) && !startsUpper(r.tokens[i+1].text) && ages.MatchString(r.behind(i+1)) && !function[t.lower]:
		r.add(i, i+2, "before an age")
		return
	}
	if !personal || !t.capital() || announces(t.lower) {
		return
	}
	// Behind a name stands an age, a credential or a relation in brackets.
	if r.nameable(t, unannounced) && (ages.MatchString(r.behind(i)) || i+1 < len(r.tokens) && isCredential(r.tokens[i+1]) && (r.gap(i+1) == ", " || r.gap(i+1) == " ") && !r.lang.isWord(t.lower) ||
		i+1 < len(r.tokens) && relations[r.tokens[i+1].lower] && strings.Trim(r.gap(i+1), " ") == "(" && r.nameable(t, unannounced)) && !(r.lang.isWord(t.lower) && !isGiven(t.lower)) {
		start := i
		for start > 0 && r.isClose(start) && (r.tokens[start-1].capital() && r.nameable(r.tokens[start-1], unannounced) || r.tokens[start-1].isInitial()) {
			start--
		}
		r.add(start, i+1, "before an age")
		return
	}
	// A surname before a given name: Hunter, Zoe.
	if i+1 < len(r.tokens) && r.gap(i+1) == ", " && r.tokens[i+1].capital() && isGiven(r.tokens[i+1].lower) && (isSurname(t.lower) || isCaps(t.text)) && !never[t.lower] && !known().clinical[t.lower] && !r.lang.isWord(r.tokens[i+1].lower) {
		r.add(i, r.run(i, announced, false), "surname first")
		return
	}
	// A given name that is a word as well, where no sentence begins.
	if isGiven(t.lower) && r.lang.isWord(t.lower) && !isCaps(t.text) && !otherThings[t.lower] && !months[t.lower] && !never[t.lower] && len(t.text) > 2 && (r.lang != german || !germanWordsThatAreNames[t.lower]) {
		if behind := r.behind(i); !r.opensSentence(i) && !dosed.MatchString(behind) && !(has && r.tokens[i+1].capital() && r.lang.isWord(r.tokens[i+1].lower)) && !(i > 0 && r.isClose(i) && r.tokens[i-1].capital() && r.lang.isWord(r.tokens[i-1].lower)) || strings.HasPrefix(behind, ", ") && r.opensLine(i) {
			r.add(i, i+1, "given name")
			return
		}
	}
	// A capitalised word that is no public vocabulary.
	if t.stop && len(t.text) <= 3 || never[t.lower] || r.lang.isWord(t.lower) || isCaps(t.text) && !(isSurname(t.lower) || isGiven(t.lower) || len(t.text) >= 6) || dosed.MatchString(r.behind(i)) || numbered.MatchString(r.behind(i)) && !isGiven(t.lower) && !isSurname(t.lower) || r.isMixed(i) || known().eponym[t.lower] && finding.MatchString(r.behind(i)) || drugCue[r.previous(i)] {
		return
	}
	if strings.IndexFunc(t.text[1:], unicode.IsUpper) > 0 && !isCaps(t.text) && !strings.ContainsAny(t.text, "-'") && !mcName.MatchString(t.text) {
		return // NTproBNP, SpO
	}
	start, end := i, i+1
	for start > 0 && r.isClose(start) && r.tokens[start-1].capital() && !isCaps(r.tokens[start-1].text) && (isGiven(r.tokens[start-1].lower) || isSurname(r.tokens[start-1].lower)) && !known().clinical[r.tokens[start-1].lower] && !never[r.tokens[start-1].lower] && !titles[r.tokens[start-1].lower] {
		start--
	}
	for end < len(r.tokens) && r.isClose(end) && r.tokens[end].capital() && !isCaps(r.tokens[end].text) && isSurname(r.tokens[end].lower) && !known().clinical[r.tokens[end].lower] && !never[r.tokens[end].lower] && !r.lang.general(r.tokens[end].lower) {
		end++
	}
	if end < len(r.tokens) && r.tokens[end].isInitial() && r.isClose(end) && isGiven(r.tokens[end-1].lower) {
		end++
	}
	r.add(start, end, "no vocabulary")
}

// announces reports whether a word stands before names, and so is none.
func announces(word string) bool {
	return titles[word] || labels[word] || relations[word] || credentials[word] || persons[word] || closings[word] || salutations[word]
}

var mcName = regexp.MustCompile(`^(?:Mc|Mac|O'|D'|De|Di|La|Le|Fitz|Van)\p{Lu}\p{Ll}+$`)

// quantified holds words before a letter that is no initial.
var quantified = plaintext.Set(`vitamin hepatitis type typ tipo grade group class stage factor protein influenza streptococcus phase part section table figure appendix schedule category complement immunoglobulin strain arm hemophilia haemophilia vitamina grupo clase child-pugh score`)

// drugCue holds words before the name of a drug.
var drugCue = plaintext.Set(`allergy allergic allergies taking takes took tab tabs cap caps inj syr tablet tablets started stopped prescribed on dose of drug brand allergie allergisch alergia tomando`)

func (r *reader) previous(i int) string {
	if i == 0 {
		return ""
	}
	return r.tokens[i-1].lower
}

// isMixed reports whether a digit touches the word, as in codes.
func (r *reader) isMixed(i int) bool {
	t := r.tokens[i]
	before, _ := utf8.DecodeLastRuneInString(r.text[:t.start])
	after, _ := utf8.DecodeRuneInString(r.text[t.end:])
	return unicode.IsDigit(before) || unicode.IsDigit(after) || before == '_' || after == '_'
}

// findNames returns the names of a text. Each part has its own language, because a prompt holds passages in several.
func findNames(text string, personal func(at int) bool) []hit {
	var hits []hit
	start := 0
	for start < len(text) {
		end := len(text)
		if i := blank.FindStringIndex(text[start:]); i != nil && i[1] > 0 {
			end = start + i[1]
		}
		part := text[start:end]
		r := &reader{text: part, tokens: tokens(part), lang: languageOf(part)}
		r.personal = make([]bool, len(r.tokens))
		for i, t := range r.tokens {
			r.personal[i] = personal(start + t.start)
		}
		for _, h := range r.find() {
			h.start, h.end = h.start+start, h.end+start
			hits = append(hits, h)
		}
		start = end
	}
	return append(hits, chineseNames(text)...)
}

// surname matches the most frequent Chinese surnames, two-character ones first.
const surname = `(?:欧阳|司马|上官|诸葛|东方|皇甫|尉迟|公孙|慕容|令狐|司徒|夏侯|长孙|宇文|[王李张刘陈欧杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔汤温康施文牛樊葛邢安齐易乔伍庞颜倪庄聂章鲁岳翟殷詹申欧耿关兰焦俞左柳甘祝包宁尚符舒阮柯纪梅童凌毕单季裴霍涂成苗谷盛曲翁冉骆蓝路游辛靳管柴蒙鲍华喻祁蒲房滕屈饶解牟艾尤阳穆农司卓古吉缪简车项连芦麦褚娄窦戚岑景党宫费卜冷晏席卫米柏宗瞿桂全佟臧闵苟邬边卞姬师仇栾隋商刁沙荣巫寇桑郎甄丛仲虞敖巩明佘池查麻苑迟邝])`

// chineseAnnounced lists the patterns that announce a Chinese name.
var chineseAnnounced = []*regexp.Regexp{
	re(`(?:姓名|患者姓名|联系人|家属|签名|签字|主治医师|主管医师|经治医师|管床医师|上级医师|责任护士|护士|医师|医生|患者|病人|记录者|报告者|审核者?|检查者|术者|手术者|主刀|助手|麻醉师?|麻醉医师|陪护|监护人|紧急联系人|申请医师|接诊医师|值班医师|记录人|代理人|委托人|法定代理人|母亲|父亲|丈夫|妻子|儿子|女儿|配偶|曾用名|别名|昵称)(?:签名|签字|姓名)?[ \t]*:[ \t]*(?:\p{Han}{0,6}?(?:医师|医生))?(` + surname + `\p{Han}{1,2}|\p{Han}{2,4})(?:[^\p{Han}]|$|医师|医生|主任|护士|同志|系|于|因)`),
	re(`(?:家属|丈夫|妻子|儿子|女儿|母亲|父亲|配偶|哥哥|姐姐|弟弟|妹妹|孙子|孙女|外孙|外孙女|儿媳|女婿|患者|病人|保姆|邻居|朋友|同事|名叫|叫做|本人|护工|患儿|产妇|其妻|其夫|其子|其女|其母|其父|长子|长女|次子|次女)(` + surname + `\p{Han}{1,2})(?:[,.;:()、]|$|\n|\s|陪同|陪护|代|签字|签名|电话|来院|因|诉|系|要求|表示|同意|联系)`),
	re(`(` + surname + `\p{Han}{0,2}?)(?:先生|女士|小姐|医生|大夫|副?主任医?师?|护士长?|教授|老师|太太|阿姨|主治医?师?|医师|院长|副院长|同志|师傅|老伯|奶奶|爷爷|大爷|大妈|大娘|叔叔|某)`),
	re(`(?:我叫|真名|名叫|叫做|家父|家母|儿子|女儿|丈夫|妻子|配偶|母亲|父亲|姐姐|妹妹|哥哥|弟弟|村医|被保险人|投保人|受益人|车主|法人|经办人?|报告|审核|药师|技师|咨询师|来访者|班主任|同事|男友|女友|同学) *[:]? *(` + surname + `\p{Han}{1,2})`),
	re(`(?:护士|医生|药师|保姆|护工|师傅|经办|同事|邻居)[:]? *([小老阿]` + surname + `)`),
	re(`姓(` + surname + `)的`),
	re(`([小老阿]` + surname + `)(?:[,.;]|电话|联系|陪|来|说|也)`),
	re(`(` + surname + `\p{Han}{1,2}) *[(/,] *(?:配偶|丈夫|妻子|儿子|女儿|母亲|父亲|家属|男|女|其?妻|其?夫|之子|之女|长子|长女|次子|次女|姐姐|妹妹|哥哥|弟弟|孙子|孙女|本人|保姆|主任|主治|住院医师|护士)`),
	re(`(?m)(?:^|[ \t:/])(` + surname + `\p{Han}{1,2}) *(?:/ *(` + surname + `\p{Han}{1,2}))? *$`),
}

func chineseNames(text string) []hit {
	if !plaintext.HasHan(text) {
		return nil
	}
	return slices.Concat(par.Gather(len(chineseAnnounced), func(number int) (hits []hit, found bool) {
		rule := "Chinese"
		switch number {
		case 0:
			rule = "Chinese, labelled"
		case 2:
			rule = "Chinese, with a title"
		}
		for _, at := range chineseAnnounced[number].FindAllStringSubmatchIndex(text, -1) {
			for i := 2; i+1 < len(at); i += 2 {
				if at[i] >= 0 && (at[i+1]-at[i] <= 3 || !chineseWord(text[at[i]:at[i+1]])) {
					hits = append(hits, hit{Name, at[i], at[i+1], rule})
				}
			}
		}
		return hits, hits != nil
	})...)
}
