package gap

import (
	"context"
	"math"
	"slices"
	"strings"

	"lacuna/knowledge"
	"lacuna/knowledge/entity"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/lexicon"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/question"
	"lacuna/vecmath"
)

// depth is the number of hits the judge looks at.
const depth = 20

// statistics holds the document frequencies of one collection.
type statistics interface {
	N() int
	DocFreq(term string) int
}

// words holds the word vectors of a collection's encoder.
type words interface {
	WordVector(term string) ([]float32, bool)
}

// candidate is one passage that a search returned.
type candidate struct {
	passage *passage.Passage
	ordinal int
	terms   []string // of its indexed text, and of the answer for a stored pair
	bm25    float64
	whole   float64 // BM25 of the whole question, with the words that only ask
}

// evidence holds a collection's results for the content terms of a question.
type evidence struct {
	statistics statistics
	words      words       // nil if the collection has no encoder
	candidates []candidate // best first, at most depth
	wording    wording     // what the collection knows of the question's words
	dense      float64     // the largest cosine of the question with any passage of the collection; 0 without an encoder
	facet      float64     // the largest [Facet.Coverage] of a page of what the question names; 0 without one
}

// The features of the topic stage. All lie in 0..1, and more means better covered.
const (
	bestBM25     = iota // best BM25 score over the idf mass of the question: at most 1
	softCoverage        // share of the idf mass in one document, near words counting in part
	nearest             // the largest cosine of the question with a passage
	titleOverlap        // Dice overlap of the topic with the best title, by idf mass
	coverage            // share of the idf mass in one document, exact words only
	place               // share of the weight of the question's words that one passage says, kin in part
	familiarity         // 1/(1+n), with n names and technical terms that the collection has never seen
	length              // how many words the question has that are not plain: ln(1+n)/3, at most 1
	fitting             // how well the first passages show an answer of the kind that is expected
	mass                // ln(1+x)/4, at most 1, with x the best BM25 score of the whole question
	sentence            // share of the words' weight in one sentence and above it, times how well it shows the kind expected
	telling             // the idf mass of everyday words that no one passage says, over 3 ln(1+N), at most 1: what a person tells besides
	names               // 1/(1+n), with n names of things and people that the collection has never seen
	terms               // 1/(1+n), with n long technical terms that the collection has never seen
	headings            // 0 if an aspect is asked for and none of the first passages stands under a heading for it, else 1
	years               // 0 if a year is asked about that none of the first passages has, else 1
	price               // 0 if the question is what something costs, else 1
	featureCount
)

type features [featureCount]float64

// idf returns the weight of BM25; an unknown term gets the weight of document frequency 0.
func idf(s statistics, term string) float64 {
	n, df := float64(s.N()), float64(s.DocFreq(term))
	return math.Log(1 + (n-df+0.5)/(df+0.5))
}

// plainShare is the share of its idf that a word of asking or a generic word keeps: a base may lack many
// everyday words without lacking what is asked. Measured: on bases of 50 passages .10 of the
// covered questions are shown as gaps instead of .15; on 20,000 passages the AUC is .885 instead of
// .878 and .70 are caught at 10 % false alarms instead of .66.
const plainShare = 0.4

// weigh gives each term its idf, plain terms less, and returns their sum.
func (e evidence) weigh(terms []string) (weights []float64, total float64) {
	weights = make([]float64, len(terms))
	for i, term := range terms {
		weights[i] = idf(e.statistics, term)
		if question.IsPlainTerm(term) {
			weights[i] *= plainShare
		}
		total += weights[i]
	}
	return weights, total
}

// measure computes the features of a question over the evidence of one collection.
func measure(q inquiry, e evidence) features {
	var f features
	weights, total := e.weigh(q.content)
	if total == 0 {
		return f
	}
	for _, hit := range e.candidates {
		f[bestBM25] = max(f[bestBM25], hit.bm25/total)
	}
	f[bestBM25] = min(f[bestBM25], 1)
	for _, doc := range documents(e.candidates) {
		soft, exact := doc.coverage(q.content, weights, e.words)
		f[softCoverage] = max(f[softCoverage], soft/total)
		f[coverage] = max(f[coverage], exact/total)
	}
	f[nearest] = min(max(e.dense, 0), 1)
	f[titleOverlap] = bestTitle(q, e)
	if e.words == nil { // else nothing asks for the rest
		e.measurePlaces(q, &f)
	}
	return f
}

