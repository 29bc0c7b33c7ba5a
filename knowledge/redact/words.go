package redact

import (
	"bufio"
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/vocabulary"
)

// What is a word and what is a name is decided by public lists, not by the user's sources: where the sources are
// notes about people, every name is a word of the sources.

//go:embed names.txt.gz
var packedNames []byte

//go:embed towns.txt.gz
var packedTowns []byte

// packedChineseTowns holds cities, districts and counties of China, and behind "[township]" what is smaller.
//
//go:embed towns-zh.txt.gz
var packedChineseTowns []byte

//go:embed es.txt.gz
var packedSpanish []byte

//go:embed clinical.txt.gz
var packedClinical []byte

// packedDrugs holds trade names and active substances that are no names of persons or towns.
//
//go:embed drugs.txt.gz
var packedDrugs []byte

//go:embed given.txt
var givenNames string

// eponymNames holds persons after whom signs, tests, scores and diseases are named.
//
//go:embed eponyms.txt
var eponymNames string

//go:embed clinical.txt
var ownClinical string

//go:embed brands.txt
var brands string

// packedVillages and packedOrganisations are in order.
var (
	//go:embed villages.txt.gz
	packedVillages []byte
	//go:embed organisations.txt.gz
	packedOrganisations []byte
)

// institutionWords are what institutions, firms, streets and buildings are called; chineseInstitutions in Chinese.
var (
	//go:embed institutions.txt
	institutionWords string
	//go:embed institutions-zh.txt
	chineseInstitutions string
)

// lists holds what a word may be, in lower case.
type lists struct {
	surname, given, worldSurname, worldGiven, clinical, brand, eponym, spanish map[string]bool
	// seldom has the less frequent words of spanish, of which some are names.
	seldom map[string]bool

	towns         map[string]bool // of up to four words
	chineseTowns  map[string]bool // cities, districts and counties
	townships     map[string]bool // of China
	organisations map[string]bool // of up to five words; those of capitals alone are written so
}

var known = sync.OnceValue(func() lists {
	l := lists{
		surname: map[string]bool{}, given: listed(givenNames), worldSurname: map[string]bool{}, worldGiven: map[string]bool{},
		clinical: map[string]bool{}, brand: map[string]bool{}, eponym: listed(eponymNames), towns: map[string]bool{}, chineseTowns: map[string]bool{}, townships: map[string]bool{}, organisations: map[string]bool{}, spanish: map[string]bool{}, seldom: map[string]bool{},
	}
	for i, packed := range [][]byte{packedClinical, packedTowns, packedSpanish, packedDrugs, packedOrganisations, packedChineseTowns, packedNames} {
		into := []map[string]bool{l.clinical, l.towns, l.spanish, l.brand, l.organisations, l.chineseTowns, nil}[i]
		plain, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			panic("redact: " + err.Error())
		}
		scanner := bufio.NewScanner(plain)
		for scanner.Scan() {
			switch line := scanner.Text(); {
			case line == "[surname]":
				into = l.surname
			case line == "[given]":
				into = l.given
			case line == "[surname of the world]":
				into = l.worldSurname
			case line == "[given of the world]":
				into = l.worldGiven
			case line == "[township]":
				into = l.townships
			case line == "[less frequent]":
				into = l.seldom
			case line != "" && line[0] != '#':
				into[line] = true
			}
		}
		if err := scanner.Err(); err != nil {
			panic("redact: " + err.Error())
		}
	}
	maps.Copy(l.clinical, l.brand)
	maps.Copy(l.spanish, l.seldom)
	maps.Copy(l.clinical, listed(ownClinical))
	for w := range listed(brands) {
		l.brand[w] = true
		if !l.given[w] && !l.surname[w] {
			l.clinical[w] = true
		}
	}
	return l
})

// listed reads a list of words with comments.
func listed(list string) map[string]bool {
	words := map[string]bool{}
	for line := range strings.Lines(list) {
		if line[0] != '#' {
			for w := range strings.FieldsSeq(line) {
				words[w] = true
			}
		}
	}
	return words
}

// villages holds the names of small towns and villages in order: a map of so many would be large.
var villages = sync.OnceValue(func() []string {
	plain, err := gzip.NewReader(bytes.NewReader(packedVillages))
	if err != nil {
		panic("redact: " + err.Error())
	}
	all, err := io.ReadAll(plain)
	if err != nil {
		panic("redact: " + err.Error())
	}
	lines := strings.Split(strings.TrimSuffix(string(all), "\n"), "\n")
	return slices.DeleteFunc(lines, func(line string) bool { return line[0] == '#' })
})

