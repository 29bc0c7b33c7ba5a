package query

import (
	_ "embed"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/question"
	"lacuna/knowledge/redact"
	"lacuna/knowledge/vocabulary"
)

// asking is a question as far as it says what it is about.
type asking struct {
	language question.Language
	terms    map[string]bool // all its words
	content  int             // words that say what it is about
	rare     int             // of these, names and technical terms
	points   bool            // to something said before: "it", "the same", "and in …?"
	clipped  bool            // it has no verb or does not begin like a sentence
	drug     bool            // it names a drug
	disease  bool            // it names a disease
	dose     bool            // it asks for a dose or whether something may be given
}

// read reads a question.
func read(text string) asking {
	a := asking{language: question.LanguageOf(text), terms: make(map[string]bool)}
	for _, w := range wordsIn(text, a.language) {
		a.terms[w.term] = true
		a.drug = a.drug || isDrug(text[w.Start:w.End])
		a.disease = a.disease || isDisease(text[w.Start:w.End])
		if w.plain {
			continue
		}
		a.content++
		if w.level == vocabulary.Rare {
			a.rare++
		}
	}
	a.dose = dosing.MatchString(text)
	plain := expletive.ReplaceAllString(text, "")
	a.points = pointing.MatchString(plain) || person.MatchString(plain) && a.rare == 0 && !a.drug && !a.disease
	a.clipped = !wholeSentence.MatchString(text) || a.content == 0 && len(strings.Fields(text)) <= 3 // "For how long?"
	if plaintext.HasHan(text) {
		a.clipped = a.content < leastHan
	}
	return a
}

var (
	// pointing matches what stands for something said before.
	pointing = regexp.MustCompile(`(?i)\b(?:its|this|these|those|they|them|their|then|instead|the same|same|the other|alternative|meanwhile|anyway|` +
		`dies\w*|jene\w*|dann|damit|davon|dazu|dagegen|stattdessen)\b|^\W*(?:and|or|but|und|oder|aber)\b|` +
		`\b(?:with|of|for|by|about|after|before|against|on|to|do|does|did|is|was|can|should|will|would) (?:it|that)\b|` +
		`^\W*那|这|该药|此|其(?:他|它)?|它|\b(?:it|that)\W*$`)
	// person matches what stands for the patient, whose disease a question needs if it names nothing itself.
	person = regexp.MustCompile(`(?i)\b(?:he|she|her|his|him|er|ihm|ihr|ihn|ihre[mnrs]?)\b|他|她`)
	// expletive matches an "it" that stands for nothing: "Is it safe to …?"
	expletive     = regexp.MustCompile(`(?i)\b(?:is|was|would) it \w+ (?:to|that|if|for)\b|有?其(?:中|实)|他汀`)
	wholeSentence = regexp.MustCompile(`(?i)^\W*(?:(?:at|for|in|to|from|with|until|by|after|on|ab|bei|mit|in|bis|seit|für|von|nach) )?(?:is|are|was|were|do|does|did|can|could|should|would|will|has|have|had|may|might|must|what|which|who|when|where|why|how|` +
		`ist|sind|war|hat|haben|kann|können|soll|muss|müssen|darf|wird|gibt|wie|was|wer|wann|wo|warum|welche\w?|womit|wem)\b`)
)

// standsAlone reports whether a question takes nothing from its place: it is a whole sentence that points to nothing
// said before. Words of the note would only mislead the search, and would make the judge look for
// the note's title in the sources.
func (a asking) standsAlone() bool {
	return !a.points && !a.clipped || a.content >= maxContent
}

// leastHan is the number of content words from which on a Chinese question counts as whole: its form does not show.
const leastHan = 4

// maxContent is the number of content words from which on a question says enough, whatever its form.
const maxContent = 12

// word is a word that says what a text is about.
type word struct {
	passage.Span
	term  string
	level vocabulary.Level
	plain bool // it names nothing by itself: "patient", "result"
}