// answerDepth is the number of passages in which an answer of the expected kind is looked for.
const answerDepth = 3

// measurePlaces fills in the features of single passages.
func (e evidence) measurePlaces(q inquiry, f *features) {
	w := e.wording
	for i, hit := range e.candidates {
		held := plaintext.SetOf(hit.terms)
		f[place] = max(f[place], w.coverage(func(term string) bool { return held[term] }))
		if i < answerDepth {
			f[fitting] = max(f[fitting], q.reading.Expected.Fit(hit.passage.Text))
		}
	}
	for _, hit := range e.candidates {
		f[mass] = max(f[mass], min(1, math.Log(1+hit.whole)/4))
		f[sentence] = max(f[sentence], e.sentenceOf(q, hit.passage))
	}
	f[telling] = e.told()
	f[names] = 1 / (1 + float64(min(2, w.count(word.isNameOfThing))))
	f[terms] = 1 / (1 + float64(min(2, w.count(word.isLongTerm))))
	f[headings], f[years], f[price] = e.headingHeld(q), e.yearHeld(q), 1
	if q.reading.Expected.Measure == question.Money {
		f[price] = 0
	}
	f[familiarity] = 1 / (1 + float64(w.unknown(nameWord)))
	f[length] = min(1, math.Log(1+float64(w.telling()))/3)
}

// sentenceOf returns the best sentence of a passage for a question: the share of the words' weight that it says
// together with the title and the headings above it, times how well it shows an answer of the kind expected.
func (e evidence) sentenceOf(q inquiry, p *passage.Passage) float64 {
	above := plaintext.SetOf(lexical.Terms(strings.Join(append([]string{p.Title, p.Section}, p.Headings...), "\n")))
	best := 0.0
	for _, span := range p.Sentences() {
		text := p.Text[span.Start:span.End]
		own := plaintext.SetOf(lexical.Terms(text))
		said := e.wording.coverage(func(term string) bool { return own[term] || above[term] })
		if said > best {
			best = max(best, said*q.reading.Expected.Fit(text))
		}
	}
	return best
}

// told returns how much of a question is everyday words that no passage found says together, such as those by which
// a person tells of a situation.
func (e evidence) told() float64 {
	whole, said := 0.0, 0.0
	for i, hit := range e.candidates {
		held, total, here := plaintext.SetOf(hit.terms), 0.0, 0.0
		for j, w := range e.wording.words {
			if w.class == everydayWord && !isFigure(w.text) {
				total += e.wording.idfs[j]
				here += e.wording.idfs[j] * e.wording.match(j, func(term string) bool { return held[term] })
			}
		}
		if said = max(said, here); i == 0 {
			whole = total
		}
	}
	return min(1, (whole-said)/(3*math.Log(1+float64(e.statistics.N()))))
}

// headingDepth and yearDepth are the numbers of passages in which a heading and a year are looked for.
const (
	headingDepth = 5
	yearDepth    = 3
)

// headingHeld returns 0 if the question asks for an aspect and none of the first passages is under a heading for it.
func (e evidence) headingHeld(q inquiry) float64 {
	if len(q.reading.Aspects) == 0 {
		return 1
	}
	for _, hit := range e.candidates[:min(headingDepth, len(e.candidates))] {
		for _, aspect := range question.AspectsOf(hit.passage.Section) {
			if slices.Contains(q.reading.Aspects, aspect) {
				return 1
			}
		}
	}
	return 0
}

// yearHeld returns 0 if the question names a year that none of the first passages has.
func (e evidence) yearHeld(q inquiry) float64 {
	for _, w := range q.words {
		if !isYear(w.text) {
			continue
		}
		lacks := func(hit candidate) bool { return !slices.Contains(hit.terms, w.terms[0]) }
		if first := e.candidates[:min(yearDepth, len(e.candidates))]; !slices.ContainsFunc(first, func(hit candidate) bool { return !lacks(hit) }) {
			return 0
		}
	}
	return 1
}

// isYear reports a year of the last and of this century.
func isYear(text string) bool {
	return len(text) == 4 && isFigure(text) && (strings.HasPrefix(text, "19") || strings.HasPrefix(text, "20"))
}

// document holds the distinct terms of the candidates from one document.
type document struct{ terms []string }

// leaders is the number of first candidates whose documents count.
const leaders = 5