// isVillage reports whether a name, unaccented and in lower case, is that of a small town or a village.
func isVillage(name string) bool {
	_, is := slices.BinarySearch(villages(), name)
	return is
}

func isGiven(word string) bool {
	word = unaccented(word)
	first, rest, double := strings.Cut(word, "-")
	return known().given[word] || double && known().given[first] && (known().given[rest] || known().surname[rest])
}
func isSurname(word string) bool { return known().surname[unaccented(word)] }

var accents = strings.NewReplacer("ä", "a", "ö", "o", "ü", "u", "ß", "ss", "á", "a", "à", "a", "â", "a", "ã", "a", "å", "a", "é", "e", "è", "e", "ê", "e", "ë", "e",
	"í", "i", "ì", "i", "î", "i", "ï", "i", "ó", "o", "ò", "o", "ô", "o", "õ", "o", "ø", "o", "ú", "u", "ù", "u", "û", "u", "ñ", "n", "ç", "c", "ł", "l", "š", "s", "ž", "z", "ć", "c", "č", "c", "'", "")

// unaccented returns a word in lower case as the census writes it.
func unaccented(word string) string {
	word = strings.ToLower(word)
	if !strings.ContainsFunc(word, func(r rune) bool { return r >= utf8.RuneSelf || r == '\'' }) {
		return word
	}
	return accents.Replace(word)
}

// isMedicine reports whether a word in lower case is of medicine and of nothing else: no name, and no everyday word.
func isMedicine(word string) bool {
	if len(word) < 3 {
		return false
	}
	lists := known()
	if lists.given[word] || lists.surname[word] || english.general(word) {
		return false
	}
	return lists.clinical[word] || lists.brand[word] || lists.eponym[word] || isClinicalEnding(word) || isDrug(word)
}

// language is what a text is written in, as far as it decides what counts as a word.
type language uint8

const (
	english language = iota // and whatever is not recognised
	german                  // writes all nouns with a capital, and joins them
	spanish
	chinese // of a part of a text; languageOf does not know it
)

var englishWords = plaintext.Set(`in is of not pt had per or if will as be you we they but since then after before left right out still today yesterday stable repeat given now`)
var germanWords = plaintext.Set(`und der die das mit nicht ist bei wurde wird keine zur zum vom von auf eine einer im seit nach für sich auch unter sehr geehrte ab am bitte frei neu gegen noch nur vor zu um dem den des einer bis wieder heute morgen abends morgens kein links rechts zw zi pat ohne über als aus wegen bds tgl weiter dann sowie ggf jetzt sehr hat sind mehr unverändert keinen unauffällig oder aber mal noch schon tag tage wo`)
var spanishWords = plaintext.Set(`el la los las del con para por una se su que refiere paciente sin desde años y en al de un más es fue según ni ya hoy tras hasta cada como pero muy entre sobre buen horas días mañana noche`)

// languageOf returns the language whose small words a text has most of.
func languageOf(text string) language { return mostOf(smallWords(text)) }

// smallWords counts the small words of each language in a text.
func smallWords(text string) [3]int {
	var count [3]int
	for w := range strings.FieldsSeq(text) {
		w = strings.Trim(strings.ToLower(w), ".,:;()")
		if germanWords[w] {
			count[german]++
		}
		if spanishWords[w] {
			count[spanish]++
		}
		if functionWords[w] || englishWords[w] {
			count[english]++
		}
	}
	return count
}

// mostOf returns the language of which a text has most small words.
func mostOf(count [3]int) language {
	switch {
	case count[german] > count[english] && count[german] > count[spanish]:
		return german
	case count[spanish] > count[english] && count[spanish] >= 3:
		return spanish
	}
	return english
}

// languageIn returns the language of a part of a text: that of the whole, if the part has few small words.
func languageIn(whole [3]int, part string) language {
	if isChinese(part) {
		return chinese
	}
	count := smallWords(part)
	if slices.Max(count[:]) < fewWords {
		return mostOf(whole)
	}
	return mostOf(count)
}

// isChinese reports whether a text has a Chinese character for every four Latin letters.
func isChinese(text string) bool {
	han, latin := 0, 0
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Han, r):
			han++
		case r < utf8.RuneSelf && isLatin(byte(r)):
			latin++
		}
	}
	return han > 0 && 4*han >= latin
}

