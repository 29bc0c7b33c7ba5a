package extract

import (
	"math"
	"slices"

	"lacuna/knowledge/entity"
	"lacuna/knowledge/question"
)

// features tell the sentence to show from the others. Only differences inside one question mean anything.
type features struct {
	pairs      float64 // agreement in word pairs with all sentences, passages weighted by rank
	sequence   float64 // agreement in word order with the other sentences, likewise
	terms      float64 // agreement in terms with the other sentences, likewise
	central    float64 // cosine with the sum of the passages, likewise
	support    float64 // mean over the other documents of the nearest sentence's cosine
	cosine     float64 // the passage's, by the encoder
	maxSim     float64 // the passage's
	behind     float64 // how far the passage lies behind the first, -1..0
	covered    float64 // share of the question's telling words that it holds, title and headings included
	whole      float64 // 1 if it holds all of them, and these are two or more
	copies     float64 // 0..2 further passages that hold the same sentence
	asks       float64 // 1 for a question
	start      float64 // how early the first word of the question stands
	defines    float64 // 1 if it opens with the asked thing and says what it is
	whatStart  float64 // start, where the question asks what something is; else 0
	whatNew    float64 // terms that are not in the question / 20, likewise
	whatCopula float64 // 1 if an early verb says what something is, likewise
}

// encoderWeights weighs the features if there is an encoder. All but one weight were fitted together
// by ridge regression on BioASQ and PubMedQA dev questions with expert answers (target: mean of ROUGE-2 F1
// and ROUGE-L F1, and 0.05 if the passage is marked relevant). They are constants of the program: weights
// learnt from a user's own base were no better and chose relevant passages less often.
//
// In words: prefer what the well-ranked passages agree on, from a passage near the question, that opens
// with the thing asked about and says what it *is*. The negative weights keep the kinds of agreement from
// counting one thing three times. The weight of covered was set afterwards: .1 lifts the lead's ROUGE-L
// from .373 to .376 on BioASQ and its ROUGE-1 from .277 to .283 on PubMedQA, and relevant leads from .823
// to .829.
var encoderWeights = features{
	pairs: .339, sequence: .382, terms: -.151, central: .164, support: -.099,
	cosine: .112, maxSim: .099, covered: .1,
	copies: .023, asks: -.069, start: .024, defines: .030,
	whatStart: .048, whatNew: .040, whatCopula: .021,
}

// wordWeights weighs the features without an encoder: its two features are 0, and the passage's rank
// replaces them. If the base states each fact once, there is little else to judge by. Measured on BioASQ
// dev with BM25 alone and whole at 0: the lead's ROUGE-L
// rises from .343 to .353, and its passage is a marked one for .790 of the questions instead of .723. With
// an encoder the place gains nothing. Whole costs .002 of ROUGE-L on 1,998 passages; it is for sentences
// that say all that was asked, which small bases of one sentence a fact have.
var wordWeights = func() features {
	weights := encoderWeights
	weights.behind, weights.covered, weights.whole = .3, .2, .2
	return weights
}()

// dot returns the score of a sentence with these features.
func (f features) dot(w features) float64 {
	return f.pairs*w.pairs + f.sequence*w.sequence + f.terms*w.terms + f.central*w.central +
		f.support*w.support + f.cosine*w.cosine + f.maxSim*w.maxSim + f.copies*w.copies +
		f.asks*w.asks + f.start*w.start + f.defines*w.defines +
		f.behind*w.behind + f.covered*w.covered + f.whole*w.whole +
		f.whatStart*w.whatStart + f.whatNew*w.whatNew + f.whatCopula*w.whatCopula
}

// facetWeight rewards a section about the facet asked for, on a page about what the question names.
// Nothing else outweighs it: the page's sections differ in this and in little else. Within a section,
// sentenceWeight prefers the sentences with the words that identify the facet.
const (
	facetWeight    = 2
	sentenceWeight = .3
)

// facetTerms returns the telling words of a question except the name of what it asks about and words that say
// little.
func facetTerms(about *entity.Subject) []string {
	names := about.Names()
	return slices.DeleteFunc(slices.Clone(tellingWords(about.Question())), func(term string) bool {
		return slices.Contains(names, term) || question.IsPlainTerm(term)
	})
}

// scores rates every sentence of the reading.
func (r *reading) scores() []float64 {
	weights := encoderWeights
	if !r.encoded {
		weights = wordWeights
	}
	scores := make([]float64, len(r.sentences))
	for i, f := range r.features() {
		scores[i] = f.dot(weights)
		if page := r.pages[r.sentences[i].page]; page.own {
			held, _ := coverage(facetTerms(page.hit.Subject), r.sentences[i].terms, r.base)
			scores[i] += facetWeight*r.facetAt(i) + sentenceWeight*held
		}
	}
	return scores
}

// How steeply the weight of a passage falls with its distance from the first one, by feature (measured).
const (
	pairsSteepness    = 2
	sequenceSteepness = 3
	termsSteepness    = 3
	centralSteepness  = 4
)

// facetAt returns how far a sentence, with what follows it, treats the side that is asked about: as its passage
// does, but on a page without headings, where one passage may treat several, by its words.
func (r *reading) facetAt(i int) float64 {
	s := &r.sentences[i]
	page := &r.pages[s.page]
	if p := page.hit.Passage; page.facet > 0 && len(p.Headings) == 0 && p.Section == "" {
		if share, learnt := page.asked.AtStart(p.Text[s.span.Start:], p.Title); learnt {
			return min(page.facet, share)
		}
	}
	return page.facet
}

