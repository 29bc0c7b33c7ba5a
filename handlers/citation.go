package handlers

import (
	"cmp"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"lacuna/handlers/claims"
	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/handlers/note/query"
	"lacuna/handlers/wiki"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/sanitise"
	"lacuna/knowledge/superseded"
)

// citedPlace is a citation of a note, resolved in the current library.
type citedPlace struct {
	note.Citation
	quote               string             // the words in the note; empty where no mark uses the citation
	file                string             // that the citation links to
	passage             *passage.Passage   // nil when the library holds neither the passage nor the sentence
	span                passage.Span       // of the quote in passage.Text; the whole text where there is no quote
	surroundingsChanged bool               // the sentence is there, in a passage that has changed around it
	elsewhere           bool               // its words are in another file, under another title or heading
	altered             bool               // the passage is there without these words
	superseded          superseded.Finding // what speaks against the source; its reason is empty if nothing does
	reworded            claims.Rewording   // the sentence that says it in other words now; its passage is nil if there is none
}

// trouble returns the code and the message of what keeps the words of a citation from being what its source says;
// both are empty if nothing does.
func (s Snapshot) trouble(c citedPlace) (code, message string) {
	switch {
	case c.reworded.Passage != nil && c.Edited:
		return CodeStaleCitation, messages.EditedQuote(c.Path, c.quote, c.reworded)
	case c.reworded.Passage != nil:
		return CodeStaleCitation, messages.RewordedCitation(c.Path, c.quote, c.reworded)
	case c.passage == nil && c.Edited && s.isSource(c.file):
		return CodeStaleCitation, messages.ChangedQuote(c.Path)
	case c.passage == nil && s.isSource(c.file):
		return CodeStaleCitation, messages.StaleCitation(c.Path)
	case c.passage == nil:
		return CodeBrokenCitation, messages.BrokenCitation(c.Path)
	case c.altered:
		return CodeStaleCitation, messages.ChangedQuote(c.Path)
	case c.elsewhere:
		return CodeStaleCitation, messages.CitedElsewhere(c.Path)
	}
	return "", ""
}

// Cited is a source that an answer in a note lists, as the sources have it now.
type Cited struct {
	N       int
	Path    string           // of the file, or the name of the page, as the note has it
	Quote   string           // what the note quotes; empty if a model's sentence cites it without
	Passage *passage.Passage // nil if the sources hold neither the passage nor the words
	Place   passage.Place    // of the quote, or of what it says now; the zero value without a passage
	// Troubles say what speaks against relying on it: its words have changed or are gone, or another page replaces it.
	Troubles []string
}

// Cited resolves the sources that the answer below a question lists, in their order; none without an answer.
func (s Snapshot) Cited(q note.Question) []Cited {
	if q.Answer < 0 {
		return nil
	}
	block := s.Note.Answers[q.Answer]
	var all []Cited
	for _, listed := range block.Citations {
		one := Cited{N: listed.N, Path: listed.Path}
		for _, quote := range quotesOf(block, listed) {
			c := s.locate(listed, quote)
			if one.Passage == nil && c.passage != nil {
				one.Passage, one.Place, one.Quote = c.passage, c.place(), quote
			}
			if one.Passage == nil && c.reworded.Passage != nil {
				one.Passage, one.Place = c.reworded.Passage, c.reworded.Place()
			}
			one.Quote = cmp.Or(one.Quote, quote)
			troubles := []string{}
			if _, message := s.trouble(c); message != "" {
				troubles = append(troubles, message)
			}
			if c.superseded.Reason != "" {
				troubles = append(troubles, messages.Superseded(c.Path, c.superseded))
			}
			for _, t := range troubles {
				if t = sanitise.Visible(t); !slices.Contains(one.Troubles, t) {
					one.Troubles = append(one.Troubles, t)
				}
			}
		}
		all = append(all, one)
	}
	return all
}