// documents gathers the documents of the first candidates, each with all its candidates, in order of the
// best one.
func documents(hits []candidate) []document {
	var docs []document
	at := make(map[string]int)
	for i, hit := range hits {
		key := hit.passage.Source + "\x00" + hit.passage.Document
		if _, known := at[key]; !known && i < leaders {
			at[key] = len(docs)
			docs = append(docs, document{})
		}
	}
	seen := make([]map[string]bool, len(docs))
	for i := range seen {
		seen[i] = make(map[string]bool)
	}
	for _, hit := range hits {
		i, ok := at[hit.passage.Source+"\x00"+hit.passage.Document]
		if !ok {
			continue
		}
		for _, term := range hit.terms {
			if !seen[i][term] {
				seen[i][term] = true
				docs[i].terms = append(docs[i].terms, term)
			}
		}
	}
	return docs
}

// coverage returns the idf mass of the terms that the document covers, with near words in part (soft) and
// with exact words only (exact).
func (d document) coverage(terms []string, weights []float64, w words) (soft, exact float64) {
	for i, m := range d.match(terms, w) {
		soft += weights[i] * m
		if m == 1 {
			exact += weights[i]
		}
	}
	return soft, exact
}

// match returns for each term how well the document covers it: 1 if the word itself occurs, else the
// largest cosine of its vector with one of the document's words, in 0..1 without 1.
func (d document) match(terms []string, w words) []float64 {
	matches := make([]float64, len(terms))
	for i, term := range terms {
		matches[i] = d.matchTerm(term, w)
	}
	return matches
}

func (d document) matchTerm(term string, w words) float64 {
	for _, own := range d.terms {
		if own == term {
			return 1
		}
	}
	if w == nil {
		return 0
	}
	vector, ok := w.WordVector(term)
	if !ok {
		return 0
	}
	best := 0.0
	for _, own := range d.terms {
		if other, ok := w.WordVector(own); ok {
			best = max(best, float64(vecmath.Dot(vector, other)))
		}
	}
	// A different word is never a full match, whatever rounding makes of two equal vectors.
	return min(best, math.Nextafter(1, 0))
}

// bestTitle returns the best Dice overlap of a candidate's title with the topic of the question:
// 2c/(a+b), with c the shared idf mass, a the title's and b the topic's.
func bestTitle(q inquiry, e evidence) float64 {
	topic := make(map[string]float64, len(q.topic))
	mass := 0.0
	for _, term := range q.topic {
		topic[term] = idf(e.statistics, term)
		mass += topic[term]
	}
	best := 0.0
	judged := make(map[string]bool)
	for _, hit := range e.candidates {
		for _, name := range hit.passage.Names() {
			if name == "" || judged[name] {
				continue
			}
			judged[name] = true
			shared, own := 0.0, 0.0
			counted := make(map[string]bool)
			for _, term := range lexical.Terms(name) {
				if counted[term] {
					continue
				}
				counted[term] = true
				own += idf(e.statistics, term)
				shared += topic[term]
			}
			if own+mass > 0 {
				best = max(best, 2*shared/(own+mass))
			}
		}
	}
	return best
}

// Coverage returns the share of a text's idf mass that the terms of the passage with that ordinal hold,
// title, headings and a stored answer included; in 0..1, and 0 for a text without terms. A term that no
// passage holds weighs the most. It says how near a passage is; [Gap.Fills] says whether a passage has what
// is missing.
func Coverage(library *knowledge.Library, text string, ordinal int) float64 {
	p := library.Passages()[ordinal]
	collection := library.Collection(p.Kind)
	if collection == nil {
		return 0
	}
	held := evidenceTerms(collection, p, ordinal)
	covered, whole := 0.0, 0.0
	for _, term := range ContentTerms(text) {
		weight := collection.IDF(term)
		whole += weight
		if slices.Contains(held, term) {
			covered += weight
		}
	}
	if whole == 0 {
		return 0
	}
	return covered / whole
}

// evidenceTerms returns the terms a passage is judged by: its indexed terms, and for a stored question
// the terms of its answer as well.
func evidenceTerms(collection *knowledge.Collection, p *passage.Passage, ordinal int) []string {
	terms := collection.Terms(ordinal)
	if p.Kind != passage.QA {
		return terms
	}
	return append(slices.Clone(terms), lexical.Terms(p.Text)...)
}

