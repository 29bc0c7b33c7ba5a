package sense

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxWords bounds how many words of a candidate, and of what stands around it, are read.
const maxWords = 40

// Features returns the names of what is so of a candidate, each once. Words are features of their own, apart for the
// candidate and what stands around it; classes of words carry what single words of a small collection cannot.
func Features(c Candidate) []string {
	f := set{seen: make(map[string]bool, 128)}
	f.add("one")
	mark := "?"
	if c.Unmarked {
		mark = "."
		f.add("unmarked")
	}
	form := strconv.Itoa(int(c.Form))
	f.add("form" + form + mark)
	f.when(c.Replies, "replies")
	f.when(c.Leaves, "leaves")
	f.when(c.Replies && c.Form == Heading, "replies heading")
	text := tokens(c.Text)
	f.text(mark, text)
	f.shape(c, text, mark)
	f.around(c)
	f.reply(c, text)
	if c.Unmarked {
		for i := range f.names {
			f.names[i] = "u " + f.names[i]
		}
	}
	return f.names
}

// set collects names, each once.
type set struct {
	names []string
	seen  map[string]bool
}

func (f *set) add(name string) {
	if !f.seen[name] {
		f.seen[name] = true
		f.names = append(f.names, name)
	}
}

func (f *set) when(is bool, name string) {
	if is {
		f.add(name)
	}
}

// words adds the words of a text, and the classes they belong to.
func (f *set) words(place string, words []string) {
	for _, w := range words {
		f.add(place + w)
		for _, class := range classes[w] {
			f.add(place + "<" + class)
		}
	}
}

// text adds what a candidate says.
func (f *set) text(mark string, words []string) {
	f.words("w:", words)
	if len(words) == 0 {
		return
	}
	f.add("1:" + words[0] + mark)
	for _, class := range classes[words[0]] {
		f.add("1:<" + class + mark)
	}
	if len(words) > 1 {
		f.add("2:" + words[0] + " " + words[1])
		for _, a := range classOf(words[0]) {
			for _, b := range classOf(words[1]) {
				f.add("2:<" + a + " <" + b)
			}
		}
	}
	for i, w := range words { // who is asked, and to do what
		if i+2 < len(words) && has(w, "modal") && (has(words[i+1], "you") || has(words[i+1], "we") || has(words[i+1], "i") || has(words[i+1], "anyone")) {
			for _, person := range classes[words[i+1]] {
				f.add("ask:" + person)
				for _, act := range words[i+2 : min(i+6, len(words))] {
					f.when(has(act, "act"), "ask:"+person+" act")
				}
			}
		}
	}
}

var (
	unitful = regexp.MustCompile(`(?i)\d\s*(?:%|mg|g|kg|ml|l|mmol|mm|cm|h|hrs?|min|s|ms|days?|weeks?|months?|years?|°c|v|w|a|gb|mb|kb|€|\$|£)\b`)
	capital = regexp.MustCompile(`\b[A-Z][A-Z0-9-]{1,5}\b`)
	speaker = regexp.MustCompile(`^(?:[A-Z]{2,3}|[\p{L} ]{2,20}|Q\d+)\s*(?::\s|：)`)
	callout = regexp.MustCompile(`\[!(\w+)`)
)

// shape adds the form of a candidate's words.
func (f *set) shape(c Candidate, words []string, mark string) {
	switch n := len(words); {
	case n <= 2:
		f.add("len:2" + mark)
	case n <= 4:
		f.add("len:4" + mark)
	case n <= 8:
		f.add("len:8" + mark)
	case n <= 16:
		f.add("len:16" + mark)
	default:
		f.add("len:more" + mark)
	}
	f.when(strings.ContainsFunc(c.Text, unicode.IsDigit), "digit")
	f.when(unitful.MatchString(c.Text), "unit")
	f.when(capital.MatchString(c.Text), "capitals")
	f.when(strings.Contains(c.Text, "??"), "marks")
	f.when(strings.Contains(c.Text, "…") || strings.Contains(c.Text, "..."), "ellipsis")
	f.when(speaker.MatchString(c.Text), "speaker")
	f.when(strings.ContainsAny(c.Text, "`{}=<>"), "code")
	if c.Unmarked { // as in titles and code
		f.when(strings.ContainsAny(c.Text, "?？"), "mark inside")
	}
	if _, back, is := strings.Cut(c.Text, "::"); is {
		f.add("card " + strconv.FormatBool(strings.Trim(back, ": \t") != ""))
	}
	if kind := callout.FindStringSubmatch(c.Above + " " + c.Ahead); kind != nil && c.Form >= Callout {
		f.add("callout " + strings.ToLower(kind[1]))
	}
	if who, _, is := strings.Cut(strings.ReplaceAll(c.Text, "：", ":"), ":"); is {
		for _, w := range tokens(who) {
			f.classes("who:<", w)
		}
	}
	first, _ := utf8.DecodeRuneInString(c.Text)
	f.when(unicode.IsLower(first), "lower")
	f.when(strings.ContainsAny(c.Text, ",，;；"), "comma")
	f.when(strings.ContainsAny(c.Text, ":："), "colon")
	f.when(strings.HasSuffix(c.Text, "."), "stop"+mark)
	who := ""
	for _, class := range [...]string{"i", "we", "you", "he", "anyone"} {
		for _, w := range words {
			if has(w, class) {
				who += "<" + class
				break
			}
		}
	}
	f.add("who:" + who)
	f.add("who:" + who + " form" + strconv.Itoa(int(c.Form)))
}

