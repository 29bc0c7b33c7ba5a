package gap

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"

	"lacuna/knowledge/entity"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/lexicon"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/question"
)

// FacetFound is the least [Facet.Coverage] of a passage that treats what is asked about its subject.
const FacetFound = .5

// [Facet.Coverage]'s score of a heading that the question names, its factor for the share of the question's
// words under another heading, and its factor if none of the words is particular: most sections of a page on
// an illness mention treatment.
const (
	underHeading = .6
	underOther   = .9
	inPassing    = .4
)

// asksDetail matches questions that ask for more than the thing itself, even without any other word.
var asksDetail = regexp.MustCompile(`(?i)^\W*(?:when|where|why|who|whose|how)\b|\bhow\s+(?:much|many|long|often)\b`)

func termsOf(words map[string]bool) map[string]bool {
	terms := make(map[string]bool)
	for w := range words {
		for _, term := range lexical.Terms(w) {
			terms[term] = true
		}
	}
	return terms
}

// overviewTerms holds the terms that ask what a thing is or is for, and the terms of headings that say so.
var overviewTerms = termsOf(plaintext.Set(`use used mean purpose overview summary information introduction about
	definition description scope indication indications function`))

// amountTerms holds the terms that ask how much of something there is.
var amountTerms = termsOf(plaintext.Set("much many long often soon far old large big"))

// optionalTerms holds terms that an answer seldom has: terms that ask for a value, which is given in figures
// and signs, and terms for people in general.
var optionalTerms = termsOf(plaintext.Set(`angle temperature pressure speed depth height width length distance volume
	colour color voltage duration percentage ratio milligram milligrams gram grams litre litres liter liters
	millilitre millilitres milliliter milliliters metre metres meter meters euro euros dollar dollars percent
	somebody someone anybody anyone everybody everyone impairment insufficiency dysfunction disorder illness`))

//go:embed common.txt
var commonWords string

// common holds the terms of everyday English, which a page may well lack though it answers.
var common = func() map[string]bool {
	terms := make(map[string]bool)
	for line := range strings.Lines(commonWords) {
		if !strings.HasPrefix(line, "#") {
			for _, term := range lexical.Terms(line) {
				terms[term] = true
			}
		}
	}
	return terms
}()

// isDemanding reports whether an answer must have a term of the question: a technical word, or a condition
// such as an age or a state of health.
func isDemanding(term string) bool {
	for _, group := range conditions {
		if group[term] {
			return true
		}
	}
	return !common[term] && !question.IsPlainTerm(term) && !optionalTerms[term] && !question.IsClinicalTerm(term)
}

// Facet is the side of its subject that a question asks for. It remembers what it measured, and is not safe for
// concurrent use.
type Facet struct {
	names    []string         // terms of the name
	text     string           // the question, with blanks for the name
	reading  question.Reading // of the text
	aspects  []question.Aspect
	clinical bool // one of them is of medicine
	words    []facetWord
	terms    []string // of the words
	measures []string // terms of what is asked for if it is only a value: "how long", "the length"
	overview bool     // it asks for nothing but the thing itself
	sections map[string][]question.Aspect
	measured map[*passage.Passage]float64
}

// facetWord is a word of a question, besides the name.
type facetWord struct {
	text      string
	terms     []string
	weight    float64
	aspects   []question.Aspect // that it helps to ask for
	kin       []lexicon.Kin
	clinical  bool // it names an aspect of medicine
	named     bool // it is written as a name
	limits    bool // it limits the question to some cases: a name, or a condition such as an age
	demanding bool // an answer must have it
}

// Words knows in which other words a base says the words of a question.
type Words interface {
	Wording(terms []string) *lexicon.Wording
}

