package answer

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/gap"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
)

// How much of the idf weight of a sentence's terms has to stand in a source for the source to support
// the sentence: in the span that is quoted for it, or in the whole passage with its title where the
// span has enough by itself. The first is the coverage of the Misknow-RAG systems' offline test.
const (
	spanSupports    = .6
	passageSupports = .6
	spanBeside      = .4 // of the span, where the passage supports
	partSupports    = .2 // of the span of each of several sources that support a sentence together
	tooFewTerms     = 3  // a shorter sentence, such as "Colchicine.", is judged with the question
)

// claim is a sentence of an answer, ready to be compared with sources.
type claim struct {
	terms      []string // each once
	amounts    []amount
	quotations []string // folded, without the full stop that a quotation may add
	negated    bool
}

// inQuotes matches what a sentence says to be somebody's words.
var inQuotes = regexp.MustCompile(`“([^”]+)”|"([^"]+)"|「([^」]+)」`)

func newClaim(text, question string) claim {
	c := claim{terms: distinctTerms(text), amounts: amounts(text), negated: negates(text)}
	if len(c.terms) < tooFewTerms {
		c.terms = distinctTerms(text + "\n" + strings.Join(gap.ContentTerms(question), " "))
	}
	for _, m := range inQuotes.FindAllStringSubmatch(text, -1) {
		words := strings.TrimRight(passage.Folded(m[1]+m[2]+m[3]), ".,;:!?。，；")
		c.quotations = append(c.quotations, words)
	}
	return c
}

// distinctTerms are the analysed terms of a text, each once, in order.
func distinctTerms(text string) []string {
	var kept []string
	seen := make(map[string]bool)
	for _, term := range lexical.Terms(text) {
		if !seen[term] {
			seen[term] = true
			kept = append(kept, term)
		}
	}
	return kept
}

// source is a document that an answer may rest on, ready to be compared with claims.
type source struct {
	Evidence
	text     string // all of it, with title, headings and question
	terms    map[string]bool
	amounts  []amount
	folded   string
	spans    []passage.Span // what can be quoted: one or two sentences
	inSpan   []map[string]bool
	negating []bool // by span
}

func newSource(e Evidence) *source {
	s := &source{Evidence: e, text: e.Text}
	if !e.Generated() {
		from := e.Hit.Passage
		s.text = strings.Join([]string{heading(from), from.Question, from.Text}, "\n")
		s.cut(from)
	}
	s.terms, s.amounts, s.folded = termSet(s.text), amounts(s.text), passage.Folded(s.text)
	return s
}

// cut finds what can be quoted of a passage.
func (s *source) cut(from *passage.Passage) {
	sentences := firstSentences(from)
	for i, span := range sentences {
		if !standsAlone(from, span) {
			continue
		}
		s.add(from, span)
		if i+1 < len(sentences) && adjoin(from.Text, span, sentences[i+1]) && standsAlone(from, sentences[i+1]) {
			s.add(from, passage.Span{Start: span.Start, End: sentences[i+1].End})
		}
	}
}

func (s *source) add(from *passage.Passage, span passage.Span) {
	text := from.Text[span.Start:span.End]
	s.spans = append(s.spans, span)
	s.inSpan = append(s.inSpan, termSet(text))
	s.negating = append(s.negating, negates(text))
}

// termSet are the terms of a text, and its Han characters, for [claim.share].
func termSet(text string) map[string]bool {
	set := make(map[string]bool)
	for _, term := range lexical.Terms(text) {
		set[term] = true
	}
	for _, r := range text {
		if unicode.Is(unicode.Han, r) {
			set[string(r)] = true
		}
	}
	return set
}

// scattered is what a pair of Han characters counts whose characters stand in a text, but not beside
// each other: the analysis takes every two neighbours for a term, and many of these are of two words.
const scattered = .5

// share is how much of the claim's weight stands among terms, 0..1.
func (c claim) share(terms map[string]bool, weight func(term string) float64) float64 {
	held, whole := 0.0, 0.0
	for _, term := range c.terms {
		w := weight(term)
		whole += w
		if terms[term] {
			held += w
		} else if first, second, isPair := hanPair(term); isPair && terms[first] && terms[second] {
			held += scattered * w
		}
	}
	if whole == 0 {
		return 0
	}
	return held / whole
}

// hanPair takes a term of two Han characters apart.
func hanPair(term string) (first, second string, ok bool) {
	r, size := utf8.DecodeRuneInString(term)
	first, second = term[:size], term[size:]
	return first, second, unicode.Is(unicode.Han, r) && utf8.RuneCountInString(second) == 1
}

// faithful reports whether a source holds every amount and every quotation of the claim.
func (c claim) faithful(held []amount, folded string) bool {
	return !lacking(c.amounts, held) && !slices.ContainsFunc(c.quotations, func(q string) bool {
		return q != "" && !strings.Contains(folded, q)
	})
}

// support is a span of a source with what it holds of a claim.
type support struct {
	source *source
	span   int
	share  float64 // of the claim's weight, in the span
	whole  float64 // in the whole source
}

func (s support) holds() bool {
	return s.share >= spanSupports || s.whole >= passageSupports && s.share >= spanBeside
}

// longer is what a second sentence has to add to be quoted as well.
const longer = .05

// best is the span of a source that supports the claim best, of those that deny as the claim does
// or do not deny as it does not. Of equal ones it is the first and shortest.
func (s *source) best(c claim, weight func(term string) float64) (support, bool) {
	found := support{source: s, span: -1, whole: c.share(s.terms, weight)}
	for i, span := range s.spans {
		if s.negating[i] != c.negated {
			continue
		}
		share := c.share(s.inSpan[i], weight)
		gain := longer
		if found.span >= 0 && s.spans[found.span].Start != span.Start {
			gain = 0
		}
		if found.span < 0 || share > found.share+gain {
			found.span, found.share = i, share
		}
	}
	return found, found.span >= 0
}

// citation is what is cited for a claim: the span of the passage that supports it.
func (s support) citation() Citation {
	from := s.source.Hit.Passage
	span := s.source.spans[s.span]
	return Citation{Passage: from, Span: span, Quote: from.Text[span.Start:span.End]}
}
