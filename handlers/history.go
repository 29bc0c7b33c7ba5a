package handlers

import (
	"context"
	"slices"

	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/history"
	"lacuna/knowledge/passage"
)

// Fate is what has become of an answer in its note.
type Fate string

const (
	Standing Fate = "standing" // as it was written
	Changed  Fate = "changed"
	Gone     Fate = "gone" // or its question is
)

// FateOf compares the answer that was written below a question with what stands there now.
func FateOf(n *note.Note, id note.QuestionID, r answer.Result, notePath string) Fate {
	q, found := n.Find(id)
	if !found || q.Answer < 0 {
		return Gone
	}
	edit := n.Write(q, Compose(r, notePath))
	if n.Text[edit.Span.Start:edit.Span.End] != edit.NewText {
		return Changed
	}
	return Standing
}

// restsOn says where an accepted answer is from in the end; empty for a passage that is none.
func (s Snapshot) restsOn(p *passage.Passage) string {
	if p.Source != history.SourceName || s.Accepted == nil {
		return ""
	}
	pair, known := s.Accepted(p.Record)
	if !known {
		return ""
	}
	var from []string
	for _, c := range pair.Cited {
		place := c.Source + "/" + c.Record
		if first, there := s.Library.Passage(c.Passage); there {
			place = label(first, first.Place.Line)
		}
		if !slices.Contains(from, place) {
			from = append(from, place)
		}
	}
	return acceptedFrom(pair.System, from)
}

// acceptance lists the way to keep an answer as a stored question, where answers are kept at all and
// something of this one may be.
func (m *menu) acceptance(q note.Question) {
	if !m.Settings.History.Harvest || m.Note.Private || q.Answer < 0 {
		return
	}
	result, known := m.finding(q)
	if known && history.Keepable(result) == nil {
		m.add(m.action(kindAnswer, titleAccept, commandAccept, Arguments{Question: q.ID}))
	}
}

// accept keeps an answer as a stored question.
func (c call) accept(ctx context.Context, q note.Question) (any, error) {
	switch {
	case c.Note.Private:
		return nil, lsp.Failed("%s", textPrivateNotKept)
	case !c.Settings.History.Harvest:
		return nil, lsp.Failed("%s", textNotKept)
	}
	if err := c.editor.Accept(ctx, c.URI, q); err != nil {
		return nil, lsp.Failed("Nothing was kept: %v.", err)
	}
	return Outcome{Done: true}, nil
}