// wordsIn returns the content words of a text.
func wordsIn(text string, language question.Language) []word {
	var words []word
	han := plaintext.HasHan(text)
	for _, t := range lexical.Content(text) {
		if han && plaintext.HasHan(text[t.Start:t.End]) {
			continue
		}
		level := vocabulary.English(t.Term)
		if language == question.German {
			level = max(level, vocabulary.German(t.Term))
		}
		words = append(words, word{passage.Span{Start: t.Start, End: t.End}, t.Term, level, question.IsPlainTerm(t.Term)})
	}
	if !han {
		return words
	}
	for _, w := range vocabulary.Segment(text) {
		level := vocabulary.Chinese(w.Text)
		if level == vocabulary.Common || lexical.IsAskingWord(w.Text) || utf8.RuneCountInString(w.Text) < 2 && level >= vocabulary.Everyday {
			continue
		}
		words = append(words, word{passage.Span{Start: w.Start, End: w.End}, lexical.Simplify(w.Text), level, false})
	}
	slices.SortFunc(words, func(a, b word) int { return a.Start - b.Start })
	return words
}

// blank replaces what is no word of the writer's by spaces: addresses, marks of markup, dates, identities of blocks.
func blank(text string) string {
	return noise.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat(" ", len(s)) })
}

var noise = regexp.MustCompile("(?i:<!--[ \\t]*)?\\b(?i:lacuna):[ \\t]*\\w+|https?://[^\\s)>]+|<!--|-->|%%|\\\\[a-zA-Z]+|#[\\p{L}\\d_/-]+|\\^[A-Za-z\\d-]+|\\[[ xX]\\]|\\[![\\w-]+\\][+-]?|" +
	"\\d{4}-\\d{2}-\\d{2}|<[^<>]{1,40}>|[*_`~=#>\\[\\]{}$|\"“”„«»]|(?:TODO|FIXME|DONE|WAITING|NEXT)\\b|(?i:^\\W*(?:q|question|frage|问|问题)\\W*[:：])")

// candidate is a word that a question may take.
type candidate struct {
	features
	term   string
	places map[int]passage.Span // by source
}

func (c *candidate) at(source int) (passage.Span, bool) {
	span, ok := c.places[source]
	return span, ok
}

// What a candidate is judged by.
const (
	fBias = iota
	fOwn
	fParent
	fAbove1
	fAbove2
	fAbove4
	fBlockHead
	fHeading
	fOuter
	fTitle
	fDiagnosis
	fRowHead
	fRowCell
	fColumn
	fAsked // in a question
	fRare
	fKnown
	fEveryday
	fPlain
	fNumber
	fCode // with capitals inside or digits
	fCapital
	fRepeated
	fFirst   // of its source
	fDensity // few words in the source
	fPoints
	fShort
	fContent
	fClipped
	fNames
	fShortHeading
	fShortAbove
	fPointsAbove
	fPointsHeading
	fNamesHeading
	fRareHeading
	fRareAbove
	fRareTitle
	fHan
	fAround
	fCount
	fOnlyAround
	fRareOnlyAround
	fCountOnlyAround
	fDrug
	fDisease
	fNearestDrug // and the question names none
	fNearestDisease
	fDiseaseHeading
	fFrame // it names a part of a note: "plan", "ward"
	fUnit
	fOtherDrug // another than the question names
	fOtherDisease
	fLab     // a measured value
	fLabDose // and a dose is asked for
	featureCount
)

var featureNames = [featureCount]string{"bias", "own", "parent", "above1", "above2", "above4", "blockHead", "heading", "outer", "title", "diagnosis",
	"rowHead", "rowCell", "column", "asked", "rare", "known", "everyday", "plain", "number", "code", "capital", "repeated", "first", "density",
	"points", "short", "content", "clipped", "names", "shortHeading", "shortAbove", "pointsAbove", "pointsHeading", "namesHeading", "rareHeading",
	"rareAbove", "rareTitle", "han", "around", "count", "onlyAround", "rareOnlyAround", "countOnlyAround",
	"drug", "disease", "nearestDrug", "nearestDisease", "diseaseHeading", "frame", "unit", "otherDrug", "otherDisease", "lab", "labDose"}

type features [featureCount]float64

