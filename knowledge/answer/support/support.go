package support

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/extract"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// How much of the idf weight of a sentence's terms has to stand in a source for the source to support
// the sentence: in the span that is quoted for it, or in the whole passage with its title where the
// span has enough by itself. Measured on the 1,824 sentences of experts' answers to BioASQ questions:
// .776 have the support of a passage that the experts marked, .053 that of the nearest one they did
// not mark (which may well say the same), .0011 that of one marked for another question. With .5 in place
// of .6 it is .788, .068 and .0016; without looking for names by themselves .805, .060 and .0011.
const (
	spanSupports    = .6
	passageSupports = .6
	spanBeside      = .4 // of the span, where the passage supports
	partSupports    = .2 // of the span of each of several sources that support a sentence together
	questionBeside  = .4 // of what the question asks, in the source of a sentence that is too short by itself
	tooFewTerms     = 3  // what has fewer, such as "Colchicine.", is too short
)

// claim is a sentence of an answer, ready to be compared with sources.
type claim struct {
	terms      []string // each once
	sequence   []string // all of them, in order
	names      []string // of them, those that a source cannot lack
	bigrams    []bigram // of a script without spaces
	asked      []string // of the question, where the sentence is too short to say what it is about
	amounts    []amount
	quotations []string // folded, without the full stop that a quotation may add
	clauses    []clause
}

// inQuotes matches what a sentence says to be somebody's words.
var inQuotes = regexp.MustCompile(`“([^”]+)”|"([^"]+)"|「([^」]+)」`)

func (check *Checker) newClaim(text string) claim {
	c := claim{sequence: lexical.Terms(text), amounts: amounts(text), clauses: clauses(text)}
	check.lookFor(&c, text)
	if len(c.terms) < tooFewTerms {
		c.asked = slices.DeleteFunc(gap.ContentTerms(check.question), check.strange)
	}
	for _, m := range inQuotes.FindAllStringSubmatch(text, -1) {
		words := strings.TrimRight(plaintext.Fold(m[1]+m[2]+m[3]), ".,;:!?。，；")
		c.quotations = append(c.quotations, words)
	}
	return c
}

// yesOrNo is what opens the answer to a question that asks for it: what is claimed stands behind it.
var yesOrNo = regexp.MustCompile(`(?i)^\W*(?:yes\b|(?:no|是的|不是)\s*[,.:;，。])[\s,.:;，。–—-]*`)

// lookFor makes a text what is looked for in sources.
func (check *Checker) lookFor(c *claim, text string) {
	text = text[len(yesOrNo.FindString(text)):]
	c.terms = Terms(text)
	c.names, c.bigrams = check.names(text)
}

// Terms are the analysed terms of a text, each once, in order.
func Terms(text string) []string {
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
	answer.Evidence
	from         *passage.Passage // or what a model wrote, as one
	text         string           // all of it, with title, headings and question
	terms        map[string]bool
	above        map[string]bool // terms of title, headings and question
	amounts      []amount
	amountsAbove []amount
	folded       string
	initials     string
	offSubject   bool // it is about something else than the question names
	spans        []excerpt
}

// excerpt is what can be quoted of a source: one or two sentences.
type excerpt struct {
	passage.Span
	terms   map[string]bool
	amounts []amount // with those that stand above it
	two     bool
}

func newSource(e answer.Evidence) *source {
	s := &source{Evidence: e, from: &passage.Passage{Format: passage.Plain, Text: e.Text}}
	if !e.Generated() {
		s.from = e.Hit.Passage
	}
	above := extract.Heading(s.from) + "\n" + s.from.Question
	s.text, s.above, s.amountsAbove = above+"\n"+s.from.Text, TermSet(above), amounts(above)
	s.cut(s.from)
	s.terms, s.amounts, s.folded, s.initials = TermSet(s.text), amounts(s.text), plaintext.Fold(s.text), initials(s.text)
	return s
}

// cut finds what can be quoted of a passage.
func (s *source) cut(from *passage.Passage) {
	sentences := extract.Sentences(from)
	for i, span := range sentences {
		if !extract.StandsAlone(from, span) {
			continue
		}
		s.add(from, span, false)
		if i+1 < len(sentences) && extract.Adjoin(from.Text, span, sentences[i+1]) && extract.StandsAlone(from, sentences[i+1]) {
			s.add(from, passage.Span{Start: span.Start, End: sentences[i+1].End}, true)
		}
	}
}

