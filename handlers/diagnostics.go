package handlers

import (
	"cmp"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"lacuna/handlers/claims"
	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/handlers/settings"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/entail"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/sanitise"
	"lacuna/knowledge/superseded"
)

// Codes of problems besides the codes of gaps. Each has a page in package explain.
const (
	CodeBrokenCitation = "broken-citation"
	CodeStaleCitation  = "stale-citation"
	CodeSuperseded     = "superseded-source"
	CodeNowAnswered    = "now-answered"
	CodeEarlyAnswer    = "early-answer"
	CodeConflicting    = "conflicting-sources"
	CodeSkippedFile    = "skipped-file"
	CodeHiddenText     = "hidden-text"
	CodeUnclearPrivate = "unclear-private"

	CodeContradictedClaim   = "contradicted-claim"
	CodeUnstatedClaim       = "unstated-claim"
	CodeUnsupportedClaim    = "unsupported-claim"
	CodeGeneratedBackground = "generated-background"
)

// Levels of problems, as the settings name them.
const (
	levelOff         = "off"
	levelHint        = "hint"
	levelInformation = "information"
	levelWarning     = "warning"
	levelError       = "error"
)

// Problem is something about a document that the user should know: a gap in the sources, a citation that
// no longer holds, a source that cannot be read. It becomes a diagnostic in an editor and a line of
// "lacuna check".
type Problem struct {
	Span     passage.Span // in the note
	Severity gap.Severity // how sure Lacuna is; never Silent
	Level    string       // how it is shown: hint, information, warning or error
	Code     string
	Message  string
	Related  []Related       // nearest first
	Question note.QuestionID // that has the gap; empty if the problem is not a gap
	Gap      string          // [gap.Gap.ID]
	Query    string          // what to search for to fill the gap
	Likely   bool            // of a question that may not be meant as one: see [note.Likely]
}

// Related is a place in a source that belongs to a problem.
type Related struct {
	File    string // absolute path
	Line    int    // the first is 1
	Message string
}

