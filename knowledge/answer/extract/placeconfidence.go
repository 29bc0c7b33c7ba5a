package extract

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/lexicon"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/question"
	frequency "lacuna/knowledge/vocabulary"
)

// answerNames are the names of the features in the file of weights; those of the first place follow.
var answerNames = [aFirstPlace]string{
	"held", "lacked", "heaviest", "least", "unknown", "names", "telling", "figures", "conditions", "length", "score",
	"share", "margin", "marginPage", "bM25", "hitScore", "hitMargin", "first", "best", "sentence", "confidence", "missing",
	"passages", "han", "german", "case", "allNames", "allTelling", "heldShare", "bM25Telling", "shareCovered", "sureJudge",
	"quantity", "duration", "fact", "yesNo", "steps",
}

// answerName returns the name of a feature.
func answerName(feature int) string {
	if feature < aFirstPlace {
		return answerNames[feature]
	}
	return "place." + placeFeatureNames[feature-aFirstPlace]
}

// answerFeatures tell places that answer from those that are only near.
type answerFeatures [numAnswerFeatures]float64

const (
	aHeld         = iota // weight of the question's words that the first place says, with title and headings
	aLacked              // and of those that it does not
	aHeaviest            // how well it says the heaviest one
	aLeast               // weight of the heaviest word that it does not say, as a share of the heaviest one
	aUnknown             // share of the weight on words that the base does not have
	aNames               // 1/(1+n), with n names and technical terms that it does not say
	aTelling             // share of the words that are not of everyday speech that it says
	aFigures             // share of the question's figures that it has
	aConditions          // share of the conditions that it states
	aLength              // ln(1+words)
	aScore               // of the first place
	aShare               // its share of the softmax over all places
	aMargin              // by which it scores above the second
	aMarginPage          // and above the best of another document among those shown
	aBM25                // of the first passage
	aHitScore            // its score
	aHitMargin           // by which it is above the second, as a share
	aFirst               // the first place is of the first passage
	aBest                // and that has the greatest BM25
	aSentence            // the sentence that an answer would open with stands in it
	aConfidence          // of that sentence
	aMissing             // the judge's probability
	aPassages            // ln of the number of passages
	aHan                 // a Chinese question
	aGerman              // a German one
	aCase                // 1 if it has all figures and conditions
	aAllNames            // 1 if it says all names and technical terms
	aAllTelling          // 1 if it says nearly all words that are not of everyday speech
	aHeldShare           // aHeld times the share of the weight that it says
	aBM25Telling         // aBM25 times aTelling
	aShareCovered        // aShare times the share of the weight that it says
	aSureJudge           // 1 if the judge is sure that nothing is missing
	aQuantity            // the kind of answer that is expected
	aDuration
	aFact
	aYesNo
	aSteps
	aFirstPlace       // from here on the features of the first place
	numAnswerFeatures = aFirstPlace + numPlaceFeatures
)

