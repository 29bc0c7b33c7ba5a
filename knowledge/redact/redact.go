// Package redact replaces what identifies people in a text before the text leaves the machine.
//
// It removes identifiers that it recognises. It will miss some, above all names and unusual
// combinations of facts. It does not make a document de-identified under HIPAA Safe Harbor or any
// other law. If text must not leave the machine, no remote endpoint may be configured.
//
// The classes follow the eighteen of 45 CFR 164.514(b)(2); biometric data and photographs are never
// sent, and "any other unique characteristic" cannot be recognised by a program.
//
// Begin with [Messages].
package redact

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/plaintext"
)

// Options adapt the search to one user.
type Options struct {
	// Listed holds the user's own texts that must never leave, in upper or lower case.
	Listed []string
	// Allowed holds words and numbers, in upper or lower case, that name nobody, whatever they look like.
	Allowed []string
	// Shift moves whole dates by so many days instead of replacing them, so that they keep their distance; 0 replaces
	// them. Weekdays stay true if it is a number of weeks.
	Shift int
	// Origins are texts that parts of the request were copied from, with their lines and what stands around those parts. What
	// identifies people there is replaced in the copies, whatever has become of their white space.
	Origins []string
}

// Result is the redacted form of the texts of one request.
type Result struct {
	Messages []string
	Spans    [][]Span          // of each text that was given, in order, without overlap
	Counts   map[Class]int     // of different identifiers
	original map[string]string // by placeholder
	shifted  map[string]string // dates as they were, by what stands for them
}

// Messages replaces the identifiers in the texts of one request with placeholders such as [NAME-1].
// Equal identifiers get equal placeholders throughout the request, and other forms of the same person's name
// the same number with a letter: [NAME-1b]. Numbers follow the order of appearance, so that a placeholder
// reveals nothing about its identifier.
func Messages(texts []string, o Options) Result {
	r := Result{Counts: make(map[Class]int), original: make(map[string]string), shifted: make(map[string]string)}
	hits := find(texts, o)
	given := placeholders{known: make(map[string]string), shift: o.Shift, order: orderOf(texts)}
	for i, text := range texts {
		var b strings.Builder
		last := 0
		spans := make([]Span, 0, len(hits[i]))
		for _, h := range hits[i] {
			spans = append(spans, Span{h.class, h.start, h.end})
			b.WriteString(text[last:h.start])
			b.WriteString(r.placeholder(&given, h.class, text[h.start:h.end]))
			last = h.end
		}
		b.WriteString(text[last:])
		r.Messages, r.Spans = append(r.Messages, b.String()), append(r.Spans, spans)
	}
	return r
}

// placeholders remembers what stands for what in one request.
type placeholders struct {
	known   map[string]string // by class and identifier
	persons []person          // by number
	shift   int               // see Options
	order   order             // of the parts of numeric dates
}

// person is somebody with the words of the names that were seen, in lower case.
type person struct {
	words map[string]bool
	forms int
}

// placeholder returns the placeholder of an identifier, and assigns one to a new identifier.
func (r *Result) placeholder(given *placeholders, class Class, identifier string) string {
	key := string(class) + " " + identifier
	if p, ok := given.known[key]; ok {
		return p
	}
	if class == Date && given.shift != 0 {
		if other, ok := shifted(identifier, given.shift, given.order); ok {
			r.Counts[Date]++
			given.known[key], r.shifted[other] = other, identifier
			return other
		}
	}
	number, form := 0, ""
	if class == Name {
		number, form = given.person(identifier)
		r.Counts[Name] = len(given.persons)
	} else {
		r.Counts[class]++
		number = r.Counts[class]
	}
	p := fmt.Sprintf("[%s-%d%s]", class, number, form)
	given.known[key], r.original[p] = p, identifier
	return p
}

// person returns the number of the person with a name and the letter of this form of it. A name is of a person who was
// named before if the shorter of two names is a part of the other.
func (g *placeholders) person(name string) (number int, form string) {
	words := make(map[string]bool)
	for w := range strings.FieldsSeq(newView(name).text) {
		if w = strings.ToLower(strings.Trim(w, ".,;:()^")); w != "" && !titles[w] && !particles[w] {
			words[w] = true
		}
	}
	for i := range g.persons {
		p := &g.persons[i]
		shared := 0
		for w := range words {
			if p.words[w] {
				shared++
			}
		}
		if shared == 0 || shared < min(len(words), len(p.words)) || p.forms == 'z'-'a'+1 {
			continue
		}
		maps.Copy(p.words, words)
		p.forms++
		return i + 1, string(rune('a' + p.forms - 1))
	}
	g.persons = append(g.persons, person{words: words, forms: 1})
	return len(g.persons), ""
}

