package handlers

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
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
	"lacuna/knowledge/history"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/sanitise"
)

// Kinds of code actions. Answering every question is a source action in requests for source actions, which
// editors run on saving, and an ordinary one in other requests.
const (
	kindGap       = protocol.QuickFix
	kindAnswer    = protocol.RefactorRewrite
	kindAnswerAll = protocol.CodeActionKind("source.lacuna.answerAll")
)

// CodeActionKinds returns the kinds that [CodeActions] uses.
func CodeActionKinds() []protocol.CodeActionKind {
	return []protocol.CodeActionKind{kindGap, kindAnswer, kindAnswerAll}
}

// mostQuestions limits the questions of a selection that get actions of their own.
const mostQuestions = 4

// CodeActions lists what can be done at a place, the likeliest first: as literals if the client takes them,
// else as commands. It only looks things up; work begins when the user chooses an action. The result is
// never nil.
func CodeActions(ctx context.Context, s Snapshot, p *lsp.CodeActionParams) ([]any, error) {
	m := menu{Snapshot: s, request: p, items: []any{}}
	questions := s.questionsIn(s.offsetOf(p.Range.Start), s.offsetOf(p.Range.End))
	for _, q := range questions {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m.question(q, len(questions) > 1)
	}
	m.sentence(s.offsetOf(p.Range.Start))
	m.section(s.offsetOf(p.Range.Start))
	m.answerAll(questions)
	if len(questions) > 0 && m.canSetUp() {
		m.add(m.action(kindAnswer, messages.TitleSetUp, commandSetUp, Arguments{}))
	}
	return m.items, nil
}

// questionsIn returns the first questions whose lines or answers overlap a selection.
func (s Snapshot) questionsIn(start, end int) []note.Question {
	var found []note.Question
	if q, ok := s.Note.QuestionAt(start); ok {
		found = append(found, q)
	}
	for _, q := range s.Note.Questions {
		if len(found) < mostQuestions && start <= q.Span.Start && q.Span.Start < end && (len(found) == 0 || found[0].ID != q.ID) {
			found = append(found, q)
		}
	}
	return found
}

// menu collects the actions for a request.
type menu struct {
	Snapshot
	request *lsp.CodeActionParams
	items   []any
}

// question lists what can be done with a question; named says that the titles must name the question.
func (m *menu) question(q note.Question, named bool) {
	title := messages.TitleAnswer
	switch {
	case named:
		title = messages.TitleAnswerOf(q.Text)
	case q.Answer >= 0:
		title = messages.TitleAnswerAgain
	}
	arguments := Arguments{Question: q.ID}
	answer := m.action(kindAnswer, title, commandAnswer, arguments)
	answer.IsPreferred = m.Note.Open(q)
	m.write(commandAnswer, m.unlessEmpty(answer), m.answersNow(q))

	if !named {
		m.places(q)
		m.found(q)
		m.renew(q)
		m.withModel(q)
		m.acceptance(q)
	}
	gaps := m.gaps(q)
	for _, g := range gaps {
		m.gap(q, g, len(gaps) > 1)
	}
	if q.Answer >= 0 && !named {
		m.remove(q, arguments)
		m.shorten(q)
	}
}

// places lists what can be done with the nearest places of a question: with the one at the cursor, or with all.
func (m *menu) places(q note.Question) {
	all := m.nearestPlaces(q)
	if len(all) == 0 {
		return
	}
	here := all
	if at, _, _, ok := m.Note.CitationAt(m.lineEnd()); ok {
		here = slices.DeleteFunc(slices.Clone(all), func(p nearestPlace) bool { return p.N != at.N })
	}
	for _, p := range here {
		place, arguments := p, Arguments{Question: q.ID, Place: p.N, Passage: p.id()}
		name := fmt.Sprintf("%s (%s)", messages.PlaceTitle(p.passage), sanitise.Visible(messages.At(p.passage.Record, p.passage, p.place().Line)))
		m.write(commandTake, m.action(kindAnswer, fmt.Sprintf(messages.TitleTake, name), commandTake, arguments), func() []Edit {
			edit, _ := m.Snapshot.write(q, m.taken(q, place))
			return []Edit{edit}
		})
		if m.Client.ShowDocument {
			m.add(m.action(kindAnswer, fmt.Sprintf(messages.TitleOpen, name), commandOpen, arguments))
		}
	}
	m.write(commandNoPlace, m.action(kindAnswer, messages.TitleNoPlace, commandNoPlace, Arguments{Question: q.ID}), func() []Edit {
		result, _ := m.finding(q)
		edit, _ := m.Snapshot.write(q, m.withoutPlaces(q, result))
		return []Edit{edit}
	})
}

