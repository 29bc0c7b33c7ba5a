package handlers

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/handlers/wiki"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/sanitise"
)

// Completion completes four things: in an answer, the numbers of its sources; behind two opening brackets in
// Markdown, the names of the sources' files and their headings, as wikis link them; behind one bracket elsewhere, places
// in the sources whose names contain what was typed; at the beginning of a comment, Lacuna's directives. It looks up and never searches. Anywhere else the list is empty.
func Completion(ctx context.Context, s Snapshot, at protocol.Position, byCharacter bool) (*protocol.CompletionList, error) {
	list := &protocol.CompletionList{Items: []protocol.CompletionItem{}}
	if err := ctx.Err(); err != nil || s.outside(at) {
		return list, err
	}
	c := completion{Snapshot: s, list: list, cursor: s.offsetOf(at)}
	c.start, c.end = s.Note.Lines.Span(int(at.Line))
	line := s.Note.Text[c.start:c.cursor]
	if opened := strings.LastIndex(line, "[["); opened >= 0 && s.Note.Language == note.Markdown && !strings.ContainsAny(line[opened:], "]|") {
		c.pages(ctx, opened)
		return list, ctx.Err()
	}
	if opened := strings.LastIndexByte(line, '['); opened >= 0 && !strings.ContainsAny(line[opened:], "]") {
		if block, ok := s.answerAt(c.cursor); ok {
			c.numbers(block, opened)
		} else if !byCharacter {
			c.places(ctx, opened)
		}
		return list, ctx.Err()
	}
	c.directives(line)
	return list, nil
}

// InlineCompletion offers the answer to the question that ends at a position, if the sources give one outright: what
// the command would write, without a model. Judge makes the finding of a question known. A question that stands in a
// line with something behind it, has an answer, or whose answer goes elsewhere, has none to offer. Whoever has just
// written its mark means it as one, whatever the lines around it look like.
func InlineCompletion(ctx context.Context, s Snapshot, at protocol.Position, judge func(context.Context, note.Question)) (lsp.InlineCompletionList, error) {
	list := lsp.InlineCompletionList{Items: []lsp.InlineCompletionItem{}}
	if s.outside(at) || !s.Settings.Hints.Inline || s.cannotAnswer() != "" {
		return list, nil
	}
	cursor := s.offsetOf(at)
	for _, q := range s.Note.Questions {
		if q.Span.End > cursor || q.Answer >= 0 || q.Replied || strings.TrimSpace(s.Note.Text[q.Span.End:cursor]) != "" {
			continue
		}
		judge(ctx, q)
		r, known := s.known(q)
		if !known || r.State != answer.Answered || messages.WrittenByModel(r) {
			continue
		}
		if edit, ok := s.write(q, r); ok {
			if text, ok := insertedAt(s.Note.Text, cursor, edit); ok {
				list.Items = append(list.Items, lsp.InlineCompletionItem{InsertText: text, Range: protocol.Range{Start: at, End: at}})
			}
		}
	}
	return list, ctx.Err()
}

// insertedAt returns the text that makes an edit if it is inserted at the cursor, before the white space that stands
// between the cursor and the place of the edit.
func insertedAt(text string, cursor int, edit Edit) (string, bool) {
	if edit.Span.Start != edit.Span.End || edit.Span.Start < cursor {
		return "", false
	}
	between := text[cursor:edit.Span.Start]
	whole := between + edit.NewText
	if strings.TrimSpace(between) != "" || !strings.HasSuffix(whole, between) {
		return "", false
	}
	return strings.TrimSuffix(whole, between), true
}

// completion builds one list.
type completion struct {
	Snapshot
	list       *protocol.CompletionList
	cursor     int
	start, end int // of the line
}

// answerAt returns the answer block at an offset.
func (s Snapshot) answerAt(offset int) (note.Answer, bool) {
	for _, block := range s.Note.Answers {
		if block.Span.Start <= offset && offset <= block.Span.End {
			return block, true
		}
	}
	return note.Answer{}, false
}