// answerFeatures measures the places to show, best first, against the question. lead is the sentence that an
// answer of sentences would open with, and confidence how sure that is.
func (r *placing) answerFeatures(all, chosen []place, verdict gap.Verdict, lead citedSpan, confidence float64) (f answerFeatures) {
	first := chosen[0]
	held := set(r.terms(first))
	for term := range r.above[first.page].terms {
		held[term] = true
	}
	r.measureWords(&f, has(held))
	r.measureCase(&f, first)
	f[aScore] = first.score
	f[aShare], f[aMargin] = standing(all, first)
	f[aMarginPage] = farAhead
	from := r.pages[first.page].hit.Passage
	for _, p := range chosen[1:] {
		if other := r.pages[p.page].hit.Passage; other.Source != from.Source || other.Document != from.Document {
			f[aMarginPage] = min(f[aMarginPage], first.score-p.score)
		}
	}
	top := r.pages[0].hit
	f[aBM25], f[aHitScore], f[aHitMargin] = top.BM25, top.Score, 1
	if len(r.pages) > 1 && top.Score > 0 {
		f[aHitMargin] = (top.Score - r.pages[1].hit.Score) / top.Score
	}
	f[aFirst] = truthOf(first.page == 0)
	f[aBest] = truthOf(first.page == 0 && top.BM25 >= bestBM25Of(r.pages))
	at := r.span(first)
	f[aSentence] = truthOf(lead.passage == from && at.Start < lead.span.End && lead.span.Start < at.End)
	f[aConfidence], f[aMissing] = confidence, verdict.Probability
	f[aPassages] = math.Log(float64(r.base.N()))
	f[aHan] = truthOf(plaintext.HasHan(r.asked.Text))
	f[aGerman] = truthOf(r.asked.Language == question.German)
	copy(f[aFirstPlace:], first.placeFeatures[:])
	covered := first.placeFeatures[fCovered]
	f[aCase] = truthOf(f[aFigures] == 1 && f[aConditions] == 1)
	f[aAllNames], f[aAllTelling] = truthOf(f[aNames] == 1), truthOf(f[aTelling] >= .9)
	f[aHeldShare], f[aBM25Telling], f[aShareCovered] = f[aHeld]*covered, f[aBM25]*f[aTelling], f[aShare]*covered
	f[aSureJudge] = truthOf(verdict.Probability < .15)
	for at, kind := range map[int]question.Kind{
		aQuantity: question.Quantity, aDuration: question.Duration, aFact: question.Fact, aYesNo: question.YesNo, aSteps: question.Steps,
	} {
		f[at] = truthOf(r.asked.Expected.Kind == kind)
	}
	return f
}

// farAhead is the margin of a place that has no rival.
const farAhead = 3

// measureWords fills in what a place says of the question's words.
func (r *placing) measureWords(f *answerFeatures, has func(term string) bool) {
	var heaviest lexicon.Word
	whole, telling, said, names, least := 0.0, 0.0, 0.0, 0.0, 0.0
	for _, w := range r.wording.Words {
		match := w.Match(has)
		whole += w.Weight
		f[aHeld] += w.Weight * match
		if !w.Known {
			f[aUnknown] += w.Weight
		}
		if w.Weight > heaviest.Weight {
			heaviest = w
		}
		if level := r.level(w.Term); level < frequency.Everyday && !question.IsPlainTerm(w.Term) {
			telling++
			said += match
			if level == frequency.Rare && match < leastForm {
				names++
			}
		}
		least = max(least, w.Weight*(1-match))
	}
	f[aLacked], f[aNames], f[aTelling], f[aLength] = whole-f[aHeld], 1/(1+names), 1, math.Log1p(float64(len(r.wording.Words)))
	if telling > 0 {
		f[aTelling] = said / telling
	}
	if whole > 0 {
		f[aUnknown] /= whole
		f[aHeaviest], f[aLeast] = heaviest.Match(has), least/heaviest.Weight
	}
}

// level returns how common a term is in the language of the question.
func (r *placing) level(term string) frequency.Level {
	if plaintext.HasHan(term) {
		return frequency.Chinese(term)
	}
	level := frequency.English(term)
	if r.asked.Language == question.German {
		level = max(level, frequency.German(term))
	}
	return level
}

// measureCase fills in what a place has of the figures and the conditions of the question.
func (r *placing) measureCase(f *answerFeatures, p place) {
	from := r.pages[p.page].hit.Passage
	at := r.span(p)
	text := strings.Join(append([]string{from.Title, from.Text[at.Start:at.End]}, from.Headings...), "\n")
	f[aFigures], f[aConditions] = 1, 1
	if figures := figure.FindAllString(r.asked.Text, -1); len(figures) > 0 {
		n := 0.0
		for _, one := range figures {
			n += truthOf(strings.Contains(text, one))
		}
		f[aFigures] = n / float64(len(figures))
	}
	if len(r.asked.Conditions) > 0 {
		stated := question.Read(text).Conditions
		n := 0.0
		for _, c := range r.asked.Conditions {
			n += truthOf(slices.ContainsFunc(stated, func(other question.Condition) bool { return other.Name == c.Name }))
		}
		f[aConditions] = n / float64(len(r.asked.Conditions))
	}
}

