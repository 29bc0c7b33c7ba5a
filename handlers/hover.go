package handlers

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"lacuna/handlers/claims"
	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/handlers/note/query"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/entail"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/history"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/question"
)

// Hover explains what is at a position: for a citation the passage that it cites, for a question what is
// known about it. Anywhere else it is nil. It does not search; it compares a cited passage with its file.
func Hover(ctx context.Context, s Snapshot, at protocol.Position) (*protocol.Hover, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.outside(at) {
		return nil, nil
	}
	offset := s.offsetOf(at)
	if citation, quote, span, ok := s.Note.CitationAt(offset); ok {
		return s.hover(s.explainCitation(citation, quote), span), nil
	}
	if sentence, f, known := s.sentenceAt(offset); known && !(sentence.Answer >= 0 && f.Verdict == entail.Unchecked && f.Quote == "") {
		return s.hover(compareWith(sentence, f), sentence.Span), nil
	}
	if statement, ok := s.Note.StatementAt(offset); ok && messages.BasisMeaning(statement) != "" {
		var p hoverText
		p.add(messages.BasisMeaning(statement))
		return s.hover(p, statement.Span), nil
	}
	if q, ok := s.Note.QuestionAt(offset); ok {
		span := q.Span
		if offset > span.End { // in its answer
			span = passage.Span{Start: offset, End: offset}
		}
		return s.hover(s.explainQuestion(q), span), nil
	}
	return nil, nil
}

// compareWith shows a sentence of the note and what its source says below each other, with the words that differ
// set apart.
func compareWith(sentence note.Sentence, f claims.Finding) hoverText {
	var p hoverText
	p.strong(messages.ClaimVerdict(f))
	if f.Quote == "" {
		p.add(messages.ComparedWith(f))
	} else {
		p.marked(messages.ClaimHere, sentence.Text, f.Said, "", "")
		place := f.Place()
		target := ""
		if !isCompressed(place.File) {
			target = string(lsp.URI(place.File)) + note.Fragment(place.File, place.Line)
		}
		p.marked(messages.ClaimThere, f.Quote, f.Stated, label(f.Passage, place.Line), target)
	}
	if other := f.Elsewhere; other != nil {
		p.add(messages.StatedElsewhere(*other))
	}
	return p
}

func (s Snapshot) hover(p hoverText, span passage.Span) *protocol.Hover {
	p.small(messages.Footer)
	contents := protocol.MarkupContent{Kind: protocol.PlainText, Value: p.plain()}
	if s.Client.HoverMarkdown {
		contents = protocol.MarkupContent{Kind: protocol.Markdown, Value: p.markdown()}
	}
	shown := s.rangeOf(span)
	return &protocol.Hover{Contents: contents, Range: &shown}
}

// explainCitation shows the passage with the cited sentence emphasised, where it is from, and whether it is
// still there.
func (s Snapshot) explainCitation(citation note.Citation, quote string) hoverText {
	var p hoverText
	c := s.locate(citation, quote)
	if c.passage == nil {
		p.add(link(c.Path, c.Line))
		if quote != "" {
			p.add("“" + quote + "”")
		}
		p.add(s.whyGone(c))
		p.rewording(c)
		return p
	}
	from := c.passage
	p.add(messages.Breadcrumb(from))
	shown := from.Render()
	if c.quote == "" || c.altered {
		p.quoted(shown.Lines(passage.Span{End: len(from.Text)}))
	} else {
		p.quoted(shown.Lines(passage.Span{End: c.span.Start}))
		p.strong(shown.Span(c.span))
		p.quoted(shown.Lines(passage.Span{Start: c.span.End, End: len(from.Text)}))
	}
	where := label(from, c.place().Line) + ". "
	switch {
	case from.Date != "" && from.Question != "":
		where += messages.AnsweredOn(from.Date) + " "
	case from.Date != "":
		where += messages.DatedOn(from.Date) + " "
	}
	p.add(where + quoteState(c))
	p.rewording(c)
	if c.superseded.Reason != "" {
		p.strong(messages.Superseded(c.Path, c.superseded))
	}
	if rests := s.restsOn(from); rests != "" {
		p.add(rests)
	}
	return p
}

// rewording shows what the note quotes and what the source says now below each other.
func (p *hoverText) rewording(c citedPlace) {
	now := c.reworded
	if now.Passage == nil {
		return
	}
	p.marked(messages.ClaimHere, c.quote, now.Lost, "", "")
	place, target := now.Place(), ""
	if !isCompressed(place.File) {
		target = string(lsp.URI(place.File)) + note.Fragment(place.File, place.Line)
	}
	p.marked(messages.ClaimThere, now.Now, now.New, label(now.Passage, place.Line), target)
}