// NewFacet reads what a question asks of its subject. Words may be nil: then no kin count.
func NewFacet(s *entity.Subject, words Words) *Facet {
	f := &Facet{names: s.Names(), text: s.Question(), sections: make(map[string][]question.Aspect), measured: make(map[*passage.Passage]float64)}
	for _, title := range s.Titles() {
		f.text = question.Blank(f.text, title)
	}
	f.reading = question.Read(f.text)
	cues := question.AspectCues(f.text)
	if strong := slices.DeleteFunc(slices.Clone(cues), func(c question.AspectCue) bool { return c.Weak }); len(strong) > 0 {
		cues = strong
	}
	for _, c := range cues {
		f.aspects = append(f.aspects, c.Aspect)
		f.clinical = f.clinical || c.Aspect.IsClinical()
	}
	isName := func(term string) bool { return slices.Contains(f.names, term) }
	for _, token := range lexical.Content(s.Question()) {
		if term := token.Term; !isName(term) && (amountTerms[term] || optionalTerms[term]) {
			f.measures = append(f.measures, term)
		}
	}
	var terms []string
	for _, w := range wordsOf(s.Question(), func(string) bool { return false }) {
		isBlank := strings.TrimSpace(f.text[w.start:w.end]) == ""
		if isBlank || slices.ContainsFunc(w.terms, func(term string) bool { return isName(term) || amountTerms[term] }) {
			continue
		}
		word := facetWord{text: w.text, terms: w.terms, weight: 1}
		word.named = f.reading.Language != question.German && isNamed(w.text) && !opensSentence(s.Question(), w.start)
		switch term := w.terms[0]; {
		case optionalTerms[term]:
			word.weight = 0
		case question.IsPlainTerm(term), f.reading.Language != question.English && w.class == plainWord:
			word.weight = plainShare
		}
		for _, c := range cues {
			if c.Start < w.end && w.start < c.End {
				word.aspects = append(word.aspects, c.Aspect)
			}
		}
		word.clinical = slices.ContainsFunc(w.terms, question.IsClinicalTerm)
		word.demanding = len(clinical(word.aspects)) > 0 || f.demands(w)
		word.limits = word.named || w.class == nameWord || f.reading.Language != question.English || limits(w)
		f.words, terms = append(f.words, word), append(terms, w.terms...)
	}
	f.terms = terms
	if words != nil {
		f.addKin(words.Wording(terms))
	}
	f.overview = asksOverview(f.text, terms) || len(f.aspects) > 0 && len(f.measures) == 0 && !slices.ContainsFunc(f.aspects, isOther(question.Definition)) &&
		!slices.ContainsFunc(f.words, func(w facetWord) bool { return w.weight == 1 && len(w.aspects) == 0 })
	return f
}

// limits reports whether a word states a condition.
func limits(w word) bool {
	return slices.ContainsFunc(conditions, func(group map[string]bool) bool {
		return slices.ContainsFunc(w.terms, func(term string) bool { return group[term] })
	})
}

func isOther(a question.Aspect) func(question.Aspect) bool {
	return func(b question.Aspect) bool { return a != b }
}

// addKin notes the kin of the words; of words that say little only other forms, since they mean too many things.
func (f *Facet) addKin(wording *lexicon.Wording) {
	for i := range f.words {
		for _, term := range f.words[i].terms {
			for _, kin := range wording.Word(term).Kin {
				if f.words[i].weight == 1 || kin.Why != lexicon.Meaning {
					f.words[i].kin = append(f.words[i].kin, kin)
				}
			}
		}
	}
}

// demands reports whether an answer must have a word of the question: a technical word, or a condition such as an
// age or a state of health.
func (f *Facet) demands(w word) bool {
	if f.reading.Language == question.English {
		return slices.ContainsFunc(w.terms, isDemanding)
	}
	return w.class == nameWord || w.class == knownWord
}

// leastTextKin is the least weight of kin that a text says a word by, and leastHeadingKin that of a heading, of which
// a page has few.
const (
	leastTextKin    = 0.5
	leastHeadingKin = 0.4
)

// in returns how well some terms say a word: 1 in the same or in another form, less by kin of at least some weight.
func (w facetWord) in(terms []string, least float64) float64 {
	has := func(term string) bool {
		return slices.ContainsFunc(terms, func(other string) bool { return other == term || !w.named && sameRoot(other, term) })
	}
	if !slices.ContainsFunc(w.terms, func(term string) bool { return !has(term) }) {
		return 1
	}
	best := 0.0
	for _, kin := range w.kin {
		if kin.Weight >= max(least, best) && !slices.ContainsFunc(kin.Terms, func(term string) bool { return !slices.Contains(terms, term) }) {
			if best = kin.Weight; kin.Why != lexicon.Meaning {
				return 1
			}
		}
	}
	return best
}

