package gap

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"

	"lacuna/knowledge/entity"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/question"
)

// FacetFound is the least [FacetCoverage] of a passage that treats what is asked about its subject.
const FacetFound = .5

// [FacetCoverage]'s score of a heading that the question names, its factor for the share of the question's
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

// FacetCoverage returns how far a passage treats what a question asks of its subject, in 0..1. The passage
// must stand under the title or heading that the question names. It counts the share of the question's other
// words that stand in the passage or above it, and a heading made of them.
func FacetCoverage(s *entity.Subject, p *passage.Passage) float64 {
	names, text := s.Names(), s.Question()
	named := func(term string) bool { return slices.Contains(names, term) || amountTerms[term] }
	var measures []string // what is asked for if it is only a value: "how long", "the length"
	own := lexical.Terms(p.Section)
	headings := slices.DeleteFunc(lexical.Terms(strings.Join(append([]string{p.Section}, p.Headings...), "\n")), named)
	held := lexical.Terms(p.Text)
	var asked []string
	covered, total, particular, lacks := 0.0, 0.0, false, false
	for _, token := range lexical.Content(text) {
		term := token.Term
		if !slices.Contains(names, term) && (amountTerms[term] || optionalTerms[term]) {
			measures = append(measures, term)
		}
		if named(term) || slices.Contains(asked, term) {
			continue
		}
		asked = append(asked, term)
		weight := 1.0
		switch {
		case optionalTerms[term]:
			weight = 0
		case question.IsPlainTerm(term):
			weight = plainShare
		}
		total += weight
		aspect := aspectOf(text[token.Start:token.End])
		inText := slices.ContainsFunc(held, func(other string) bool { return sameRoot(other, term) })
		if inText || containsRelated(headings, term) || aspect != "" && aspect == aspectOf(p.Section) {
			covered += weight
			particular = particular || !question.IsClinicalTerm(term)
		} else {
			lacks = lacks || aspect != "" || isDemanding(term)
		}
	}
	share := 0.0
	switch {
	case total > 0:
		share = covered / total
	case slices.ContainsFunc(measures, func(term string) bool { return containsRelated(held, term) || containsRelated(headings, term) }):
		share, particular = 1, true
	}
	whole := asksOverview(text, asked)
	switch {
	case lacks:
		return inPassing * share
	case whole && (len(headings) == 0 || slices.ContainsFunc(own, func(term string) bool { return overviewTerms[term] })):
		return 1
	case headingAnswers(text, asked, own, p):
		return underHeading + (1-underHeading)*share
	case whole:
		return FacetFound
	case len(headings) > 0 && !particular:
		return inPassing * share
	}
	return underOther * share
}

// asksOverview reports whether a question with these remaining terms asks for nothing but the thing itself.
func asksOverview(question string, terms []string) bool {
	return !slices.ContainsFunc(terms, func(term string) bool { return !overviewTerms[term] }) && !asksDetail.MatchString(question)
}

// headingAnswers reports whether the heading right above a passage says what the question asks for.
func headingAnswers(question string, asked, heading []string, p *passage.Passage) bool {
	if aspect := aspectAsked(question); aspect != "" && aspect == aspectOf(p.Section) {
		return true
	}
	return len(heading) > 0 && !slices.ContainsFunc(heading, func(term string) bool { return !containsRelated(asked, term) })
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
