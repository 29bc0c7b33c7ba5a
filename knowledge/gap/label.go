package gap

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/question"
)

// ratedPhrase is a noun phrase of the question with how well the sources cover it.
type ratedPhrase struct {
	question.Phrase
	coverage float64   // idf-weighted, 0..1
	rarity   float64   // the largest idf of its terms
	unknown  string    // a word of it that no passage mentions, as written; empty if there is none
	class    wordClass // of that word
}

// A match of softMatch or less counts as no coverage, one softRange above it as full; covered is the
// coverage from which a phrase counts as there. Chosen by reading labels.
const (
	softMatch = 0.35
	softRange = 0.40
	covered   = 0.6
)

// termScorer tells the wording of a gap what the sources know of a term.
type termScorer struct {
	idf     func(term string) float64
	match   func(term string) float64 // in the document that covers the question best, 0..1
	unknown func(word string) bool    // whether no passage of the base mentions the word
	class   func(word string) wordClass
}

// rate scores the noun phrases of a question.
func rate(all []question.Phrase, s termScorer) []ratedPhrase {
	out := make([]ratedPhrase, len(all))
	for i, c := range all {
		r := ratedPhrase{Phrase: c}
		total := 0.0
		for _, term := range c.Terms {
			weight := s.idf(term)
			total += weight
			r.coverage += weight * min(max((s.match(term)-softMatch)/softRange, 0), 1)
			r.rarity = max(r.rarity, weight)
		}
		if total > 0 {
			r.coverage /= total
		}
		r.unknown, r.class = unknownWord(c.Text, s)
		out[i] = r
	}
	return out
}

// maxHanWord is roughly the maximal length of a Chinese word in characters.
const maxHanWord = 6

// courtesyTerms are of greetings, and of days and months, which say when and not what: no gap is named by them.
var courtesyTerms = termsOf(plaintext.Set(`
	hello hi hey dear sir madam mr mrs ms regards sincerely greetings thanks cheers morning afternoon evening
	hallo sehr geehrte geehrter damen herren herr frau liebe lieber grüße grüßen freundlichen danke moin
	monday tuesday wednesday thursday friday saturday sunday january february april june july august september
	october november december montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar märz mai
	juni juli oktober dezember`))

// unknownWord returns the most name-like word of a phrase that no passage mentions, of several the longest.
func unknownWord(text string, s termScorer) (name string, class wordClass) {
	words := question.Words(text)
	if plaintext.HasHan(text) {
		words = nil
		for _, w := range hanWords(text) {
			words = append(words, w.text)
		}
		if utf8.RuneCountInString(text) <= maxHanWord {
			words = append(words, text)
		}
	}
	for _, w := range words {
		terms := lexical.Terms(w)
		if question.IsGeneric(w) || len(terms) == 0 || courtesyTerms[terms[0]] || !s.unknown(w) {
			continue
		}
		if c := s.class(w); name == "" || c > class || c == class && len(w) > len(name) {
			name, class = w, c
		}
	}
	return name, class
}

// nameTopic words a missing topic and what to search for instead, by the phrases that name what the question is
// about: the most name-like one that no passage mentions; or else the side of the subject or the case that is
// asked about; or else what the sources do not have together.
func nameTopic(r question.Reading, all []ratedPhrase) (label, query string) {
	if !namesSomething(all) {
		return fit("Nothing that answers ", asks(r)), oneLine(asks(r))
	}
	if slices.ContainsFunc(all, func(p ratedPhrase) bool { return p.unknown != "" }) {
		return nameUnknown(rarestUnknown(all), all)
	}
	byCoverage := slices.Clone(all)
	slices.SortStableFunc(byCoverage, func(a, b ratedPhrase) int { return cmp.Compare(a.coverage, b.coverage) })
	least := byCoverage[0]
	query = joinQuery(byCoverage[:min(3, len(byCoverage))])
	if side := sideOf(r); side != "" {
		return nameAspect(side, least.Text, nil), oneLine(least.Text + " " + side)
	}
	switch {
	case least.coverage < covered && len(all) > 1:
		return fit("Nothing on ", least.Text, " together with ", bestOther(all, least).Text), query
	case least.coverage < covered:
		return fit("Nothing on ", least.Text), query
	case len(all) > 1:
		byRarity := slices.Clone(all)
		slices.SortStableFunc(byRarity, func(a, b ratedPhrase) int { return cmp.Compare(b.rarity, a.rarity) })
		return fit("Only near matches on ", byRarity[0].Text, " and ", byRarity[1].Text, "; none that answers"), query
	}
	return fit("Only distant matches for ", least.Text), query
}

// asks returns the sentences of a text that ask, without a closing question mark.
func asks(r question.Reading) string {
	var sentences []string
	for _, s := range r.Asking {
		sentences = append(sentences, r.Text[s.Start:s.End])
	}
	if len(sentences) == 0 {
		return r.Text
	}
	return strings.Join(sentences, " ")
}

// vagueSides are aspects that say how something is asked rather than what about.
var vagueSides = plaintext.Set("steps definition purpose size dates duration list comparison reason limits")

// cases says in what case a condition puts a question.
var cases = map[string]string{
	"child": "in children", "elderly": "in old age", "pregnancy": "in pregnancy", "breastfeeding": "during breastfeeding",
	"kidney disease": "in kidney disease", "liver disease": "in liver disease", "heart disease": "in heart disease",
	"diabetes": "in diabetes", "part time": "in part-time work", "probation": "in probation", "student": "for students",
	"contractor": "for contractors", "weekend": "at the weekend", "holiday": "on public holidays", "abroad": "abroad",
	"first time": "the first time",
}

