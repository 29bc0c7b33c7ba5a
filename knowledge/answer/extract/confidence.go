package extract

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/question"
)

// signals tell a question that the base covers from one that it does not.
type signals struct {
	bm25     float64 // greatest BM25 of a passage / the highest the question could reach
	unknown  float64 // share of that highest score on words the base does not know
	covered  float64 // share of it on words of the lead sentence
	topmost  float64 // greatest cosine of a passage
	cosine5  float64 // mean cosine of the first five passages
	maxSim   float64 // greatest max-sim of a passage
	leadSim  float64 // max-sim of the lead sentence
	closeSim float64 // greatest max-sim of a sentence
}

// signals returns the signals of a question with the given terms, for which hits were found and whose
// answer would open with the sentence lead. Without terms all signals are 0.
func (r *reading) signals(terms []string, hits []knowledge.Hit, lead int) signals {
	var s signals
	var highest, unknown, covered float64
	inLead := make(map[string]bool)
	for _, term := range r.sentences[lead].terms {
		inLead[term] = true
	}
	for _, term := range terms {
		weight := r.base.IDF(term)
		highest += weight
		if r.base.DocFreq(term) == 0 {
			unknown += weight
		}
		if inLead[term] {
			covered += weight
		}
	}
	if highest == 0 {
		return s
	}
	s.bm25, s.unknown, s.covered = bestBM25(hits)/highest, unknown/highest, covered/highest
	if r.encoded {
		s.addEncoded(r, terms, hits, lead)
	}
	return s
}

func (s *signals) addEncoded(r *reading, terms []string, hits []knowledge.Hit, lead int) {
	for i, hit := range hits {
		s.topmost = max(s.topmost, hit.Cosine)
		s.maxSim = max(s.maxSim, hit.MaxSim)
		if i < 5 {
			s.cosine5 += hit.Cosine / float64(min(5, len(hits)))
		}
	}
	matcher := r.base.Encoder().Matcher(terms)
	for i := range r.sentences {
		sim := matcher.MaxSim(r.sentences[i].terms)
		s.closeSim = max(s.closeSim, sim)
		if i == lead {
			s.leadSim = sim
		}
	}
}

// confidence returns how sure an answer is that opens with the sentence lead, to a question with that text
// and hits.
func (r *reading) confidence(text string, hits []knowledge.Hit, lead int) float64 {
	confidence := 0.0
	if !r.encoded {
		confidence = r.coverages(SubjectWords(text), lead).confidence()
	} else {
		confidence = r.signals(lexical.Terms(text), hits, lead).confidence()
	}
	switch page := r.pages[r.sentences[lead].page]; {
	case !page.own:
		return confidence
	case page.facet >= gap.FacetFound:
		return page.facet
	case page.facet > 0:
		return min(confidence, maxWithoutFacet)
	}
	return min(confidence, maxWithoutAnyFacet)
}

// The maximum confidence for a sentence from the page of what the question names, if this page does not
// treat the facet asked about, or has no word of it. Otherwise the name, which stands above every sentence
// of the page, would pass for an answer.
const (
	maxWithoutFacet    = answerFrom - .01
	maxWithoutAnyFacet = possiblyFrom - .01
)

// confidence returns the probability that the lead comes from a passage that an expert would mark. It was
// fitted on BioASQ dev questions, half of whose evidence had been taken out of the base and out of the
// encoder's training; the area under the ROC curve was .884 (5-fold), .845 for the first signal alone. The
// constant, then -8.42, was set again when passages began to be ordered by similarity to the question,
// which raises the signals of the first ones: of the questions without evidence .791 were not answered
// before and .869 are not with it; of those with evidence .756 are answered.
func (s signals) confidence() float64 {
	return logistic(5.04*s.bm25 + 6.70*s.topmost + 2.49*s.maxSim - 4.76*s.unknown +
		3.15*s.covered - .65*s.leadSim - 3.71*s.closeSim + 1.09*s.cosine5 - 8.92)
}

// coverages holds the evidence for judging without an encoder: the share of the question's weight in the
// lead. Question words without content do not count, since a small base does not know them.
type coverages struct {
	unknown float64 // share of the weight on words the base does not know
	lead    float64 // share on words of the lead sentence, its title and headings
	passage float64 // share on words of its passage, title and headings
	length  int     // number of words of the subject
	// names says that the lead holds a name of the question, such as E04 or CYP3A4, that stands
	// nowhere else in the base.
	names bool
}