// lineEnd returns the end of the line at which the request begins: the citation mark of a place ends its line.
func (m *menu) lineEnd() int {
	line := m.Note.Lines.LineAt(m.offsetOf(m.request.Range.Start))
	_, end := m.Note.Lines.Span(line)
	return end
}

// withModel lists the ways of answering that need a model. A private note has none.
func (m *menu) withModel(q note.Question) {
	if !m.Models.Configured || m.Note.Private {
		return
	}
	offer := func(title, command string, a Arguments) {
		a.Question = q.ID
		action := m.unlessEmpty(m.action(kindAnswer, title, command, a))
		if command == commandPreview {
			m.add(action)
			return
		}
		m.write(command, action, nil)
	}
	result, _ := m.finding(q)
	switch {
	case len(result.Models) == 0:
	case history.IsFromSources(result):
		offer(messages.TitleModelAlone, commandAnswer, Arguments{System: systemAlone, Override: true})
	default:
		offer(messages.TitleFromSources, commandAnswer, Arguments{System: systemSources, Override: true})
	}
	offer(messages.TitleThorough, commandAnswer, Arguments{System: systemThorough})
	offer(messages.TitleAnotherSystem, commandWith, Arguments{})
	if q.Answer >= 0 {
		again := Arguments{Fresh: true}
		if m.Settings.Answer.System == answer.OfflineID && len(result.Models) > 0 { // else no model would be asked
			again.System = result.System
		}
		offer(messages.TitleAskAgain, commandAnswer, again)
	}
	if m.Models.Remote {
		offer(messages.TitlePreview, commandPreview, Arguments{})
	}
}

// renew lists the fix for citations that no longer hold.
func (m *menu) renew(q note.Question) {
	var lost []protocol.Diagnostic
	for _, d := range m.request.Context.Diagnostics {
		code, _ := d.Code.(string)
		if d.Source == diagnosticSource && (slices.Contains([]string{CodeStaleCitation, CodeBrokenCitation, CodeSuperseded, CodeNowAnswered, CodeEarlyAnswer}, code)) {
			at := m.offsetOf(d.Range.Start)
			if here, ok := m.Note.QuestionAt(at); ok && here.ID == q.ID {
				lost = append(lost, d)
			}
		}
	}
	if len(lost) > 0 {
		action := m.action(kindGap, messages.TitleRefresh, commandAnswer, Arguments{Question: q.ID})
		action.Diagnostics = lost
		m.write(commandAnswer, m.unlessEmpty(action), nil)
	}
}

// gap lists what can be done about a gap; named says that the titles must name the gap.
func (m *menu) gap(q note.Question, g gap.Gap, named bool) {
	arguments := Arguments{Question: q.ID, Gap: g.ID, Code: g.Code, Query: g.Query}
	dismiss, restore := messages.TitleDismiss, messages.TitleRestore
	if name := messages.Shorten(plaintext.OneLine(sanitise.Visible(g.Text)), 60); named {
		dismiss, restore = fmt.Sprintf(messages.TitleDismissOf, name), fmt.Sprintf(messages.TitleRestoreOf, name)
	}
	switch {
	case m.isDismissed(q, g):
		m.add(m.action(kindGap, restore, commandRestore, arguments))
		return
	case !m.isOpen(q, g):
		return
	}
	diagnostics := m.diagnosticsOf(q, g)
	fix := func(title, command string, a Arguments) {
		action := m.action(kindGap, title, command, a)
		action.Diagnostics = diagnostics
		if command == commandAnswer {
			m.write(command, action, nil)
			return
		}
		m.add(action)
	}
	if query := messages.Shorten(plaintext.OneLine(sanitise.Visible(g.Query)), 60); query != "" {
		fix(fmt.Sprintf(messages.TitleSearchAgain, query), commandAnswer, arguments)
		if source, ok := m.stubSource(); ok {
			fix(fmt.Sprintf(messages.TitleStub, query, sanitise.Visible(source.Name)), commandStub, arguments)
		}
		if m.Models.Configured && !m.Note.Private && g.Status != gap.Generated {
			background := arguments
			background.System = systemThorough
			fix(fmt.Sprintf(messages.TitleBackground, query), commandAnswer, background)
		}
	}
	fix(dismiss, commandDismiss, arguments)
}