// quotesOf returns all verbatim texts that a listed source is cited for; an empty one if nothing quotes it.
func quotesOf(block note.Answer, listed note.Citation) []string {
	if listed.Quote != "" {
		return []string{listed.Quote}
	}
	var quotes []string
	for _, mark := range block.Marks {
		if mark.N == listed.N && mark.Quote != "" {
			quotes = append(quotes, mark.Quote)
		}
	}
	if len(quotes) == 0 {
		return []string{""}
	}
	return quotes
}

// locate finds the passage of a citation: by its identity, preferring the file that the citation leads to;
// if the passage has changed, by the quoted words in that file; if it is gone, by its text in another file.
// It reads no files.
func (s Snapshot) locate(c note.Citation, quote string) citedPlace {
	found := s.findCited(c, quote)
	cited := found.passage
	if cited == nil && quote != "" {
		found.reworded, _ = claims.Reworded(s.Library.Citable(), found.file, quote)
		cited = found.reworded.Passage
		if c.Edited && cited != nil { // its source says what it said
			found.passage, found.span, found.altered = cited, found.reworded.Span, true
		}
	}
	if cited != nil {
		found.superseded, _ = s.Library.Superseded(cited, s.Today)
	}
	return found
}

// findCited finds the passage of a citation.
func (s Snapshot) findCited(c note.Citation, quote string) citedPlace {
	found := citedPlace{Citation: c, quote: quote, file: s.citedFile(c, quote)}
	p, how := s.Library.Resolve(c.Passage, near(found.file, c.Line))
	if how < knowledge.Retitled && quote != "" {
		if p, span, holds := s.quotedIn(found.file, c.Line, quote); holds {
			found.passage, found.span, found.surroundingsChanged = p, span, c.Passage != passage.ID{}
			return found
		}
	}
	if c.Passage == (passage.ID{}) {
		return s.findByWords(found)
	}
	if how == knowledge.Lost {
		return found
	}
	found.passage, found.elsewhere = p, how == knowledge.Elsewhere
	span, holds := findShown(p, quote)
	if !holds { // the note shows some characters by name
		_, holds = findQuote(sanitise.Visible(p.Text), quote)
	}
	found.span, found.altered = span, !holds
	return found
}

// citedFile returns the file that a citation leads to. Of the files that the name of a page may mean it is the first
// that holds the quote.
func (s Snapshot) citedFile(c note.Citation, quote string) string {
	if !c.Wiki {
		return fileOf(s.Path, c.Path)
	}
	var first, last string
	for _, p := range s.Library.Citable() {
		if file := p.Place.File; file != last && wiki.Means(c.Path, file) {
			if last = file; quote == "" {
				return file
			}
			if _, _, holds := s.quotedIn(file, c.Line, quote); holds {
				return file
			}
			first = cmp.Or(first, file)
		}
	}
	return cmp.Or(first, fileOf(s.Path, c.Path))
}

// quotedIn finds a quote in a file: in the passage that holds it nearest to a line.
func (s Snapshot) quotedIn(file string, line int, quote string) (best *passage.Passage, span passage.Span, holds bool) {
	nearest := 0
	for _, p := range s.Library.Citable() {
		if !lsp.SamePath(p.Place.File, file) {
			continue
		}
		if at, ok := findShown(p, quote); ok {
			far := p.PlaceOf(at).Line - line
			if far = max(far, -far); !holds || far < nearest {
				best, span, holds, nearest = p, at, true, far
			}
		}
	}
	return best, span, holds
}

// findByWords finds the passage of a citation that has no identity and whose words are not in its file: in another
// file, or in the note as Lacuna shows them; without words, at its line.
func (s Snapshot) findByWords(c citedPlace) citedPlace {
	words := strings.Fields(c.quote)
	for _, p := range s.Library.Citable() {
		here := lsp.SamePath(p.Place.File, c.file)
		if len(words) == 0 {
			if here && near(c.file, c.Line)(p) == 3 {
				c.passage, c.span = p, passage.Span{End: len(p.Text)}
				return c
			}
			continue
		}
		if here {
			if _, holds := findQuote(sanitise.Visible(p.Text), c.quote); holds { // the note shows some characters by name
				c.passage, c.span, c.elsewhere = p, passage.Span{End: len(p.Text)}, false
				return c
			}
		}
		if c.passage == nil && strings.Contains(p.Text, longest(words)) {
			if span, holds := findShown(p, c.quote); holds {
				c.passage, c.span, c.elsewhere = p, span, true
			}
		}
	}
	return c
}

