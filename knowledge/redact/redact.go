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
		hits[i] = append(views[i].original(hits[i]), listedWords(text, o.Listed)...)
		hits[i] = trimHits(text, joinHits(text, mergeHits(hits[i])))
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

// exactAgain returns where a place, a date or a number stands as words of its own.
func exactAgain(text, part string, class Class) []hit {
	var hits []hit
	for from := 0; ; {
		at := strings.Index(text[from:], part)
		if at < 0 {
			return hits
		}
		start := from + at
		from = start + len(part)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		behind, _ := utf8.DecodeRuneInString(text[from:])
		apart := (start == 0 || !isAlphanumeric(before)) && (from == len(text) || !isAlphanumeric(behind))
		if apart || plaintext.HasHan(part) || class == Place && !wordRune(before) && !wordRune(behind) {
			hits = append(hits, hit{class, start, from, "seen elsewhere"})
		}
	}
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
	hits = append(append(hits, spoken(text)...), apply(labelRules, text)...) // enough in a request that is about somebody
	for _, h := range slices.Concat(apply(monthAlone, text), apply(personalDates, text), partialDates(text), addresses(text), apply(placeRules[1:], text), apply(personalRules, text)) {
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

// mergeHits sorts hits and merges those that overlap: the one that begins first stays, extended to the end
// of the other.
func mergeHits(hits []hit) []hit {
	slices.SortStableFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	kept := hits[:0]
	for _, h := range hits {
		switch last := len(kept) - 1; {
		case last < 0 || h.start >= kept[last].end:
			kept = append(kept, h)
		case h.end > kept[last].end: // what sticks out identifies as well
			kept[last].end = h.end
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
