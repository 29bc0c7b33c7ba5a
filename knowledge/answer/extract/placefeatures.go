package extract

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"lacuna/knowledge"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/lexicon"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/question"
)

// placing finds the places for one question.
type placing struct {
	asked   question.Reading
	wording *lexicon.Wording // of the content words
	subject *lexicon.Wording // of those that sources should hold
	base    statistics
	pages   []placedPage
	above   []aboveFeatures // of each page
	facts   [][]sentenceFacts
	best    knowledge.Hit
	pairs   [][2]string // neighbours in the question
	first   citedSpan   // whose place is the first
}

// aboveFeatures is what title and headings say.
type aboveFeatures struct {
	terms, heading, title map[string]bool
	near                  float64 // how nearly the heading is the question
	aspect, otherAspect   float64
	gate                  float64 // 1 if all words of the title stand in the question
}

type sentenceFacts struct {
	terms   []string
	fit     float64 // of the kind of answer
	covered float64
	aim     bool
	asks    bool
}

// placeFeatures tell the place to show from the others.
type placeFeatures [numPlaceFeatures]float64

const (
	fCovered = iota // coverage with title and headings
	fBody
	fSubject
	fSentence
	fSentenceAbove
	fHeadingOnly
	fTitle
	fHeading
	fNear
	fNearWhole
	fScore
	fRank
	fBM25
	fCosine
	fMaxSim
	fAspectGated
	fAspect
	fOtherAspect
	fGate
	fFit
	fFitSentence
	fFitStrict
	fPassage
	fPairs
	fAim
	fIgnorance
	fAsks
	fLinks
	fDots
	fSize
	fCode
	fItem
	fRow
	fParagraph
	fStart
	fDensity
	fExact
	fNumber
	fRare         // as fCovered, words weighted by the square of their idf
	fRareBody     // as fBody
	fRareSentence // as fSentenceAbove
	fFigureFit    // as fFit, where a figure is expected
	fFigureFitSentence
	fCodeFit // code where a command is expected
	fListFit // a list or steps where they are expected
	fBestCovered
	fBestBody
	fBestRare
	fBestSentence
	fBestPairs
	fOwn   // the page of what the question surely names
	fNamed // the place says what the question names
	numPlaceFeatures
)

func newPlacing(text string, base statistics, lists ...[]knowledge.Hit) *placing {
	r := &placing{asked: question.Read(text), base: base}
	words := contentWords(text)
	r.wording = base.Wording(words)
	r.subject = base.Wording(SubjectWords(text))
	for i := 0; i+1 < len(words); i++ {
		r.pairs = append(r.pairs, [2]string{words[i], words[i+1]})
	}
	for _, hits := range lists {
		// Places of another thing are no answer, and better than silence.
		if about := relevant(hits, facetOf(hits, base)); len(about) > 0 {
			hits = about
		}
		for _, hit := range hits {
			if len(r.pages) == 0 {
				r.best = hit
			}
			p := placedPage{page: page{hit: hit, own: isOwn(hit), spans: Sentences(hit.Passage), shown: hit.Passage.Render()}}
			p.blocks = make([]int, len(p.spans))
			for i, s := range p.spans {
				p.blocks[i] = p.shown.BlockAt(s.Start)
			}
			r.pages = append(r.pages, p)
			r.addFacts(&r.pages[len(r.pages)-1])
		}
	}
	return r
}

func (r *placing) addFacts(p *placedPage) {
	found := p.hit.Passage
	tokens := lexical.Analyze(found.Text)
	facts := make([]sentenceFacts, len(p.spans))
	for i, span := range p.spans {
		text := found.Text[span.Start:span.End]
		f := sentenceFacts{terms: termsOf(tokensIn(tokens, span)), aim: statesAim(text), asks: endsInQuestionMark(text)}
		f.fit = r.asked.Expected.Fit(text)
		if kindAt(p.shown, span) == passage.Code && r.asked.Expected.Kind == question.Command {
			f.fit = 1
		}
		f.covered = r.wording.Coverage(has(set(f.terms)))
		facts[i] = f
	}
	r.facts = append(r.facts, facts)
	r.above = append(r.above, r.aboveOf(p))
}

