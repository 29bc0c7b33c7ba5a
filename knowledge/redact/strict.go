package redact

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/vocabulary"
)

var (
	// longNumber matches digits that are more than a dose, a value or a year, and codes with letters.
	longNumber = regexp.MustCompile(`\b(?:[A-Z]{1,6}[-/])?[A-Za-z]*\d[A-Za-z0-9]*(?:[-/.:][A-Za-z0-9]*\d[A-Za-z0-9]*)*\b`)
	// groupedNumber matches a number in groups.
	groupedNumber = regexp.MustCompile(`\b\d{1,6}(?:[ -]\d{2,6})+(?:[ -]\d)?\b`)
	// twoOfADate matches two numbers that may be a day and a month.
	twoOfADate = regexp.MustCompile(`\b\d{1,2}(?:/\d{1,2}\b|\.\d{1,2}\.)`)
	// qualified matches letters that may be initials, with a degree behind them.
	qualified = regexp.MustCompile(`^,? (?:MD|DO|NP|RN|PA|PhD|PharmD|FRCP|MBBS|LCSW|PGY\d?|cons)\b`)
	// sentenceStart matches what stands before the first word of a sentence, an item or a line.
	sentenceStart = regexp.MustCompile(`(?:^|[.!?:;\n|\-–•*#>"“(\[)\]/])[\s"'“(*_#]*$`)
)

// Unknown returns what a redacted text still holds that is no public vocabulary, each once and in order: words of no
// list, given names that are words too, months, long numbers and codes, two numbers that may be a day and a month, and what
// would be replaced if the text were about a person. Placeholders, numbers with units, doses and values, and the words that
// allowed accepts, in lower case, are none of them.
func Unknown(text string, allowed func(word string) bool) []string {
	text = placeholderPattern.ReplaceAllStringFunc(text, func(p string) string { return strings.Repeat(" ", len(p)) })
	v := newView(text)
	lang := languageOf(v.text)
	isPersonal, _ := personalParts(v.text, nil)
	var unknown []string
	var added []Span // in the view
	add := func(from, to int) {
		word := text[v.from[from]:v.to[to-1]]
		if allowed(strings.ToLower(word)) {
			return
		}
		added = append(added, Span{Start: from, End: to})
		if !slices.Contains(unknown, word) {
			unknown = append(unknown, word)
		}
	}
	for _, t := range tokens(v.text) {
		if isDigitAt(v.text, t.start-1) || isDigitAt(v.text, t.end) {
			continue // a part of a code
		}
		short := isCaps(strings.TrimSuffix(t.text, "s")) && utf8.RuneCountInString(t.text) <= 6 && !isPersonal(t.start) // an abbreviation
		switch {
		case short && utf8.RuneCountInString(t.text) <= 3 && qualified.MatchString(v.text[t.end:]):
			add(t.start, t.end) // initials
		case short || allowed(t.lower):
		case len(t.text) > 2 && monthWord.MatchString(t.text) && t.capital() && !sentenceStart.MatchString(v.text[max(0, t.start-12):t.start]):
			add(t.start, t.end)
		case lang == spanish && t.capital() && known().seldom[t.lower] && !english.isWord(t.lower):
			add(t.start, t.end) // it may be a name
		case !lang.isWord(t.lower) && !isForeign(v.text, t, lang) && !isBritish(t.text):
			if !eponym.MatchString(v.text[t.end:]) && (!known().eponym[t.lower] || isPersonal(t.start)) {
				add(t.start, t.end)
			}
		case isGiven(t.lower) && t.capital() && !isCaps(t.text) && !otherThings[t.lower] && !months[t.lower] && isPersonal(t.start) && !sentenceStart.MatchString(v.text[max(0, t.start-12):t.start]):
			add(t.start, t.end)
		}
	}
	for _, at := range longNumber.FindAllStringIndex(v.text, -1) {
		code := v.text[at[0]:at[1]]
		digits := len(digitsOf(code))
		if strings.ContainsFunc(code, unicode.IsLetter) && digits >= 4 && !clinicalCode.MatchString(code) || digits >= 6 && !unitNear(v.text[at[1]:]) && !decimals.MatchString(code) && !isYears(code) {
			add(at[0], at[1])
		}
	}
	for _, at := range groupedNumber.FindAllStringIndex(v.text, -1) {
		if n := len(digitsOf(v.text[at[0]:at[1]])); n >= 7 && !unitNear(v.text[at[1]:]) && !isYears(v.text[at[0]:at[1]]) && !inThousands.MatchString(v.text[at[0]:at[1]]) {
			add(at[0], at[1])
		}
	}
	for _, at := range twoOfADate.FindAllStringIndex(v.text, -1) {
		n := numbers(v.text[at[0]:at[1]])
		if min(n[0], n[1]) >= 1 && min(n[0], n[1]) <= 12 && max(n[0], n[1]) <= 31 && !joinsNumber(v.text, at[0], at[1]) && !unitNear(v.text[at[1]:]) && !scored.MatchString(beforeInLine(v.text, at[0])) {
			add(at[0], at[1])
		}
	}
	e := v.evidenceWith(everyPart)
	for _, h := range withoutDoses(v.text, e.choose(v.text, trained().probabilities(&e), shipped)) {
		inside := func(s Span) bool { return h.start <= s.Start && s.End <= h.end }
		if h.class != Place && !slices.ContainsFunc(added, inside) && !isPublic(h.class, v.text[h.start:h.end], allowed) {
			add(h.start, h.end)
		}
	}
	if plaintext.HasHan(v.text) {
		for _, w := range vocabulary.Segment(v.text) {
			if utf8.RuneCountInString(w.Text) > 1 && vocabulary.Chinese(w.Text) == vocabulary.Rare {
				add(w.Start, w.End)
			}
		}
		for _, at := range twoRare.FindAllStringIndex(v.text, -1) {
			if !chineseWord(v.text[at[0]:at[1]]) && vocabulary.Chinese(v.text[at[0]:at[1]]) == vocabulary.Rare && isSingle(v.text, at[0], at[1]) {
				add(at[0], at[1])
			}
		}
	}
	return unknown
}

