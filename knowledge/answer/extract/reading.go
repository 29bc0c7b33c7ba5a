package extract

import (
	"slices"
	"strings"

	"lacuna/knowledge"
	"lacuna/knowledge/entity"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/question"
)

// sentence is a candidate: a span of a passage that could be shown as it stands.
type sentence struct {
	page   int // index into reading.pages
	order  int // index among the sentences of its passage
	span   passage.Span
	text   string
	terms  []string // analysed, in order
	plain  []string // plain words, in order
	weight vector
	wording
	copies int // how often it stands in the pages, itself included
	// quotable is false for what counts in the consensus but cannot be shown: markup, headings, a
	// table's header, a question nothing follows.
	quotable bool
	asks     bool // ends in a question mark
}

// reading is a question, the passages found for it, and their sentences.
type reading struct {
	question  string
	asks      question.Reading // what the question asks for
	terms     []string         // analysed words of the question, in order
	base      statistics
	pages     []page
	sentences []sentence // better passage first, then in the order of the text
	encoded   bool       // every page carries signals of an encoder that can be relied on
}

// minEncoderTexts is the number of texts from which on an encoder is reliable. With fewer, its cosines say
// less than the words: on 3,000 passages around BioASQ questions the words answered 113 of 182 covered
// questions correctly and the encoder 88, and 14 and 13 of 192 uncovered ones wrongly; on 24,000 the encoder
// is the better judge. Nothing in between was measured.
const minEncoderTexts = 5000

// Weights of the encoder's signals next to BM25 in the passage score that the sentence weights were fitted
// with (measured; BM25 is divided by the best of its list). This is not the score that the library ranks
// by today.
const (
	cosineWeight = 0.6
	maxSimWeight = 0.4
)

// read cuts the hits into sentences. Hits come in lists, best first; the first list answers the question
// itself, the others further queries.
//
// Passages about something else than the question names are left out. If the question names something that
// surely has a page, and the page treats what is asked, only this page is read; if it does not, also the
// sentences of other pages that say the name.
func read(text string, base statistics, lists ...[]knowledge.Hit) *reading {
	r := &reading{
		question: text, asks: question.Read(text), terms: lexical.Terms(text), base: base,
		encoded: base.Encoder() != nil && base.N() >= minEncoderTexts,
	}
	for _, hits := range lists {
		for _, hit := range hits {
			r.encoded = r.encoded && hit.Retriever != knowledge.BM25
		}
	}
	vocabulary := make(vocabulary)
	position := make(map[string]int) // of a sentence's letters and digits in r.sentences
	for _, hits := range lists {
		facet := facetOf(hits, base)
		hits = relevant(hits, facet)
		best := bestBM25(hits)
		for _, hit := range hits {
			tokens := lexical.Analyze(hit.Passage.Text)
			own, side := isOwn(hit), 0.0
			if own {
				side = facet.Coverage(hit.Passage)
			}
			r.pages = append(r.pages, page{
				hit: hit, own: own, facet: side, asked: facet,
				behind: r.passageScore(hit, best) - r.passageScore(hits[0], best),
				weight: vocabulary.weigh(base, termsOf(tokens)),
				above:  lexical.Terms(Heading(hit.Passage)),
				spans:  Sentences(hit.Passage),
				shown:  hit.Passage.Render(),
			})
			r.addSentences(vocabulary, tokens, position)
		}
	}
	return r
}

// relevant drops hits about something else than their query names. If a hit of the named page treats what
// is asked, it keeps only hits of that page.
func relevant(hits []knowledge.Hit, facet *gap.Facet) []knowledge.Hit {
	treated := slices.ContainsFunc(hits, func(hit knowledge.Hit) bool {
		return isOwn(hit) && facet.Coverage(hit.Passage) >= gap.FacetFound
	})
	return slices.DeleteFunc(slices.Clone(hits), func(hit knowledge.Hit) bool {
		return hit.Subject.Relation(hit.Passage) == entity.Other || treated && !isOwn(hit)
	})
}

// facetOf returns the side that is asked of what a list's query surely names; nil if it names nothing.
func facetOf(hits []knowledge.Hit, base statistics) *gap.Facet {
	if at := slices.IndexFunc(hits, isOwn); at >= 0 {
		return gap.NewFacet(hits[at].Subject, base)
	}
	return nil
}

// isOwn reports whether a passage is from the page of what its query surely names.
func isOwn(hit knowledge.Hit) bool {
	return hit.Subject.Sure() && hit.Subject.Relation(hit.Passage) == entity.Own
}

// maxSentences bounds the sentences read of a passage. Our own passages have fewer; a stored answer may be
// a book, and every pair of sentences is compared.
const maxSentences = 150

// Sentences returns the spans of the sentences of a passage that are read.
func Sentences(p *passage.Passage) []passage.Span {
	spans := p.Sentences()
	return spans[:min(maxSentences, len(spans))]
}

// addSentences adds the sentences of the last page. One whose letters and digits were read before only
// counts as a copy.
func (r *reading) addSentences(vocabulary vocabulary, tokens []lexical.Token, position map[string]int) {
	last := len(r.pages) - 1
	from := &r.pages[last]
	telling := tellingWords(r.question) // code that holds none of them only looks like other code
	found, spans := from.hit.Passage, from.spans
	for order, span := range spans {
		text := found.Text[span.Start:span.End]
		words := lexical.Words(text)
		key := strings.Join(words, "")
		if at, seen := position[key]; seen {
			r.sentences[at].copies++
			continue
		}
		position[key] = len(r.sentences)
		terms := termsOf(tokensIn(tokens, span))
		asks := endsInQuestionMark(text)
		r.sentences = append(r.sentences, sentence{
			page: last, order: order, span: span, text: text,
			terms: terms, plain: words, copies: 1, asks: asks,
			weight: vocabulary.weigh(r.base, terms), wording: vocabulary.wordingOf(words),
			quotable: len(terms) > 0 && from.isQuotable(order, asks) && mayConcern(from, order) &&
				(kindAt(from.shown, span) != passage.Code || slices.ContainsFunc(terms, func(term string) bool { return slices.Contains(telling, term) })),
		})
	}
}

// passageScore returns the score of a passage by which its sentences are weighted; best is the best BM25
// score of its list.
func (r *reading) passageScore(h knowledge.Hit, best float64) float64 {
	score := 0.0
	if best > 0 {
		score = h.BM25 / best
	}
	if r.encoded {
		score += cosineWeight*h.Cosine + maxSimWeight*h.MaxSim
	}
	return score
}

func bestBM25(hits []knowledge.Hit) float64 {
	best := 0.0
	for _, h := range hits {
		best = max(best, h.BM25)
	}
	return best
}

func termsOf(tokens []lexical.Token) []string {
	terms := make([]string, len(tokens))
	for i, t := range tokens {
		terms[i] = t.Term
	}
	return terms
}

// tokensIn returns the tokens inside span; tokens are in the order of the text.
func tokensIn(tokens []lexical.Token, span passage.Span) []lexical.Token {
	start := 0
	for start < len(tokens) && tokens[start].Start < span.Start {
		start++
	}
	end := start
	for end < len(tokens) && tokens[end].End <= span.End {
		end++
	}
	return tokens[start:end]
}

func endsInQuestionMark(text string) bool {
	text = strings.TrimRight(text, "\"'”’)]*_ ")
	return strings.HasSuffix(text, "?") || strings.HasSuffix(text, "？")
}