func (s *source) add(from *passage.Passage, span passage.Span, two bool) {
	text := from.Text[span.Start:span.End]
	s.spans = append(s.spans, excerpt{
		Span: span, terms: TermSet(text), amounts: slices.Concat(amounts(text), s.amountsAbove), two: two,
	})
}

// TermSet are the terms of a text, and its Han characters, for [share].
func TermSet(text string) map[string]bool {
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

// share is how much of the weight of some terms stands in sets of terms, 0..1.
func share(terms []string, weight func(term string) float64, sets ...map[string]bool) float64 {
	in := func(term string) bool {
		return slices.ContainsFunc(sets, func(set map[string]bool) bool { return set[term] })
	}
	held, whole := 0.0, 0.0
	for _, term := range terms {
		w := weight(term)
		whole += w
		if in(term) {
			held += w
		} else if first, second, isPair := HanPair(term); isPair && in(first) && in(second) {
			held += scattered * w
		}
	}
	if whole == 0 {
		return 0
	}
	return held / whole
}

// HanPair takes a term of two Han characters apart.
func HanPair(term string) (first, second string, ok bool) {
	r, size := utf8.DecodeRuneInString(term)
	first, second = term[:size], term[size:]
	return first, second, unicode.Is(unicode.Han, r) && utf8.RuneCountInString(second) == 1
}

// faithful reports whether every amount of the claim is among some, and every name and every quotation of
// it stands in one of the sources.
func (c claim) faithful(held []amount, sources ...*source) bool {
	in := func(stands func(s *source) bool) bool { return slices.ContainsFunc(sources, stands) }
	for _, q := range c.quotations {
		if q != "" && !in(func(s *source) bool { return strings.Contains(s.folded, q) }) {
			return false
		}
	}
	for _, name := range c.names {
		if !in(func(s *source) bool { return s.mentions(name) }) {
			return false
		}
	}
	return !lacking(c.amounts, held) && !unnamed(c.bigrams, func(term string) bool {
		return in(func(s *source) bool { return s.terms[term] })
	})
}

// support is a span of a source with what it holds of a claim.
type support struct {
	source *source
	excerpt
	share float64 // of the claim's weight, in the span
	holds bool    // the claim, by its words alone
}

// second is what a second sentence has to add to be quoted as well.
const second = .05

// best is the span of a source that supports the claim best, together with what stands above it; one
// that holds the claim's figures comes before one that does not, and of equal ones the first. There is
// none where the span that is most like the claim says something else.
func (check *Checker) best(s *source, c claim) (support, bool) {
	scores := make([]float64, len(s.spans))
	order := make([]int, len(s.spans))
	for i, e := range s.spans {
		order[i], scores[i] = i, share(c.terms, check.Weight, e.terms, s.above)
		if e.two {
			scores[i] -= second
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	if len(order) == 0 || check.contradicts(s, order[0], c) || s.elsewhere(c, check.Weight) {
		return support{}, false
	}
	best := order[0]
	if at := slices.IndexFunc(order, func(i int) bool { return !lacking(c.amounts, s.spans[i].amounts) }); at > 0 {
		best = order[at]
		if check.contradicts(s, best, c) {
			return support{}, false
		}
	}
	found := support{source: s, excerpt: s.spans[best]}
	found.share = share(c.terms, check.Weight, found.terms)
	found.holds = !lacking(c.amounts, found.amounts) &&
		(found.share >= spanSupports || found.share >= spanBeside && share(c.terms, check.Weight, s.terms) >= passageSupports)
	if len(c.asked) > 0 && share(c.asked, check.Weight, s.terms) < questionBeside {
		found.holds = false
	}
	return found, true
}

// supports is the best span of a source, if the source supports the claim by itself.
func (check *Checker) supports(s *source, c claim) (support, bool) {
	found, ok := check.best(s, c)
	return found, ok && found.holds && c.faithful(s.amounts, s)
}

// quote is the text of a span.
func (s *source) quote(i int) string { return s.from.Text[s.spans[i].Start:s.spans[i].End] }

// citation is what is cited for a claim: the span of the passage that supports it.
func (s support) citation() answer.Citation {
	from := s.source.from
	return answer.Citation{Passage: from, Span: s.Span, Quote: from.Text[s.Start:s.End]}
}