// add offers a text that replaces the line from an offset to the cursor, and a tail behind the cursor that
// an editor may have inserted.
func (c *completion) add(from int, tail string, item protocol.CompletionItem, text string) {
	end := c.cursor
	if behind := c.Note.Text[c.cursor:c.end]; tail != "" {
		trimmed := strings.TrimLeft(behind, " ")
		if strings.HasPrefix(trimmed, tail) {
			end += len(behind) - len(trimmed) + len(tail)
		}
	}
	item.TextEdit = &protocol.TextEdit{Range: c.rangeOf(passage.Span{Start: c.start + from, End: end}), NewText: text}
	item.SortText = fmt.Sprintf("%04d", len(c.list.Items))
	c.list.Items = append(c.list.Items, item)
}

// numbers offers the sources of an answer.
func (c *completion) numbers(block note.Answer, opened int) {
	for _, listed := range block.Citations {
		text := fmt.Sprintf("[%d]", listed.N)
		item := protocol.CompletionItem{
			Label: text, FilterText: text, Kind: protocol.CompletionItemKindReference,
			Detail: sanitise.Visible(link(listed.Path, listed.Line)),
		}
		if quote := quoteOf(block, listed); quote != "" {
			item.Documentation = "“" + sanitise.Visible(quote) + "”"
		}
		c.add(opened, "]", item, text)
	}
}

// Bounds on the places that are offered.
const (
	mostPlaces = 50
	leastTyped = 2   // letters; fewer would match everything
	shownText  = 300 // characters of a passage
)

// places offers the passages whose title, headings or file contain what was typed.
func (c *completion) places(ctx context.Context, opened int) {
	typed := strings.TrimSpace(c.Note.Text[c.start+opened+1 : c.cursor])
	if utf8.RuneCountInString(typed) < leastTyped || c.Note.Private {
		c.list.IsIncomplete = utf8.RuneCountInString(typed) > 0
		return
	}
	c.list.IsIncomplete = true // further letters may match others
	wanted := strings.ToLower(typed)
	seen := make(map[string]bool)
	for i, p := range c.Library.Passages() {
		if len(c.list.Items) == mostPlaces || i%1024 == 0 && ctx.Err() != nil {
			return
		}
		if !isNamed(p, wanted) {
			continue
		}
		name := sanitise.Visible(messages.Breadcrumb(p))
		if where := label(p, p.Place.Line); !seen[p.Source+name] && !isCompressed(p.Place.File) {
			seen[p.Source+name] = true
			c.add(opened, "]", protocol.CompletionItem{
				Label: name, Detail: sanitise.Visible(where), FilterText: "[" + typed + " " + name,
				Kind: protocol.CompletionItemKindFile, Documentation: messages.Shorten(sanitise.Visible(p.Text), shownText),
			}, c.placeText(p, name))
		}
	}
}

// pages offers links in double brackets to the files of the sources whose names contain what was typed, and to
// headings that do; behind a number sign, to the headings of the page before it.
func (c *completion) pages(ctx context.Context, opened int) {
	typed := strings.TrimSpace(c.Note.Text[c.start+opened+2 : c.cursor])
	page, heading, headed := strings.Cut(typed, "#")
	c.list.IsIncomplete = true // further letters may match others
	if utf8.RuneCountInString(page) < leastTyped || c.Note.Private {
		return
	}
	page, heading = strings.ToLower(page), strings.ToLower(heading)
	names := pageNames(c.Library.Passages())
	seen := make(map[string]bool)
	add := func(p *passage.Passage, target string) {
		if target != "" && !seen[target] && len(c.list.Items) < mostPlaces {
			seen[target] = true
			shown := sanitise.Visible(target)
			c.add(opened, "]]", protocol.CompletionItem{
				Label: shown, Detail: sanitise.Visible(label(p, p.Place.Line)), FilterText: "[[" + typed + " " + shown, Kind: protocol.CompletionItemKindFile,
			}, "[["+target+"]]")
		}
	}
	for i, p := range c.Library.Passages() {
		if i%1024 == 0 && ctx.Err() != nil {
			return
		}
		name := names[p.Place.File]
		if name == "" || p.Place.File == c.Path && !headed {
			continue
		}
		switch lower := strings.ToLower(name); {
		case headed && lower != page:
			continue
		case !headed && (strings.Contains(lower, page) || containsFolded(p.Title, page)):
			add(p, name)
		}
		for _, h := range p.Headings {
			if wanted := heading; headed && strings.Contains(strings.ToLower(h), wanted) || !headed && containsFolded(h, page) {
				add(p, name+"#"+wiki.Heading(h))
			}
		}
	}
}

