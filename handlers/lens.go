package handlers

import (
	"context"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/passage"
)

// CodeLens returns a lens above each question, with what is known about it and a way to answer it. A private
// note has none. The result is never nil.
func CodeLens(ctx context.Context, s Snapshot) ([]protocol.CodeLens, error) {
	lenses := []protocol.CodeLens{}
	if !s.Settings.Lens.Enabled || s.Note.Private {
		return lenses, nil
	}
	if state, reason := s.stateOfSources(); reason != "" {
		return s.nothingLens(state), nil
	}
	for _, q := range s.Note.Questions {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if q.Settled() && !q.Replied {
			continue
		}
		result, known := s.finding(q)
		open, generated := 0, 0
		for _, g := range s.gaps(q) {
			switch {
			case !s.hasMark(q, g):
			case g.Status == gap.Generated:
				generated++
			default:
				open++
			}
		}
		title := messages.LensTitle(q.Answer >= 0, result, known, open, generated)
		if _, answering := s.part(q); answering {
			title = messages.BeingAnswered
		}
		lenses = append(lenses, protocol.CodeLens{
			Range:   s.rangeOf(passage.Span{Start: q.Span.Start, End: q.Span.Start}),
			Command: s.command(title, commandAnswer, Arguments{Question: q.ID}),
		})
	}
	return lenses, nil
}

// nothingLens says once, above the first question, that there is nothing to answer from.
func (s Snapshot) nothingLens(state SourcesState) []protocol.CodeLens {
	if len(s.Note.Questions) == 0 {
		return []protocol.CodeLens{}
	}
	q := s.Note.Questions[0]
	command := s.command(lensStates[state], commandSetUp, Arguments{})
	if state == SourcesRead {
		command = s.command(messages.LensReading, commandAnswer, Arguments{Question: q.ID})
	}
	return []protocol.CodeLens{{Range: s.rangeOf(passage.Span{Start: q.Span.Start, End: q.Span.Start}), Command: command}}
}

var lensStates = map[SourcesState]string{
	SourcesNone:       messages.LensNoSources,
	SourcesMissing:    messages.LensMissing,
	SourcesEmpty:      messages.LensEmpty,
	SourcesUnreadable: messages.LensUnreadable,
}

// InlayHints returns, if the settings enable hints, a hint behind each question of a range: how likely the
// sources cover it and, if it is answered, how much of the answer cites them. They show only what is known
// already. The result is never nil.
func InlayHints(ctx context.Context, s Snapshot, within protocol.Range) ([]lsp.InlayHint, error) {
	hints := []lsp.InlayHint{}
	if !s.Settings.Hints.Enabled || s.Note.Private {
		return hints, nil
	}
	start, end := s.offsetOf(within.Start), s.offsetOf(within.End)
	for _, q := range s.Note.Questions {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if q.Span.End < start || q.Span.End > end {
			continue
		}
		if label := s.hint(q); label != "" {
			at := s.rangeOf(passage.Span{Start: q.Span.End, End: q.Span.End}).Start
			hints = append(hints, lsp.InlayHint{Position: at, Label: label, Tooltip: messages.HintTooltip, PaddingLeft: true})
		}
	}
	return hints, nil
}

// hint returns the hint of a question; empty if it has not been looked up.
func (s Snapshot) hint(q note.Question) string {
	if _, answering := s.part(q); answering {
		return messages.StateAnswering
	}
	result, known := s.finding(q)
	if !known && q.Answer < 0 {
		return ""
	}
	open := 0
	for _, g := range s.gaps(q) {
		if s.hasMark(q, g) && g.Status != gap.Generated {
			open++
		}
	}
	cited, statements, places := 0, 0, 0
	if q.Answer >= 0 {
		for _, statement := range s.Note.Answers[q.Answer].Statements {
			switch statement.Basis {
			case note.Place:
				places++
				continue
			case note.Quote, note.Claim, note.Partly:
				cited++
			}
			statements++
		}
	}
	covered := -1.0
	if known && len(result.Models) == 0 { // a model's probability is not calibrated
		covered = 1 - result.MissingProbability
	}
	return messages.Hint(covered, cited, statements, places, open)
}
