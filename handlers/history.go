package handlers

import (
	"fmt"
	"slices"
	"strings"

	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/history"
	"lacuna/knowledge/passage"
)

// Disposition says what became of an answer in its note.
type Disposition string

const (
	Standing Disposition = "standing" // as it was written
	Changed  Disposition = "changed"
	Gone     Disposition = "gone" // or its question is
)

// DispositionOf compares the answer that was written below a question with what stands there now. It is the same
// answer where sources that it lists have been renamed.
func DispositionOf(n *note.Note, id note.QuestionID, r answer.Result, notePath string) Disposition {
	q, found := n.Find(id)
	if !found || q.Answer < 0 {
		return Gone
	}
	edit := n.Write(q, Compose(r, notePath))
	before, after := n.Text[:edit.Span.Start], n.Text[edit.Span.End:]
	if n.Text[edit.Span.Start:edit.Span.End] == edit.NewText {
		return Standing
	}
	written := note.Parse(before+edit.NewText+after, n.Language)
	if asWritten, found := written.Find(id); found && asWritten.Answer >= 0 && wordsOf(written, asWritten) == wordsOf(n, q) {
		return Standing
	}
	return Changed
}

// wordsOf is the answer of a question without where its sources are and how these are called.
func wordsOf(n *note.Note, q note.Question) string {
	block := n.Answers[q.Answer]
	var b strings.Builder
	from := block.Span.Start
	for _, c := range block.Citations {
		fmt.Fprintf(&b, "%s%d %s %q", n.Text[from:c.Span.Start], c.N, c.Passage, c.Quote)
		from = c.Span.End
	}
	return b.String() + n.Text[from:block.Span.End]
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
		if first, how := s.Library.Resolve(c.Passage, c.Near); how >= knowledge.Retitled {
			place = label(first, first.Place.Line)
		}
		if !slices.Contains(from, place) {
			from = append(from, place)
		}
	}
	return messages.AcceptedFrom(pair.System, from)
}

// acceptance lists the way to keep an answer as a stored question, where answers are kept at all and
// something of this one may be.
func (m *menu) acceptance(q note.Question) {
	if !m.Settings.History.Harvest || m.Note.Private || q.Answer < 0 {
		return
	}
	result, known := m.finding(q)
	if known && history.CheckKeepable(result) == nil {
		m.add(m.action(kindAnswer, messages.TitleAccept, commandAccept, Arguments{Question: q.ID}))
	}
}

// accept keeps an answer as a stored question.
func (c call) accept(q note.Question) (Outcome, error) {
	switch {
	case c.Note.Private:
		return Outcome{}, lsp.Failed("%s", messages.PrivateNotStored)
	case !c.Settings.History.Harvest:
		return Outcome{}, lsp.Failed("%s", messages.HarvestOff)
	}
	return succeed(Accept{q})
}