// asks reports whether a word of the question is that of a heading, or asks for the same of a thing.
func (f *Facet) asks(term string) bool {
	return slices.ContainsFunc(f.words, func(w facetWord) bool {
		return containsRelated(w.terms, term) || slices.ContainsFunc(w.kin, func(kin lexicon.Kin) bool {
			return kin.Weight >= leastHeadingKin && len(kin.Terms) == 1 && kin.Terms[0] == term
		})
	})
}

// aspectsOf returns the aspects that a section has by its heading.
func (f *Facet) aspectsOf(section string) []question.Aspect {
	aspects, seen := f.sections[section]
	if !seen {
		aspects = question.AspectsOf(section)
		f.sections[section] = aspects
	}
	return aspects
}

// Coverage returns how far a passage treats what a question asks of its subject, in 0..1. The passage must stand
// under the title or heading that the question names. It counts the share of the question's other words that stand
// in the passage or above it, and a heading made of them. Without headings the passage's words tell which side it
// treats, where that was learnt.
func (f *Facet) Coverage(p *passage.Passage) float64 {
	coverage, known := f.measured[p]
	if !known {
		coverage = f.measure(p)
		f.measured[p] = coverage
	}
	return coverage
}

func (f *Facet) measure(p *passage.Passage) float64 {
	isName := func(term string) bool { return slices.Contains(f.names, term) || amountTerms[term] }
	own := lexical.Terms(p.Section)
	headings := slices.DeleteFunc(lexical.Terms(strings.Join(append([]string{p.Section}, p.Headings...), "\n")), isName)
	held := lexical.Terms(p.Text)
	sides := f.aspectsOf(p.Section)
	isSide := func(a question.Aspect) bool { return slices.Contains(sides, a) }
	covered, total, particular, telling, lacks, limited := 0.0, 0.0, false, false, false, false
	for _, w := range f.words {
		total += w.weight
		inText := w.in(held, leastTextKin)
		if slices.ContainsFunc(w.terms, func(term string) bool { return containsRelated(headings, term) }) ||
			w.in(headings, leastHeadingKin) > 0 || slices.ContainsFunc(w.aspects, isSide) {
			inText = 1
		}
		covered += w.weight * inText
		if inText == 1 {
			telling = telling || !w.clinical && w.weight == 1 && len(w.aspects) == 0
			particular = particular || telling || !f.clinical && !w.clinical && w.weight > 0
		}
		if inText == 0 && w.demanding {
			lacks = true
			limited = limited || w.limits
		}
	}
	share := 0.0
	switch {
	case total > 0:
		share = covered / total
	case slices.ContainsFunc(f.measures, func(term string) bool { return containsRelated(held, term) || containsRelated(headings, term) }):
		share, particular = 1, true
	}
	learnt, isLearnt := f.inWords(p)
	switch {
	case lacks && isLearnt && learnt > FacetFound:
		return learnt
	case lacks && !limited && f.headingAnswers(sides, own, isName):
		return underHeading * (1 + share) / 2
	case lacks:
		return inPassing * share
	case f.overview && isLearnt:
		return FacetFound + (1-FacetFound)*learnt
	case f.overview && (len(headings) == 0 || slices.ContainsFunc(own, func(term string) bool { return overviewTerms[term] }) || slices.ContainsFunc(sides, saysWhat)):
		return 1
	case f.headingAnswers(sides, own, isName):
		return underHeading + (1-underHeading)*share
	case f.overview:
		return inPassing
	case isLearnt && telling:
		return max(learnt, inText(share))
	case isLearnt:
		return max(learnt, inPassing*share)
	case len(headings) > 0 && !particular:
		return inPassing * share
	}
	return inText(share)
}

// saysWhat reports the aspects of sections that tell what a thing is or does.
func saysWhat(a question.Aspect) bool {
	return a == question.Definition || a == "purpose" || a == "usage" || a == "responsibility" || a == "mechanism"
}

// inText returns the coverage of a passage whose heading does not say what is asked, by the share of the question's
// words: less than that of any whose heading does.
func inText(share float64) float64 {
	if found := underOther * share; found < FacetFound {
		return found
	}
	return FacetFound + (underHeading-FacetFound)*share*.9
}