// fewWords is how many small words a part needs of a language.
const fewWords = 5

var functionWords = plaintext.Set(`so the and of to for with was is has at on her his she he not this that from by are no`)

// general reports whether a word in lower case is one of everyday speech.
func (l language) general(word string) bool {
	for _, term := range lexical.Terms(word) {
		if vocabulary.English(term) == vocabulary.Rare && (l != german || vocabulary.German(term) == vocabulary.Rare) {
			return false
		}
	}
	return true
}

// isWord reports whether a word is public vocabulary: everyday speech or clinical language. Words of two letters and
// numbers are.
func (l language) isWord(word string) bool {
	word = strings.ToLower(word)
	named := isGiven(word) || isSurname(word)
	if utf8.RuneCountInString(word) <= 2 || known().clinical[word] || !named && known().eponym[word] {
		return true
	}
	if l == spanish && known().spanish[word] {
		return true
	}
	if l.general(word) && !(l == german && named && !english.general(word) && !germanWordsThatAreNames[word] && (isGiven(word) || !everydayGerman(word))) {
		return true
	}
	if !named && isClinicalEnding(word) {
		return true
	}
	if parts := strings.FieldsFunc(word, func(r rune) bool { return r == '-' || r == '/' || r == '\'' }); len(parts) > 1 {
		for _, part := range parts {
			if !known().eponym[part] && (!l.isWord(part) || isSurname(part) && !l.general(part)) {
				return false
			}
		}
		return true
	}
	for _, suffix := range suffixes {
		if stem, ok := strings.CutSuffix(word, suffix); ok && len(stem) >= 5 && known().clinical[stem] {
			return true
		}
	}
	return !named && l == german && isCompound(word)
}

var suffixes = []string{"s", "es", "en", "n", "e", "er", "ed", "ing", "ly", "al", "ic", "ische", "ischer", "isches", "ischen", "isch"}

func everydayGerman(word string) bool {
	for _, term := range lexical.Terms(word) {
		if vocabulary.German(term) < vocabulary.Everyday {
			return false
		}
	}
	return true
}

// isWord reports whether a word is public vocabulary of any language.
func isWord(word string) bool { return english.isWord(word) || german.isWord(word) }

// germanWordsThatAreNames are nouns of everyday German that the census has as surnames.
var germanWordsThatAreNames = plaintext.Set(`mann frau hand kopf herz bein arm arzt haus berg stein vogel wolf fuchs lang klein gross groß kurz jung alt neu weiss weiß schwarz roth braun grün gut bach wald feld brunnen kirche kirch berger becker müller fischer schneider koch bauer richter kaiser könig sommer winter herbst abend morgen tag nacht sonntag montag freitag samstag lauf gang blut zucker nagel horn bart bauch fuss fuß finger ring stuhl tisch apfel baum rose blume stern sonne mond ende anfang werk fall rat amt stock bock busch hahn hase hirsch krebs rost frost sturm stark ernst fromm klar reich arms sauer suss süß mai mutter vater kind bruder tante onkel schwester schmerz schmerzen druck puls lage rand linie sack band wand zahn mund nase ohr auge haar haut knie rücken nacken brust niere leber magen darm blase milz lunge`)

// isCompound reports whether a word is a German compound of known parts, such as Nierenfunktion.
func isCompound(word string) bool {
	if len(word) < 7 {
		return false
	}
	for at := 4; at <= len(word)-3; at++ {
		if !utf8.RuneStart(word[at]) {
			continue
		}
		head := word[:at]
		if !german.general(head) && !known().clinical[head] && !german.general(strings.TrimSuffix(head, "s")) && !german.general(strings.TrimSuffix(head, "n")) &&
			!german.general(head+"en") {
			continue
		}
		tail := word[at:]
		if german.general(tail) || known().clinical[tail] || isClinicalEnding(tail) || isCompound(tail) {
			return true
		}
	}
	return false
}

func isClinicalEnding(word string) bool {
	for _, ending := range clinicalEndings {
		if rest, ok := strings.CutSuffix(word, ending); ok && utf8.RuneCountInString(rest) >= 2 {
			return true
		}
	}
	return false
}