func set(terms ...[]string) map[string]bool {
	s := make(map[string]bool)
	for _, list := range terms {
		for _, t := range list {
			s[t] = true
		}
	}
	return s
}

func has(terms map[string]bool) func(string) bool { return func(t string) bool { return terms[t] } }

func (r *placing) aboveOf(p *placedPage) aboveFeatures {
	found := p.hit.Passage
	heading := nearestHeading(found)
	title := strings.Join(found.Names(), "\n")
	a := aboveFeatures{terms: set(lexical.Terms(Heading(found))), heading: set(lexical.Terms(heading)), title: set(lexical.Terms(title))}
	asked := set(lexical.Terms(r.asked.Text))
	whole := a.title != nil && len(a.title) > 0
	for t := range set(lexical.Terms(found.Title)) {
		whole = whole && asked[t]
	}
	reading := r.asked
	if whole {
		a.gate = 1
		reading = reading.Without(found.Title)
	}
	if reading.Aspect != "" && heading != "" {
		aspects := question.AspectsOf(heading)
		switch {
		case len(aspects) == 0:
		case slices.Contains(aspects, reading.Aspect):
			a.aspect = 1
			if aspects[0] != reading.Aspect {
				a.aspect = .7
			}
		case slices.ContainsFunc(aspects, func(x question.Aspect) bool { return slices.Contains(reading.Aspects, x) }):
			a.aspect = .5
		default:
			a.otherAspect = 1
		}
	}
	// How nearly is the heading the question? Words of either that the other lacks count against it.
	content := contentWords(heading)
	if len(content) > 0 {
		back := r.base.Wording(content)
		precision := back.Coverage(func(t string) bool { return asked[t] })
		both := set(lexical.Terms(heading))
		for t := range a.title {
			both[t] = true
		}
		recall := r.wording.Coverage(has(a.heading))
		a.near = harmonic(precision, recall)
		a.near = max(a.near, .9*harmonic(precision, r.wording.Coverage(has(both))))
	}
	return a
}

func harmonic(a, b float64) float64 {
	if a+b == 0 {
		return 0
	}
	return 2 * a * b / (a + b)
}

func nearestHeading(p *passage.Passage) string {
	if n := len(p.Headings); n > 0 {
		return p.Headings[n-1]
	}
	if p.Kind == passage.Text {
		return p.Section
	}
	return ""
}

// sentenceFit rates the sentences of a place among themselves.
func (r *placing) sentenceFit(p, i int) float64 {
	f := r.facts[p][i]
	fit := f.covered + .3*f.fit
	if f.aim || f.asks {
		fit -= .2
	}
	return fit
}

var (
	ignorancePattern = regexp.MustCompile(`(?i)\b(?:remains?|is|are)\s+(?:still\s+)?(?:unclear|unknown|controversial|poorly understood|not (?:well |fully )?(?:known|understood|established))|\bfurther (?:studies|research)|\bnot (?:covered|described) (?:here|in this)`)
	linkPattern      = regexp.MustCompile(`\]\([^)]*\)|\[\[[^\]]*\]\]|https?://\S+`)
	dotPattern       = regexp.MustCompile(`(?:\.\s?){5,}|…{2,}`)
)

// scored returns the candidates with their scores.
func (r *placing) scored() []place {
	all := r.candidates()
	for i := range all {
		all[i].placeFeatures = r.features(&all[i])
	}
	for _, relative := range [][2]int{{fBestCovered, fCovered}, {fBestBody, fBody}, {fBestRare, fRare}, {fBestSentence, fSentence}, {fBestPairs, fPairs}} {
		best := 0.0
		for i := range all {
			best = max(best, all[i].placeFeatures[relative[1]])
		}
		if best > 0 {
			for i := range all {
				all[i].placeFeatures[relative[0]] = all[i].placeFeatures[relative[1]] / best
			}
		}
	}
	for i := range all {
		all[i].score = all[i].placeFeatures.dot(placeWeights)
	}
	return all
}

