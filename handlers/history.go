package handlers

import (
	"fmt"
	"strings"

	"lacuna/handlers/note"
	"lacuna/knowledge/answer"
)

// Disposition says what became of an answer in its note.
type Disposition string

const (
	Standing Disposition = "standing" // as it was written
	Changed  Disposition = "changed"
	Gone     Disposition = "gone" // or its question is
)

// DispositionOf compares the answer that was written below a question with what is there now. An answer
// whose sources were renamed counts as unchanged, and what it names as missing does not count.
func DispositionOf(n *note.Note, id note.QuestionID, r answer.Result, notePath string) Disposition {
	q, found := n.Find(id)
	if !found || q.Answer < 0 {
		return Gone
	}
	block := Compose(r, notePath)
	block.Lean = n.Answers[q.Answer].Lean
	edit := n.Write(q, block)
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

// wordsOf returns the answer of a question without the paths and names of its sources, and without what is missing.
func wordsOf(n *note.Note, q note.Question) string {
	block := n.Answers[q.Answer]
	var b strings.Builder
	from := block.Span.Start
	for _, m := range block.Missing { // before the sources
		b.WriteString(strings.TrimRight(n.Text[from:m.Span.Start], " \t\r\n"))
		from = m.Span.End
	}
	for _, c := range block.Citations {
		fmt.Fprintf(&b, "%s%d %s %q", n.Text[from:c.Span.Start], c.N, c.Passage, c.Quote)
		from = c.Span.End
	}
	return b.String() + n.Text[from:block.Span.End]
}
