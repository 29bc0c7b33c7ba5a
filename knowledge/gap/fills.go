package gap

import (
	"regexp"
	"slices"
	"strings"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/question"
)

// Fills reports whether a passage has what is missing: the same subject, and the same aspect of it. The
// passage must say each thing that the query names, and what the text says of the aspect and of the people
// it is about. What the title and the headings do not name must stand in one place of the text, and the
// aspect must be the one in the passage's heading or be named in that place: "dose in children" is not
// filled by the dose of adults, nor "treatment of acidosis" by a warning of acidosis during treatment. A gap
// that stays open although a page fills it in other words costs a look; a gap wrongly said to be filled
// costs trust.
func (g Gap) Fills(p *passage.Passage) bool {
	w, said := needOf(g.Query), needOf(g.Text)
	if len(w.groups) == 0 {
		w = said
	}
	return len(w.groups) > 0 && w.in(p) && said.narrow().in(p)
}

// need describes what a passage must say to fill a gap.
type need struct {
	aspect string     // "" if none is known
	groups [][]string // of terms that must all be there; a Chinese word is a group of several
}

// needOf takes a text apart into what it names, without words that only frame it or
// name its aspect.
func needOf(text string) need {
	if plaintext.HasHan(text) {
		return needInChinese(text)
	}
	var w need
	if question.Read(text).Expected.Kind != question.YesNo {
		w.aspect = aspectOf(text)
	}
	if asked := aspectAsked(text); w.aspect == "" && question.Aspect(asked).In(text) { // else the text need not name it either
		w.aspect = asked
	}
	for _, token := range lexical.Content(text) {
		framing := question.IsFunctionTerm(token.Term) || framingTerms[token.Term] || w.aspect != "" && (question.Aspect(w.aspect).HasTerm(token.Term) || token.Term == "treatment")
		if !framing && !slices.ContainsFunc(w.groups, func(g []string) bool { return g[0] == token.Term }) {
			w.groups = append(w.groups, []string{token.Term})
		}
	}
	return w
}

// needInChinese takes every word of a text, as far as words can be told apart.
func needInChinese(text string) need {
	var w need
	for _, part := range strings.Fields(text) {
		for _, c := range question.HanPhrases(part) {
			w.groups = append(w.groups, c.Terms)
		}
	}
	return w
}

// narrow keeps the aspect of a need and the people it is about. A model words the rest of a gap's text in
// its own way; the words of a source are compared with its query.
func (w need) narrow() need {
	w.groups = slices.DeleteFunc(slices.Clone(w.groups), func(group []string) bool { return !about[group[0]] })
	return w
}

// Scope narrows the subject of a gap to an aspect, and to the people it concerns.
type Scope struct{ need need }

// ScopeOf returns the scope of a gap's text.
func ScopeOf(text string) Scope { return Scope{needOf(text).narrow()} }

// Agrees reports whether two gaps with these scopes can want the same: neither names an aspect or people
// where the other names different ones.
func (s Scope) Agrees(other Scope) bool {
	a, b := s.need, other.need
	if a.aspect != "" && b.aspect != "" && a.aspect != b.aspect {
		return false
	}
	if len(a.groups) == 0 || len(b.groups) == 0 {
		return true
	}
	return slices.ContainsFunc(a.groups, func(group []string) bool {
		return slices.ContainsFunc(b.groups, func(o []string) bool { return sameWord(group[0], o[0]) })
	})
}

// in reports whether a passage says all that is needed.
func (w need) in(p *passage.Passage) bool {
	above := lexical.Terms(strings.Join(append([]string{p.Title, p.Question, p.Section}, append(p.Headings, p.Also...)...), "\n"))
	var rest [][]string
	for _, group := range w.groups {
		if !holdsAll(above, group) {
			rest = append(rest, group)
		}
	}
	named := len(w.groups) == 0 || len(rest) < len(w.groups) // above the text
	switch label := aspectClass(p); {
	case w.aspect == "", label == w.aspect && named:
		return len(rest) == 0 || saidTogether(rest, "", p)
	case label != "" && label != w.aspect:
		return false // it names the aspect in passing
	}
	return saidTogether(rest, w.aspect, p)
}