// longest returns the longest of some words, which fewest texts hold.
func longest(words []string) string {
	return slices.MaxFunc(words, func(a, b string) int { return len(a) - len(b) })
}

// near ranks passages by how near they are to a line of a file, for [knowledge.Library.Resolve].
func near(file string, line int) func(*passage.Passage) int {
	return func(p *passage.Passage) int {
		last := p.LineAt(len(p.Text))
		switch {
		case !lsp.SamePath(p.Place.File, file):
			return 0
		case line < p.Place.Line || last < line:
			return 1
		case line > p.Place.Line:
			return 2
		}
		return 3
	}
}

// quoteOf returns the verbatim text that a listed source is cited for; empty if nothing quotes it.
func quoteOf(block note.Answer, listed note.Citation) string {
	for _, mark := range block.Marks {
		if listed.Quote == "" && mark.N == listed.N {
			return mark.Quote
		}
	}
	return listed.Quote
}

// place returns where the quote is on disk, in the units of [passage.Place].
func (c citedPlace) place() passage.Place { return c.passage.PlaceOf(c.span) }

// findShown finds a quote in a passage: as a reader sees it, or as it is written, which is how notes had
// it before.
func findShown(p *passage.Passage, quote string) (span passage.Span, holds bool) {
	if span, holds = findQuote(p.Text, quote); holds {
		return span, true
	}
	if found, ok := p.Render().Find(quote); ok {
		return found, true
	}
	return span, false
}

// findQuote finds a quote in a text by its words, with any white space between them. For an empty quote, or
// one that is not found, the span is the whole text.
func findQuote(text, quote string) (span passage.Span, holds bool) {
	whole := passage.Span{End: len(text)}
	words := strings.Fields(quote)
	if len(words) == 0 {
		return whole, true
	}
	start, end, holds := plaintext.FindWords(text, words)
	if !holds {
		return whole, false
	}
	return passage.Span{Start: start, End: end}, true
}

// nearestPlace is one of the places that come nearest to a question, resolved in the current library.
type nearestPlace struct {
	citedPlace
	statement answer.Statement // as it was found, with its lead; empty if only the note has it
}

// nearestPlaces returns the nearest places that the block below a question lists or, without a block, those
// that are known. It leaves out those whose source no longer holds them.
func (s Snapshot) nearestPlaces(q note.Question) []nearestPlace {
	result, _ := s.known(q)
	var places []nearestPlace
	add := func(c note.Citation, quote string) {
		p := nearestPlace{citedPlace: s.locate(c, quote)}
		if p.passage == nil || p.altered {
			return
		}
		for _, found := range result.Nearest {
			if text := messages.PlaceQuote(found); text == quote {
				p.statement = found
			}
		}
		places = append(places, p)
	}
	if q.Answer >= 0 {
		block := s.Note.Answers[q.Answer]
		for _, mark := range block.Marks {
			at := slices.IndexFunc(block.Citations, func(c note.Citation) bool { return c.N == mark.N })
			if mark.Basis == note.Place && at >= 0 {
				add(block.Citations[at], mark.Quote)
			}
		}
		return places
	}
	for _, found := range result.Nearest {
		at := slices.IndexFunc(result.Citations, func(c answer.Citation) bool { return slices.Contains(found.Citations, c.N) })
		if at >= 0 {
			c := result.Citations[at]
			place := c.Place()
			add(note.Citation{N: c.N, Passage: c.Passage.ID, Path: pathFrom(s.Path, place.File), Line: place.Line}, messages.PlaceQuote(found))
		}
	}
	return places
}