// candidates returns the words of a scope that the question does not have.
func (a asking) candidates(s *scope) []*candidate {
	var all []*candidate
	byTerm := make(map[string]*candidate)
	for i, source := range s.sources {
		text := s.text[source.Start:source.End]
		words := wordsIn(blank(text), a.language)
		for k, w := range words {
			written := text[w.Start:w.End]
			if a.terms[w.term] || w.Len() == 1 || courtesies[strings.ToLower(written)] || question.IsFunctionTerm(w.term) {
				continue
			}
			c := byTerm[w.term]
			if c == nil {
				c = &candidate{term: w.term, places: make(map[int]passage.Span)}
				c.describe(w, written, text, a.language)
				byTerm[w.term] = c
				all = append(all, c)
			} else if len(c.places) > 0 {
				c.features[fRepeated] = 1
			}
			if _, again := c.places[i]; !again {
				end := w.End // with the value behind it: "eGFR 41", "prednisolone 15 mg"
				if value := value.FindString(text[end:]); !c.isMeasure() && c.features[fFrame] == 0 {
					end += len(value)
				}
				c.places[i] = passage.Span{Start: source.Start + w.Start, End: source.Start + end}
				if end > w.End && isLab(written) {
					c.features[fLab] = 1
				}
			}
			c.locate(source)
			c.features[fCount]++
			if k == 0 {
				c.features[fFirst] = 1
			}
			c.features[fDensity] = max(c.features[fDensity], 1/math.Sqrt(float64(len(words))))
			if strings.ContainsAny(text[w.End:], "?？") {
				c.features[fAsked] = 1
			}
		}
	}
	drug, disease := a.drug, a.disease
	for _, c := range all { // nearest first
		if c.features[fDrug] > 0 && !drug {
			drug, c.features[fNearestDrug] = true, 1
		}
		if c.features[fDisease] > 0 && !disease {
			disease, c.features[fNearestDisease] = true, 1
		}
		c.features[fCount] = math.Log2(c.features[fCount])
		a.relate(&c.features)
	}
	return all
}

// describe sets what can be told of a word by itself.
func (f *features) describe(w word, written, text string, language question.Language) {
	flag := func(at int, is bool) {
		if is {
			f[at] = 1
		}
	}
	f[fBias] = 1
	flag(fRare, w.level == vocabulary.Rare)
	flag(fKnown, w.level == vocabulary.Known)
	flag(fEveryday, w.level == vocabulary.Everyday)
	flag(fPlain, w.plain)
	digits := strings.IndexFunc(written, unicode.IsDigit) >= 0
	flag(fNumber, digits && strings.IndexFunc(written, unicode.IsLetter) < 0)
	_, size := utf8.DecodeRuneInString(written)
	inner := strings.IndexFunc(written[size:], unicode.IsUpper) >= 0
	flag(fCode, inner || digits && strings.IndexFunc(written, unicode.IsLetter) >= 0)
	first, _ := utf8.DecodeRuneInString(written)
	flag(fCapital, !inner && unicode.IsUpper(first) && w.Start > 0 && language != question.German)
	flag(fHan, plaintext.HasHan(written))
	flag(fDrug, isDrug(written))
	flag(fDisease, isDisease(written))
	lower := strings.ToLower(written)
	flag(fFrame, frameWords[lower] || len(written) == 1)
	flag(fUnit, unitWords[lower])
}

// locate adds where a word stands.
func (f *features) locate(s source) {
	at := [places]int{own: fOwn, parent: fParent, blockHead: fBlockHead, heading: fHeading, outer: fOuter, title: fTitle,
		diagnosis: fDiagnosis, rowHead: fRowHead, rowCell: fRowCell, column: fColumn, around: fAround}[s.place]
	if s.place == above {
		switch {
		case s.distance == 1:
			at = fAbove1
		case s.distance <= 3:
			at = fAbove2
		default:
			at = fAbove4
		}
	}
	f[at] = 1
}