// sideOf names the side of its subject and the case that a question asks about, or returns "".
func sideOf(r question.Reading) string {
	var parts []string
	if name := strings.TrimPrefix(string(r.Aspect), "the "); name != "" && !vagueSides[name] {
		parts = append(parts, string(r.Aspect))
	}
	for _, c := range r.Conditions {
		if name := cases[c.Name]; name != "" && len(parts) > 0 && !slices.Contains(parts, name) {
			parts = append(parts, name)
		}
	}
	return strings.Join(parts, " ")
}

// nameAspect words a missing aspect of a subject and lists as many of the aspects that the sources have as
// there is room for.
func nameAspect(asked, subject string, held []string) string {
	label := fit("Nothing on "+cutAtWord(oneLine(asked), MaxText/3)+" of ", subject)
	for i, name := range held {
		part := ", " + oneLine(name)
		if i == 0 {
			part = "; you have: " + oneLine(name)
		}
		if utf8.RuneCountInString(label+part) >= MaxText {
			if i > 0 {
				label += "…"
			}
			break
		}
		label += part
	}
	return label
}

// nameUnknown words a gap around a word that no passage mentions.
func nameUnknown(missing ratedPhrase, all []ratedPhrase) (label, query string) {
	others := make([]ratedPhrase, 0, len(all))
	for _, r := range all {
		if r.Text != missing.Text {
			others = append(others, r)
		}
	}
	slices.SortStableFunc(others, func(a, b ratedPhrase) int { return cmp.Compare(a.coverage, b.coverage) })
	query = joinQuery(append([]ratedPhrase{missing}, others[:min(2, len(others))]...))
	if strings.EqualFold(missing.Text, missing.unknown) {
		return fit("Nothing on ", missing.Text, ": no passage mentions it"), query
	}
	return fit("Nothing on ", missing.Text, ": no passage mentions ", missing.unknown), query
}

// namesSomething reports whether a phrase reads like a name: it has more than one word, or its word is not
// an everyday verb or adjective.
func namesSomething(all []ratedPhrase) bool {
	for _, r := range all {
		if strings.Contains(r.Text, " ") || !isVerbal(r.Text) {
			return true
		}
	}
	return false
}

// isVerbal reports that a lone word has the form of a verb or adjective and no mark of a name.
func isVerbal(text string) bool {
	if plaintext.HasHan(text) || question.IsCode(text) {
		return false
	}
	return strings.HasSuffix(text, "ed") || strings.HasSuffix(text, "ly")
}

// rarestUnknown returns the phrase with the most name-like word that no passage mentions.
func rarestUnknown(all []ratedPhrase) ratedPhrase {
	var best ratedPhrase
	for _, r := range all {
		if r.unknown != "" && (best.unknown == "" || r.class > best.class || r.class == best.class && len(r.unknown) > len(best.unknown)) {
			best = r
		}
	}
	return best
}

// bestOther returns the phrase, other than the given one, that best names the subject of the question: well
// covered and rare.
func bestOther(all []ratedPhrase, not ratedPhrase) ratedPhrase {
	var best ratedPhrase
	for _, r := range all {
		if r.Text == not.Text {
			continue
		}
		if best.Text == "" || r.coverage*r.rarity > best.coverage*best.rarity {
			best = r
		}
	}
	return best
}

func joinQuery(parts []ratedPhrase) string {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.Text
	}
	return strings.Join(texts, " ")
}

// fit joins alternating fixed words and names. The names are in quotation marks and shortened at word ends,
// longest first, until the whole fits [MaxText].
func fit(parts ...string) string {
	names := make([]string, 0, len(parts)/2)
	fixed := 0
	for i, part := range parts {
		if i%2 == 0 {
			fixed += utf8.RuneCountInString(part)
		} else {
			names = append(names, oneLine(part))
			fixed += 2
		}
	}
	shortenTo(names, MaxText-fixed)
	var b strings.Builder
	for i, part := range parts {
		if i%2 == 0 {
			b.WriteString(part)
		} else {
			b.WriteString("“" + names[i/2] + "”")
		}
	}
	return b.String()
}

// shortenTo shortens the longest names until all have at most room characters together.
func shortenTo(names []string, room int) {
	for {
		total, longest := 0, 0
		for i, name := range names {
			total += utf8.RuneCountInString(name)
			if utf8.RuneCountInString(name) > utf8.RuneCountInString(names[longest]) {
				longest = i
			}
		}
		if total <= room {
			return
		}
		length := utf8.RuneCountInString(names[longest])
		names[longest] = cutAtWord(names[longest], max(length-(total-room), room/(2*len(names))))
	}
}

// cutAtWord shortens text to at most length characters, including the ellipsis, at the end of a word if one
// is near.
func cutAtWord(text string, length int) string {
	runes := []rune(text)
	if len(runes) <= length {
		return text
	}
	end := max(length-1, 0)
	for at := end; at > end/2; at-- {
		if unicode.IsSpace(runes[at]) {
			end = at
			break
		}
	}
	return strings.TrimRightFunc(string(runes[:end]), isLoose) + "…"
}

func isLoose(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;:-–—(", r) }

// oneLine returns text as valid UTF-8 on one line, without control characters and without quotation marks
// that would end the label's own.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r):
			return ' '
		case r == '“' || r == '”' || r == '"':
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	return plaintext.OneLine(text)
}

// FromModel returns an open gap that a model named, with the query to fill it; an empty query means the text.
func FromModel(text, query string, probability float64, nearest []*passage.Passage) Gap {
	return Gap{
		ID: IDOf(MissingKnowledge, text), Code: MissingKnowledge,
		Text: cutAtWord(oneLine(text), MaxText), Query: cmp.Or(oneLine(query), oneLine(text)),
		Status: Open, Probability: probability, Nearest: nearest[:min(maxNearest, len(nearest))],
	}
}
