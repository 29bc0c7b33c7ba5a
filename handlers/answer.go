package handlers

import (
	"context"
	"slices"
	"strings"

	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/handlers/note/query"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/systems"
)

// answerOne answers a question and writes the block below it.
func (c call) answerOne(ctx context.Context, q note.Question) (Outcome, error) {
	if c.forcedOffline() {
		c.services.Show(messages.Message{Level: messages.Info, Text: messages.PrivateOffline})
	}
	before, _ := c.finding(q)
	result, err := c.answer(ctx, q, c.request(), share{to: 90})
	if err != nil {
		return Outcome{}, err
	}
	if !Recordable(result) {
		return Outcome{}, lsp.Failed("%s", messages.AnswerFailure(result))
	}
	if all := mishaps(result); len(all) > 0 {
		c.services.Show(messages.Message{Level: messages.Warning, Text: messages.Sentences(all...)})
	}
	outcome := c.write(messages.LabelAnswer, []Answered{{q, result}})
	if c.arguments.Override && result.Failure == nil && len(before.Models) > 0 {
		outcome.Effects = append(outcome.Effects, Overrule{q, before, result})
	}
	return outcome, nil
}

// answerAll answers the open questions of the note and writes all blocks as one edit, which one
// undo takes back. A model that fails twice in a row is not asked again.
func (c call) answerAll(ctx context.Context) (Outcome, error) {
	open := c.Note.OpenQuestions()
	if len(open) == 0 {
		return Outcome{Effects: []Effect{Show{messages.Message{Level: messages.Info, Text: messages.NoOpenQuestion}}}, Reply: Reply{}}, nil
	}
	request := c.request()
	sum := summary{Summary: messages.Summary{Asked: len(open), Private: c.forcedOffline()}}
	var all []Answered
	for i, q := range open {
		part := share{from: 90 * i / len(open), to: 90 * (i + 1) / len(open), of: messages.StageAnswering(i, len(open))}
		result, err := c.answer(ctx, q, request, part)
		if err != nil {
			return Outcome{}, err
		}
		if sum.add(result); sum.failures == maxFailures {
			request.System, sum.GivenUp = answer.OfflineID, len(open)-i-1
		}
		if Recordable(result) {
			all = append(all, Answered{q, result})
		}
	}
	outcome := c.write(messages.LabelAnswerAll, all)
	conclude := outcome.Edit.Conclude
	outcome.Edit.Conclude = func(w Written) (Outcome, error) {
		after, err := conclude(w)
		after.Effects = append(after.Effects, Show{sum.Message(maxFailures)})
		return after, err
	}
	return outcome, nil
}

// maxFailures bounds a model's consecutive failures: after them it gets no further question.
const maxFailures = 2

// summary counts what became of several questions.
type summary struct {
	messages.Summary
	failures int // of the model in a row
}

func (s *summary) add(r answer.Result) {
	switch byModel := messages.WrittenByModel(r); {
	case r.State == answer.Answered:
		s.Given++
	case r.State == answer.Nearest && byModel:
		s.Partly++
	case r.State == answer.Nearest:
		s.Near++
	}
	if !Recordable(r) {
		s.Without++
	}
	s.Dropped += r.Dropped
	s.Refused += r.Refused
	if r.Failure != nil {
		s.Failure = r.Failure
	}
	if r.Failure == nil || messages.WrittenByModel(r) {
		s.failures = 0
		return
	}
	s.failures++
}

// forcedOffline reports whether a model would answer if the note were not private.
func (c call) forcedOffline() bool {
	return c.Note.Private && (c.Models.Configured || needsModel(c.arguments.System))
}

// request says how to answer the question. Nothing of a private note goes to a model, wherever it runs.
func (c call) request() answer.Request {
	r := answer.Request{System: c.arguments.System, Fresh: c.arguments.Fresh, Beyond: true}
	if c.Note.Private {
		r.System, r.Beyond = answer.OfflineID, false
	}
	return r
}

// needsModel reports whether a system needs a model.
func needsModel(system string) bool {
	s, _ := systems.Lookup(system)
	return s.Models || system == systemThorough
}

// searched returns the question as it is answered: with what it takes from its place, and the query of the arguments.
func (c call) searched(q note.Question) answer.Question {
	question := answer.Question{Text: query.Of(c.Note, q), Options: q.Options, Note: query.Around(c.Note, q)}
	if query := strings.TrimSpace(c.arguments.Query); query != "" {
		question.Queries = []string{query}
	}
	return question
}

// answer has a question answered and reports progress. The error is for the user.
func (c call) answer(ctx context.Context, q note.Question, r answer.Request, s share) (answer.Result, error) {
	if state, _ := c.stateOfSources(); state == SourcesRead {
		c.services.Report(s.stage(messages.StageReading), s.from)
		c.Snapshot = c.services.AwaitSources(ctx, c.Snapshot)
	}
	if reason := c.cannotAnswer(); reason != "" {
		return answer.Result{}, lsp.Failed("%s", reason)
	}
	if needsModel(r.System) && !c.Models.Configured {
		return answer.Result{}, lsp.Failed("%s", messages.NoModel)
	}
	c.services.Report(s.stage(messages.StageSearching), s.from)
	r.Watch = func(p answer.Progress) { c.services.Report(s.stage(messages.Progress(p)), s.percent(p)) }
	return c.services.Answer(ctx, c.Snapshot, q, c.searched(q), r)
}