// relate adds how much the question needs, by itself and with where the word stands.
func (a asking) relate(f *features) {
	if a.points {
		f[fPoints] = 1
	}
	if a.clipped {
		f[fClipped] = 1
	}
	f[fShort] = math.Max(0, 4-float64(a.content)) / 4
	f[fContent] = math.Min(float64(a.content), 12) / 12
	f[fNames] = math.Min(float64(a.rare), 4) / 4
	if f[fOwn]+f[fParent]+f[fAbove1]+f[fAbove2]+f[fAbove4]+f[fBlockHead]+f[fHeading]+f[fOuter]+f[fTitle]+f[fDiagnosis]+f[fRowHead]+f[fRowCell]+f[fColumn] == 0 {
		f[fOnlyAround], f[fRareOnlyAround], f[fCountOnlyAround] = 1, f[fRare], f[fCount]
	}
	near := math.Max(f[fHeading], f[fOuter])
	line := math.Max(math.Max(f[fAbove1], f[fAbove2]), math.Max(f[fOwn], f[fParent]))
	f[fShortHeading], f[fShortAbove] = f[fShort]*near, f[fShort]*line
	f[fPointsHeading], f[fPointsAbove] = f[fPoints]*near, f[fPoints]*line
	if a.dose {
		f[fLabDose] = f[fLab]
	}
	if a.drug {
		f[fOtherDrug] = f[fDrug]
	}
	if a.disease {
		f[fOtherDisease] = f[fDisease]
	}
	f[fNamesHeading] = f[fNames] * near
	f[fDiseaseHeading] = f[fDisease] * math.Max(near, math.Max(f[fTitle], math.Max(f[fBlockHead], f[fDiagnosis])))
	f[fRareHeading], f[fRareAbove], f[fRareTitle] = f[fRare]*near, f[fRare]*line, f[fRare]*f[fTitle]
}

// choose returns the words that a question takes from a scope.
func (a asking) choose(s *scope) []*candidate { return a.chooseBy(s, &weights, chosenFrom) }

func (a asking) chooseBy(s *scope, by *features, from float64) []*candidate {
	all := a.candidates(s)
	score := make(map[*candidate]float64, len(all))
	for _, c := range all {
		score[c] = by.score(&c.features)
	}
	slices.SortStableFunc(all, func(x, y *candidate) int {
		switch {
		case score[x] > score[y]:
			return -1
		case score[x] < score[y]:
			return 1
		}
		return 0
	})
	var chosen []*candidate
	for _, c := range all {
		if len(chosen) == maxContext || score[c] < from*completing {
			break
		}
		if (score[c] >= from || s.adjoins(c, chosen)) && s.isPublic(c) {
			chosen = append(chosen, c)
		}
	}
	return slices.DeleteFunc(slices.Clone(chosen), func(c *candidate) bool { return c.isMeasure() && !s.adjoins(c, chosen) })
}

// isPublic reports whether a word identifies nobody, and forgets the places where it does: a query may leave the
// machine, and names are known by what stands around them.
func (s *scope) isPublic(c *candidate) bool {
	if s.people == nil {
		s.people = make(map[int][]redact.Span)
	}
	for i, span := range c.places {
		source := s.sources[i]
		if _, known := s.people[i]; !known {
			s.people[i] = peopleIn(s.text[source.Start:source.End])
		}
		for _, person := range s.people[i] {
			if span.Start < source.Start+person.End && source.Start+person.Start < span.End {
				delete(c.places, i)
			}
		}
	}
	return len(c.places) > 0
}

// completing is the share of the least probability that a word needs if it stands next to one that is taken: half a name
// is worse than none.
const completing = .6

// isMeasure reports whether a word says nothing without the one next to it: a number or a unit.
func (c *candidate) isMeasure() bool { return c.features[fNumber]+c.features[fUnit] > 0 }

// adjoins reports whether a word stands next to a chosen one.
func (s *scope) adjoins(c *candidate, chosen []*candidate) bool {
	for source, span := range c.places {
		for _, other := range chosen {
			next, in := other.at(source)
			if !in || other == c {
				continue
			}
			if between := s.text[min(span.End, next.End):max(span.Start, next.Start, min(span.End, next.End))]; len(strings.TrimLeft(between, " -/")) == 0 {
				return true
			}
		}
	}
	return false
}

// score is the probability that a word belongs to the question written out in full.
func (f *features) score(of *features) float64 {
	sum := 0.0
	for i, w := range f {
		sum += w * of[i]
	}
	return 1 / (1 + math.Exp(-sum))
}

// chosenFrom is the least probability of a word that is taken. On notes left out more words can be had from .12 on with
// queries no worse than the bare questions, but a word that misleads also makes the judge look for it.
const chosenFrom = .16

// weights weighs the features; TestWeights fits it.
//
//go:embed weights.txt
var weightsText string

var weights = func() (w features) {
	at := 0
	for line := range strings.Lines(weightsText) {
		var name string
		if _, err := fmt.Sscan(line, &name, &w[at]); err != nil || name != featureNames[at] {
			panic(fmt.Sprintf("line %d of weights.txt is not %q with its weight: %v", at+1, featureNames[at], err))
		}
		at++
	}
	return w
}()