var placeholderPattern = regexp.MustCompile(`\[[A-Z]+-\d{1,6}[a-z]?\]`)

// Restore puts the identifiers back into a reply. It leaves unknown placeholders as they are, and dates that the model
// wrote in another form than it was given.
func (r Result) Restore(reply string) string {
	reply = placeholderPattern.ReplaceAllStringFunc(reply, func(p string) string {
		if original, ok := r.original[p]; ok {
			return original
		}
		return p
	})
	if len(r.shifted) == 0 {
		return reply
	}
	// In one pass, and the longest first: a date that was put back may read like another that was sent.
	dates := slices.SortedFunc(maps.Keys(r.shifted), func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	pairs := make([]string, 0, 2*len(dates))
	for _, date := range dates {
		pairs = append(pairs, date, r.shifted[date])
	}
	return strings.NewReplacer(pairs...).Replace(reply)
}

// Details says what was replaced, by class, such as "2 NAME, 1 DATE"; "" if nothing was.
func (r Result) Details() string {
	var parts []string
	for class, n := range r.Counts {
		parts = append(parts, fmt.Sprintf("%d %s", n, class))
	}
	slices.SortFunc(parts, func(a, b string) int {
		return cmp.Compare(a[strings.IndexByte(a, ' '):], b[strings.IndexByte(b, ' '):])
	})
	return strings.Join(parts, ", ")
}

// find returns the identifiers of each text in order, without overlap. A name seen in one text is a name in the others.
func find(texts []string, o Options) [][]hit {
	from := newOrigins(o.Origins)
	views, hits := make([]view, len(texts)), make([][]hit, len(texts))
	for i, text := range texts {
		views[i] = newView(text)
		hits[i] = from.hitsOf(views[i])
	}
	seenAgain(views, hits, from)
	for i, text := range texts {
		hits[i] = slices.DeleteFunc(hits[i], func(h hit) bool {
			return slices.ContainsFunc(o.Allowed, func(a string) bool { return strings.EqualFold(a, views[i].text[h.start:h.end]) })
		})
		hits[i] = withoutDoses(views[i].text, hits[i])
		hits[i] = append(views[i].original(hits[i]), listedWords(text, o.Listed)...)
		hits[i] = wholeDates(text, trimHits(text, joinHits(text, mergeHits(hits[i]))))
	}
	return hits
}

// seenAgain adds to the hits of each view where the words of their names stand elsewhere, and where a place, a date or a number
// does; also of those that stand in the origins alone.
func seenAgain(views []view, hits [][]hit, from origins) {
	people, exact := make(people), make(map[string]Class)
	remember := func(text string, hits []hit) {
		for _, h := range hits {
			switch part := strings.Trim(text[h.start:h.end], ends+"."); {
			case h.class == Name:
				people.remember(part)
				for _, initials := range explained(text, h) {
					exact[initials] = Name
				}
			case h.class == Place && isDistinct(part), h.class != Place && isLong(part):
				exact[part] = h.class
			}
		}
	}
	for i, v := range from.views {
		remember(v.text, from.hits[i])
	}
	for i, v := range views {
		remember(v.text, hits[i])
	}
	parts := slices.Sorted(maps.Keys(exact))
	for i, v := range views {
		hits[i] = append(hits[i], people.again(v.text)...)
		for _, part := range parts {
			hits[i] = append(hits[i], exactAgain(v.text, part, exact[part])...)
		}
	}
}

// isLong reports whether a date or a number is one wherever it stands: it has five digits, or three with a letter.
func isLong(part string) bool {
	digits := len(digitsOf(part))
	return len(part) <= 40 && (digits >= 5 || digits >= 3 && strings.ContainsFunc(part, unicode.IsLetter))
}

// isDistinct reports whether the name of a place is one wherever it stands: it has a capital and a word that is none.
func isDistinct(place string) bool {
	if plaintext.HasHan(place) {
		n := utf8.RuneCountInString(place)
		return n >= 3 && n <= 12 && !chineseWord(place)
	}
	return len(place) >= 4 && len(place) <= 40 && startsUpper(place) && !allWords(place) && !isMedicine(strings.ToLower(place))
}

// findIn returns the identifiers of a view that it announces itself.
func findIn(text string, parts partsRule) []hit {
	hits := slices.Concat(apply(rules, text), apply(dateRules, text), feasts(text), inSegments(text), inKeys(text), inTables(text), headingDates(text))
	nobody := func(int) bool { return false }
	hits = append(hits, findNames(text, nobody)...)
	personal, some := parts(text, hits)
	if !some {
		return hits
	}
	hits = slices.Concat(hits, spoken(text), participants(text), apply(labelRules, text)) // enough in a request that is about somebody
	stops := stopsOf(text)
	isDay := stops == "own" || stops == "both" && languageOf(text) == german
	isClosed := func(h hit) bool { return h.rule == "day and month, closed" && !isDay } // at the end of a sentence
	for _, h := range slices.Concat(apply(monthAlone, text), slices.DeleteFunc(apply(personalDates, text), isClosed), partialDates(text), addresses(text), apply(placeRules[1:], text), apply(personalRules, text)) {
		if personal(h.start) {
			hits = append(hits, h)
		}
	}
	for _, h := range datesOfTheMonth(text, hits) {
		if personal(h.start) {
			hits = append(hits, h)
		}
	}
	return append(hits, findNames(text, personal)...)
}

// between matches what may stand between two parts of one date, place or number.
var between = map[Class]*regexp.Regexp{
	Date:   regexp.MustCompile(`^ ?(?:-|–|—|to|bis|至|到|~|and|und|y|al?|or|,|u\.|→|thru)? ?$`),
	Place:  regexp.MustCompile(`^(?:,? (?:[Tt]he )?(?:\p{Lu}[\p{L}'’]+ ?){1,3}, ?|,? ?|,?\s*\n\s*|,? (?:de|del|in|bei|nr|near|off|above|at|an der|am|a\. d\.) ?| ?[(/&–-] ?)$`),
	Name:   particlesBehind,
	Record: regexp.MustCompile(`^[ /-]$`),
}

// joinHits joins neighbours that are parts of one date, place or number: an address goes on over commas and lines.
// A name next to a part of an address is a part of it.
func joinHits(text string, hits []hit) []hit {
	kept := hits[:0]
	for _, h := range hits {
		if last := len(kept) - 1; last >= 0 {
			before := &kept[last]
			gap := text[before.end:h.start]
			same := before.class == h.class
			address := before.class == Place && h.class == Name || before.class == Name && h.class == Place && strings.Contains(gap, ",") && !strings.Contains(gap, "\n")
			if pattern := between[h.class]; same && pattern != nil && pattern.MatchString(gap) || address && strings.Trim(gap, ", ") == "" {
				before.class, before.end = cmp.Or(placeOf(before.class, h.class), h.class), h.end
				continue
			}
		}
		kept = append(kept, h)
	}
	return kept
}

func placeOf(a, b Class) Class {
	if a == Place || b == Place {
		return Place
	}
	return ""
}

// ends are the marks that are no part of an identifier that they stand next to.
const ends = " \t\r\n,;:|\"*。，；：、（）"

// trimHits leaves the white space and the marks at the ends of hits where they are.
func trimHits(text string, hits []hit) []hit {
	kept := hits[:0]
	for _, h := range hits {
		part := text[h.start:h.end]
		h.start += len(part) - len(strings.TrimLeft(part, ends))
		h.end -= len(part) - len(strings.TrimRight(part, ends+"."))
		if h.start < h.end {
			kept = append(kept, h)
		}
	}
	return kept
}

// listedWords returns the hits of the user's own words.
func listedWords(text string, words []string) []hit {
	var hits []hit
	for _, word := range words {
		if strings.TrimSpace(word) == "" {
			continue
		}
		pattern := regexp.MustCompile(`(?i)` + regexp.QuoteMeta(strings.TrimSpace(word)))
		for _, at := range pattern.FindAllStringIndex(text, -1) {
			hits = append(hits, hit{Listed, at[0], at[1], "listed"})
		}
	}
	return hits
}

// people holds the words seen in names, in lower case, with how they may be written elsewhere: true if also in small
// letters.
type people map[string]bool

// remember adds the words of a name that are long enough to be distinctive.
func (p people) remember(name string) {
	if r, _ := utf8.DecodeRuneInString(name); unicode.Is(unicode.Han, r) {
		if utf8.RuneCountInString(name) >= 2 {
			p[name] = true
		}
		return
	}
	for _, t := range tokens(name) {
		if utf8.RuneCountInString(t.text) >= 3 && !never[t.lower] && !particles[t.lower] && !titles[t.lower] && !months[t.lower] && !(known().clinical[t.lower] && !isGiven(t.lower) && !isSurname(t.lower)) {
			p[t.lower] = !isWord(t.lower) && !spanish.isWord(t.lower) && utf8.RuneCountInString(t.text) >= 4
		}
		if strings.Contains(t.lower, "-") {
			for part := range strings.SplitSeq(t.lower, "-") {
				if utf8.RuneCountInString(part) >= 4 && !isWord(part) {
					p[part] = true
				}
			}
		}
	}
}

// isOtherWord reports whether a word that is also a name is the word where it stands: behind an article or a preposition, or
// before a small word at the beginning of a sentence, as in "Long history of pain".
func isOtherWord(text string, all []token, i int) bool {
	t := all[i]
	if isCaps(t.text) || !isWord(t.lower) {
		return false
	}
	if i > 0 && beforeWords[all[i-1].lower] && strings.TrimSpace(text[all[i-1].end:t.start]) == "" {
		return true
	}
	r := reader{text: text, tokens: all}
	return r.opensSentence(i) && i+1 < len(all) && r.gap(i+1) == " " && all[i+1].text == all[i+1].lower && english.general(all[i+1].lower) && !isGiven(t.lower) && !predicate.MatchString(all[i+1].text)
}

// predicate matches what a person does, by its form.
var predicate = re(`^(?:\w+(?:ed|s)|had|will|can|could|would|did|may|might|should|must|and|came|went|took|felt|left|now)$`)

// beforeWords holds words that stand before nouns, and before no name of a person.
var beforeWords = plaintext.Set(`the a an no this im am der die das den dem ein eine einen einem kein keine el la los las un una`)

// again finds the remembered words elsewhere.
func (p people) again(text string) []hit {
	var hits []hit
	all := tokens(text)
	for i, t := range all {
		small, ok := p[t.lower]
		if ok && !small && isOtherWord(text, all, i) {
			continue
		}
		if !ok && strings.Contains(t.lower, "-") {
			ok = slices.ContainsFunc(strings.Split(t.lower, "-"), func(part string) bool { s, in := p[part]; return in && s })
		}
		if ok && (startsUpper(t.text) || small) && !eponym.MatchString(text[t.end:]) && !(isCaps(t.text) && utf8.RuneCountInString(t.text) <= 3) {
			hits = append(hits, hit{Name, t.start, t.end, "seen as a name elsewhere"})
		}
	}
	for name := range p {
		if r, _ := utf8.DecodeRuneInString(name); !unicode.Is(unicode.Han, r) {
			continue
		}
		for from := 0; ; {
			i := strings.Index(text[from:], name)
			if i < 0 {
				break
			}
			hits = append(hits, hit{Name, from + i, from + i + len(name), "seen as a name elsewhere"})
			from += i + len(name)
		}
	}
	return hits
}

var (
	initialsBefore = regexp.MustCompile(`(?:^|[^\pL\d])(\pL[\pL.]{1,4}) ?(=|:|->|→)? {0,3}$`)
	initialsBehind = regexp.MustCompile(`^ ?(?:\(|= ?|, ?)(\pL[\pL.]{1,4})(?:\)|\s|$|[;,·|])`)
)

// explained returns the initials that stand beside a name and are short for it, as at the foot of a chart: "AB = Anna Berg",
// "Nora Kling (Kl)".
func explained(text string, h hit) []string {
	words := tokens(text[h.start:h.end])
	if len(words) == 0 {
		return nil
	}
	var found []string
	if m := initialsBefore.FindStringSubmatch(text[max(0, h.start-12):h.start]); m != nil && (m[2] != "" || !isTitle(m[1])) && isShortFor(m[1], words, m[2] != "") {
		found = append(found, m[1])
	}
	if m := initialsBehind.FindStringSubmatch(text[h.end:min(len(text), h.end+12)]); m != nil && !(strings.HasPrefix(m[0], ",") && isTitle(m[1])) && isShortFor(m[1], words, true) {
		found = append(found, m[1])
	}
	return found
}

// isTitle reports whether a word is a title or a degree: Dr. is short for Rebecca Drew only where somebody says so.
func isTitle(word string) bool {
	word = strings.ToLower(strings.Trim(word, "."))
	return titles[word] || coreTitles[word] || credentials[word]
}

// isShortFor reports whether some letters are the first ones of the words of a name, or, if they are said to explain it, those
// that one of its words begins with.
func isShortFor(letters string, words []token, explains bool) bool {
	letters = strings.ToLower(strings.ReplaceAll(letters, ".", ""))
	if utf8.RuneCountInString(letters) < 2 {
		return false
	}
	firsts := ""
	for _, w := range words {
		r, _ := utf8.DecodeRuneInString(w.lower)
		firsts += string(r)
		if explains && strings.HasPrefix(w.lower, letters) && w.lower != letters {
			return true
		}
	}
	_, size := utf8.DecodeRuneInString(firsts)
	_, lastSize := utf8.DecodeLastRuneInString(firsts)
	first, last := firsts[:size], firsts[len(firsts)-lastSize:]
	return len(words) > 1 && (letters == firsts || letters == first+last || letters == last+first)
}
