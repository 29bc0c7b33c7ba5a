package support

import (
	"cmp"
	"slices"
	"strings"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/extract"
	"lacuna/knowledge/entity"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/question"
	"lacuna/knowledge/sanitise"
	"lacuna/prompts"
)

// Checker checks the claims that answer one question against the sources of a library. It is safe for
// concurrent use.
type Checker struct {
	*lexicon
	question string
	stands   func(p *passage.Passage, span passage.Span) bool
}

// NewChecker returns a checker for a question. stands reports whether a span of a passage still stands on
// disk; a quote that does not is never cited.
func NewChecker(library *knowledge.Library, question string, stands func(p *passage.Passage, span passage.Span) bool) *Checker {
	return &Checker{newLexicon(library), question, stands}
}

// Checked holds a model's text as statements, with what supports each.
type Checked struct {
	Statements []answer.Statement
	Citations  []answer.Citation
	Disagree   bool // see [answer.Result]
	Refused    int  // citations of the model that are left out; see [answer.Result]
	Dropped    int  // quotes left out because they no longer stand on disk
}

// Check cuts a text into statements and finds the support of each in the evidence; evidence[i] is what the
// text cites as [i+1]. It keeps a citation of the model if the passage holds what the sentence says, with
// its figures, its quotations and its negation; the quote is the span that does, compared with the disk.
// Where the model cites nothing that does, all the evidence is searched.
func (check *Checker) Check(text string, evidence []answer.Evidence) Checked {
	w := writer{Checker: check, sources: make([]*source, len(evidence)), numbers: make(map[quoteKey]int)}
	asked := check.subjectOf(evidence)
	for i, e := range evidence {
		w.sources[i] = newSource(e)
		w.sources[i].otherSubject = !e.Generated() && asked.Relation(e.Hit.Passage) == entity.Other
	}
	for _, u := range sentences(text) {
		w.addSentence(u)
	}
	return w.result()
}

// Locate looks up statements that were written without the sources: near[i] are passages to compare
// statement i with. A statement that one of them supports becomes a claim that cites it; the others stay
// as they are.
func (check *Checker) Locate(statements []answer.Statement, near [][]knowledge.Hit) Checked {
	w := writer{Checker: check, statements: slices.Clone(statements), numbers: make(map[quoteKey]int)}
	known := make(map[int]*source) // by ordinal
	for i := range w.statements {
		w.sources = nil
		for _, hit := range near[i] {
			if known[hit.Ordinal] == nil {
				known[hit.Ordinal] = newSource(answer.Evidence{Hit: &hit})
			}
			if s := known[hit.Ordinal]; !slices.Contains(w.sources, s) {
				w.sources = append(w.sources, s)
			}
		}
		s := &w.statements[i]
		for _, f := range w.supportAnywhere(check.newClaim(s.Text)) {
			s.Basis = answer.Claim
			w.cite(s, f)
		}
	}
	return w.result()
}

// Supports reports whether one of the documents supports a sentence by itself. It does not look at the disk.
func (check *Checker) Supports(sentence string, documents ...answer.Evidence) bool {
	c := check.newClaim(sentence)
	return slices.ContainsFunc(documents, func(document answer.Evidence) bool {
		_, ok := check.supports(newSource(document), c)
		return ok
	})
}

// subjectOf returns what the question names, according to the search for it or else to the evidence.
func (check *Checker) subjectOf(evidence []answer.Evidence) *entity.Subject {
	for _, e := range evidence {
		if !e.Generated() && e.Hit.Subject != nil && e.Hit.Subject.Question() == check.question {
			return e.Hit.Subject
		}
	}
	if check.base == nil {
		return nil
	}
	return entity.Link(check.question, answer.Passages(evidence), check.base)
}

// writer turns sentences into statements.
type writer struct {
	*Checker
	sources    []*source
	statements []answer.Statement
	citations  []answer.Citation
	numbers    map[quoteKey]int  // of the citations
	missing    map[quoteKey]bool // no longer on disk
	refused    int
}

// statementTokens is the maximum length of a statement; a sentence is far shorter.
const statementTokens = 200

// quoteKey identifies what a citation quotes.
type quoteKey struct {
	id   passage.ID
	span passage.Span
}