// answerAll lists the action for the whole note, unless answering the question here does the same. It is
// not listed while the cursor moves through lines that are not questions.
func (m *menu) answerAll(here []note.Question) {
	open := m.Note.OpenQuestions()
	source := len(m.request.Context.Only) > 0 && m.asksFor(kindAnswerAll)
	automatic := m.request.Context.TriggerKind == lsp.CodeActionTriggerAutomatic
	kind := kindAnswer
	switch {
	case len(open) == 0:
		return
	case automatic && (source || len(here) == 0):
		return
	case source:
		kind = kindAnswerAll
	case len(open) == 1 && len(here) > 0 && here[0].ID == open[0].ID:
		return
	}
	action := m.action(kind, messages.TitleAnswerAll(len(open)), commandAnswerAll, Arguments{})
	m.write(commandAnswerAll, m.unlessEmpty(action), m.answersNow(open...))
}

func (m *menu) action(kind protocol.CodeActionKind, title, command string, a Arguments) protocol.CodeAction {
	return protocol.CodeAction{Title: title, Kind: kind, Command: m.command(title, command, a)}
}

func (s Snapshot) command(title, command string, a Arguments) *protocol.Command {
	a.V, a.URI = argumentsVersion, s.URI
	return &protocol.Command{Title: title, Command: s.Client.named(command), Arguments: []any{a}}
}

// remove lists the action that removes an answer. A client that can resolves the edit once it is chosen. The
// command stays for a client that runs it without resolving; after the edit it finds nothing to do.
func (m *menu) remove(q note.Question, arguments Arguments) {
	action := m.action(kindAnswer, messages.TitleRemove, commandRemove, arguments)
	if m.Client.ResolveEdit && m.Client.ApplyEdit {
		m.add(deferred(action, commandRemove))
		return
	}
	m.write(commandRemove, action, func() []Edit { return []Edit{{Edit: m.Note.Remove(q)}} })
}

// shorten lists the action that writes the answers of the note in the lean form, at an answer in the full one.
func (m *menu) shorten(q note.Question) {
	if m.Settings.Answer.Block == settings.Lean && !m.Note.Answers[q.Answer].Lean {
		m.write(commandShorten, m.action(kindAnswer, messages.TitleShorten, commandShorten, Arguments{}), m.shortened)
	}
}

// unlessEmpty disables an action while there is nothing to answer from. If the client does not support
// disabled actions, choosing the action shows the reason.
func (m *menu) unlessEmpty(a protocol.CodeAction) protocol.CodeAction {
	if state, reason := m.stateOfSources(); reason != "" && state != SourcesRead && m.Client.Disabled {
		a.Disabled, a.Command, a.IsPreferred = &protocol.CodeActionDisable{Reason: reason}, nil, false
	}
	return a
}

// add lists an action in the form that the client takes, if the request wants its kind.
func (m *menu) add(a protocol.CodeAction) { m.addWith(a, nil) }

// addWith is add of an action that has an edit.
func (m *menu) addWith(a protocol.CodeAction, edit *lsp.WorkspaceEdit) {
	switch {
	case !m.asksFor(a.Kind):
	case m.Client.CodeActionLiterals:
		a.IsPreferred = a.IsPreferred && m.Client.IsPreferred
		if edit != nil {
			m.items = append(m.items, lsp.CodeAction{CodeAction: a, Edit: edit})
			return
		}
		m.items = append(m.items, a)
	case a.Command != nil:
		m.items = append(m.items, *a.Command)
	}
}

// asksFor reports whether the request wants actions of a kind.
func (m *menu) asksFor(kind protocol.CodeActionKind) bool {
	only := m.request.Context.Only
	return len(only) == 0 || slices.ContainsFunc(only, func(wanted protocol.CodeActionKind) bool {
		return wanted == "" || kind == wanted || strings.HasPrefix(string(kind), string(wanted)+".")
	})
}

// diagnosticsOf returns the diagnostics of the request that show the gap. It knows them by their message,
// because not every client sends their data back.
func (m *menu) diagnosticsOf(q note.Question, g gap.Gap) []protocol.Diagnostic {
	problem := m.gapProblem(q, g)
	var shown []protocol.Diagnostic
	for _, d := range m.request.Context.Diagnostics {
		code, _ := d.Code.(string)
		at := passage.Span{Start: m.offsetOf(d.Range.Start), End: m.offsetOf(d.Range.End)}
		if d.Source == diagnosticSource && code == problem.Code && d.Message == problem.Message && at.Start < q.Span.End && q.Span.Start < at.End {
			shown = append(shown, d)
		}
	}
	return shown
}