// quoteState says whether the source still has the cited words.
func quoteState(c citedPlace) string {
	onDisk, err := ingest.Resolve(c.place())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return messages.FileGone
	case err != nil || onDisk != c.passage.Text[c.span.Start:c.span.End]:
		return messages.FileChanged
	case c.altered && c.Edited:
		return messages.ChangedQuote(c.Path)
	case c.altered:
		return messages.QuoteGone
	case c.surroundingsChanged:
		return messages.SurroundingsChanged
	case c.elsewhere:
		return messages.CitedElsewhere(c.Path)
	}
	return messages.QuoteStands
}

// whyGone says what became of a citation whose passage is gone.
func (s Snapshot) whyGone(c citedPlace) string {
	switch {
	case len(s.Library.Passages()) == 0:
		return s.cannotAnswer()
	case s.isSource(c.file) && c.Edited:
		return messages.ChangedQuote(c.Path)
	case s.isSource(c.file):
		return messages.StaleCitation(c.Path)
	}
	return messages.BrokenCitation(c.Path)
}

// explainQuestion shows how far the sources answer a question: the sentences found, what is missing and
// why, a model's background, and what was asked before.
func (s Snapshot) explainQuestion(q note.Question) hoverText {
	var p hoverText
	result, known := s.finding(q)
	part, answering := s.part(q)
	nothing := s.cannotAnswer()
	switch {
	case nothing != "":
		p.strong(nothing)
		return p
	case answering:
		p.strong(messages.AnsweringSoFar)
		p.evidence(part.Evidence)
	case !known && s.Note.Private:
		p.strong(messages.NotePrivate)
	case q.Settled() && !known && q.Replied:
		p.strong(messages.RepliedBelow)
	case q.Settled() && !known:
		p.strong(messages.NotAsking)
	case !known && !s.Settings.Diagnostics.Enabled:
		p.strong(messages.NothingLookedUp)
	case !known:
		p.strong(messages.NotLookedUp)
	default:
		p.strong(messages.StatusWithoutGaps(result))
	}
	if !answering {
		p.statements(result)
		p.remarksAndNotices(result)
	}
	if !answering {
		p.conflicts(result)
	}
	s.explainGaps(&p, q, answering || result.State == answer.Nothing)
	if !answering {
		for i, round := range result.Rounds {
			p.item(messages.Round(i+1, round, s.placesOf(round.Found)))
		}
		p.places(result)
		p.model(result)
	}
	if related := messages.Related(result); len(related) > 0 {
		p.add(messages.RelatedHead)
		for _, asked := range related {
			p.item(messages.AskedBefore(asked.Question, asked.Date))
		}
	}
	sought := query.Of(s.Note, q)
	if sought != q.Text {
		p.small(messages.SearchedFor(sought))
	}
	p.small(messages.Understood(question.Read(sought)))
	p.small(messages.SearchIncomplete(s.Library.Status()))
	return p
}

// explainGaps lists the gaps of a question; near says whether to name the nearest passages.
func (s Snapshot) explainGaps(p *hoverText, q note.Question, near bool) {
	for _, g := range s.gaps(q) {
		p.item(messages.GapLine(g, s.isDismissed(q, g)))
		if near && len(g.Nearest) > 0 && s.isOpen(q, g) {
			p.item(messages.Nearest(g.Nearest))
		}
		if found := s.placesOf(g.Evidence); g.Status == gap.Retrieved && found != "" {
			p.item(messages.FoundIn(found))
		}
	}
}

// placesOf names the passages that still exist.
func (s Snapshot) placesOf(ids []passage.ID) string {
	var places []string
	for _, id := range ids {
		if found, ok := s.Library.Passage(id); ok {
			places = append(places, label(found, found.Place.Line))
		}
	}
	return strings.Join(places, "; ")
}

// link returns a place as a note has it.
func link(path string, line int) string {
	if line > 0 {
		return fmt.Sprintf("%s:%d", path, line)
	}
	return path
}