// addSentence adds a sentence. It leaves out a repeated one, and an unsupported one that says that nothing
// is known.
func (w *writer) addSentence(u sentence) {
	text := prompts.Cut(sanitise.Plain(u.head+u.text), statementTokens)
	c := w.newClaim(text)
	if u.head != "" && len(Terms(sanitise.Plain(u.text))) >= tooFewTerms {
		w.setTerms(&c, sanitise.Plain(u.text)) // what is listed is known by its items
	}
	found := w.supportCited(c, u.cites)
	if len(found) == 0 {
		found = w.supportAnywhere(c)
	}
	s := answer.Statement{Basis: answer.Claim, Text: text}
	if slices.ContainsFunc(w.statements, func(before answer.Statement) bool { return strings.EqualFold(before.Text, text) }) {
		return
	}
	switch {
	case len(found) > 0:
		var texts []string
		for _, f := range found {
			texts = append(texts, f.source.text)
			w.cite(&s, f)
		}
		s.Text = prompts.Cut(sanitise.Plain(u.head+u.text, texts...), statementTokens)
	case refusal.MatchString(text):
		return
	case w.inGenerated(c):
		s.Basis = answer.Background
	default:
		s.Basis = answer.Unsupported
	}
	w.statements = append(w.statements, s)
}

// supportCited returns the candidates among the sources that the model cites: each that supports the claim
// by itself, or else several together. A page about something else than the question names supports
// nothing.
func (w *writer) supportCited(c claim, numbers []int) []candidate {
	var alone, parts []candidate
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
		if !ok || s.otherSubject || !w.stands(found) {
			continue
		}
		if found.share >= minPart {
			parts = append(parts, found)
		}
		if found.holds && c.faithful(s.quantities, s) {
			alone = append(alone, found)
		}
	}
	if len(alone) == 0 && w.supportTogether(c, parts) {
		alone = parts
	}
	w.refused += offered - len(alone)
	return alone
}

// supportTogether reports whether several sources support a claim that none supports alone.
func (w *writer) supportTogether(c claim, parts []candidate) bool {
	if len(parts) < 2 {
		return false
	}
	var sets []map[string]bool
	var held []quantity
	var sources []*source
	for _, p := range parts {
		sets = append(sets, p.terms)
		held = append(held, p.quantities...)
		sources = append(sources, p.source)
	}
	return share(c.terms, w.Weight, sets...) >= spanSupports && c.faithful(held, sources...)
}

// supportAnywhere returns what supports a claim best in all the evidence: one source, or else two
// together, or nothing.
func (w *writer) supportAnywhere(c claim) []candidate {
	var all []candidate
	for _, s := range w.sources {
		if s.Generated() || s.otherSubject {
			continue
		}
		if found, ok := w.best(s, c); ok && found.share >= minPart {
			all = append(all, found)
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.share, a.share) })
	for _, found := range all {
		if found.holds && c.faithful(found.source.quantities, found.source) && w.stands(found) {
			return []candidate{found}
		}
	}
	all = all[:min(2, len(all))]
	if !w.supportTogether(c, all) || slices.ContainsFunc(all, func(s candidate) bool { return !w.stands(s) }) {
		return nil
	}
	return all
}

// inGenerated reports whether generated background supports a claim.
func (w *writer) inGenerated(c claim) bool {
	return slices.ContainsFunc(w.sources, func(s *source) bool {
		_, ok := w.supports(s, c)
		return ok && s.Generated()
	})
}

// stands compares a quote with the disk.
func (w *writer) stands(s candidate) bool {
	c := s.citation()
	if w.Checker.stands(c.Passage, c.Span) {
		return true
	}
	if w.missing == nil {
		w.missing = make(map[quoteKey]bool)
	}
	w.missing[quoteKey{c.Passage.ID, c.Span}] = true
	return false
}

// cite adds a citation of what supports a statement, numbered from 1 in the order of first use.
func (w *writer) cite(s *answer.Statement, by candidate) {
	c := by.citation()
	key := quoteKey{c.Passage.ID, c.Span}
	if w.numbers[key] == 0 {
		c.N = len(w.citations) + 1
		w.numbers[key] = c.N
		w.citations = append(w.citations, c)
	}
	if n := w.numbers[key]; !slices.Contains(s.Citations, n) {
		s.Citations = append(s.Citations, n)
	}
}

// result returns the statements so far.
func (w *writer) result() Checked {
	return Checked{
		Statements: w.statements, Citations: w.citations, Refused: w.refused, Dropped: len(w.missing),
		Disagree: extract.Disagree(question.Read(w.question), w.onSubject(w.statements, w.citations), w.citations),
	}
}

// onSubject returns the statements whose first quote, with what stands above it, holds at least half of
// the idf weight of the question's subject: only these may disagree about it.
func (check *Checker) onSubject(statements []answer.Statement, citations []answer.Citation) []answer.Statement {
	asked := extract.SubjectWords(check.question)
	return slices.DeleteFunc(slices.Clone(statements), func(s answer.Statement) bool {
		if len(s.Citations) == 0 {
			return true
		}
		from := citations[s.Citations[0]-1]
		return share(asked, check.Weight, TermSet(extract.Heading(from.Passage)), TermSet(from.Quote)) < .5
	})
}
