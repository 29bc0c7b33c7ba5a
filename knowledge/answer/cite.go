package answer

import (
	"cmp"
	"slices"
	"strings"

	"lacuna/knowledge"
	"lacuna/knowledge/entity"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/sanitise"
	"lacuna/prompts"
)

// say makes a text of a model the answer, with what supports it: evidence[i] is what the text cites as
// [i+1]. The answer is Answered where a sentence at least is supported by the sources, Possibly where
// none is, and Nothing where the model says no more than that it does not know. Of a question with
// options it is also looked which one the text names.
func (r *run) say(text string, evidence []Evidence) {
	statements, citations := r.support(text, evidence)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Statements, r.result.Citations = statements, citations
	r.closed = !slices.ContainsFunc(evidence, func(e Evidence) bool { return !e.Generated() })
	if len(r.question.Options) > 0 {
		choice, _, _ := prompts.ParseChoice(text, r.question.Options) // none is named where that is an error
		r.result.Choice = choice.Letter
	}
	r.result.Differ = differ(r.question.Text, r.onSubject(statements, citations), citations)
	switch {
	case len(citations) > 0:
		r.result.State, r.result.Reason = Answered, ""
	case len(statements) > 0:
		r.result.State, r.result.Reason = Possibly, ""
	default:
		r.result.State, r.result.Reason = Nothing, Weak
		if missingProbability(r.result.Gaps) > 0 {
			r.result.Reason = NoTopic
		}
	}
}

// onSubject returns the statements whose first quote, with what stands above it, holds half of the
// idf weight of the question's subject or more: only these may be said to differ about it.
func (r *run) onSubject(statements []Statement, citations []Citation) []Statement {
	asked := subject(r.question.Text)
	return slices.DeleteFunc(slices.Clone(statements), func(s Statement) bool {
		if len(s.Citations) == 0 {
			return true
		}
		from := citations[s.Citations[0]-1]
		return share(asked, r.weight, termSet(heading(from.Passage)), termSet(from.Quote)) < .5
	})
}