// inWords returns how probable it is by its words that a passage without headings treats the aspect that is asked
// for, and whether such words were learnt.
func (f *Facet) inWords(p *passage.Passage) (share float64, learnt bool) {
	if len(p.Headings) > 0 || p.Section != "" || f.reading.Aspect == "" && !f.overview {
		return 0, false
	}
	share, learnt = question.TextAspects(p.Text, p.Title)[f.aspect()]
	return share, learnt
}

// AtStart returns how probable it is by its words that what a text begins with treats the aspect that is asked for,
// and whether such words were learnt.
func (f *Facet) AtStart(text, title string) (share float64, learnt bool) {
	share, learnt = question.OpeningAspects(text, title)[f.aspect()]
	return share, learnt
}

func (f *Facet) aspect() question.Aspect {
	if f.overview {
		return question.Definition
	}
	return f.reading.Aspect
}

// asksOverview reports whether a question with these remaining terms asks for nothing but the thing itself.
func asksOverview(question string, terms []string) bool {
	return !slices.ContainsFunc(terms, func(term string) bool { return !overviewTerms[term] }) && !asksDetail.MatchString(question)
}

// headingAnswers reports whether the heading right above a passage says what the question asks for: by the aspects
// that it names, or by its words.
func (f *Facet) headingAnswers(sides []question.Aspect, heading []string, isName func(string) bool) bool {
	if slices.ContainsFunc(sides, func(a question.Aspect) bool { return slices.Contains(f.aspects, a) }) {
		return true
	}
	heading = slices.DeleteFunc(slices.Clone(heading), isName)
	return len(heading) > 0 && !slices.ContainsFunc(heading, func(term string) bool { return !f.asks(term) })
}

func containsRelated(terms []string, term string) bool {
	return slices.ContainsFunc(terms, func(other string) bool { return areRelated(other, term) })
}

// minRoot is the number of letters that two words of one root share at least.
const minRoot = 4

// areRelated reports whether two terms have the same root or ask for the same of a thing.
func areRelated(a, b string) bool {
	if sameRoot(a, b) {
		return true
	}
	for _, groups := range [][]map[string]bool{synonyms, conditions} {
		for _, group := range groups {
			if group[a] && group[b] {
				return true
			}
		}
	}
	return false
}

// sameRoot reports whether two terms are equal or share a root, as storage and store or failure and fail.
func sameRoot(a, b string) bool {
	if a == b {
		return true
	}
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n >= minRoot && n >= min(len(a), len(b))-1 && max(len(a), len(b)) <= n+4 && !strings.ContainsAny(a+b, "0123456789")
}

// wordGroups reads groups of words, one a line.
func wordGroups(lines string) []map[string]bool {
	var groups []map[string]bool
	for line := range strings.Lines(lines) {
		groups = append(groups, termsOf(plaintext.Set(line)))
	}
	return groups
}

// conditions holds words that limit a question to some people or states of health. A page that does not
// mention the condition does not answer.
var conditions = wordGroups(`kidney renal kidneys
	liver hepatic
	heart cardiac
	child children paediatric pediatric infant infants kids baby babies
	elderly older aged geriatric
	pregnancy pregnant
	breastfeeding lactation nursing`)

// synonyms holds groups of words by which headings and people name the same facet of a thing.
var synonyms = wordGroups(`storage store keep stow
	guarantee warranty
	cost costs price fee fees charge charges pay expensive
	penalty penalties fine fines punishment sanction
	appeal objection contest challenge
	expiry expire expires lapse lapses valid validity force term
	cleaning clean wash wipe rinse hygiene
	power battery batteries charging mains
	configuration configure setting settings option options setup variable
	failure fail fails error crash fault
	licence license licensing
	installation install deploy setup
	contact reach phone telephone email address
	opening open hours closed
	dose dosage dosing posology amount
	adverse side unwanted undesirable effects
	interaction interactions combine combined together
	contraindication contraindications forbidden avoid
	overdose poisoning intoxication
	warning warnings caution precaution precautions
	requirement requirements require required prerequisite prerequisites need
	maintenance maintain service upkeep care
	removal remove uninstall delete
	safety safe danger hazard hazards
	weight weigh weighs heavy
	long length duration last lasts
	far distance
	deep depth
	high height tall
	old age
	size big large dimensions measurements tall wide
	origin history made built invented
	deadline deadlines due
	exception exceptions exempt exemption`)