func (r *reading) features() []features {
	all := make([]features, len(r.sentences))
	r.addConsensus(all)
	r.addSupport(all)
	centre := r.centre()
	words := tellingWords(r.question)
	what := r.asks.IsWhat()
	asked := make(map[string]bool, len(r.terms))
	for _, term := range r.terms {
		asked[term] = true
	}
	for i := range all {
		s, f := &r.sentences[i], &all[i]
		f.central = s.weight.dot(centre)
		if r.encoded {
			f.cosine, f.maxSim = r.pages[s.page].hit.Cosine, r.pages[s.page].hit.MaxSim
		}
		f.behind = max(-1, min(0, r.pages[s.page].behind))
		f.covered, _ = coverage(words, slices.Concat(r.pages[s.page].above, s.terms), r.base)
		if len(words) > 1 && f.covered > .999 {
			f.whole = 1
		}
		f.copies = float64(min(3, s.copies) - 1)
		if s.asks {
			f.asks = 1
		}
		f.addOpening(s, asked, what)
	}
	return all
}

// addConsensus compares every two sentences, each weighted by the rank of its passage.
func (r *reading) addConsensus(all []features) {
	var pairsTotal, sequenceTotal, termsTotal float64
	for i := range r.sentences {
		behind := r.pages[r.sentences[i].page].behind
		pairsTotal += math.Exp(pairsSteepness * behind)
		sequenceTotal += math.Exp(sequenceSteepness * behind)
		termsTotal += math.Exp(termsSteepness * behind)
		all[i].pairs += math.Exp(pairsSteepness * behind) // a sentence agrees with itself
		for j := range i {
			cosine := r.sentences[i].weight.dot(r.sentences[j].weight)
			pairs, sequence := agreement(r.sentences[i].wording, r.sentences[j].wording)
			other := r.pages[r.sentences[j].page].behind
			all[i].pairs += math.Exp(pairsSteepness*other) * pairs
			all[j].pairs += math.Exp(pairsSteepness*behind) * pairs
			all[i].sequence += math.Exp(sequenceSteepness*other) * sequence
			all[j].sequence += math.Exp(sequenceSteepness*behind) * sequence
			all[i].terms += math.Exp(termsSteepness*other) * cosine
			all[j].terms += math.Exp(termsSteepness*behind) * cosine
		}
	}
	for i := range all {
		all[i].pairs /= pairsTotal
		all[i].sequence /= sequenceTotal
		all[i].terms /= termsTotal
	}
}

// addSupport finds for every sentence how near the other documents come to it.
func (r *reading) addSupport(all []features) {
	documents := make(map[[2]string]int)
	number := make([]int, len(r.sentences))
	for i, s := range r.sentences {
		from := r.pages[s.page].hit.Passage
		key := [2]string{from.Source, from.Document}
		if _, met := documents[key]; !met {
			documents[key] = len(documents)
		}
		number[i] = documents[key]
	}
	if len(documents) < 2 {
		return
	}
	nearest := make([]float64, len(documents))
	for i := range r.sentences {
		clear(nearest)
		for j := range r.sentences {
			if number[j] != number[i] {
				cosine := r.sentences[i].weight.dot(r.sentences[j].weight)
				nearest[number[j]] = max(nearest[number[j]], cosine)
			}
		}
		for _, cosine := range nearest {
			all[i].support += cosine
		}
		all[i].support /= float64(len(documents) - 1)
	}
}

// centre returns the direction of all passages together, better ones weighing more.
func (r *reading) centre() vector {
	sums := make(map[int]float64)
	for _, p := range r.pages {
		for _, c := range p.weight {
			sums[c.term] += math.Exp(centralSteepness*p.behind) * c.value
		}
	}
	centre := make(vector, 0, len(sums))
	for term, value := range sums {
		centre = append(centre, component{term, value})
	}
	centre.sort()
	centre.normalize()
	return centre
}

// Within copulaWithin words a sentence has said what it is about, and within definitionWithin whether it
// says what that is.
const (
	copulaWithin     = 10
	definitionWithin = 16
)

var copulas = map[string]bool{
	"is": true, "are": true, "was": true, "were": true, "refers": true, "belongs": true,
	"means": true, "consists": true, "encodes": true, "acts": true,
	"cause": true, "causes": true, "caused": true,
}

// addOpening looks at how the sentence begins: with the asked thing, and as a definition.
func (f *features) addOpening(s *sentence, asked map[string]bool, what bool) {
	first := slices.IndexFunc(s.terms, func(term string) bool { return asked[term] })
	if first >= 0 {
		f.start = 1 / (1 + float64(first))
	}
	if (first == 0 || first == 1) && saysWhatItIs(s.plain) {
		f.defines = 1
	}
	if !what {
		return
	}
	f.whatStart = f.start
	fresh := make(map[string]bool)
	for _, term := range s.terms {
		if !asked[term] {
			fresh[term] = true
		}
	}
	f.whatNew = float64(len(fresh)) / 20
	opening := s.plain[:min(copulaWithin, len(s.plain))]
	if slices.ContainsFunc(opening, func(word string) bool { return copulas[word] }) {
		f.whatCopula = 1
	}
}

// saysWhatItIs reports whether there is an early "is" or "are" with something behind it.
func saysWhatItIs(words []string) bool {
	for i, word := range words[:min(definitionWithin, len(words))] {
		if (word == "is" || word == "are") && i+1 < len(words) {
			return true
		}
	}
	return false
}