// Problems lists what is known to be wrong, in the order of the note: gaps that were found so far and not
// dismissed, and the statements and citations of answers. It lists at most Settings.Diagnostics.Max, the
// most certain ones. A private note has at most one problem: an unclear line that makes it private. For a
// document that is a file of the sources it says why the file could not be read, and nothing else unless that source has
// notes. Problems reads
// no files; of the snapshot it uses only Path, Note, Library, Settings, Finding, Part and Dismissed, and
// the last three may be nil.
func Problems(s Snapshot) []Problem {
	problems := []Problem{}
	if report, ok := s.fileReport(s.Path); ok {
		problems = append(problems, s.withLevels(s.sourceProblems(report))...)
		if !settings.MayBeNote(s.Settings.Sources, s.Path) {
			return problems
		}
	}
	if s.Note.Private {
		if s.Note.Unclear.Len() > 0 {
			problems = append(problems, Problem{Span: s.Note.Unclear, Severity: gap.Warning, Code: CodeUnclearPrivate, Message: messages.UnclearPrivateNote})
		}
		return s.withLevels(problems)
	}
	floor := gap.Information
	if s.Settings.Diagnostics.Severity == "warning" {
		floor = gap.Warning
	}
	judged, running := s.judged()
	for _, q := range s.Note.Questions {
		for _, p := range s.withLevels(slices.Concat(s.gapProblems(q), s.statementProblems(q, judged), s.citationProblems(q), s.newAnswer(q), s.conflictProblems(q))) {
			if p.Severity >= floor && (!p.Likely || floor < gap.Warning) {
				problems = append(problems, p)
			}
		}
	}
	questions := len(problems)
	for _, p := range s.withLevels(running) {
		if p.Severity >= floor {
			problems = append(problems, p)
		}
	}
	if len(problems) > questions {
		slices.SortStableFunc(problems, func(a, b Problem) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	}
	return limitProblems(problems, s.Settings.Diagnostics.Max)
}

// staleCodes are the marks of what was true when a note was written.
var staleCodes = []string{CodeBrokenCitation, CodeStaleCitation, CodeSuperseded, CodeNowAnswered, CodeEarlyAnswer, CodeContradictedClaim}

// StaleProblems lists what is no longer true in a note, in its order and without a limit: the list is asked for, so
// only the levels that turn a mark off apply, and neither diagnostics.enabled nor diagnostics.severity does.
func StaleProblems(s Snapshot) []Problem {
	s.Settings.Diagnostics.Enabled, s.Settings.Diagnostics.Severity, s.Settings.Diagnostics.Max = true, settings.Default().Diagnostics.Severity, math.MaxInt
	return slices.DeleteFunc(Problems(s), func(p Problem) bool { return !slices.Contains(staleCodes, p.Code) })
}

// HoldsElsewhere reports whether cited words still stand in the sources, only not where they were cited.
func (p Problem) HoldsElsewhere() bool {
	return p.Code == CodeStaleCitation && p.Severity == gap.Information
}

// Undecided returns the questions of a note whose blocks say that the sources do not answer them: those that must be
// looked up before [StaleProblems] can say whether the sources do now.
func Undecided(n *note.Note) []note.Question {
	return slices.DeleteFunc(slices.Clone(n.Questions), func(q note.Question) bool { return q.Answer < 0 || !n.Open(q) })
}

// withLevels gives each problem its level, and leaves out those that the settings turn off.
func (s Snapshot) withLevels(problems []Problem) []Problem {
	kept := problems[:0]
	for _, p := range problems {
		p.Level = levelInformation
		switch {
		case p.Code == CodeUnstatedClaim, p.Likely:
			p.Level = levelHint
		case p.Severity == gap.Warning:
			p.Level = levelWarning
		}
		if level, set := s.Settings.Diagnostics.Levels[p.Code]; set {
			p.Level = level
		}
		if p.Level != levelOff {
			kept = append(kept, p)
		}
	}
	return kept
}

// limitProblems keeps the most severe problems, the first ones if equal. The last of most places says how
// many were left out.
func limitProblems(problems []Problem, most int) []Problem {
	if most <= 0 {
		return problems[:0]
	}
	if len(problems) <= most {
		return problems
	}
	slices.SortStableFunc(problems, func(a, b Problem) int { return cmp.Compare(b.Severity, a.Severity) })
	left := len(problems) - most + 1
	problems = problems[:most]
	last := &problems[most-1]
	*last = Problem{Span: last.Span, Severity: gap.Information, Level: levelInformation, Code: last.Code, Message: messages.MoreMarks(left)}
	slices.SortStableFunc(problems, func(a, b Problem) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	return problems
}

// gapProblems returns the gaps of a question that have a mark.
func (s Snapshot) gapProblems(q note.Question) []Problem {
	if q.Settled() || s.citesPublished(q) {
		return nil
	}
	var problems []Problem
	for _, g := range s.gaps(q) {
		if s.hasMark(q, g) {
			problems = append(problems, s.gapProblem(q, g))
		}
	}
	return problems
}

// citesPublished reports whether the answer of a question cites what an engine keeps. What the sources on this machine
// lack is then no gap, because they alone were judged.
func (s Snapshot) citesPublished(q note.Question) bool {
	if q.Answer < 0 || len(s.Library.Cited()) == 0 {
		return false
	}
	block := s.Note.Answers[q.Answer]
	return slices.ContainsFunc(block.Citations, func(c note.Citation) bool {
		return slices.ContainsFunc(quotesOf(block, c), func(quote string) bool {
			found := s.locate(c, quote)
			return found.passage != nil && found.passage.Published != nil && !found.altered
		})
	})
}

// gapProblem converts a gap. A gap with background stays a problem with another code, because background
// is not evidence.
func (s Snapshot) gapProblem(q note.Question, g gap.Gap) Problem {
	p := Problem{
		Span: q.Span, Severity: g.Severity(), Code: string(g.Code), Message: sanitise.Visible(messages.GapMessage(g)),
		Related: nearest(g), Question: q.ID, Gap: g.ID, Query: g.Query, Likely: q.Sense == note.Likely,
	}
	if g.Status == gap.Generated {
		p.Severity, p.Code = gap.Information, CodeGeneratedBackground
	}
	return p
}

// Sentences returns the sentences of a note that are to be compared with the sources.
func Sentences(s Snapshot) []note.Sentence { return s.sentences() }

func (s Snapshot) sentences() []note.Sentence {
	check := s.Settings.Claims.Check
	if s.Claim == nil || s.Note.Private || check != settings.CheckCited && check != settings.CheckAll {
		return nil
	}
	return s.Note.Sentences(check == settings.CheckAll)
}

// statementAt names a statement of an answer by its indices.
type statementAt struct{ answer, statement int }

// judged returns what is known of the statements of answers as they are now, and the problems of sentences in
// running text.
func (s Snapshot) judged() (statements map[statementAt]claims.Finding, running []Problem) {
	statements = make(map[statementAt]claims.Finding)
	for _, sentence := range s.sentences() {
		f, known := s.Claim(sentence)
		switch {
		case !known || sentence.Opinion:
		case sentence.Answer >= 0:
			statements[statementAt{sentence.Answer, sentence.Statement}] = f
		default:
			if p, ok := claimProblem(sentence.Span, f); ok {
				running = append(running, p)
			}
			if old, ok := s.Library.Superseded(f.Passage, s.Today); ok && f.Cited {
				running = append(running, supersededProblem(sentence.Span, path.Base(f.Passage.Record), old))
			}
		}
	}
	return statements, running
}

// claimProblem returns the problem of a sentence that its source does not state; false if there is none, or if
// words cannot tell.
func claimProblem(span passage.Span, f claims.Finding) (Problem, bool) {
	p := Problem{Span: span, Severity: gap.Information}
	switch {
	case f.Verdict == entail.Contradicts:
		p.Code, p.Message = CodeContradictedClaim, messages.ClaimContradicted(f)
		if f.Cited {
			p.Severity = gap.Warning
		}
	case f.Cited && (f.Verdict == entail.Partly || f.Verdict == entail.Absent):
		p.Code, p.Message = CodeUnstatedClaim, messages.ClaimNotStated(f)
	default:
		return p, false
	}
	if f.Quote != "" {
		place := f.Place()
		p.Related = []Related{{File: place.File, Line: place.Line, Message: "“" + sanitise.Visible(f.Quote) + "”"}}
	}
	return p, true
}

// statementProblems returns the sentences in a question's answer that no source states. What they are now comes
// before what their remarks say. List items that the user added to an answer of quotes do not count.
func (s Snapshot) statementProblems(q note.Question, judged map[statementAt]claims.Finding) []Problem {
	if q.Answer < 0 {
		return nil
	}
	block := s.Note.Answers[q.Answer]
	var problems []Problem
	for i, statement := range block.Statements {
		f, known := judged[statementAt{q.Answer, i}]
		if decided := f.Verdict == entail.States || f.Verdict == entail.Contradicts; known && f.Verdict != entail.Unchecked && (decided || !statement.ByModel) {
			if p, ok := claimProblem(statement.Span, f); ok {
				problems = append(problems, p)
			}
			continue
		}
		p := Problem{Span: statement.Span, Severity: gap.Information}
		switch {
		case statement.Basis == note.Unsupported:
			p.Severity, p.Code, p.Message = gap.Warning, CodeUnsupportedClaim, messages.Unsupported
		case statement.Basis == note.Contradicted:
			p.Severity, p.Code, p.Message = gap.Warning, CodeContradictedClaim, messages.Contradicted(statement)
		case statement.Basis == note.Partly:
			p.Code, p.Message = CodeUnstatedClaim, messages.PartlyStated(statement)
		case statement.Basis == note.Uncited && block.ByModel():
			p.Code, p.Message = CodeUnsupportedClaim, messages.Uncited
		case statement.Basis == note.Background:
			p.Code, p.Message = CodeGeneratedBackground, messages.BackgroundClaim
		default:
			continue
		}
		problems = append(problems, p)
	}
	return problems
}

// nearest returns the place that comes nearest to a gap, if the question names its page: one line below the mark is
// read, three are not.
func nearest(g gap.Gap) []Related {
	if len(g.Nearest) == 0 {
		return nil
	}
	p := g.Nearest[0]
	return []Related{{File: p.Place.File, Line: p.Place.Line, Message: sanitise.Visible(messages.Breadcrumb(p))}}
}

// citationProblems returns the citations in a question's answer that no longer hold. With an empty library
// there are none.
func (s Snapshot) citationProblems(q note.Question) []Problem {
	if q.Answer < 0 || len(s.Library.Passages()) == 0 {
		return nil
	}
	var problems []Problem
	add := func(span passage.Span, code, message string) {
		problems = append(problems, Problem{Span: span, Severity: gap.Warning, Code: code, Message: sanitise.Visible(message)})
	}
	other := func(span passage.Span, c citedPlace) {
		place := c.place()
		problems = append(problems, Problem{
			Span: span, Severity: gap.Information, Code: CodeStaleCitation, Message: sanitise.Visible(messages.CitedElsewhere(c.Path)),
			Related: []Related{{File: place.File, Line: place.Line, Message: sanitise.Visible(messages.Breadcrumb(c.passage))}},
		})
	}
	warned := make(map[int]bool) // citations whose source is superseded
	check := func(span passage.Span, listed note.Citation, quote string) {
		c := s.locate(listed, quote)
		if c.superseded.Reason != "" && !warned[listed.N] {
			warned[listed.N] = true
			problems = append(problems, supersededProblem(span, c.Path, c.superseded))
		}
		code, message := s.trouble(c)
		switch {
		case c.reworded.Passage != nil:
			place := c.reworded.Place()
			problems = append(problems, Problem{
				Span: span, Severity: gap.Warning, Code: code, Message: sanitise.Visible(message),
				Related: []Related{{File: place.File, Line: place.Line, Message: "“" + sanitise.Visible(c.reworded.Now) + "”"}},
			})
		case code != "" && c.passage != nil && !c.altered:
			other(span, c)
		case code != "":
			add(span, code, message)
		}
	}
	block := s.Note.Answers[q.Answer]
	for _, mark := range block.Marks {
		at := slices.IndexFunc(block.Citations, func(c note.Citation) bool { return c.N == mark.N })
		if at < 0 {
			add(mark.Span, CodeBrokenCitation, messages.NoSuchSource(mark.N))
			continue
		}
		if mark.Basis == note.Quote || mark.Basis == note.Place {
			check(mark.Span, block.Citations[at], mark.Quote)
		}
	}
	for _, listed := range block.Citations {
		if listed.Quote != "" {
			check(listed.Span, listed, listed.Quote)
		}
	}
	return problems
}

// supersededProblem says that a cited source is no longer the one to rely on.
func supersededProblem(span passage.Span, path string, f superseded.Finding) Problem {
	p := Problem{Span: span, Severity: gap.Information, Code: CodeSuperseded, Message: sanitise.Visible(messages.Superseded(path, f))}
	if f.By != nil {
		p.Related = []Related{{File: f.By.Place.File, Line: f.By.Place.Line, Message: sanitise.Visible(messages.Breadcrumb(f.By))}}
	}
	return p
}

// newAnswer says that the sources now answer a question whose block says that they do not.
func (s Snapshot) newAnswer(q note.Question) []Problem {
	if q.Answer >= 0 && s.cannotAnswer() == "" && !s.Library.Status().Partial && s.Note.IsEarly(s.Note.Answers[q.Answer]) {
		return []Problem{{Span: q.Span, Severity: gap.Information, Code: CodeEarlyAnswer, Message: messages.EarlyAnswer}}
	}
	if q.Answer < 0 || s.Note.Answers[q.Answer].Status == "" || !s.Note.Open(q) {
		return nil
	}
	now, known := s.known(q)
	if !known || now.State != answer.Answered {
		return nil
	}
	p := Problem{Span: q.Span, Severity: gap.Information, Code: CodeNowAnswered, Message: messages.NowAnswered}
	for _, c := range now.Citations {
		place := c.Place()
		p.Related = append(p.Related, Related{File: place.File, Line: place.Line, Message: messages.PlaceTitle(c.Passage)})
	}
	return []Problem{p}
}

// conflictProblems returns the pairs of passages found for a question that cannot both hold.
func (s Snapshot) conflictProblems(q note.Question) []Problem {
	result, _ := s.finding(q)
	var problems []Problem
	for _, c := range result.Conflicts {
		p := Problem{Span: q.Span, Severity: gap.Information, Code: CodeConflicting, Message: sanitise.Visible(messages.SourcesConflict(c))}
		for _, side := range []answer.Citation{c.A, c.B} {
			place := side.Place()
			p.Related = append(p.Related, Related{File: place.File, Line: place.Line, Message: "“" + sanitise.Visible(plaintext.OneLine(side.Shown())) + "”"})
		}
		problems = append(problems, p)
	}
	return problems
}

// sourceProblems says why a file of the sources could not be read, and what it hides.
func (s Snapshot) sourceProblems(f ingest.FileReport) []Problem {
	var problems []Problem
	add := func(line int, code, message string) {
		start, end := s.Note.Lines.Span(min(max(line, 1), s.Note.Lines.Count()) - 1)
		problems = append(problems, Problem{
			Span: passage.Span{Start: start, End: end}, Severity: gap.Information, Code: code, Message: sanitise.Visible(message),
		})
	}
	switch {
	case f.State != ingest.Indexed:
		add(f.Line, CodeSkippedFile, messages.SkippedFile(f.Reason))
	case strings.HasPrefix(f.Reason, ingest.UnclearPrivacy), strings.HasPrefix(f.Reason, ingest.UnclearRow):
		add(f.Line, CodeUnclearPrivate, messages.UnclearPrivateSource)
	case f.Partly():
		add(f.Line, CodeSkippedFile, messages.PartlyRead(messages.WhyPartly(&f), messages.Advice(&f)))
	case f.Reason != "":
		add(f.Line, CodeSkippedFile, messages.PartlyRead(f.Reason, ""))
	}
	if f.Hidden > 0 {
		add(1, CodeHiddenText, messages.HiddenText(f.Hidden))
	}
	return problems
}

// fileReport returns what became of a file of the sources; found is false for other files. If several
// sources include the file, one that could read it counts.
func (s Snapshot) fileReport(file string) (report ingest.FileReport, found bool) {
	for _, f := range s.Library.Files() {
		if f.File != file {
			continue
		}
		if f.State == ingest.Indexed {
			return f, true
		}
		report, found = f, true
	}
	return report, found
}

// isSource reports whether a file is one of the sources' files.
func (s Snapshot) isSource(file string) bool {
	_, ok := s.fileReport(file)
	return ok
}

// finding returns what is known about a question, if anything is. What the user made of its nearest places comes
// before what was found.
func (s Snapshot) finding(q note.Question) (answer.Result, bool) {
	if chosen, ok := s.chosen(q); ok {
		return chosen, true
	}
	return s.known(q)
}

// known returns what was found about a question, if anything was.
func (s Snapshot) known(q note.Question) (answer.Result, bool) {
	if s.Finding == nil || s.cannotAnswer() != "" { // a finding may be left of former sources
		return answer.Result{}, false
	}
	return s.Finding(q)
}

// part returns what a running answer has found so far, if one is running.
func (s Snapshot) part(q note.Question) (answer.Result, bool) {
	if s.Part == nil {
		return answer.Result{}, false
	}
	return s.Part(q)
}

// isDismissed reports whether a gap was dismissed.
func (s Snapshot) isDismissed(q note.Question, g gap.Gap) bool {
	return g.Status == gap.Dismissed || s.Dismissed != nil && s.Dismissed(q, g.ID)
}

// diagnosticSource names the sender of a diagnostic.
const diagnosticSource = "lacuna"

// DiagnosticData is sent with the diagnostic of a gap, and clients return it unchanged.
type DiagnosticData struct {
	V        int             `json:"v"`
	Question note.QuestionID `json:"question"`
	Code     string          `json:"code"`
	Gap      string          `json:"gap"` // [gap.Gap.ID]
	Query    string          `json:"query"`
}

// Diagnostics returns the problems of a note in the form that the client takes. It is never nil.
func Diagnostics(s Snapshot) []protocol.Diagnostic {
	problems := Problems(s)
	diagnostics := make([]protocol.Diagnostic, len(problems))
	for i, p := range problems {
		diagnostics[i] = s.diagnostic(p)
	}
	return diagnostics
}

// GapDiagnostics returns the gaps of a note without anything that stands in a source: no nearest places, no data for commands, and no
// code but those of gaps. It is never nil, and empty for a private note.
func GapDiagnostics(s Snapshot) []protocol.Diagnostic {
	diagnostics := []protocol.Diagnostic{}
	for _, p := range Problems(s) {
		if p.Code == string(gap.MissingTopic) || p.Code == string(gap.MissingAspect) {
			diagnostics = append(diagnostics, protocol.Diagnostic{
				Range: s.rangeOf(p.Span), Severity: severities[p.Level], Code: p.Code, Source: diagnosticSource, Message: p.Message,
			})
		}
	}
	return diagnostics
}

var severities = map[string]protocol.DiagnosticSeverity{
	levelHint:        protocol.DiagnosticSeverityHint,
	levelInformation: protocol.DiagnosticSeverityInformation,
	levelWarning:     protocol.DiagnosticSeverityWarning,
	levelError:       protocol.DiagnosticSeverityError,
}

func (s Snapshot) diagnostic(p Problem) protocol.Diagnostic {
	d := protocol.Diagnostic{
		Range:    s.rangeOf(p.Span),
		Severity: severities[p.Level],
		Code:     p.Code,
		Source:   diagnosticSource,
		Message:  p.Message,
	}
	if s.Client.RelatedInformation {
		for _, r := range p.Related {
			d.RelatedInformation = append(d.RelatedInformation, protocol.DiagnosticRelatedInformation{
				Location: lineLocation(r.File, r.Line), Message: r.Message,
			})
		}
	}
	if s.Client.CodeDescription && s.Pages != "" {
		d.CodeDescription = &protocol.CodeDescription{Href: lsp.URI(filepath.Join(s.Pages, p.Code+".md"))}
	}
	if s.Client.DiagnosticData && p.Question != "" {
		d.Data = DiagnosticData{V: argumentsVersion, Question: p.Question, Code: p.Code, Gap: p.Gap, Query: p.Query}
	}
	return d
}

// mostGaps limits the gaps shown for one question, because a hostile passage can make a model name many.
const mostGaps = 8

// gaps returns the known gaps of a question, sanitised: first what a running answer has found, then what
// was known before.
func (s Snapshot) gaps(q note.Question) []gap.Gap {
	part, _ := s.part(q)
	result, _ := s.finding(q)
	var gaps []gap.Gap
	for _, g := range slices.Concat(part.Gaps, result.Gaps) {
		if len(gaps) == mostGaps {
			break
		}
		had := slices.ContainsFunc(gaps, func(had gap.Gap) bool { return had.ID == g.ID })
		if g = messages.ShownGap(g); !had && g.Text != "" {
			gaps = append(gaps, g)
		}
	}
	return gaps
}

// isOpen reports whether a gap still needs the user's attention.
func (s Snapshot) isOpen(q note.Question, g gap.Gap) bool {
	return g.Status != gap.Retrieved && g.Status != gap.Dismissed && !s.isDismissed(q, g)
}

// hasMark reports whether a gap is open and has a mark. All counts of gaps count these, so that they agree
// with the marks.
func (s Snapshot) hasMark(q note.Question, g gap.Gap) bool {
	return s.isOpen(q, g) && g.Severity() != gap.Silent
}
