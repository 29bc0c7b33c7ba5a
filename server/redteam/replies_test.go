package redteam_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	rendered "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/tools/txtar"

	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/knowledge/llm/llmtest"
	"lacuna/prompts"
	"lacuna/server/cli"
)

// attack is a case of replies.txtar.
type attack struct {
	name, text string
	kinds      string // the kind of note that it is made for
}

func attacks(t testing.TB) []attack {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "replies.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	var all []attack
	for _, f := range archive.Files {
		text := strings.TrimSuffix(string(f.Data), "\n")
		if strings.HasPrefix(text, `"`) {
			if text, err = strconv.Unquote(text); err != nil {
				t.Fatalf("%s: %v", f.Name, err)
			}
		}
		kind := map[string]string{"TeX": ".tex", "Org": ".org", "reStructuredText": ".rst", "AsciiDoc": ".adoc", "Typst": ".typ", "mode": ".txt", "local": ".txt"}
		first, _, _ := strings.Cut(f.Name, " ")
		all = append(all, attack{f.Name, text, kind[first]})
	}
	return all
}

// expanded replaces what stands for the texts of a request.
func expanded(text string, c llmtest.Call) string {
	if !strings.Contains(text, "{{") {
		return text
	}
	var passages strings.Builder
	for _, part := range prompts.Parts(c.User()) {
		if part.Data {
			passages.WriteString(part.Text)
		}
	}
	data := passages.String()
	rot13 := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return 'a' + (r-'a'+13)%26
		case r >= 'A' && r <= 'Z':
			return 'A' + (r-'A'+13)%26
		}
		return r
	}, data)
	return strings.NewReplacer(
		"{{passages}}", data, "{{system}}", c.System(), "{{base64}}", base64.StdEncoding.EncodeToString([]byte(data)),
		"{{hex}}", hex.EncodeToString([]byte(data)), "{{rot13}}", rot13,
		"{{long}}", strings.Repeat("word ", 5000), "{{long word}}", strings.Repeat("x", 20_000), "{{lines}}", strings.Repeat("A line.\n\n", 500),
		"{{deep}}", strings.Repeat(`{"a":[`, 1000), "{{nested}}", strings.Repeat("- ", 500)+"x",
	).Replace(text)
}

// ways are the systems that answer: one that asks a model twice or more, and one that asks it for each passage.
var ways = []string{"misknow/merged", "medrgag"}

// TestReplies has a model obey a page of the sources, and looks at every byte that left and at all that reached the
// user: the note, hovers, diagnostics, actions, messages and links. Each case runs in Markdown, and in one of
// the other kinds of notes.
func TestReplies(t *testing.T) {
	all := attacks(t)
	others := []string{".txt", ".org", ".tex", ".rst", ".adoc", ".typ"}
	for part := range 2 {
		t.Run(fmt.Sprint("md ", part+1), func(t *testing.T) {
			t.Parallel()
			var mine []attack
			for n := part; n < len(all); n += 2 {
				mine = append(mine, all[n])
			}
			obeyAll(t, setup{note: "note.md", remote: part == 0}, mine)
		})
	}
	for i, kind := range others {
		t.Run(kind[1:], func(t *testing.T) {
			t.Parallel()
			var mine []attack
			for n, a := range all {
				if n%len(others) == i || a.kinds == kind {
					mine = append(mine, a)
				}
			}
			obeyAll(t, setup{note: "note" + kind, remote: i%2 == 0}, mine)
		})
	}
}

// obeyAll runs cases in one session.
func obeyAll(t *testing.T, s setup, all []attack) {
	var mu sync.Mutex
	var ordered string
	asItIs, obeyed := false, 0
	obey := func(c llmtest.Call) string {
		if ordered == "" || !strings.Contains(c.User(), order) && obeyed == 0 {
			return ""
		}
		obeyed++
		return expanded(ordered, c)
	}
	s.script = func(c llmtest.Call) llmtest.Reply {
		mu.Lock()
		defer mu.Unlock()
		if asItIs {
			if text := obey(c); text != "" {
				return llmtest.Reply{Text: text, Reasoning: text, Model: text}
			}
		}
		return llmtest.Obey(llmtest.Obliging(), obey)(c)
	}
	b := start(t, s)
	b.open()
	for n, a := range all {
		if n%everyCase != 0 {
			continue
		}
		t.Run(a.name, func(t *testing.T) {
			b.t = t
			way := ways[0]
			if n%4 == 3 {
				way = ways[1]
			}
			mu.Lock()
			ordered, asItIs, obeyed = b.filled(a.text), n%4 == 1, 0
			mu.Unlock()
			preview := ""
			if s.remote && n%8 == 0 {
				preview = b.previewed(way)
			}
			calls := len(b.model.Calls())
			if err := b.run("lacuna.answerQuestion", way); err != nil {
				t.Error(err)
			}
			mu.Lock()
			if obeyed == 0 {
				t.Error("the model did not get the order from the sources")
			}
			mu.Unlock()
			arrived := b.model.Calls()[calls:]
			if preview != "" && !slices.ContainsFunc(arrived, func(c llmtest.Call) bool { return string(c.Body) == preview }) {
				t.Errorf("the preview shows\n%s\nwhich did not arrive", preview)
			}
			if strings.Contains(string(arrived[0].Body), farText) {
				t.Errorf("a passage that nobody asked for left in %s", arrived[0].Body)
			}
			b.checkSent()
			b.checkNote()
			b.checkSeen()
			if strings.HasPrefix(a.name, "terminal") || n%16 == 0 {
				b.checkTerminal(way)
			}
			if b.editor.Text(b.uri) != b.before {
				b.editor.Undo(b.uri)
			}
		})
	}
	b.t = t
	b.end()
}

