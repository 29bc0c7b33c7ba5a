package support

import (
	"cmp"
	"slices"
	"strings"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/extract"
	"lacuna/knowledge/entail"
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
		found := w.best(s.Text, nil)
		if !found.stated() {
			continue
		}
		s.Basis, s.Support = answer.Claim, answer.Support{Verdict: found.Verdict}
		for _, c := range found.citations() {
			w.cite(s, c)
		}
	}
	return w.result()
}

// Supports reports whether one of the documents states a sentence by itself. It does not look at the disk.
func (check *Checker) Supports(sentence string, documents ...answer.Evidence) bool {
	return slices.ContainsFunc(documents, func(document answer.Evidence) bool {
		return check.judge(sentence, newSource(document)).Verdict == entail.States
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

// addSentence adds a sentence. It leaves out a repeated one, and one that says that nothing is known and that no
// source states.
func (w *writer) addSentence(u sentence) {
	text := prompts.Cut(sanitise.Plain(u.head+u.text), statementTokens)
	if slices.ContainsFunc(w.statements, func(before answer.Statement) bool { return strings.EqualFold(before.Text, text) }) {
		return
	}
	claim := text
	if item := sanitise.Plain(u.text); u.head != "" && len(Terms(item)) >= tooFewTerms {
		claim = item // what is listed is known by its items
	}
	found := w.find(claim, u.cites)
	if found.Verdict == entail.Unchecked {
		if quoted := w.quoted(claim, u.words); quoted.stated() {
			found = quoted
		}
	}
	s := answer.Statement{Text: text, Support: answer.Support{Verdict: found.Verdict}}
	switch {
	case found.stated():
		s.Basis = answer.Claim
		var texts []string
		for _, q := range found.Evidence {
			texts = append(texts, found.sources[q.Source].text.Above+"\n"+found.sources[q.Source].text.Text)
		}
		s.Text = prompts.Cut(sanitise.Plain(u.head+u.text, texts...), statementTokens)
		for _, span := range found.Unstated {
			s.Support.Unstated = append(s.Support.Unstated, claim[span.Start:span.End])
		}
	case refusal.MatchString(text):
		return
	case w.inGenerated(claim):
		s.Basis, s.Support = answer.Background, answer.Support{}
	case found.Verdict == entail.Unchecked && len(found.Evidence) > 0:
		s.Basis = answer.Unchecked
	default:
		s.Basis = answer.Unsupported
	}
	if s.Basis != answer.Background {
		for _, c := range found.citations() {
			w.cite(&s, c)
		}
		for _, d := range found.Differences {
			s.Support.Differences = append(s.Support.Differences, w.difference(claim, found, d))
		}
	}
	w.statements = append(w.statements, s)
}

// difference returns the words of a difference.
func (w *writer) difference(claim string, found finding, d entail.Difference) answer.Difference {
	from := found.sources[d.Stated.Source].from
	said := answer.Difference{Kind: d.Kind, Said: claim[d.Claimed.Start:d.Claimed.End], Stated: from.Text[d.Stated.Start:d.Stated.End]}
	for _, c := range w.citations {
		if c.Passage == from && c.Span.Start <= d.Stated.Start && d.Stated.End <= c.Span.End {
			said.Citation = c.N
		}
	}
	return said
}

// find returns what the sources hold of a claim: those that it cites, alone or together, or else the one of all
// that states it. If none does, it is what the cited ones hold, or the most telling of all. A page about something
// else than the question names supports nothing.
func (w *writer) find(claim string, numbers []int) finding {
	var cited []*source
	for _, n := range numbers {
		if n < 1 || n > len(w.sources) {
			w.refused++
		} else if s := w.sources[n-1]; !s.Generated() && !slices.Contains(cited, s) { // background may be named, but is no evidence
			cited = append(cited, s)
		}
	}
	offered := len(cited)
	cited = slices.DeleteFunc(cited, func(s *source) bool { return s.otherSubject })
	held := finding{Judgement: entail.Judgement{Verdict: entail.Unchecked}}
	if len(cited) > 0 {
		held = w.standing(w.judge(claim, cited...))
		if held.stated() {
			used := make(map[int]bool)
			for _, q := range held.Evidence {
				used[q.Source] = true
			}
			w.refused += offered - len(used)
			return held
		}
	}
	best := w.best(claim, cited)
	stated := best.stated() && (!held.Sure || better(best, held))
	if stated || held.Verdict != entail.Unchecked || len(held.Evidence) == 0 {
		w.refused += offered // what is shown to compare with is not refused
	}
	if stated || offered == 0 || held.Verdict == entail.Absent && best.Verdict == entail.Unchecked {
		return best
	}
	return held
}

// best returns what the source that states a claim most surely holds of it, besides those that were looked at; if
// none does, what the first that contradicts it holds, or that is nearest.
func (w *writer) best(claim string, besides []*source) finding {
	best := finding{Judgement: entail.Judgement{Verdict: entail.Absent}}
	for _, s := range w.sources {
		if s.Generated() || s.otherSubject || slices.Contains(besides, s) {
			continue
		}
		if f := w.standing(w.judge(claim, s)); better(f, best) {
			best = f
		}
	}
	return best
}

// quoted returns what the sentences that a claim is said to rest on hold of it: those of its words that stand
// in the source they are said to come from.
func (w *writer) quoted(claim string, words []citedWords) finding {
	best := finding{Judgement: entail.Judgement{Verdict: entail.Absent}}
	for _, said := range words {
		if said.number < 1 || said.number > len(w.sources) {
			continue
		}
		s := w.sources[said.number-1]
		span, stands := Quoted(s.from, said.words)
		if s.Generated() || s.otherSubject || !stands {
			continue
		}
		narrow := *s
		narrow.text.Sentences = slices.DeleteFunc(extract.Sentences(s.from), func(o passage.Span) bool { return o.End <= span.Start || span.End <= o.Start })
		if f := w.standing(w.judge(claim, &narrow)); better(f, best) {
			best = f
		}
	}
	return best
}

// better reports whether a finding says more of a claim than another: that it is stated, then that it is
// contradicted, then that it may be. What is sure counts more than what is probable.
func better(a, b finding) bool {
	order := []entail.Verdict{entail.Absent, entail.Unchecked, entail.Contradicts, entail.Partly, entail.States}
	rank := func(f finding) int {
		at := slices.Index(order, f.Verdict)
		if f.Sure {
			at += len(order)
		}
		return at
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Confidence, b.Confidence)) > 0
}

// standing returns a finding without quotes that no longer stand on disk; without any left, nothing is known.
func (w *writer) standing(f finding) finding {
	before := len(f.Evidence)
	f.Evidence = slices.DeleteFunc(slices.Clone(f.Evidence), func(q entail.Quote) bool { return !w.stands(f.sources[q.Source].from, q.Span) })
	if before > 0 && len(f.Evidence) == 0 {
		f.Judgement = entail.Judgement{Verdict: entail.Unchecked}
	}
	return f
}

// inGenerated reports whether generated background states a claim.
func (w *writer) inGenerated(claim string) bool {
	return slices.ContainsFunc(w.sources, func(s *source) bool { return s.Generated() && w.judge(claim, s).stated() })
}

// stands compares a quote with the disk.
func (w *writer) stands(from *passage.Passage, span passage.Span) bool {
	if w.Checker.stands(from, span) {
		return true
	}
	if w.missing == nil {
		w.missing = make(map[quoteKey]bool)
	}
	w.missing[quoteKey{from.ID, span}] = true
	return false
}

// cite adds a citation to a statement, numbered from 1 in the order of first use.
func (w *writer) cite(s *answer.Statement, c answer.Citation) {
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
		if len(s.Citations) == 0 || s.Basis == answer.Unchecked || s.Basis == answer.Unsupported {
			return true
		}
		from := citations[s.Citations[0]-1]
		return share(asked, check.Weight, TermSet(extract.Heading(from.Passage)), TermSet(from.Quote)) < .5
	})
}
