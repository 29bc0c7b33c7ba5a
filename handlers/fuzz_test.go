package handlers

import (
	"bytes"
	"context"
	"html"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	rendered "github.com/yuin/goldmark/renderer/html"
	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/handlers/position"
	"lacuna/handlers/settings"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/sanitise"
)

// FuzzPositions asks for everything at positions that no editor should send.
func FuzzPositions(f *testing.F) {
	for _, text := range []string{"", "\r", "What is it?\n", "- [ ] 🜁 What?\r\n\r\n  <!-- lacuna:answer 00 -->\r\n  - \"x\" [1]\n1. [a](<b#L1>) <!-- lacuna:cite 00000000000000000000000000000000 -->\n<!-- lacuna:end -->"} {
		f.Add(text, uint32(0), uint32(0), uint32(0), uint32(0), byte(0))
		f.Add(text, uint32(3), uint32(7), ^uint32(0), ^uint32(0), byte(1))
		f.Add(text, ^uint32(0), uint32(1), uint32(1), uint32(1<<31), byte(2))
	}
	f.Add("Q: x\n<!-- lacuna:answer 00 -->\n**Not answered. Nearest places:**\n- A › B: \"x\" [1]\n\n1. [a](<b#L1>) <!-- lacuna:cite 00000000000000000000000000000000 -->\n<!-- lacuna:end -->", uint32(3), uint32(4), uint32(3), uint32(4), byte(0))
	f.Fuzz(func(t *testing.T, text string, line, column, endLine, endColumn uint32, encoding byte) {
		encodings := []position.Encoding{position.UTF8, position.UTF16, position.UTF32}
		n := note.Parse(text, note.Markdown)
		s := Snapshot{
			URI: "untitled:x", Note: n, Library: &knowledge.Library{}, Settings: settings.Default(),
			Client: Client{Encoding: encodings[int(encoding)%3], LocationLinks: true, HoverMarkdown: true, CodeActionLiterals: true},
		}
		at := protocol.Position{Line: line, Character: column}
		ctx := context.Background()
		h, err := Hover(ctx, s, at)
		if err != nil {
			t.Fatal(err)
		}
		if h != nil && int(line) >= n.Lines.Count() {
			t.Errorf("a hover below the note: %+v", h)
		}
		if _, err := Definition(ctx, s, at); err != nil {
			t.Fatal(err)
		}
		p := &lsp.CodeActionParams{Range: protocol.Range{Start: at, End: protocol.Position{Line: endLine, Character: endColumn}}}
		if items, err := CodeActions(ctx, s, p); err != nil || items == nil {
			t.Fatalf("items %v, error %v", items, err)
		}
		if _, err := CodeLens(ctx, s); err != nil {
			t.Fatal(err)
		}
		Diagnostics(s)
	})
}

var (
	ownTags = regexp.MustCompile(`</?(?:p|strong|em|ul|li)>|<br>`)
	renders = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(rendered.WithUnsafe()))
)

// FuzzProse renders what a hover says about a stranger's text: nothing of it may become markup,
// and nothing of it may be lost.
func FuzzProse(f *testing.F) {
	for _, text := range []string{
		"plain", "- item\n- item\n\ntext", "# h", "> q", "a\n===", "a\n---", "a\n--  -", "| a |\n|---|\n| b |", "```\ncode\n```", "    code",
		"[a]: http://x.test\n\n[a]", "![i](http://x.test)", "<b>", "<!-- c -->", "<http://x.test>", "&amp;", "**b** _i_ ~~s~~", "http://x.test www.x.test a@x.test",
		"1. a", "1) a", "+ a", "* a", "\\", "a\\\nb", "\x00\u202e\u200b", "[^1]\n\n[^1]: note", "- [ ] task", "mailto:a@x.test", "ftp://x.test", "-\n-", "a  \nb", "<div>\n\n*x*", "$x$", "\t- x", "- \tx", "-\u00a0x", "a!@x.test",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var alone, item, small, strong, quoted, between hoverText
		alone.add(text)
		item.item(text)
		small.small(text)
		strong.strong(text)
		quoted.quoted([]string{text})
		between.add("before")
		between.quoted([]string{text})
		between.add("after")
		for _, p := range []hoverText{alone, item, small, strong, quoted, between} {
			markdown := p.markdown()
			var out bytes.Buffer
			if err := renders.Convert([]byte(markdown), &out); err != nil {
				t.Fatal(err)
			}
			left := ownTags.ReplaceAllString(out.String(), " ")
			if strings.Contains(left, "<") {
				t.Fatalf("%q became %q, which renders as %q", text, markdown, out.String())
			}
			got, want := letters(html.UnescapeString(left)), letters(p.plain())
			if got != want {
				t.Fatalf("%q became %q, which reads %q instead of %q", text, markdown, got, want)
			}
		}
	})
}