// isPublic reports whether what would be replaced in a note is public all the same: words that are allowed, an eponym, a great number,
// the scheme of an address, a word of one letter.
func isPublic(class Class, part string, allowed func(word string) bool) bool {
	if part == "A" || part == "I" || inThousands.MatchString(part) || strings.HasSuffix(part, "://") {
		return true
	}
	for _, t := range tokens(part) {
		if !allowed(t.lower) && !(class == Name && (known().eponym[t.lower] || isMedicine(t.lower))) {
			return false
		}
	}
	return digitsOf(part) == ""
}

// isForeign reports whether a word that its language lacks is one of German, of which a word in small letters may be made of others.
func isForeign(text string, t token, lang language) bool {
	switch {
	case lang == german, isGiven(t.lower), isSurname(t.lower), strings.HasSuffix(text[:t.start], "_"), strings.HasPrefix(text[t.end:], "_"):
		return false
	}
	return german.general(t.lower) || t.text == t.lower && german.isWord(t.lower)
}

// british has British spellings of parts of words, each in front of the American one.
var british = [][2]string{
	{"our", "or"}, {"tre", "ter"}, {"bre", "ber"}, {"is", "iz"}, {"ys", "yz"}, {"ae", "e"}, {"oe", "e"}, {"enc", "ens"}, {"ogue", "og"},
	{"gramme", "gram"}, {"ould", "old"}, {"ough", "ow"}, {"yre", "ire"}, {"orey", "ory"}, {"sce", "ske"}, {"vre", "ver"}, {"ll", "l"},
}

// isBritish reports whether a word in small letters is one of English in its British spelling. The vocabulary has the
// American ones. Neither spelling may name anybody: Baecker is no becker.
func isBritish(word string) bool {
	namesNobody := func(word string) bool { return !isGiven(word) && !isSurname(word) }
	if word != strings.ToLower(word) || !namesNobody(word) {
		return false
	}
	for i, first := range british {
		once := strings.ReplaceAll(word, first[0], first[1])
		if once == word {
			continue
		}
		if namesNobody(once) && english.isWord(once) {
			return true
		}
		for _, second := range british[i+1:] {
			if twice := strings.ReplaceAll(once, second[0], second[1]); twice != once && namesNobody(twice) && english.isWord(twice) {
				return true
			}
		}
	}
	return false
}

// inThousands matches a great number in groups of three.
var inThousands = regexp.MustCompile(`^[1-9]\d{0,2}(?: \d{3})+$`)

// Vocabulary collects the words of the user's sources that are no names: those that two sources write in small letters
// and that no list of names has. The zero value is empty.
type Vocabulary struct{ first, words map[string]bool }

// Add adds the words of a source.
func (v *Vocabulary) Add(text string) {
	if v.words == nil {
		v.first, v.words = make(map[string]bool), make(map[string]bool)
	}
	seen := make(map[string]bool)
	for _, t := range tokens(text) {
		if t.text != t.lower || seen[t.lower] || utf8.RuneCountInString(t.lower) < 3 || isGiven(t.lower) || isSurname(t.lower) {
			continue
		}
		if seen[t.lower] = true; v.first[t.lower] {
			v.words[t.lower] = true
		}
		v.first[t.lower] = true
	}
}

// Has reports whether a word, in lower case, is one.
func (v *Vocabulary) Has(word string) bool { return v.words[word] }

// twoRare matches what may be a Chinese name.
var twoRare = re(surname + `\p{Han}{1,2}`)

// isSingle reports whether the words of a Chinese text fall apart into single characters there, as in a name.
func isSingle(text string, start, end int) bool {
	for _, w := range vocabulary.Segment(text[start:end]) {
		if utf8.RuneCountInString(w.Text) > 1 {
			return false
		}
	}
	after, _ := utf8.DecodeRuneInString(text[end:])
	return !unicode.Is(unicode.Han, after)
}