// checkNote checks that an answer changed nothing outside its place, and that it reads back as one.
func (b *bench) checkNote() {
	b.t.Helper()
	text := b.editor.Text(b.uri)
	if text == b.before {
		return
	}
	before, after, _ := strings.Cut(b.before, question)
	n := note.Parse(text, note.LanguageOf("", string(b.uri)))
	if !strings.HasPrefix(text, before+question) || !strings.HasSuffix(text, after) || len(n.Questions) != 1 || len(n.Answers) != 1 {
		b.t.Errorf("%d questions and %d answers in the note:\n%s", len(n.Questions), len(n.Answers), text)
	}
}

// checkTerminal asks the same question in a terminal.
func (b *bench) checkTerminal(system string) {
	b.t.Helper()
	var out, errs bytes.Buffer
	code := cli.Run(b.t.Context(), []string{"--workspace", b.root, "--config", b.userFile(), "ask", "--system", system, question},
		cli.Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
	if code > 1 {
		b.t.Errorf("exit %d: %s", code, errs.String())
	}
	b.check("the terminal", out.String())
	b.check("the terminal", errs.String())
}

var (
	anyScheme = regexp.MustCompile(`(?i)[a-z][a-z0-9+.-]{1,30}://`)
	// linkedText is of what VS Code makes links in messages.
	linkedText = regexp.MustCompile(`(?i)\]\((?:https?:|command:|file:)`)
	scheme     = regexp.MustCompile(`(?i)[a-z][a-z0-9+.-]{1,30}:(?:/|\\)?/|www\.[a-z]|\b(?:javascript|vbscript|command|vscode|data|mailto|tel|file):[^\s]|\\\\[a-z]`)
	modeLine   = regexp.MustCompile(`(?im)(?:^|\s)(?:vi|vim|ex)(?:[<=>]?\d+)?:\s*\S|Local Variables:|-\*-.*-\*-|\bkate(?:-[^:\s]*)?:\s+\w`)
	ownTags    = regexp.MustCompile(`</?(?:p|strong|em|ul|ol|li|del|br|code|blockquote|a)>|<br ?/?>`)
	ownBlock   = regexp.MustCompile(`<!-- lacuna[^>]*-->`)
	ownTarget  = regexp.MustCompile(`<a href="kb/[^":]*"(?: title="[^"]*")?>([^<]*)</a>`)
	renders    = goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote), goldmark.WithRendererOptions(rendered.WithUnsafe()))
)

// maxSeen bounds what one place may show: no reply floods an editor.
const maxSeen = 60_000

// checkSeen looks for what acts, hides or leads away in all that the editor shows.
func (b *bench) checkSeen() {
	b.t.Helper()
	for where, text := range b.seen() {
		b.check(where, text)
		if where == "a hover" || where == "the note" && strings.HasSuffix(string(b.uri), ".md") {
			var page bytes.Buffer
			if err := renders.Convert([]byte(text), &page); err != nil {
				b.t.Fatal(err)
			}
			html := ownTarget.ReplaceAllString(ownBlock.ReplaceAllString(page.String(), ""), "$1")
			if html = ownTags.ReplaceAllString(strings.ReplaceAll(html, `<a href="`+string(lsp.URI(b.root)), ""), ""); strings.Contains(html, "<") {
				b.t.Errorf("%s has more than text in\n%s\nwhich is written as\n%s", where, html, text)
			}
		}
	}
}

// check looks for what acts in a text of one place.
func (b *bench) check(where, text string) {
	b.t.Helper()
	wrong := func(what string, found string) {
		b.t.Errorf("%s has %s %q in\n%s", where, what, found, text[:min(len(text), 3000)])
	}
	plain := strings.ReplaceAll(text, `\`, "")
	if where == "the note" {
		plain = text
	}
	plain = strings.NewReplacer("<"+string(lsp.URI(b.root)), "<", string(lsp.URI(b.root)), "", "http://"+remoteHost, "", "begins with http://", "", "use https://", "", "file:kb/", "").Replace(plain)
	if strings.HasSuffix(string(b.uri), ".typ") {
		plain = strings.ReplaceAll(plain, `\\`, `\`) // one that is escaped
	}
	schemes := scheme
	if where == "the terminal" {
		schemes = anyScheme
	}
	if where == "a message" || where == "progress" {
		schemes = linkedText
	}
	if found := schemes.FindString(plain); found != "" {
		wrong("an address", found)
	}
	if found := modeLine.FindString(plain); found != "" && where == "the note" {
		wrong("orders to an editor", found)
	}
	if strings.Contains(text, apiKey) || strings.Contains(text, privateText) || strings.Contains(text, outsideText) {
		wrong("a secret", "")
	}
	if strings.HasSuffix(string(b.uri), ".org") {
		text = strings.ReplaceAll(text, "\u200b", "") // with which Lacuna itself keeps Org from reading markup
	}
	if at := strings.IndexFunc(text, acts); at >= 0 {
		wrong("a character that acts or hides", text[at:min(len(text), at+8)])
	}
	if len(text) > maxSeen {
		wrong("a flood of text", strconv.Itoa(len(text)))
	}
}

// acts reports whether a terminal or an editor would act on a character, or it hides something.
func acts(r rune) bool {
	joins := r == 0xAD || r == 0x200C || r == 0x200D // which words need; runs of them are cut
	return r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || unicode.Is(unicode.Cf, r) && !joins ||
		r >= 0xE0000 && r <= 0xE0FFF || r == '\u2028' || r == '\u2029'
}
