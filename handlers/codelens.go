package handlers

import (
	"context"

	"go.lsp.dev/protocol"

	"lacuna/handlers/messages"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/passage"
)

// CodeLens puts above each question what is known about it, and a way to answer it. A private
// note has none. The result is never nil.
func CodeLens(ctx context.Context, s Snapshot) ([]protocol.CodeLens, error) {
	lenses := []protocol.CodeLens{}
	if !s.Settings.Lens.Enabled || s.Note.Private {
		return lenses, nil
	}
	if state, reason := StateOfSources(s.Settings.Sources, s.Library); reason != "" {
		return s.nothingLens(state), nil
	}
	for _, q := range s.Note.Questions {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		result, known := s.finding(q)
		open, generated := 0, 0
		for _, g := range s.gaps(q) {
			switch {
			case !s.markedGap(q, g):
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
