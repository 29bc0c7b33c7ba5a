package handlers

import (
	"context"
	"strings"

	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/knowledge/answer"
)

// answered is a question that has got its answer and waits for it to be written.
type answered struct {
	question note.Question // as it was when it was asked
	result   answer.Result
}

// answerOne answers a question and writes the block below it.
func (c call) answerOne(ctx context.Context, q note.Question) (any, error) {
	c.editor.Report(stageSearching, 0)
	a, err := c.answer(ctx, q)
	if err != nil {
		return nil, err
	}
	if a.result.State == answer.Nothing && a.result.Reason == answer.ToolFailure {
		return nil, lsp.Failed("%s", failure(a.result))
	}
	c.editor.Report(stageWriting, 90)
	return c.writeAnswers(ctx, labelAnswer, []answered{a})
}

// answerAll answers the open questions of the note and writes all blocks as one edit, which one
// undo takes back.
func (c call) answerAll(ctx context.Context) (any, error) {
	open := c.open()
	if len(open) == 0 {
		c.editor.Show(ctx, Message{Info, textNothingOpen})
		return Outcome{}, nil
	}
	var all []answered
	given := 0
	for i, q := range open {
		c.editor.Report(stageAnswering(i, len(open)), 100*i/len(open))
		a, err := c.answer(ctx, q)
		if err != nil {
			return nil, err
		}
		if a.result.State != answer.Nothing {
			given++
		}
		all = append(all, a)
	}
	outcome, err := c.writeAnswers(ctx, labelAnswerAll, all)
	if err == nil {
		c.editor.Show(ctx, answeredAll(given, len(open)))
	}
	return outcome, err
}

// open are the questions without an answer, or with one that says there is none.
func (s Snapshot) open() []note.Question {
	var open []note.Question
	for _, q := range s.Note.Questions {
		if q.Answer < 0 || len(s.Note.Answers[q.Answer].Citations) == 0 {
			open = append(open, q)
		}
	}
	return open
}

// answer asks the system of the settings. The error is for the user.
func (c call) answer(ctx context.Context, q note.Question) (answered, error) {
	if reason := cannotAnswer(c.Library); reason != "" {
		return answered{}, lsp.Failed("%s", reason)
	}
	strategy, err := c.editor.Strategy(answer.Way{})
	if err != nil {
		return answered{}, err
	}
	question := answer.Question{Text: q.Text}
	if query := strings.TrimSpace(c.arguments.Query); query != "" {
		question.Queries = []string{query}
	}
	result, err := strategy.Answer(ctx, c.Library, question)
	switch {
	case ctx.Err() != nil:
		return answered{}, ctx.Err()
	case err != nil:
		return answered{}, lsp.Failed("%s", cannotSay(err))
	}
	c.editor.Learn(c.URI, q, result)
	return answered{q, result}, nil
}

// writeAnswers puts answers below their questions, in the note as it is by now. An answer whose
// question has gone, or that the editor does not take, is offered in a document of its own.
func (c call) writeAnswers(ctx context.Context, label string, all []answered) (any, error) {
	var homeless []answered
	written, reason, err := c.write(ctx, label, func(now Snapshot) []note.Edit {
		var edits []note.Edit
		homeless = nil
		for _, a := range all {
			q, found := now.Note.Find(a.question.ID)
			if !found {
				homeless = append(homeless, a)
				continue
			}
			edits = append(edits, now.Note.Write(q, Compose(a.result, now.Path)))
		}
		return edits
	})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		c.offer(ctx, notWritten(err.Error()), all)
	case !written && reason != "":
		c.offer(ctx, notWritten(reason), all)
	case len(homeless) > 0:
		c.offer(ctx, textGone, homeless)
	}
	return Outcome{Done: written}, nil
}

// offer shows answers outside of the note, without the marks that only a note needs.
func (c call) offer(ctx context.Context, title string, all []answered) {
	var p prose
	for _, a := range all {
		p.add(a.question.Text)
		p.strong(Status(a.result))
		p.statements(a.result)
	}
	c.editor.Offer(ctx, title, p.markdown())
}