// acceptance lists the action that saves an answer as a stored question, if the settings and the answer
// allow it.
func (m *menu) acceptance(q note.Question) {
	if !m.Settings.History.Harvest || m.Note.Private || q.Answer < 0 || m.Note.Open(q) {
		return
	}
	result, known := m.finding(q)
	result.Statements = result.Shown() // a gap that was named since the answer was written makes them places
	if known && history.CheckKeepable(result) == nil {
		m.add(m.action(kindAnswer, messages.TitleAccept, commandAccept, Arguments{Question: q.ID}))
	}
}

// section lists the action that stores a section of a page with the question in its heading.
func (m *menu) section(offset int) {
	if !m.Settings.History.Harvest {
		return
	}
	q, ok := m.sectionAt(offset)
	if !ok {
		return
	}
	if r, ok := m.Snapshot.section(q); ok && history.CheckKeepable(r) == nil {
		title := fmt.Sprintf(messages.TitleSection, messages.Shorten(plaintext.OneLine(sanitise.Visible(q.Text)), 60))
		m.add(m.action(kindAnswer, title, commandSection, Arguments{Question: q.ID}))
	}
}

// Some clients do not apply the edits of commands, see [Client.ApplyEdit]. For them a code action carries its
// edit: resolved once the action is chosen if the client can do that, else in the list.

// Deferred is the data of a code action: the command that makes its edit.
type Deferred struct {
	Command string `json:"command"` // as [Execute] knows it
	Arguments
}

// deferred returns an action whose edit the client resolves once it is chosen. The action keeps its
// command.
func deferred(a protocol.CodeAction, command string) protocol.CodeAction {
	arguments, _ := a.Command.Arguments[0].(Arguments) // of an action of ours
	a.Data = Deferred{command, arguments}
	return a
}

// write lists an action whose command writes into the note, in a form that works for this client. Known
// returns the edits that the command would make, if they are known without any work; it may be nil.
func (m *menu) write(command string, a protocol.CodeAction, known func() []Edit) {
	var edits []Edit
	if known != nil && !m.Client.ApplyEdit && !m.Client.ResolveEdit {
		edits = known()
	}
	switch {
	case a.Command == nil || m.Client.ApplyEdit || !m.Client.CodeActionLiterals:
		m.add(a)
	case m.Client.ResolveEdit:
		a = deferred(a, command)
		a.Command = nil
		m.add(a)
	case len(edits) > 0:
		edit := m.Client.WorkspaceEdit(m.Note, DocumentEdit{URI: m.URI, Version: m.Version, Edits: edits})
		a.Command = nil
		m.addWith(a, &edit)
	default: // the command shows what it finds, which is known from then on
		m.add(a)
	}
}

// knownEdits returns the edits that write what is known about the questions; nil if anything is not known.
func (s Snapshot) knownEdits(questions ...note.Question) []Edit {
	var edits []Edit
	for _, q := range questions {
		result, known := s.known(q)
		if !known {
			return nil
		}
		edit, ok := s.write(q, result)
		if !ok {
			return nil
		}
		edits = append(edits, edit)
	}
	return edits
}

// answersNow returns the edits of answering the questions, if that takes no more than writing what is known.
func (s Snapshot) answersNow(questions ...note.Question) func() []Edit {
	return func() []Edit {
		if s.modelAnswers() {
			return nil
		}
		return s.knownEdits(questions...)
	}
}

// modelAnswers reports whether a model answers if the user does not choose a system.
func (s Snapshot) modelAnswers() bool {
	return s.Models.Configured && !s.Note.Private && s.Settings.Answer.System != answer.OfflineID
}

// found lists the answer of a model that a command could not write, with its edit.
func (m *menu) found(q note.Question) {
	if m.Client.ApplyEdit || m.Client.ResolveEdit || !m.Client.CodeActionLiterals {
		return
	}
	if result, known := m.finding(q); known && len(result.Models) > 0 {
		m.write(commandAnswer, m.action(kindAnswer, messages.TitleWriteFound, commandAnswer, Arguments{Question: q.ID}), func() []Edit { return m.knownEdits(q) })
	}
}

// sentenceAt returns the sentence at an offset that was compared with a source, and what is known of it.
func (s Snapshot) sentenceAt(offset int) (note.Sentence, claims.Finding, bool) {
	for _, sentence := range s.sentences() {
		if sentence.Span.Start <= offset && offset <= sentence.End && !sentence.Opinion {
			f, known := s.Claim(sentence)
			return sentence, f, known
		}
	}
	return note.Sentence{}, claims.Finding{}, false
}