// id names the place for a command, so that it means the same place if the answer has changed since.
func (p nearestPlace) id() string {
	if p.Passage == (passage.ID{}) {
		return p.passage.ID.String()
	}
	return p.Passage.String()
}

// taken returns the answer that a place is, if the user takes it as one.
func (s Snapshot) taken(q note.Question, p nearestPlace) answer.Result {
	statement := p.statement
	statement.Text, statement.Citations = p.passage.Text[p.span.Start:p.span.End], []int{1}
	statement.Shown = p.passage.Render().Span(p.span)
	return answer.Result{
		Question: answer.Question{Text: query.Of(s.Note, q)}, System: answer.OfflineID, State: answer.Answered, Taken: true,
		Statements: []answer.Statement{statement},
		Citations:  []answer.Citation{{N: 1, Passage: p.passage, Span: p.span, Quote: statement.Text}},
	}
}

// chosen returns what the user made of the nearest places of a question, as far as the note says so and the
// sources still hold it.
func (s Snapshot) chosen(q note.Question) (answer.Result, bool) {
	if q.Answer < 0 {
		return answer.Result{}, false
	}
	block := s.Note.Answers[q.Answer]
	switch {
	case block.Status == note.NoPlace:
		result, _ := s.known(q)
		return s.withoutPlaces(q, result), true
	case block.Status != note.Taken || len(block.Marks) != 1 || len(block.Citations) != 1:
		return answer.Result{}, false
	}
	p := nearestPlace{citedPlace: s.locate(block.Citations[0], block.Marks[0].Quote)}
	if p.passage == nil || p.altered {
		return answer.Result{}, false
	}
	return s.taken(q, p), true
}

// withoutPlaces returns a result as it is once the user has dismissed its nearest places.
func (s Snapshot) withoutPlaces(q note.Question, r answer.Result) answer.Result {
	return answer.Result{
		Question: answer.Question{Text: query.Of(s.Note, q)}, System: answer.OfflineID, State: answer.Nothing, Reason: answer.NoPlace,
		Gaps: r.Gaps, MissingProbability: r.MissingProbability, Evidence: r.Evidence,
	}
}

// ChangesView is the answer of lacuna.listChanges: the quotes of a note whose sources say it in other words now.
type ChangesView struct {
	Version int          `json:"version"`
	Changes []ChangeView `json:"changes"`
}

// ChangeView is one such quote, and the sentence that stands in its place.
type ChangeView struct {
	Range protocol.Range       `json:"range"` // of the citation in the note
	Was   string               `json:"was"`   // the quote
	Now   string               `json:"now"`   // the sentence, as it stands in the file
	URI   protocol.DocumentURI `json:"uri"`   // of the file
	Line  int                  `json:"line"`  // of the sentence, from 1; 0 where the file has none
}

// ListChanges compares the quotes of a note with the sources as they were last read.
func ListChanges(s Snapshot) ChangesView {
	view := ChangesView{Version: viewVersion, Changes: []ChangeView{}}
	add := func(span passage.Span, listed note.Citation, quote string) {
		if c := s.locate(listed, quote); c.reworded.Passage != nil {
			place := c.reworded.Place()
			view.Changes = append(view.Changes, ChangeView{
				Range: s.rangeOf(span), Was: sanitise.Visible(quote), Now: c.reworded.Passage.Text[c.reworded.Span.Start:c.reworded.Span.End],
				URI: lsp.URI(place.File), Line: place.Line,
			})
		}
	}
	for _, block := range s.Note.Answers {
		for _, mark := range block.Marks {
			at := slices.IndexFunc(block.Citations, func(c note.Citation) bool { return c.N == mark.N })
			if at >= 0 && (mark.Basis == note.Quote || mark.Basis == note.Place) {
				add(mark.Span, block.Citations[at], mark.Quote)
			}
		}
		for _, listed := range block.Citations {
			if listed.Quote != "" {
				add(listed.Span, listed, listed.Quote)
			}
		}
	}
	return view
}