// saidTogether reports whether one sentence of a passage holds all groups and names the aspect, if one is
// given. A sentence that opens with a pronoun is read together with the one before it.
func saidTogether(groups [][]string, aspect string, p *passage.Passage) bool {
	start := 0
	for _, span := range p.Sentences() {
		if !referring.MatchString(p.Text[span.Start:span.End]) {
			start = span.Start
		}
		place := p.Text[start:span.End]
		terms := lexical.Terms(place)
		lacks := func(group []string) bool { return !holdsAll(terms, group) }
		if !slices.ContainsFunc(groups, lacks) && (aspect == "" || namesAspect(aspect, place)) {
			return true
		}
	}
	return false
}

// namesAspect reports whether a text names an aspect: by one of its cues, or a dose by an amount.
func namesAspect(name, text string) bool {
	return question.Aspect(name).In(text) || name == "dosage" && (question.Expected{Kind: question.Quantity, Measure: question.Dose}).Fit(text) == 1
}

var referring = regexp.MustCompile(`^(?:It|Its|This|That|These|Those|They|Their|He|She|Such)\b`)

// holdsAll reports whether terms hold every term of a group, in some form.
func holdsAll(terms, group []string) bool {
	for _, term := range group {
		if !slices.ContainsFunc(terms, func(other string) bool { return sameWord(term, other) }) {
			return false
		}
	}
	return true
}

// sameWord reports whether two terms are forms of one word, or names of one thing.
func sameWord(a, b string) bool {
	if a == b {
		return true
	}
	if n, known := nameOf[a]; known && n == nameOf[b] {
		return true
	}
	longer, shorter := a, b
	if len(longer) < len(shorter) {
		longer, shorter = shorter, longer
	}
	shared := 0
	for shared < len(shorter) && longer[shared] == shorter[shared] {
		shared++
	}
	return shared >= minShared && 10*shared >= 7*len(longer) // prednisone is not prednisolone
}

// minShared is the number of letters that two forms of a word share at least.
const minShared = 5

// framingTerms only frame what is missing: they name neither its subject nor an aspect.
var framingTerms = termsOf(plaintext.Set(`
	information informations data evidence detail details guidance advice recommendation recommendations guideline guidelines
	use uses used usage using common main major key primary usual general specific particular known current latest recent
	important best possible potential proper correct appropriate recommended suitable list type types kind kinds form forms
	example examples way ways thing things something anything question questions answer answers patient patients people
	person persons human humans drug drugs medication medications medicine medicines disease diseases condition conditions
	disorder disorders give given giving take takes taken taking need needs needed require requires required consider
	considered available regarding concerning mention mentioned describe described explain explained state stated context
	contexts source sources document documents whether when where how what which who why there limits limit about`))

// people holds words for the people a passage may be about, and sameThings words for one thing: each line
// is one name.
var (
	people = []string{
		"child children childhood paediatric pediatric paediatrics pediatrics kid kids infant infants baby babies neonate newborn",
		"adolescent adolescents teenager teenagers", "adult adults adulthood",
		"elderly older geriatric aged", "pregnancy pregnant gestation", "woman women female", "man men male",
		"breastfeeding breastfeed lactation lactating nursing breast",
	}
	sameThings = []string{
		"kidney kidneys renal", "liver hepatic", "heart cardiac", "price prices cost costs", "lung lungs pulmonary",
		"drive driving", "alcohol drinking", "maximum highest maximal", "minimum lowest minimal",
	}
	nameOf = make(map[string]int) // by term
	about  = make(map[string]bool)
)

func init() {
	for i, line := range append(slices.Clone(people), sameThings...) {
		for term := range termsOf(plaintext.Set(line)) {
			nameOf[term] = i + 1
			about[term] = about[term] || i < len(people)
		}
	}
}
