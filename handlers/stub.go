package handlers

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/handlers/note/query"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/sanitise"
)

// stubSource returns the source for new pages: the first one that is a folder of running text inside the
// workspace.
func (s Snapshot) stubSource() (ingest.Source, bool) {
	for _, source := range s.Settings.Sources {
		if source.Kind != passage.Text || !source.Confined {
			continue
		}
		if info, err := os.Stat(source.Path); err == nil && info.IsDir() {
			return source, true
		}
	}
	return ingest.Source{}, false
}

// startPage creates a page about a gap. It contains only a heading and a comment, so that nothing of it can be
// quoted before the user has written it.
func (c call) startPage(q note.Question) (Outcome, error) {
	source, ok := c.stubSource()
	if !ok {
		return Outcome{}, lsp.Failed("%s", messages.NoStubPlace)
	}
	topic := plaintext.OneLine(sanitise.Visible(c.arguments.Query))
	if topic == "" {
		topic = q.Text
	}
	path, err := freePath(source.Path, slug(topic))
	if err != nil {
		return Outcome{}, lsp.Failed("%s", messages.NoPage(err))
	}
	return succeed(CreateFile{path, stub(c.arguments.headingFor(topic, q), q.Text)})
}

// maxHeading is the greatest length of a question, in characters, that becomes the heading of a page. A letter is none.
const maxHeading = 200

// headingFor returns the heading of a page about a gap: the question, if all of it is missing, so that what is written
// below answers it, or else the topic. There is no other heading, because one without text below it would be a passage,
// and close the gap.
func (a Arguments) headingFor(topic string, q note.Question) string {
	question := plaintext.OneLine(sanitise.Visible(q.Text))
	if a.Code == gap.MissingTopic || a.Code == gap.MissingAspect {
		if utf8.RuneCountInString(question) <= maxHeading {
			return question
		}
	}
	return topic
}

// stub returns the text of a new page that a question asks for.
func stub(heading, question string) string {
	question = strings.ReplaceAll(plaintext.OneLine(sanitise.Visible(question)), "--", "– ") // two hyphens could end the comment
	return fmt.Sprintf("# %s\n\n<!-- %s -->\n", escapeMarkdown(messages.UpperFirst(heading)), fmt.Sprintf(messages.StubPage, question))
}

// A section of a page of the sources whose heading asks a question can be stored with it as a pair: the section is
// the answer, and what the pair rests on.

// sectionAt returns the question in a heading of a page of the sources that an offset is below, or on; the innermost
// one if several are. False if the document is no such page.
func (s Snapshot) sectionAt(offset int) (note.Question, bool) {
	if s.Path == "" || s.Note.Private || !s.isSource(s.Path) {
		return note.Question{}, false
	}
	level := math.MaxInt
	for _, h := range slices.Backward(s.Note.Headings) {
		if h.Span.Start > offset || h.Level >= level {
			continue
		}
		level = h.Level
		for _, q := range s.Note.Questions {
			if h.Span.Start <= q.Span.Start && q.Span.End <= h.Span.End {
				return q, true
			}
		}
	}
	return note.Question{}, false
}

// section returns what a page of the sources says below a question in its heading, quoted whole. False if nothing is
// written there, or if the page has changed since it was read.
func (s Snapshot) section(q note.Question) (answer.Result, bool) {
	at := slices.IndexFunc(s.Note.Headings, func(h note.Heading) bool {
		return h.Span.Start <= q.Span.Start && q.Span.End <= h.Span.End
	})
	if at < 0 {
		return answer.Result{}, false
	}
	heading, end := s.Note.Headings[at], len(s.Note.Text)
	for _, h := range s.Note.Headings[at+1:] {
		if h.Level <= heading.Level {
			end = h.Span.Start
			break
		}
	}
	r := answer.Result{Question: answer.Question{Text: query.Of(s.Note, q)}, System: answer.OfflineID, State: answer.Answered}
	for _, p := range s.Library.Passages() {
		span := p.Place.Span
		if p.Place.File != s.Path || p.Kind != passage.Text || span.Start < heading.Span.End || span.Start >= end {
			continue
		}
		if span.End > end || s.Note.Text[span.Start:span.End] != p.Text {
			return answer.Result{}, false
		}
		whole := passage.Span{End: len(p.Text)}
		r.Citations = append(r.Citations, answer.Citation{N: len(r.Citations) + 1, Passage: p, Span: whole, Quote: p.Text})
		r.Statements = append(r.Statements, answer.Statement{Text: p.Text, Shown: p.Render().Span(whole), Citations: []int{len(r.Citations)}})
	}
	return r, len(r.Citations) > 0
}

// storeSection stores the section of a page below a question in its heading as the answer to that question. The page
// must be saved as it is: the pair rests on its file.
func (c call) storeSection(q note.Question) (Outcome, error) {
	switch {
	case c.Note.Private:
		return Outcome{}, lsp.Failed("%s", messages.PrivateNotStored)
	case !c.Settings.History.Harvest:
		return Outcome{}, lsp.Failed("%s", messages.HarvestOff)
	}
	here, ok := c.sectionAt(q.Span.Start)
	result, written := c.section(q)
	if !ok || here.ID != q.ID || !written {
		return Outcome{}, lsp.Failed("%s", messages.SectionNotStored)
	}
	for _, cited := range result.Citations {
		if text, err := ingest.Resolve(cited.Passage.Place); err != nil || text != cited.Passage.Text {
			return Outcome{}, lsp.Failed("%s", messages.SectionNotStored)
		}
	}
	return succeed(StorePair{q, result}, Show{messages.Message{Level: messages.Info, Text: messages.SectionStored}})
}

// freePath returns the path of a Markdown file in a folder that does not exist yet.
func freePath(folder, name string) (string, error) {
	for i := 1; i < 100; i++ {
		file := name + ".md"
		if i > 1 {
			file = fmt.Sprintf("%s-%d.md", name, i)
		}
		path := filepath.Join(folder, file)
		switch _, err := os.Lstat(path); {
		case os.IsNotExist(err):
			return path, nil
		case err != nil:
			return "", err
		}
	}
	return "", fmt.Errorf("%s: %w", filepath.Join(folder, name+".md"), fs.ErrExist)
}

// maxSlug is the greatest length of a file name in characters, without its extension.
const maxSlug = 60

// slug converts a topic to a file name: letters and digits of any script, in lower case, with hyphens. It
// never contains a separator or a dot, and is never empty or a name that Windows reserves.
func slug(topic string) string {
	words := strings.FieldsFunc(strings.ToLower(topic), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
	runes := []rune(strings.Join(words, "-"))
	if len(runes) > maxSlug {
		runes = runes[:maxSlug]
		if cut := strings.LastIndexByte(string(runes), '-'); cut > 0 {
			runes = []rune(string(runes)[:cut])
		}
	}
	switch name := string(runes); {
	case name == "":
		return "page"
	case lsp.IsReserved(name):
		return "page-" + name
	default:
		return name
	}
}