func (r *placing) features(p *place) (f placeFeatures) {
	from := &r.pages[p.page]
	above := r.above[p.page]
	hit := from.hit
	facts := r.facts[p.page]
	var terms []string
	fit := 0.0
	for i := p.first; i <= p.last; i++ {
		terms = append(terms, facts[i].terms...)
		fit = max(fit, facts[i].fit)
	}
	span := r.span(*p)
	text := hit.Passage.Text[span.Start:span.End]
	body := set(terms)
	all := set(terms)
	for t := range above.terms {
		all[t] = true
	}
	f[fCovered] = r.wording.Coverage(has(all))
	f[fBody] = r.wording.Coverage(has(body))
	f[fSubject] = r.subject.Coverage(has(all))
	f[fSentence] = facts[p.best].covered
	sentence := set(facts[p.best].terms)
	for t := range above.terms {
		sentence[t] = true
	}
	f[fSentenceAbove] = r.wording.Coverage(has(sentence))
	f[fHeadingOnly] = max(0, r.wording.Coverage(func(t string) bool { return body[t] || above.heading[t] })-f[fBody])
	f[fTitle] = r.wording.Coverage(has(above.title))
	f[fHeading] = r.wording.Coverage(has(above.heading))
	f[fNear] = above.near
	if above.near > .8 {
		f[fNearWhole] = 1
	}
	if r.best.Score > 0 {
		f[fScore] = hit.Score / r.best.Score
	}
	f[fRank] = 1 / float64(max(1, p.page+1))
	if b := bestBM25Of(r.pages); b > 0 {
		f[fBM25] = hit.BM25 / b
	}
	f[fCosine], f[fMaxSim] = hit.Cosine, hit.MaxSim
	f[fAspectGated] = above.aspect * above.gate
	f[fAspect] = above.aspect
	f[fOtherAspect] = above.otherAspect
	f[fGate] = above.gate
	f[fFit] = max(fit, r.asked.Expected.Fit(text))
	f[fFitSentence] = facts[p.best].fit
	if fit >= .95 {
		f[fFitStrict] = 1
	}
	wide := make(map[string]bool)
	for _, s := range facts {
		for _, t := range s.terms {
			wide[t] = true
		}
	}
	f[fPassage] = r.wording.Coverage(has(wide))
	f[fPairs] = r.pairShare(terms)
	if facts[p.best].aim {
		f[fAim] = 1
	}
	if ignorancePattern.MatchString(text) {
		f[fIgnorance] = 1
	}
	if facts[p.best].asks {
		f[fAsks] = 1
	}
	links := 0
	for _, at := range linkPattern.FindAllStringIndex(text, -1) {
		links += at[1] - at[0]
	}
	f[fLinks] = float64(links) / float64(len(text)+1)
	if dotPattern.MatchString(text) {
		f[fDots] = 1
	}
	f[fSize] = math.Log1p(float64(from.size(p.first, p.last))) / 7
	switch kindAt(from.shown, from.spans[p.best]) {
	case passage.Code:
		f[fCode] = 1
	case passage.Item:
		f[fItem] = 1
	case passage.Row:
		f[fRow] = 1
	case passage.Paragraph:
		f[fParagraph] = 1
	}
	f[fStart] = float64(p.first) / float64(len(from.spans))
	f[fDensity] = f[fBody] / math.Log1p(float64(len(terms))+1)
	for _, w := range r.wording.Words {
		if body[w.Term] {
			f[fExact] += w.Weight
		}
	}
	total := 0.0
	for _, w := range r.wording.Words {
		total += w.Weight
	}
	if total > 0 {
		f[fExact] /= total
	}
	if digits.MatchString(text) {
		f[fNumber] = 1
	}
	if from.own {
		f[fOwn] = 1
	}
	if hit.Subject.Sure() && (from.own || hit.Subject.Mentioned(text)) {
		f[fNamed] = 1
	}
	f[fRare] = r.rareCoverage(has(all))
	f[fRareBody] = r.rareCoverage(has(body))
	f[fRareSentence] = r.rareCoverage(has(sentence))
	switch r.asked.Expected.Kind {
	case question.Quantity, question.Date, question.Duration, question.Frequency:
		f[fFigureFit], f[fFigureFitSentence] = f[fFit], f[fFitSentence]
	case question.Command:
		f[fCodeFit] = f[fCode]
	case question.List, question.Steps:
		f[fListFit] = f[fItem]
	}
	return f
}