// standing returns a place's share of the softmax over all, and by how much it scores above the best other.
func standing(all []place, first place) (share, margin float64) {
	whole, second := 0.0, math.Inf(-1)
	for _, p := range all {
		whole += math.Exp(p.score - first.score)
		if p.page != first.page || p.best != first.best {
			second = max(second, p.score)
		}
	}
	if math.IsInf(first.score, 1) {
		return 1, farAhead
	}
	return 1 / max(whole, 1), min(first.score-second, farAhead)
}

func truthOf(b bool) float64 { return float64(truth(b)) }

// answerWeights weigh the features; the first line of the file is the constant. TestAnswerWeights fits them.
//
//go:embed answerweights.txt
var answerWeightText string

// answerModel is a logistic model of the answer features.
type answerModel struct {
	constant float64
	weights  answerFeatures
}

var answerWeights = func() (m answerModel) {
	at := -1
	for line := range strings.Lines(answerWeightText) {
		name, value, want := "", 0.0, "constant"
		if at >= 0 {
			want = answerName(at)
		}
		if _, err := fmt.Sscan(line, &name, &value); err != nil || name != want {
			panic(fmt.Sprintf("line %d of answerweights.txt is not %q with its weight: %v", at+2, want, err))
		}
		if at < 0 {
			m.constant = value
		} else {
			m.weights[at] = value
		}
		at++
	}
	return m
}()

// probability returns how sure it is that the places answer.
func (m answerModel) probability(f answerFeatures) float64 {
	x := m.constant
	for j, w := range m.weights {
		x += w * f[j]
	}
	return logistic(x)
}

// answeredFrom is the probability from which on places are an answer. Of 571 questions of strangers on 26 real
// collections, each left out of the fit in turn, .08 are answered so, with 2 of 236 that the sources do not cover;
// of all 49 answers 41 show the answer, 36 of them in the first place. Sentences chosen by themselves were right for
// 25 of 45.
const answeredFrom = .58

// The model was fitted on collections of 258 to 5,520 passages. Smaller ones are single documents and examples, which the judge reads in its own way too,
// larger ones are of abstracts and articles, whose sentences the reader was fitted on.
const (
	fewestWeighed = 400
	mostWeighed   = 10_000
)

// weighsPlaces reports whether places answer questions, rather than sentences.
func (o *Offline) weighsPlaces(library *knowledge.Library) bool {
	collection := library.Collection(passage.Text)
	return !o.NoAbstain && collection != nil && collection.N() >= fewestWeighed && collection.N() < mostWeighed
}

// answerByPlaces answers with the places that come nearest, if they are sure to answer.
func (o *Offline) answerByPlaces(library *knowledge.Library, result *answer.Result, c consultation) {
	if gap.Missing(c.verdict.Probability) || len(c.found.texts) == 0 {
		return
	}
	asked := cmp.Or(c.asked.asked.gist, result.Question.Text)
	r := newPlacing(asked, library.Collection(passage.Text), c.found.texts...)
	all := r.scored()
	chosen := r.chooseOf(all)
	if len(chosen) == 0 || answerWeights.probability(r.answerFeatures(all, chosen, c.verdict, c.opinion.opening(), c.opinion.confidence)) < answeredFrom {
		return
	}
	if o.Amount == LeadOnly {
		chosen = chosen[:1]
	}
	if result.Statements = o.placeStatements(library, result, r, chosen); len(result.Statements) > 0 {
		result.State = answer.Answered
	}
}