// pageNames returns how a wiki names each file of the sources. Files whose names such a link cannot hold have none.
func pageNames(passages []*passage.Passage) map[string]string {
	var files []string
	for _, p := range passages {
		if file := p.Place.File; !isCompressed(file) && (len(files) == 0 || files[len(files)-1] != file) {
			files = append(files, file)
		}
	}
	all, names := wiki.NamesOf(files), make(map[string]string, len(files))
	for _, file := range files {
		if name, ok := all.Of(file); ok {
			names[file] = name
		}
	}
	return names
}

// placeText returns what to write into the note for a place of a source.
func (c *completion) placeText(p *passage.Passage, name string) string {
	if c.Note.Language != note.Markdown {
		name = sanitise.Visible(label(p, p.Place.Line))
	}
	return c.Note.Language.Link(note.BlockSource{Label: name, Path: pathFrom(c.Path, p.Place.File), Line: p.Place.Line})
}

// isNamed reports whether a name of a passage contains wanted, which is in lower case.
func isNamed(p *passage.Passage, wanted string) bool {
	if containsFolded(p.Title, wanted) || containsFolded(p.Question, wanted) || containsFolded(p.Record, wanted) || containsFolded(p.Source, wanted) {
		return true
	}
	for _, heading := range append(p.Names(), p.Headings...) {
		if containsFolded(heading, wanted) {
			return true
		}
	}
	return false
}

// containsFolded reports whether a text contains wanted, which is in lower case, ignoring case. It does not
// allocate if both are ASCII.
func containsFolded(text, wanted string) bool {
	first := wanted[0]
	if first >= utf8.RuneSelf {
		return strings.Contains(strings.ToLower(text), wanted)
	}
	for i := 0; i+len(wanted) <= len(text); i++ {
		if b := text[i]; (b == first || 'A' <= b && b <= 'Z' && b+'a'-'A' == first) && strings.EqualFold(text[i:i+len(wanted)], wanted) {
			return true
		}
	}
	return false
}

// directives offers the directives that begin like the line, if the line has nothing else. If a comment
// begins like other things, such as a heading in Org, at least one letter must follow.
func (c *completion) directives(line string) {
	trimmed := strings.TrimLeft(line, " \t")
	comment := c.Note.Language.Comment()
	typed := strings.ReplaceAll(trimmed, " ", "")
	if len(typed) == 0 || typed == comment && comment != "<!--" {
		return
	}
	inFront := c.Note.Lines.LineAt(c.start) < c.Note.FrontMatter()
	for _, word := range note.Directives() {
		text := c.Note.Language.Directive(word)
		inComment := strings.HasPrefix(text, comment)
		if inComment == inFront || text == "" || !strings.HasPrefix(strings.ReplaceAll(text, " ", ""), typed) {
			continue
		}
		c.add(len(line)-len(trimmed), "-->", protocol.CompletionItem{
			Label: "lacuna: " + word, FilterText: text, Kind: protocol.CompletionItemKindKeyword, Detail: messages.Directive(word),
		}, text)
	}
}