// nameOf names a sentence in the arguments of a command: by its words and citations, and by how many like it stand
// before it in the note.
func nameOf(sentence note.Sentence, before int) string {
	name := hex.EncodeToString([]byte(sentence.Key))
	if before > 0 {
		name += "-" + strconv.Itoa(before+1)
	}
	return name
}

// sentence lists what can be done about a sentence that its source does not state, or that a source states
// without being cited.
func (m *menu) sentence(offset int) {
	sentence, f, known := m.sentenceAt(offset)
	if !known {
		return
	}
	before := 0
	for _, other := range m.sentences() {
		if other.Key == sentence.Key && other.Span.Start < sentence.Span.Start {
			before++
		}
	}
	name := nameOf(sentence, before)
	var shown []protocol.Diagnostic
	for _, d := range m.request.Context.Diagnostics {
		code, _ := d.Code.(string)
		if d.Source == diagnosticSource && (code == CodeContradictedClaim || code == CodeUnstatedClaim) && m.offsetOf(d.Range.Start) == sentence.Span.Start {
			shown = append(shown, d)
		}
	}
	for _, command := range []string{commandCite, commandWords, commandOpinion} {
		fix, ok := m.fixOf(sentence, f, command)
		if !ok {
			continue
		}
		title := messages.TitleOwnOpinion
		switch command {
		case commandCite:
			title = messages.TitleCite(fix.source)
		case commandWords:
			title = messages.TitleTakeWords(fix.source)
		}
		action := m.action(kindGap, title, command, Arguments{Sentence: name})
		action.Diagnostics = shown
		m.write(command, action, func() []Edit { return []Edit{fix.edit} })
	}
}

// sentenceFix is an edit of a sentence, with the finding whose passage it names.
type sentenceFix struct {
	edit   Edit
	source claims.Finding
}

// sentenceFix returns the edit that a command makes of the sentence with a name.
func (s Snapshot) sentenceFix(name, command string) (sentenceFix, bool) {
	seen := make(map[string]int)
	for _, sentence := range s.sentences() {
		found := nameOf(sentence, seen[sentence.Key]) == name
		seen[sentence.Key]++
		if f, known := s.Claim(sentence); found && known && !sentence.Opinion {
			return s.fixOf(sentence, f, command)
		}
	}
	return sentenceFix{}, false
}

// fixOf returns the edit that a command makes of a sentence; false if the command is of no use for it.
func (s Snapshot) fixOf(sentence note.Sentence, f claims.Finding, command string) (sentenceFix, bool) {
	doubtful := f.Verdict == entail.Contradicts || f.Cited && (f.Verdict == entail.Partly || f.Verdict == entail.Absent)
	switch command {
	case commandCite:
		if f.Elsewhere != nil {
			f = *f.Elsewhere
		}
		if f.Cited || f.Verdict != entail.States || sentence.Answer >= 0 {
			return sentenceFix{}, false
		}
		return sentenceFix{Edit{s.Note.Cite(sentence, s.sourceLine(f, 0)), Sources}, f}, true
	case commandWords:
		if f.Elsewhere != nil && f.Quote == "" && sentence.Answer < 0 {
			f = *f.Elsewhere
		} else if !doubtful {
			return sentenceFix{}, false
		}
		number := 0
		if sentence.Answer >= 0 {
			for _, c := range s.Note.Answers[sentence.Answer].Citations {
				if located := s.findCited(c, c.Quote).passage; located == f.Passage || located == nil && f.Passage.Has(c.Passage) {
					number = c.N
				}
			}
		}
		if f.Quote == "" || sentence.Answer >= 0 && number == 0 {
			return sentenceFix{}, false
		}
		return sentenceFix{Edit{s.Note.Quote(sentence, sanitise.Visible(f.Quote), s.sourceLine(f, number)), Sources}, f}, true
	case commandOpinion:
		return sentenceFix{Edit{Edit: s.Note.Own(sentence)}, f}, doubtful
	}
	return sentenceFix{}, false
}

// sourceLine returns the citation of what a finding compared.
func (s Snapshot) sourceLine(f claims.Finding, number int) note.BlockSource {
	place := f.Place()
	return note.BlockSource{
		N: number, Passage: f.Passage.ID, Label: sanitise.Visible(label(f.Passage, place.Line)), Path: pathFrom(s.Path, place.File), Line: place.Line,
	}
}