// around adds what stands around a candidate.
func (f *set) around(c Candidate) {
	near := func(place, text string, most int) []string {
		words := tokens(text)
		if len(words) == 0 {
			f.add(place + "none")
			return nil
		}
		for _, w := range words[:min(most, len(words))] {
			if place != "above:" {
				f.classes(place+"<", w)
			}
		}
		return words
	}
	if words := near("ahead:", c.Ahead, maxWords); len(words) > 0 {
		end, _ := utf8.DecodeLastRuneInString(strings.TrimRightFunc(c.Ahead, func(r rune) bool { return unicode.IsSpace(r) || r == '*' || r == '_' }))
		f.add("ahead end:" + string(end))
	}
	if words := near("behind:", c.Behind, 12); len(words) > 0 {
		f.classes("behind 1:<", words[0])
		f.when(len(words) >= 6, "behind long")
		f.when(strings.ContainsAny(c.Behind, "?？"), "behind asks")
		f.when(len(words) > 0 && !f.seen["behind:<doubt"] && !f.seen["behind:<find"] && !strings.ContainsAny(c.Behind, "?？"), "behind says")
	}
	below := near("below:", c.Below, 10)
	asks := strings.ContainsAny(c.Below, "?？")
	switch {
	case len(below) == 0:
	case c.Deeper && !asks && !f.seen["below:<doubt"] && !f.seen["below:<find"]:
		f.add("below replies")
		f.classes("below reply 1:<", below[0])
	case c.Deeper:
		f.add("below deeper asks")
	case asks:
		f.add("below asks")
	default:
		f.add("below says")
	}
	if len(below) > 0 {
		f.classes("below 1:<", below[0])
		kind := "p"
		switch {
		case item.MatchString(c.Below):
			kind = "i"
		case strings.HasPrefix(c.Below, "#"), strings.HasPrefix(c.Below, "* "), strings.HasPrefix(c.Below, "="):
			kind = "h"
		case strings.HasPrefix(c.Below, "|"):
			kind = "t"
		}
		f.add("next " + kind + strconv.FormatBool(c.Gap) + strconv.Itoa(int(c.Form)) + strconv.FormatBool(asks))
		f.when(strings.HasPrefix(c.Below, ">") || strings.HasPrefix(c.Below, "→") || strings.HasPrefix(c.Below, "->") || strings.HasPrefix(c.Below, "="), "below arrow")
		if mark := reply.FindString(c.Below); mark != "" {
			f.add("below A:")
			f.when(strings.TrimSpace(c.Below[len(mark):]) == "", "below A: nothing")
		}
	}
	above := near("above:", c.Above, 12)
	if len(above) > 0 {
		end, _ := utf8.DecodeLastRuneInString(strings.TrimRight(c.Above, " \t*_"))
		f.when(end == ':' || end == '：', "above colon")
		f.when(strings.ContainsAny(c.Above, "?？"), "above asks")
	}
	near("section:", c.Section, 12)
	near("title:", c.Title, 12)
	f.add("asked:" + strconv.Itoa(int(c.Asked*4)))
}

