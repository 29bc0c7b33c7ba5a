package handlers

import (
	"context"
	"strings"

	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/systems"
)

// answered is a question that has got its answer and waits for it to be written.
type answered struct {
	question note.Question // as it was when it was asked
	result   answer.Result
}

// answerOne answers a question and writes the block below it.
func (c call) answerOne(ctx context.Context, q note.Question) (any, error) {
	if c.keptPrivate() {
		c.editor.Show(ctx, messages.Message{Level: messages.Info, Text: messages.PrivateOffline})
	}
	before, _ := c.finding(q)
	a, err := c.answer(ctx, q, c.way(), share{to: 90})
	if err != nil {
		return nil, err
	}
	if !Recordable(a.result) {
		return nil, lsp.Failed("%s", messages.AnswerFailure(a.result))
	}
	if all := mishaps(a.result); len(all) > 0 {
		c.editor.Show(ctx, messages.Message{Level: messages.Warning, Text: messages.Sentences(all...)})
	}
	if c.arguments.Override && a.result.Failure == nil && len(before.Models) > 0 {
		c.editor.Overrule(c.URI, q, before, a.result)
	}
	c.editor.Report(messages.StageWriting, 90)
	return c.writeAnswers(ctx, messages.LabelAnswer, []answered{a})
}

// answerAll answers the open questions of the note and writes all blocks as one edit, which one
// undo takes back. A model that fails twice in a row is not asked again.
func (c call) answerAll(ctx context.Context) (any, error) {
	open := c.Note.OpenQuestions()
	if len(open) == 0 {
		c.editor.Show(ctx, messages.Message{Level: messages.Info, Text: messages.NoOpenQuestion})
		return Outcome{}, nil
	}
	way := c.way()
	sum := summary{Summary: messages.Summary{Asked: len(open), Private: c.keptPrivate()}}
	var all []answered
	for i, q := range open {
		part := share{from: 90 * i / len(open), to: 90 * (i + 1) / len(open), of: messages.StageAnswering(i, len(open))}
		a, err := c.answer(ctx, q, way, part)
		if err != nil {
			return nil, err
		}
		if sum.add(a.result); sum.failures == maxFailures {
			way.System, sum.GivenUp = answer.OfflineID, len(open)-i-1
		}
		if Recordable(a.result) {
			all = append(all, a)
		}
	}
	c.editor.Report(messages.StageWriting, 90)
	outcome, err := c.writeAnswers(ctx, messages.LabelAnswerAll, all)
	if err == nil {
		sum.Written = outcome.Done
		c.editor.Show(ctx, sum.Message(maxFailures))
	}
	return outcome, err
}

// maxFailures is how often in a row a model may fail before no further question is put to it.
const maxFailures = 2

// summary is what became of several questions.
type summary struct {
	messages.Summary
	failures int // of the model in a row
}