var digits = regexp.MustCompile(`\d`)

// figure matches a number as it is written.
var figure = regexp.MustCompile(`\d+(?:[.,]\d+)*`)

func bestBM25Of(pages []placedPage) float64 {
	best := 0.0
	for i := range pages {
		best = max(best, pages[i].hit.BM25)
	}
	return best
}

// pairShare returns the share of the question's neighbouring words that stand near each other.
func (r *placing) pairShare(terms []string) float64 {
	if len(r.pairs) == 0 {
		return 0
	}
	held := 0.0
	for _, pair := range r.pairs {
		nearest := math.MaxInt
		lastA, lastB := -1000, -1000
		for i, t := range terms {
			if t == pair[0] {
				lastA = i
				nearest = min(nearest, i-lastB)
			}
			if t == pair[1] {
				lastB = i
				nearest = min(nearest, i-lastA)
			}
		}
		switch {
		case nearest <= 2:
			held++
		case nearest <= 6:
			held += .5
		}
	}
	return held / float64(len(r.pairs))
}

// placeFeatureNames are the names of the features in the file of weights.
var placeFeatureNames = [numPlaceFeatures]string{
	fCovered:           "covered",
	fBody:              "body",
	fSubject:           "subject",
	fSentence:          "sentence",
	fSentenceAbove:     "sentenceAbove",
	fHeadingOnly:       "headingOnly",
	fTitle:             "title",
	fHeading:           "heading",
	fNear:              "near",
	fNearWhole:         "nearWhole",
	fScore:             "score",
	fRank:              "rank",
	fBM25:              "bM25",
	fCosine:            "cosine",
	fMaxSim:            "maxSim",
	fAspectGated:       "aspectGated",
	fAspect:            "aspect",
	fOtherAspect:       "otherAspect",
	fGate:              "gate",
	fFit:               "fit",
	fFitSentence:       "fitSentence",
	fFitStrict:         "fitStrict",
	fPassage:           "passage",
	fPairs:             "pairs",
	fAim:               "aim",
	fIgnorance:         "ignorance",
	fAsks:              "asks",
	fLinks:             "links",
	fDots:              "dots",
	fSize:              "size",
	fCode:              "code",
	fItem:              "item",
	fRow:               "row",
	fParagraph:         "paragraph",
	fStart:             "start",
	fDensity:           "density",
	fExact:             "exact",
	fNumber:            "number",
	fRare:              "rare",
	fRareBody:          "rareBody",
	fRareSentence:      "rareSentence",
	fFigureFit:         "figureFit",
	fFigureFitSentence: "figureFitSentence",
	fCodeFit:           "codeFit",
	fListFit:           "listFit",
	fBestCovered:       "bestCovered",
	fBestBody:          "bestBody",
	fBestRare:          "bestRare",
	fBestSentence:      "bestSentence",
	fBestPairs:         "bestPairs",
	fOwn:               "own",
	fNamed:             "named",
}

func (f *placeFeatures) dot(weights placeFeatures) float64 {
	sum := 0.0
	for j, w := range weights {
		sum += w * f[j]
	}
	return sum
}

// rareCoverage is the coverage of the question with the weights of its words squared: the rare ones decide.
func (r *placing) rareCoverage(has func(string) bool) float64 {
	covered, whole := 0.0, 0.0
	for _, w := range r.wording.Words {
		whole += w.Weight * w.Weight
		covered += w.Weight * w.Weight * w.Match(has)
	}
	if whole == 0 {
		return 0
	}
	return covered / whole
}