// support takes a text of a model apart into statements, and finds for each what the evidence says
// for it; evidence[i] is what the text cites as [i+1]. A citation of the model is kept where the
// passage holds what the sentence says, with its figures, its quotations and its negation; the quote
// is the span that does, compared with the disk. Where the model cites nothing that does, all the
// evidence is looked through.
func (r *run) support(text string, evidence []Evidence) ([]Statement, []Citation) {
	w := writer{run: r, sources: make([]*source, len(evidence)), numbers: make(map[quoted]int)}
	asked := r.subjectOf(evidence)
	for i, e := range evidence {
		w.sources[i] = newSource(e)
		w.sources[i].offSubject = !e.Generated() && asked.Relation(e.Hit.Passage) == entity.Other
	}
	for _, u := range utterances(text) {
		w.state(u)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Refused += w.refused
	r.result.Dropped += len(w.gone)
	return w.statements, w.citations
}

// subjectOf is what the question names, as the search for it told, or as the evidence tells.
func (r *run) subjectOf(evidence []Evidence) *entity.Subject {
	for _, e := range evidence {
		if !e.Generated() && e.Hit.Subject != nil && e.Hit.Subject.Question() == r.question.Text {
			return e.Hit.Subject
		}
	}
	shelf := r.shelf()
	if shelf == nil {
		return nil
	}
	return entity.Link(r.question.Text, passages(evidence), shelf)
}

// writer turns sentences into statements.
type writer struct {
	*run
	sources    []*source
	statements []Statement
	citations  []Citation
	numbers    map[quoted]int  // of the citations
	gone       map[quoted]bool // no longer on disk
	refused    int
}

// statementTokens is how long a statement is at most; a sentence is far shorter.
const statementTokens = 200

// quoted is what a citation quotes.
type quoted struct {
	id   passage.ID
	span passage.Span
}

// state adds a sentence. One that says that nothing is known, and that no source says so, is left out.
func (w *writer) state(u utterance) {
	text := prompts.Cut(sanitise.Plain(u.head+u.text), statementTokens)
	c := w.newClaim(text)
	if u.head != "" && len(distinctTerms(sanitise.Plain(u.text))) >= tooFewTerms {
		w.lookFor(&c, sanitise.Plain(u.text)) // what is listed is known by its items
	}
	found := w.cited(c, u.cites)
	if len(found) == 0 {
		found = w.anywhere(c)
	}
	s := Statement{Basis: Claim, Text: text}
	if slices.ContainsFunc(w.statements, func(before Statement) bool { return strings.EqualFold(before.Text, text) }) {
		return
	}
	switch {
	case len(found) > 0:
		var texts []string
		for _, f := range found {
			texts = append(texts, f.source.text)
			if n := w.number(f); !slices.Contains(s.Citations, n) {
				s.Citations = append(s.Citations, n)
			}
		}
		s.Text = prompts.Cut(sanitise.Plain(u.head+u.text, texts...), statementTokens)
	case refusal.MatchString(text):
		return
	case w.inBackground(c):
		s.Basis = Background
	default:
		s.Basis = Unsupported
	}
	w.statements = append(w.statements, s)
}

// cited returns the supports that stand of those that the model cites: each of them by itself, or
// else several of them together. A page about something else than the question names supports nothing,
// whatever it says.
func (w *writer) cited(c claim, numbers []int) []support {
	var alone, parts []support
	offered := 0
	for _, n := range numbers {
		if n < 1 || n > len(w.sources) {
			w.refused++
			continue
		}
		s := w.sources[n-1]
		if s.Generated() {
			continue // it may be named, but is no evidence
		}
		offered++
		found, ok := w.best(s, c)
		if !ok || s.offSubject || !w.stands(found) {
			continue
		}
		if found.share >= partSupports {
			parts = append(parts, found)
		}
		if found.holds && c.faithful(s.amounts, s) {
			alone = append(alone, found)
		}
	}
	if len(alone) == 0 && w.together(c, parts) {
		alone = parts
	}
	w.refused += offered - len(alone)
	return alone
}

// together reports whether several sources support a claim that none supports alone.
func (w *writer) together(c claim, parts []support) bool {
	if len(parts) < 2 {
		return false
	}
	var sets []map[string]bool
	var held []amount
	var sources []*source
	for _, p := range parts {
		sets = append(sets, p.terms)
		held = append(held, p.amounts...)
		sources = append(sources, p.source)
	}
	return share(c.terms, w.weight, sets...) >= spanSupports && c.faithful(held, sources...)
}

// anywhere returns what supports a claim best in all the evidence, if anything that stands does: one
// source, or else two together.
func (w *writer) anywhere(c claim) []support {
	var all []support
	for _, s := range w.sources {
		if s.Generated() || s.offSubject {
			continue
		}
		if found, ok := w.best(s, c); ok && found.share >= partSupports {
			all = append(all, found)
		}
	}
	slices.SortStableFunc(all, func(a, b support) int { return cmp.Compare(b.share, a.share) })
	for _, found := range all {
		if found.holds && c.faithful(found.source.amounts, found.source) && w.stands(found) {
			return []support{found}
		}
	}
	all = all[:min(2, len(all))]
	if !w.together(c, all) || slices.ContainsFunc(all, func(s support) bool { return !w.stands(s) }) {
		return nil
	}
	return all
}

// inBackground reports whether what a model wrote before supports a claim.
func (w *writer) inBackground(c claim) bool {
	return slices.ContainsFunc(w.sources, func(s *source) bool {
		_, ok := w.supports(s, c)
		return ok && s.Generated()
	})
}

// stands compares a quote with the disk.
func (w *writer) stands(s support) bool {
	c := s.citation()
	if w.Offline.disk.stands(w.library, c.Passage, c.Span) {
		return true
	}
	if w.gone == nil {
		w.gone = make(map[quoted]bool)
	}
	w.gone[quoted{c.Passage.ID, c.Span}] = true
	return false
}

// number is the number of the citation, which is added if it is new.
func (w *writer) number(s support) int {
	c := s.citation()
	key := quoted{c.Passage.ID, c.Span}
	if w.numbers[key] == 0 {
		c.N = len(w.citations) + 1
		w.numbers[key] = c.N
		w.citations = append(w.citations, c)
	}
	return w.numbers[key]
}

// weight is the idf of a term in running text, or among stored questions where there is no running
// text; a term that the base does not know weighs the most.
func (r *run) weight(term string) float64 {
	if shelf := r.shelf(); shelf != nil {
		return shelf.IDF(term)
	}
	return 1
}

// strange reports whether the base does not know a term.
func (r *run) strange(term string) bool {
	shelf := r.shelf()
	return shelf == nil || shelf.DocFreq(term) == 0
}

// shelf is what terms are weighed by.
func (r *run) shelf() *knowledge.Collection {
	return cmp.Or(r.library.Collection(passage.Text), r.library.Collection(passage.QA))
}