func (r *reading) coverages(words []string, lead int) coverages {
	s := r.sentences[lead]
	from := r.pages[s.page]
	c := coverages{length: len(words), names: slices.ContainsFunc(s.terms, func(term string) bool {
		return isName(term) && slices.Contains(words, term) && r.base.DocFreq(term) == 1
	})}
	c.lead, c.unknown = coverage(words, slices.Concat(from.above, s.terms), r.base)
	c.passage, _ = coverage(words, slices.Concat(from.above, lexical.Terms(from.hit.Passage.Text)), r.base)
	return c
}

// isName reports whether a term has letters and digits.
func isName(term string) bool {
	return strings.ContainsFunc(term, unicode.IsDigit) && strings.ContainsFunc(term, unicode.IsLetter)
}

// confidence was fitted by logistic regression on bases of 50 to 800 passages, drawn around BioASQ and
// PubMedQA dev questions and SciFact claims, half of which lost their evidence, with the nearest other
// passages and questions about anything thrown in. On the half of the questions not fitted on, the area
// under the ROC curve was .80-.88 for BioASQ (calibration error .04-.06), .96 for PubMedQA and .73 for
// SciFact. Of BioASQ questions whose evidence was missing 73-83 % got no sentence, and of questions about
// anything 99 %. A name found once is worth showing, but no more than that (not measured).
func (c coverages) confidence() float64 {
	p := logistic(.83*c.lead + 5.03*c.passage - 1.98*c.unknown + 1.35*math.Log1p(float64(c.length)) - 6.40)
	if c.names {
		return max(p, possiblyFrom)
	}
	return p
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// Thresholds of the three states (measured with the confidence above): from answerFrom on, 42 % of the
// questions are answered, three in four of them rightly; from possiblyFrom on, 57 %.
const (
	answerFrom   = .5
	possiblyFrom = .3
)

func stateOf(confidence float64) answer.State {
	switch {
	case confidence >= answerFrom:
		return answer.Answered
	case confidence >= possiblyFrom:
		return answer.Nearest
	}
	return answer.Nothing
}

// coveredUnder is the judge's probability of something missing below which a sentence on the subject is
// shown as a possible answer, even if words alone would not do. Set by hand on two bases of a few dozen
// pages.
const coveredUnder = .2

// leadIsOnSubject reports whether a sentence holds at least half of the weight of the question's subject,
// at least two words of it, and stands under a title or heading that names one.
func (r *reading) leadIsOnSubject(i int) bool {
	s := &r.sentences[i]
	from := r.pages[s.page]
	words := SubjectWords(r.question)
	held := 0
	for _, word := range words {
		if slices.Contains(s.terms, word) {
			held++
		}
	}
	named := slices.ContainsFunc(words, func(word string) bool { return slices.Contains(from.above, word) })
	return named && held >= 2 && r.coverages(words, i).lead >= .5
}

// isOnPage reports whether a sentence stands on the page of what the question asks a side of, if pages have sections
// for such sides: what other pages say of it in passing is no answer. Of 318 questions about an illness whose page
// was taken out .26 were answered from others, and .15 with this; of 306 whose section is there .997 both ways.
func (r *reading) isOnPage(sentence int) bool {
	page := r.pages[r.sentences[sentence].page]
	p := page.hit.Passage
	if page.own || r.asks.Aspect == "" || p.Title == "" || question.AspectOf(p.Section) == "" {
		return true
	}
	asked := lexical.Terms(r.question)
	if slices.ContainsFunc(p.Names(), func(name string) bool { return !missesAny(lexical.Terms(name), asked) }) {
		return true
	}
	var subject []string
	for _, word := range SubjectWords(r.question) {
		if !question.IsClinicalTerm(word) && !question.IsPlainTerm(word) {
			subject = append(subject, word)
		}
	}
	named, _ := coverage(subject, lexical.Terms(strings.Join(p.Names(), "\n")), r.base)
	return len(subject) == 0 || named >= onPage
}

// onPage is the share of the weight of what a question asks about from which on a title names it.
const onPage = .75