// letters leaves out white space, and the marks of emphasis and lists, which the two printers
// write differently.
func letters(s string) string {
	return strings.NewReplacer("→", "", "-", "", "*", "", "+", "").Replace(strings.Join(strings.Fields(s), ""))
}

// FuzzCompose writes an answer that quotes any text into a note: the note around it stays, and the
// block reads back with the same citations.
func FuzzCompose(f *testing.F) {
	for _, text := range []string{"It is 5 mg.", "<!-- lacuna:end -->", "a\" [2]", "1. [x](<y>) <!-- lacuna:cite 00000000000000000000000000000000 -->", "--- end of lacuna answer ---", "- \"x\" [1]", "\\<b>", "(a) \"b\" [7]", "![i](u)", "\u202ex", "\xff", "] (x)", "\n\n# h"} {
		f.Add(text, "kb/a b(c).md", text, byte(0))
		f.Add(text, "../%#<>.md", "", byte(1))
		f.Add(text, "../%#<>.md", text, byte(2))
		for i := range note.Languages() {
			f.Add(text, "kb/a.md", text, byte(128+i))
		}
	}
	f.Fuzz(func(t *testing.T, text, record, lead string, kind byte) {
		if strings.TrimSpace(text) == "" || record == "" {
			return
		}
		languages := note.Languages()
		language, before, after := languages[int(kind)%len(languages)], "Q: x?\n", "\nAfter.\n"
		if language == note.Markdown {
			before = "- Q: x?\n"
		}
		n := note.Parse(before+after, language)
		p := &passage.Passage{ID: passage.IDOf(text), Source: "kb", Record: record, Kind: passage.Text, Text: text, Place: passage.Place{File: "/w/" + record, Line: 1}}
		r := answer.Result{
			State: answer.Answered, Statements: []answer.Statement{{Lead: lead, Text: text, Citations: []int{1}}},
			Citations: []answer.Citation{{N: 1, Passage: p, Span: passage.Span{End: len(text)}, Quote: text}},
		}
		if kind >= 128 {
			p.Title, p.Headings = lead, []string{text}
			r.State, r.Nearest, r.Statements = answer.Nearest, r.Statements, nil
		}
		missing := gap.Gap{Code: gap.MissingTopic, Text: text}
		edit := n.Write(n.Questions[0], Compose(r, "/w/note.md", missing))
		written := note.Parse(n.Text[:edit.Span.Start]+edit.NewText+n.Text[edit.Span.End:], language)
		if len(written.Questions) != 1 || written.Questions[0].Answer != 0 || len(written.Answers) != 1 {
			t.Fatalf("%d questions and %d answers in\n%s", len(written.Questions), len(written.Answers), written.Text)
		}
		a := written.Answers[0]
		if len(a.Missing) != 1 || a.Missing[0].Text != plaintext.OneLine(sanitise.Visible(text)) {
			t.Fatalf("missing %+v in\n%s", a.Missing, written.Text)
		}
		if len(a.Marks) != 1 || len(a.Citations) != 1 || a.Citations[0].Passage != p.ID {
			t.Fatalf("marks %+v, citations %+v in\n%s", a.Marks, a.Citations, written.Text)
		}
		if file := fileOf("/w/note.md", a.Citations[0].Path); file != filepath.Clean(p.Place.File) {
			t.Fatalf("%q reads back as %q from\n%s", p.Place.File, file, written.Text)
		}
		if want := plaintext.OneLine(sanitise.Visible(text)); a.Marks[0].Quote != want {
			t.Fatalf("the quote reads %q instead of %q", a.Marks[0].Quote, want)
		}
		remove := written.Remove(written.Questions[0])
		if back := written.Text[:remove.Span.Start] + written.Text[remove.Span.End:]; back != before+after {
			t.Fatalf("without the answer the note is %q", back)
		}
	})
}
