package redact

import (
	_ "embed"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/plaintext"
)

// Names have no form of their own. They are found where something announces them (a label, a title,
// a salutation, a signature, a relation, a common given name before a capitalised word), and then
// everywhere else in the request.

const (
	word = `\p{Lu}[\p{Ll}\p{M}]+(?:['’-]\p{Lu}?[\p{Ll}\p{M}]+)*|(?:O|D)['’]\p{Lu}\p{Ll}+|\p{Lu}\p{Ll}?\p{Lu}\p{Ll}+`
	// one to four capitalised words, initials and particles between them
	full = `((?:` + word + `|\p{Lu}\.)(?:,?[ \t]+(?:(?:van|von|der|de|del|da|di|la|le|bin|al|ter)[ \t]+)*(?:` + word + `|\p{Lu}\.)){0,3})`
	caps = `(\p{Lu}{2,}(?:[ ,]+\p{Lu}{2,}){0,2})`
)

// announcements lists the patterns that announce a name.
var announcements = []struct {
	name string
	re   *regexp.Regexp
}{
	{"label", re(`(?m)\b(?i:patient(?: name)?|name|full name|surname|last name|first name|given name|maiden name|alias|aka|physician|doctor|consultant|provider|surgeon|nurse|midwife|gp|next of kin|nok|emergency contact|contact|carer|guardian|referred by|referring|seen by|attending|dictated by|signed(?: by)?|author|spouse|employer|re)[ \t]*[:：][ \t]*` + full)},
	{"label", re(`(?m)\b(?i:patient(?: name)?|name|surname|last name|first name|given name)[ \t]*[:：][ \t]*` + caps)},
	{"title", re(`\b(?:Dr|Mr|Mrs|Ms|Miss|Mx|Prof|Professor|Doctor|Sister|Nurse|Rev|Sir|Dame|Herr|Frau|Madame|Mme|Señora?|Sra?)\b\.?[ \t]+` + full)},
	{"salutation", re(`(?m)^[ \t]*(?:Dear|Hi|Hello)[ \t]+` + full)},
	{"signature", re(`(?im:^[ \t]*(?:(?:kind|best|warm) )?regards|sincerely|yours truly|faithfully|best wishes),?[ \t]*\r?\n\s*` + full)},
	{"relation", re(`\b(?i:wife|husband|son|daughter|brother|sister|mother|father|partner|friend|neighbou?r|aunt|uncle|grandson|granddaughter|cousin|niece|nephew|colleague)[ \t]*,?[ \t]+(?:(?:is|was)[ \t]+)?(?:called[ \t]+|named[ \t]+)?` + full)},
	{"naming", re(`\b(?i:named|called|my name is|known as|goes by)[ \t]+` + full)},
	{"patient", re(`\b(?:[Pp]atient|[Pp]t\.?|[Cc]lient|[Rr]esident)[ \t]+` + full)},
	{"Chinese label", re(`(?:姓名|患者姓名|联系人|家属|签名|主治医师|主管医师)[ \t]*[:：][ \t]*(\p{Han}{2,4})`)},
	{"Chinese title", re(`(` + surname + `\p{Han}{0,2}?)(?:先生|女士|小姐|医生|大夫|主任|护士|教授|老师|太太|阿姨)`)},
}

// surname matches the most frequent Chinese surnames, two-character ones first.
const surname = `(?:欧阳|司马|上官|诸葛|东方|皇甫|[王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严])`

//go:embed given.txt
var givenNames string

// given holds the common given names of given.txt, in lower case.
var given = plaintext.Set(givenNames)

var capitalised = regexp.MustCompile(`(?:` + word + `)(?:[ \t]+\p{Lu}\.)?(?:[ \t]+(?:` + word + `))*`)

// eponym matches what follows a person's name that has become the name of a thing.
var eponym = regexp.MustCompile(`^(?:['’]s?)?[ \t-]+(?i:disease|syndrome|sign|test|score|scale|criteria|palsy|tumou?r|lymphoma|sarcoma|carcinoma|reflex|phenomenon|classification|fracture|contracture|chorea|ulcer|virus|stain|manoeuvre|maneuver|method|procedure|operation|catheter|tube|position|law|formula|equation|index|body|bodies|cells?|duct|gland|triad|pouch|node|nodes|spots?|rash|thyroiditis|dementia|arteritis|esophagus|oesophagus|hernia|needle|coefficient|correction|distribution|bacillus)\b`)