func (s *summary) add(r answer.Result) {
	if r.State != answer.Nothing {
		s.Given++
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

// keptPrivate reports whether a model would answer, were the note not private.
func (c call) keptPrivate() bool {
	return c.Note.Private && (c.Models.Configured || needsModel(c.arguments.System))
}

// way is how the question is to be answered. Nothing of a private note goes to a model, wherever it
// runs.
func (c call) way() answer.Request {
	way := answer.Request{System: c.arguments.System, Fresh: c.arguments.Fresh}
	if c.Note.Private {
		way.System = answer.OfflineID
	}
	return way
}

// needsModel reports whether a way of answering has to have a model.
func needsModel(system string) bool {
	s, _ := systems.Lookup(system)
	return s.Models || system == systemThorough
}

// asked is the question as it is answered.
func (c call) asked(q note.Question) answer.Question {
	question := answer.Question{Text: q.Text}
	if query := strings.TrimSpace(c.arguments.Query); query != "" {
		question.Queries = []string{query}
	}
	return question
}

// answer has a question answered and says how it comes along. The error is for the user.
func (c call) answer(ctx context.Context, q note.Question, way answer.Request, s share) (answered, error) {
	if reason := c.cannotAnswer(); reason != "" {
		return answered{}, lsp.Failed("%s", reason)
	}
	if needsModel(way.System) && !c.Models.Configured {
		return answered{}, lsp.Failed("%s", messages.NoModel)
	}
	c.editor.Report(s.stage(messages.StageSearching), s.from)
	way.Watch = func(p answer.Progress) { c.editor.Report(s.stage(messages.Progress(p)), s.percent(p)) }
	strategy, err := c.editor.Strategy(way)
	if err != nil {
		return answered{}, lsp.Failed("%s", messages.NotAsked(err))
	}
	result, err := strategy.Answer(ctx, c.Library, c.asked(q))
	switch {
	case ctx.Err() != nil:
		return answered{}, ctx.Err()
	case err != nil:
		return answered{}, lsp.Failed("%s", messages.CannotAnswer(err))
	}
	if result.Reason != answer.ToolFailure { // that says nothing about the sources
		c.editor.Learn(c.URI, q, result)
	}
	return answered{q, result}, nil
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

// writeAnswers puts answers below their questions, in the note as it is by now. An answer whose
// question has gone, or that the editor does not take, is offered in a document of its own.
func (c call) writeAnswers(ctx context.Context, label string, all []answered) (Outcome, error) {
	homeless, written, reason, err := c.place(ctx, label, all)
	switch {
	case ctx.Err() != nil:
		return Outcome{}, ctx.Err()
	case err != nil:
		return c.offer(ctx, messages.NotWritten(err.Error()), all), nil
	case !written && reason != "":
		return c.offer(ctx, messages.NotWritten(reason), all), nil
	case len(homeless) > 0:
		outcome := c.offer(ctx, messages.QuestionChanged, homeless)
		outcome.Done = written
		return outcome, nil
	}
	return Outcome{Done: written}, nil
}

// another says how the answer gets into the note of a client that makes no edits for commands.
func (c call) another() string {
	now, open := c.editor.Snapshot(c.URI)
	if !open || now.Client.ApplyEdit || !now.Client.CodeActionLiterals {
		return ""
	}
	return messages.ChooseAgain
}

// place writes the answers whose questions are there and returns the others, and as write does what came
// of it.
func (c call) place(ctx context.Context, label string, all []answered) (homeless []answered, written bool, reason string, err error) {
	end, err := c.editor.Turn(ctx, c.URI)
	if err != nil {
		return nil, false, "", err
	}
	defer end()
	var placed []answered
	written, reason, err = c.write(ctx, label, func(now Snapshot) []Edit {
		var edits []Edit
		homeless, placed = nil, nil
		for _, a := range all {
			q, found := now.Note.Find(a.question.ID)
			if !found {
				homeless = append(homeless, a)
				continue
			}
			edits = append(edits, Edit{now.Note.Write(q, Compose(a.result, now.Path)), originOf(a.result)})
			placed = append(placed, a)
		}
		return edits
	})
	if written {
		for _, a := range placed {
			c.editor.Wrote(c.URI, a.question, a.result)
		}
	}
	return homeless, written, reason, err
}

// originOf says whose words an answer is in.
func originOf(r answer.Result) Origin {
	if messages.WrittenByModel(r) {
		return Model
	}
	return Sources
}

// offer shows answers outside of the note, without the marks that only a note needs.
func (c call) offer(ctx context.Context, title string, all []answered) Outcome {
	var p hoverText
	for _, a := range all {
		p.add(a.question.Text)
		p.strong(messages.Status(a.result))
		p.statements(a.result)
		p.remarksAndNotices(a.result)
	}
	p.add(c.another())
	c.editor.Offer(ctx, title, p.markdown(), p.plain())
	return Outcome{Reason: title, Text: p.plain()}
}