// clinicalEndings holds how the words of medicine end in English, German and Spanish.
var clinicalEndings = append(strings.Fields(`itis osis ose asis emia ämie aemia uria urie pathy pathie patía opathy ectomy ektomie ectomía otomy otomie
	otomía ostomy scopy skopie scopía graphy graphie grafía gramm gram oma ome plasty plastik plegia plegie algia algie rrhea rrhoea rrhoe
	penia penie philia phobia megaly megalie lysis lyse trophy trophie ation ition isation ización ción sión dad mente idad tion tät ität heit keit ung ungen
	therapy therapie terapia genesis logy logie logía logisch logical metry metrie meter stenosis stenose toxic toxisch ium ide ate ine ase
	coccus cocci bacter bacterium monas ella plasma spora myces phaga virus viridae vibrio ichia bacillus plasia plasie kinesis dactyly gnathia opsia anopia anomaly ocyte ocytes ocytic cytosis otonic ogenic trophic tropic aemic emic otic ectasia ectatic pnea pnoea phagia phasia praxia gnosia lexia pepsia uresis poiesis poietic philic phobic metropia melia somy ploid ploidy`), drugEndings...)

// drugEndings holds how the names of drugs end.
var drugEndings = strings.Fields(`statin statine pril sartan olol azol azole cillin cilina mycin micina floxacin floxacino gliptin gliptina gliflozin formin formina prazol prazole dipin dipine dipino
	parin parina xaban mab nib vir pam lam lukast triptan sone caine cain idine amide amid azine azin oxin icin mide thiazide thiazid semid semide
	barbital cycline cyclin fibrate fibrat glitazone glutide`)

// isDrug reports whether a word ends as the names of drugs do, or is a listed one as German and Spanish write it:
// Mirtazapin, losartán.
func isDrug(word string) bool {
	if len(word) >= 6 {
		drugs, plain := known().brand, unaccented(word)
		stem := strings.TrimRight(plain, "aoe")
		if drugs[plain] && plain != word || drugs[plain+"e"] || stem != plain && (drugs[stem] || drugs[stem+"e"]) {
			return true
		}
	}
	return slices.ContainsFunc(drugEndings, func(ending string) bool { return strings.HasSuffix(word, ending) && len(word) >= len(ending)+2 })
}

// chineseWord reports whether Chinese characters are a word rather than a name.
func chineseWord(s string) bool {
	return vocabulary.Chinese(s) >= vocabulary.Everyday || chineseStops[s]
}

var chineseStops = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq("高血压 高血糖 高血脂 安好 平稳 温水 白细胞 常规 何时 任何 江州 时间 方法 程度 单位 向 路 平均 成人 成年 全部 主任 主治 支架 项目 车祸 金葡菌 牛奶 毛病 熊去氧 黄疸 黄色 白色 方案 顾虑 常见 于今 于我 于本 关于 因 和 时 应 同意 明确 明显 安静 安全 计划 申请 季节 白天 常有") {
		m[w] = true
	}
	return m
}()

// countries are no places of the kind that identifies: what is smaller than a state does.
var countries = plaintext.Set(`afghanistan albania algeria andorra angola argentina armenia australia austria azerbaijan bahamas bahrain bangladesh barbados belarus belgium belize benin bhutan bolivia botswana brazil brunei bulgaria burundi cambodia cameroon canada chile china colombia croatia cuba cyprus czechia denmark ecuador egypt england eritrea estonia ethiopia europe fiji finland france gabon gambia germany ghana greece greenland guatemala guinea guyana haiti honduras hungary iceland india indonesia iran iraq ireland israel italy jamaica japan kazakhstan kenya kosovo kuwait laos latvia lebanon lesotho liberia libya liechtenstein lithuania luxembourg madagascar malawi malaysia maldives mali malta mauritius mexico moldova monaco mongolia montenegro morocco mozambique myanmar namibia nepal netherlands nicaragua niger nigeria norway oman pakistan palestine panama paraguay peru philippines poland portugal qatar romania russia rwanda samoa scotland senegal serbia seychelles singapore slovakia slovenia somalia spain sudan suriname sweden switzerland syria taiwan tajikistan tanzania thailand togo tonga tunisia turkey türkiye turkmenistan uganda ukraine uruguay uzbekistan venezuela vietnam wales yemen zambia zimbabwe africa asia america usa uk
deutschland österreich schweiz frankreich italien spanien polen türkei griechenland rumänien ungarn russland españa méxico francia alemania italia perú brasil marruecos`)