// assessment is a question measured against one collection.
type assessment struct {
	kind        passage.Kind
	evidence    evidence
	small       bool // judged by exact words alone
	features    features
	probability float64 // that the topic is missing from this collection
}

// namedFacet returns the largest [Facet.Coverage] of a page of what a question surely names. It is 0 if the
// question names several things, since the sources may lack a facet of each.
func namedFacet(hits []knowledge.Hit, collection *knowledge.Collection) float64 {
	best := 0.0
	var facet *Facet // hits of one search have one subject
	for _, hit := range hits {
		if hit.Subject.Sure() && len(hit.Subject.Titles()) == 1 && hit.Subject.Relation(hit.Passage) == entity.Own {
			if facet == nil {
				facet = NewFacet(hit.Subject, collection)
			}
			best = max(best, facet.Coverage(hit.Passage))
		}
	}
	return best
}

// leastMeaning is the least weight of kin by which the first passages say a word that no passage has, so that a gap is
// not named by it: what stands below the gap would contradict it. What is written as a name is only said by its own
// forms.
const leastMeaning = 0.7

// saysOtherwise reports whether one of the first passages says a word by kin.
func (e evidence) saysOtherwise(written string, language question.Language) bool {
	least := leastMeaning
	if language == question.English && isNamed(written) {
		least = leastForm
	}
	terms := lexical.Terms(written)
	if len(terms) == 0 || e.wording.lexicon == nil {
		return false
	}
	for _, term := range terms {
		said := func(kin lexicon.Kin) bool {
			return kin.Weight >= least && slices.ContainsFunc(e.candidates[:min(leaders, len(e.candidates))], func(c candidate) bool {
				return !slices.ContainsFunc(kin.Terms, func(k string) bool { return !slices.Contains(c.terms, k) })
			})
		}
		if !slices.ContainsFunc(e.wording.lexicon.Word(term).Kin, said) {
			return false
		}
	}
	return true
}

// lookUp searches one collection for what a question is about, or returns nil if the library has none of
// that kind. The judge and its calibration see the sources through lookUp alone, so that the judge is
// calibrated on what it will be asked.
func lookUp(ctx context.Context, library *knowledge.Library, kind passage.Kind, q inquiry, sources []string) (*evidence, error) {
	collection := library.Collection(kind)
	if collection == nil || collection.N() == 0 {
		return nil, nil
	}
	hits, err := library.Search(ctx, knowledge.Query{Text: q.text, Terms: q.content, K: depth, Kind: kind, Sources: sources})
	if err != nil {
		return nil, err
	}
	e := &evidence{statistics: collection, wording: newWording(q.words, collection)}
	if encoder := collection.Encoder(); encoder != nil {
		e.words = encoder
	}
	asked := lexical.Terms(q.text)
	for _, hit := range hits {
		e.dense = max(e.dense, hit.Cosine)
		held := evidenceTerms(collection, hit.Passage, hit.Ordinal)
		e.candidates = append(e.candidates, candidate{
			passage: hit.Passage, ordinal: hit.Ordinal, bm25: hit.BM25, terms: held, whole: collection.BM25(asked, held),
		})
	}
	if len(sources) == 0 {
		e.dense = max(e.dense, nearestCosine(collection, q.content))
	}
	e.facet = namedFacet(hits, collection)
	return e, nil
}

// known returns the evidence that a collection is judged by: a small one by exact words alone.
func (e evidence) known(small bool) evidence {
	if small {
		e.words = nil
	}
	return e
}

// nearestCosine returns the largest cosine of the terms with any passage of a collection. The fused list
// may have left that passage out.
func nearestCosine(c *knowledge.Collection, terms []string) float64 {
	if c.Encoder() == nil {
		return 0
	}
	vector, ok := c.Encoder().Encode(terms)
	if !ok {
		return 0
	}
	for _, n := range c.Nearest(vector, 1) {
		return n.Cosine
	}
	return 0
}

// isSmall reports that a collection is judged by words and their kin alone: it has too little text for its
// word vectors to know what is near what, and for a self-calibration to know what strangers ask. Measured on
// seven real bases of 2,000 to 6,000 passages: with vectors and self-calibration .05 to .95 of the answerable
// questions of strangers counted as missing.
func isSmall(c *knowledge.Collection) bool { return c.Encoder() == nil || c.N() < smallBase }