// notNames holds words that are in no name, although they follow words that announce names.
var notNames = plaintext.Set(`the a an this that these those he she it they his her its their we you i in on at of to for from with
	by and or but if no not yes is was are were has had have been be will would can could may might must should denies denied reports
	reported presents presented complains complained states stated seen aged age year years old male female man woman boy girl child
	history past medical current today yesterday tomorrow monday tuesday wednesday thursday friday saturday sunday january february march
	april june july august september october november december spring summer autumn winter allergies allergy medication
	medications plan assessment diagnosis treatment examination blood pressure heart rate temperature all any some none unknown
	what when where which who why how does do did please thank thanks dear team colleague colleagues sir madam doctor doctors patient
	patients information leaflet leaflets care safety education group groups journal review reviews english chinese german french
	spanish american british european asian african indian`)

// people holds the words seen in names, as written.
type people map[string]bool

// learn returns the announced names of a text and remembers their words.
func (p people) learn(text string, known func(string) bool) []hit {
	var hits []hit
	for _, a := range announcements {
		for _, at := range a.re.FindAllStringSubmatchIndex(text, -1) {
			start, end := trimName(text, at[2], at[3])
			if start == end || eponym.MatchString(text[end:]) {
				continue
			}
			weak := a.name == "patient" || a.name == "relation" || a.name == "naming"
			if weak && !plausible(text[start:end], known) {
				continue
			}
			p.remember(text[start:end])
			hits = append(hits, hit{Name, start, end, a.name})
		}
	}
	for _, at := range capitalised.FindAllStringIndex(text, -1) {
		if start, end, ok := givenName(text, at[0], at[1], known); ok {
			p.remember(text[start:end])
			hits = append(hits, hit{Name, start, end, "given name"})
		}
	}
	return hits
}

// trimName cuts a match at the first word that no name has.
func trimName(text string, start, end int) (int, int) {
	at := start
	for at < end {
		next := at + strings.IndexFunc(text[at:end], unicode.IsSpace)
		if next < at {
			next = end
		}
		if notNames[strings.ToLower(strings.Trim(text[at:next], ".,"))] {
			return start, start + len(strings.TrimRight(text[start:at], " \t,"))
		}
		at = next + len(text[next:end]) - len(strings.TrimLeft(text[next:end], " \t"))
	}
	return start, start + len(strings.TrimRight(text[start:end], " \t,"))
}

// plausible reports whether one word of a weakly announced name is unknown to the sources.
func plausible(name string, known func(string) bool) bool {
	for w := range strings.FieldsSeq(name) {
		w = strings.ToLower(strings.Trim(w, ".,"))
		if given[w] || known == nil || !known(w) {
			return true
		}
	}
	return false
}

// givenName finds a common given name followed by a capitalised word, or a single one that the sources
// do not know.
func givenName(text string, start, end int, known func(string) bool) (int, int, bool) {
	at := start
	for w := range strings.FieldsSeq(text[start:end]) {
		offset := at + strings.Index(text[at:end], w)
		at = offset + len(w)
		lower := strings.ToLower(w)
		if !given[lower] || notNames[lower] {
			continue
		}
		s, e := trimName(text, offset, end)
		alone := !strings.ContainsAny(text[s:e], " \t")
		switch {
		case eponym.MatchString(text[e:]):
		case alone && known != nil && known(lower):
		case alone && ambiguous[lower]:
		default:
			return s, e, true
		}
	}
	return 0, 0, false
}

// ambiguous holds given names that are also everyday words; alone they count as the word.
var ambiguous = plaintext.Set(`april may june august rose grace hope joy faith mark will bill jack frank daisy iris ivy lily violet jean art dean
	grant hazel holly olive pat ray rob sandy sue summer victor drew chase max gene sage basil`)

// remember adds the words of a name that are long enough to be distinctive.
func (p people) remember(name string) {
	if utf8.RuneCountInString(name) >= 2 && unicode.Is(unicode.Han, []rune(name)[0]) {
		p[name] = true
		return
	}
	for w := range strings.FieldsSeq(name) {
		w = strings.Trim(w, ".,")
		if utf8.RuneCountInString(w) >= 3 && unicode.IsUpper([]rune(w)[0]) && !notNames[strings.ToLower(w)] {
			p[w] = true
		}
	}
}

// again finds the remembered words elsewhere, in capitals too.
func (p people) again(text string) []hit {
	var hits []hit
	for name := range p {
		for _, form := range []string{name, strings.ToUpper(name)} {
			for from := 0; ; {
				i := strings.Index(text[from:], form)
				if i < 0 {
					break
				}
				start, end := from+i, from+i+len(form)
				from = end
				if wholeWord(text, start, end) && !eponym.MatchString(text[end:]) {
					hits = append(hits, hit{Name, start, end, "seen as a name elsewhere"})
				}
			}
		}
	}
	return hits
}

// wholeWord reports whether no letter touches the span.
func wholeWord(text string, start, end int) bool {
	first, _ := utf8.DecodeRuneInString(text[start:])
	if unicode.Is(unicode.Han, first) {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	after, _ := utf8.DecodeRuneInString(text[end:])
	return !unicode.IsLetter(before) && !unicode.IsLetter(after)
}