// reply adds how what follows a candidate would answer it: on its line, or else on the next one.
func (f *set) reply(c Candidate, asked []string) {
	said, where := c.Behind, "on"
	if strings.IndexFunc(said, unicode.IsLetter) < 0 && !strings.ContainsFunc(said, unicode.IsDigit) {
		said, where = c.Below, "under"
		switch {
		case c.Form == Heading:
			where = "section"
		case c.Deeper:
			where = "deeper"
		case item.MatchString(said), c.Gap:
			where = "apart"
		}
	}
	words := tokens(said)
	if len(words) == 0 {
		f.add("reply none")
		return
	}
	is := func(what string) { f.add("reply " + where + " " + what) }
	if first, _, _ := strings.Cut(said, "?"); len(first) < len(said) && len(tokens(first)) > 0 && strings.IndexAny(first, ".;。；") < 0 {
		is("asks")
		return
	}
	doubt := false
	for _, w := range words[:min(len(words), 20)] {
		doubt = doubt || has(w, "doubt") || has(w, "find")
	}
	if doubt {
		is("doubts")
		return
	}
	is("says")
	kind := "other"
	for _, w := range asked[:min(len(asked), 3)] {
		if has(w, "what") || has(w, "who") || has(w, "be") || has(w, "modal") {
			kind = strings.Join(classes[w], "+")
			switch w {
			case "why", "warum", "wieso", "为什":
				kind = "why"
			case "how", "wie", "怎么":
				kind = "how"
			case "when", "wann", "何时":
				kind = "when"
			}
			break
		}
	}
	is(kind)
	digit := strings.ContainsFunc(said[:min(len(said), 60)], unicode.IsDigit)
	if digit {
		is("digit")
		is("digit " + kind)
	}
	if has(words[0], "yes") || echoes(c.Text, said) {
		is("yes")
	}
	if chooses(asked, words[0]) {
		is("chosen")
	}
	if len(words) <= 5 {
		is("short")
	}
	shared := 0
	for _, w := range words {
		if utf8.RuneCountInString(w) >= 4 || isHan(w) {
			for _, a := range asked {
				if a == w {
					shared++
					break
				}
			}
		}
	}
	if shared > 0 {
		is("shares")
	}
	if shared > 1 {
		is("shares more")
	}
	first, _ := utf8.DecodeRuneInString(said)
	switch {
	case strings.HasPrefix(said, "->"), strings.HasPrefix(said, "→"), first == '=', strings.HasPrefix(said, "::"), first == '–', first == '-':
		is("arrow")
	case unicode.IsLower(first):
		is("lower")
	case first == '(' || first == '（':
		is("remark")
	case first == '#' || first == '^':
		is("tag")
	}
}

// alternative matches a Chinese question of a verb and its denial, "要不要", with the verb.
var alternative = regexp.MustCompile(`(\p{Han})[不没](\p{Han})`)

// echoes reports whether a text begins with the verb of a Chinese question, as it is or denied: "要", "不能".
func echoes(question, said string) bool {
	said = strings.TrimLeft(said, "，, ")
	for _, m := range alternative.FindAllStringSubmatch(question, -1) {
		if verb := m[1]; verb == m[2] && (strings.HasPrefix(said, verb) || strings.HasPrefix(said, "不"+verb) || strings.HasPrefix(said, "没"+verb)) {
			return true
		}
	}
	if rest, asks := strings.CutSuffix(strings.TrimRight(question, "？? "), "吗"); asks {
		for _, verb := range [...]string{"可以", "能", "会", "有", "是", "要", "需"} {
			if strings.Contains(rest, verb) && (strings.HasPrefix(said, verb) || strings.HasPrefix(said, "不"+verb) || strings.HasPrefix(said, "没"+verb)) {
				return true
			}
		}
	}
	return false
}

// chooses reports whether a word is one of two that a question offers: "PDF or HTML?"
func chooses(asked []string, word string) bool {
	for i, w := range asked {
		if (w == "or" || w == "oder" || w == "还是") && (i > 0 && asked[i-1] == word || i+1 < len(asked) && asked[i+1] == word) {
			return true
		}
	}
	return false
}

func isHan(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.Is(unicode.Han, r) && utf8.RuneCountInString(word) > 1
}

func (f *set) classes(place, word string) {
	for _, class := range classes[word] {
		f.add(place + class)
	}
}

var item = regexp.MustCompile(`^(?:[-*+•]|\d{1,3}[.)])[ \t]`)

var reply = regexp.MustCompile(`^(?:[-*+] )?(?:\*\*|__)?(?i:a|answer|antwort|ans|答|回答)(?:\*\*|__)?[ \t]*[:：]`)

// tokens returns the words of a text in lower case; of Chinese, pairs of characters.
func tokens(text string) []string {
	var words []string
	var word strings.Builder
	var before rune
	flush := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
			word.Reset()
		}
	}
	for _, r := range text {
		if len(words) >= maxWords {
			return words
		}
		switch {
		case unicode.Is(unicode.Han, r):
			flush()
			if one := string(r); classes[one] != nil {
				words = append(words, one)
			}
			if before != 0 {
				words = append(words, string([]rune{before, r}))
			}
			before = r
			continue
		case r == '\'' || r == '’':
			flush()
		case unicode.IsLetter(r):
			word.WriteRune(unicode.ToLower(r))
		case unicode.IsDigit(r):
			if word.Len() == 0 || word.String() == "0" {
				word.Reset()
				word.WriteByte('0')
			} else {
				word.WriteByte('0')
			}
		default:
			flush()
		}
		before = 0
	}
	flush()
	return words
}

func has(word, class string) bool {
	for _, own := range classes[word] {
		if own == class {
			return true
		}
	}
	return false
}

func classOf(word string) []string {
	if own := classes[word]; own != nil {
		return own
	}
	return []string{"*"}
}