// share is the part of a command's progress, in percent, that one question takes.
type share struct {
	from, to int
	of       string // which question it is; empty for the only one
}

func (s share) stage(text string) string {
	if s.of == "" {
		return text
	}
	return s.of + ": " + text
}

func (s share) percent(p answer.Progress) int {
	if p.Total <= 0 {
		return s.from
	}
	return s.from + (s.to-s.from)*min(max(p.Done, 0), p.Total)/p.Total
}

// write returns the edit that puts answers below their questions, in the note as it is then. An answer whose
// question has gone, or that the editor does not take, is offered in a document of its own.
func (c call) write(label string, all []Answered) Outcome {
	c.services.Report(messages.StageWriting, 90)
	var orphaned []Answered // whose questions have gone
	return Outcome{Edit: &NoteEdit{
		Label: label,
		Make: func(now Snapshot) (edits []Edit, placed []Answered) {
			orphaned = nil
			for _, a := range all {
				q, found := now.Note.Find(a.Question.ID)
				if !found {
					orphaned = append(orphaned, a)
					continue
				}
				if edit, ok := now.write(q, a.Result); ok {
					edits, placed = append(edits, edit), append(placed, a)
				}
			}
			return edits, placed
		},
		Conclude: func(w Written) (Outcome, error) {
			switch {
			case w.Err != nil:
				return c.offer(messages.NotWritten(w.Err.Error()), all, false), nil
			case !w.Done && w.Reason != "":
				return c.offer(messages.NotWritten(w.Reason), all, false), nil
			case len(orphaned) > 0:
				return c.offer(messages.QuestionChanged, orphaned, w.Done), nil
			}
			return Outcome{Reply: Reply{Done: w.Done}}, nil
		},
	}}
}

// another says how to get the answer into the note if the client does not apply edits of commands.
func (c call) another() string {
	now, open := c.services.Snapshot(c.URI)
	if !open || now.Client.ApplyEdit || !now.Client.CodeActionLiterals {
		return ""
	}
	return messages.ChooseAgain
}

// offer shows answers outside the note, without the marks that only a note needs. Done says whether others
// were written.
func (c call) offer(title string, all []Answered, done bool) Outcome {
	var p hoverText
	for _, a := range all {
		p.add(a.Question.Text)
		p.strong(messages.StatusBeforePlaces(a.Result))
		p.statements(a.Result)
		p.places(a.Result)
		p.remarksAndNotices(a.Result)
	}
	p.add(c.another())
	return Outcome{
		Effects: []Effect{Offer{title, p.markdown(), p.plain()}},
		Reply:   Reply{Done: done, Reason: title, Text: p.plain()},
	}
}

// Names that stand for a system, see [answer.Request], and the systems that always and never search.
const (
	systemAuto     = "auto"
	systemThorough = "thorough"
	systemSources  = "misknow/merged"
	systemAlone    = "direct"
)

// usual lists the systems that are offered first; the others are for comparisons.
var usual = []string{answer.OfflineID, systemSources, "medrgag", systemAlone}

// answerWith answers with the system that the user chooses, unless the arguments name one or the note is
// private.
func (c call) answerWith(ctx context.Context, q note.Question) (Outcome, error) {
	if c.arguments.System == "" && !c.Note.Private {
		if !c.Models.Configured {
			return Outcome{}, lsp.Failed("%s", messages.NoModel)
		}
		id, chosen := c.chooseSystem(ctx)
		if !chosen {
			return Outcome{Reply: Reply{}}, ctx.Err()
		}
		c.arguments.System = id
	}
	return c.answerOne(ctx, q)
}

// chooseSystem asks for one of the usual systems, or for a paper and then for one of its systems.
func (c call) chooseSystem(ctx context.Context) (id string, chosen bool) {
	cannotAsk := func() {
		c.services.Show(messages.Message{Level: messages.Info, Text: messages.NameASystem(commandAnswer, append([]string{systemThorough}, usual...))})
	}
	if !c.Client.ShowMessageActions {
		cannotAsk()
		return "", false
	}
	defer func() { // the client may have shown only now that it cannot ask
		if now, open := c.services.Snapshot(c.URI); open && !chosen && !now.Client.ShowMessageActions && ctx.Err() == nil {
			cannotAsk()
		}
	}()
	var first []systems.System
	var papers []string
	for _, s := range systems.All() {
		if slices.Contains(usual, s.ID) {
			first = append(first, s)
		}
		if s.Paper != "" && !slices.Contains(papers, s.Paper) {
			papers = append(papers, s.Paper)
		}
	}
	items := messages.SystemTitles(first, c.Settings.Answer.Rounds)
	for _, paper := range papers {
		items = append(items, messages.MoreOfPaper(paper))
	}
	at, ok := c.services.Choose(ctx, messages.WhichSystem, items)
	if !ok || at < len(first) {
		return idAt(first, at, ok)
	}
	paper := papers[at-len(first)]
	second := slices.DeleteFunc(systems.All(), func(s systems.System) bool { return s.Paper != paper })
	at, ok = c.services.Choose(ctx, messages.WhichSystem, messages.SystemTitles(second, c.Settings.Answer.Rounds))
	return idAt(second, at, ok)
}

func idAt(systems []systems.System, at int, ok bool) (string, bool) {
	if !ok {
		return "", false
	}
	return systems[at].ID, true
}