// places lists the nearest places below a line that says what they are, each with a link to its line.
func (p *hoverText) places(r answer.Result) {
	if len(r.Nearest) > 0 {
		p.add(messages.HeadOfPlaces(r))
	}
	for _, b := range messages.Bullets(r) {
		if b.Basis != note.Place {
			continue
		}
		at := slices.IndexFunc(r.Citations, func(c answer.Citation) bool { return c.N == b.Citations[0] })
		cited := r.Citations[at]
		b.Citations = nil // the place itself stands behind it
		where := paragraph{text: b.String(), item: true, label: label(cited.Passage, cited.Place().Line)}
		if file := cited.Place().File; !isCompressed(file) {
			where.target = string(lsp.URI(file)) + note.Fragment(file, cited.Place().Line)
		}
		p.append(where)
	}
}

// conflicts shows both sides of each conflict below each other, with the words that cannot both be true set apart.
func (p *hoverText) conflicts(r answer.Result) {
	for _, c := range r.Conflicts {
		p.add(messages.ConflictHead)
		for i, side := range []answer.Citation{c.A, c.B} {
			quote := plaintext.OneLine(side.Shown())
			var marks []passage.Span
			for _, d := range c.Differences {
				words := plaintext.OneLine([]string{d.Said, d.Stated}[i])
				if at := strings.Index(quote, words); words != "" && at >= 0 {
					marks = append(marks, passage.Span{Start: at, End: at + len(words)})
				}
			}
			place, target := side.Place(), ""
			if !isCompressed(place.File) {
				target = string(lsp.URI(place.File)) + note.Fragment(place.File, place.Line)
			}
			p.marked(messages.ConflictSide, quote, marks, label(side.Passage, place.Line), target)
		}
	}
}

// statements lists the sentences of an answer, each with its places or with what it rests on instead.
func (p *hoverText) statements(r answer.Result) {
	places := make(map[int]string)
	for _, c := range r.Citations {
		places[c.N] = label(c.Passage, c.Place().Line)
	}
	for _, b := range messages.Bullets(r) {
		switch b.Basis {
		case note.Place:
		case note.Quote:
			p.item(fmt.Sprintf("“%s” (%s)", plaintext.OneLine(b.Text), places[b.Citations[0]]))
		default:
			text := b.Text
			if remark := messages.Remark(b); remark != "" {
				text += " (" + remark + ")"
			}
			var from []string
			for _, n := range b.Citations {
				if !slices.Contains(from, places[n]) {
					from = append(from, places[n])
				}
			}
			if len(from) > 0 {
				text += " (" + strings.Join(from, "; ") + ")"
			}
			p.item(text)
		}
	}
}

// remarksAndNotices adds what the user should know about an answer and how it was made.
func (p *hoverText) remarksAndNotices(r answer.Result) {
	r.Stored = nil // useful only in the note
	for _, line := range append(remarks(r), Notices(r)...) {
		p.add(line)
	}
}

// mostWritten bounds a hover's background texts, and its passages of a running answer.
const mostWritten = 5

// mostPast bounds the past questions that a hover shows as reasons for a decision.
const mostPast = 3

// model shows a model's reasoning and background, and what the answer cost.
func (p *hoverText) model(r answer.Result) {
	if thought := messages.Shorten(messages.Sanitise(r.Thought, nil), maxThought); thought != "" {
		p.add(messages.WhyMissing + thought)
	}
	if len(r.Generated) > 0 {
		p.add(messages.BackgroundHead)
	}
	for _, w := range r.Generated[:min(len(r.Generated), mostWritten)] {
		text := messages.Shorten(messages.Sanitise(w.Text, nil), maxThought)
		if point := messages.Shorten(messages.Sanitise(w.Point, nil), gap.MaxText); point != "" {
			text = point + ": " + text
		}
		p.item(text)
	}
	for _, l := range r.Lacks {
		p.item(messages.Lack(l, r.System))
	}
	if d := r.Decision; d != nil {
		if !passedOver(r) {
			p.add(messages.Decision(r))
		}
		p.item(messages.Score(*d))
		for _, past := range d.Near[:min(len(d.Near), mostPast)] {
			p.item(messages.PastQuestion(past))
		}
	}
	p.small(messages.Cost(r))
}

// maxThought bounds the characters that a hover shows of one of a model's texts.
const maxThought = 400

// evidence lists the passages found so far.
func (p *hoverText) evidence(hits []knowledge.Hit) {
	for _, hit := range hits[:min(len(hits), mostWritten)] {
		p.item(fmt.Sprintf("%s (%s)", messages.Breadcrumb(hit.Passage), label(hit.Passage, hit.Passage.Place.Line)))
	}
}

// restsOn says which sources an accepted answer rests on; empty if the passage is not an accepted answer.
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