// nationalities are peoples and languages, which are seldom the names of people.
var nationalities = plaintext.Set(`irish english welsh scottish british cornish german austrian swiss dutch flemish belgian french breton spanish catalan basque galician portuguese italian sicilian greek cypriot maltese polish czech slovak hungarian romanian bulgarian serbian croatian bosnian slovenian albanian macedonian ukrainian russian belarusian lithuanian latvian estonian finnish swedish norwegian danish icelandic turkish kurdish armenian georgian azeri persian iranian farsi dari pashto afghan arabic arab syrian lebanese iraqi egyptian moroccan algerian tunisian libyan sudanese ethiopian amharic tigrinya eritrean somali kenyan ugandan rwandan congolese nigerian yoruba igbo hausa ghanaian twi zulu xhosa afrikaans indian hindi urdu punjabi gujarati marathi bengali tamil telugu kannada malayalam sinhala nepali dzongkha newari assamese odia konkani sindhi balochi uyghur kazakh uzbek tajik turkmen kyrgyz wolof bambara lingala kinyarwanda luganda swahili shona tswana guarani nahuatl pakistani bangladeshi burmese thai lao khmer vietnamese hmong indonesian malay filipino tagalog ilocano chinese mandarin cantonese hokkien teochew hakka japanese korean mongolian tibetan american canadian mexican cuban haitian jamaican dominican puerto colombian venezuelan ecuadorian peruvian bolivian chilean argentine brazilian australian aboriginal maori samoan tongan fijian hawaiian navajo cherokee jewish hebrew yiddish muslim catholic hindu buddhist sikh
	deutsch englisch französisch spanisch italienisch türkisch russisch ukrainisch polnisch arabisch kurdisch serbisch kroatisch rumänisch ungarisch tschechisch griechisch portugiesisch dari albanisch syrisch
	español inglés francés alemán italiano portugués ruso chino árabe rumano ucraniano quechua aymara guaraní catalán euskera gallego mapudungun`)

// A word that no list has still looks like a name or like a word of medicine, as Nkemelu and Brukinsa do. What looks like
// what is learnt from the lists: from how frequent three letters in a row are in names and in words of medicine.

// letters counts three letters in a row, by a hash, in the words of some lists.
type letters struct {
	count [1 << 15]float32
	total float32
}

// threes calls a function with the hash of each three letters in a row of a word, with its beginning and its end.
func threes(word string, each func(hash int)) {
	a, b := uint32('^'), uint32('^')
	for i := 0; i <= len(word); i++ {
		c := uint32('$')
		if i < len(word) {
			c = uint32(word[i])
		}
		each(int((a*31*31 + b*31 + c) * 2654435761 >> 17))
		a, b = b, c
	}
}

func (l *letters) learn(lists ...map[string]bool) {
	for _, list := range lists {
		for word := range list {
			if word[0] < 'a' || word[0] > 'z' {
				continue
			}
			threes(word, func(hash int) {
				l.count[hash]++
				l.total++
			})
		}
	}
}

// writing holds the letters of names and of words of medicine.
type writing struct{ names, medicine letters }

var written = sync.OnceValue(func() *writing {
	w, lists := new(writing), known()
	w.names.learn(lists.given, lists.surname, lists.worldGiven, lists.worldSurname)
	w.medicine.learn(lists.clinical, lists.brand)
	return w
})

// looksLike says how much more a word without accents, in lower case, is written like a name than like a word of
// medicine, from -3 to 3; "" if it is too short to say. That a list has the word counts for nothing.
func looksLike(word string) string {
	if len(word) < 4 {
		return ""
	}
	w, lists := written(), known()
	inNames := float32(0)
	for _, list := range []map[string]bool{lists.given, lists.surname, lists.worldGiven, lists.worldSurname} {
		if list[word] {
			inNames++
		}
	}
	inMedicine := float32(0)
	for _, list := range []map[string]bool{lists.clinical, lists.brand} {
		if list[word] {
			inMedicine++
		}
	}
	odds, n := 0.0, 0
	threes(word, func(hash int) {
		names := max(0, w.names.count[hash]-inNames)
		medicine := max(0, w.medicine.count[hash]-inMedicine)
		odds += math.Log(float64((names+0.5)/w.names.total)) - math.Log(float64((medicine+0.5)/w.medicine.total))
		n++
	})
	return strconv.Itoa(int(math.Round(max(-3, min(3, 2*odds/math.Sqrt(float64(n)))))))
}

// months are those that a sentence may begin with or that are words, too: none is the name of somebody.
var months = plaintext.Set(`may april june august march mai juni juli`)
