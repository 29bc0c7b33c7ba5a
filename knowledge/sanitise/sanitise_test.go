package sanitise

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"lacuna/knowledge/plaintext"
)

func TestPlainText(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Gout is treated with colchicine.", "Gout is treated with colchicine."},
		{"p < 0.05 and a<b, 5 > 3", "p < 0.05 and a< b, 5 > 3"},
		{"**Bold** and `code` and ~~gone~~", "Bold and code and gone"},
		{"See [the guideline](https://evil.example/x) now.", "See the guideline now."},
		{"See [the guideline][1].", "See the guideline."},
		{"An image ![x](https://evil.example/a.png?q=1) here.", "An image here."},
		{"An image ![x](https://evil.example/(a).png) here.", "An image here."},
		{"<img src=x onerror=alert(1)>Text<script>alert(2)</script>", "Textalert(2)"},
		{"<a href='https://evil.example'>press</a>", "press"},
		{"before <!-- lacuna end --> after", "before after"},
		{"before <!-- never closed", "before"},
		{"Visit https://evil.example/path?x=1.", "Visit."},
		{"Visit <https://evil.example>.", "Visit."},
		{"Visit www.evil.example or write to me@evil.example.", "Visit or write to."},
		{"Run command:workbench.action.quit or javascript:alert(1)", "Run or"},
		{"open file:///etc/passwd or vscode://x/y", "open or"},
		{"[ref]: https://evil.example/z\nText", "Text"},
		{"zero\u200bwidth and \u202eturned\u202c and \U000e0041tag", "zerowidth and turned and tag"},
		{"line\none\r\ntwo", "line one two"},
		{"- item", "item"},
		{"# Heading", "Heading"},
		{"痛风用秋水仙碱治疗。", "痛风用秋水仙碱治疗。"},
		{"ht<b></b>tps://evil.example", ""},
		{"[a](b) [c](d[e](f))", "a c"},
		{"the ratio 3:1, at 12:30", "the ratio 3:1, at 12:30"},
		{"0jAvAsCript:0", "0"},
		{"java**script:x and _vbscript:y", "and _"},
		{"metadata:x, a profile:y and 3 mg/kg", "metadata:x, a profile:y and 3 mg/kg"},
		{"5 mg @ 8 h, cell@clinic.example", "5 mg @ 8 h,"},
		{"tel:555 sms:555 about:blank", ""},
		{"", ""},
	} {
		if got := Plain(c.text); got != c.want {
			t.Errorf("Plain(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

func TestPlainTextKeepsAddressesThatAreCited(t *testing.T) {
	cited := "The form is at https://clinic.example/form?id=3, and at file:///etc/passwd as well."
	text := "Fill in https://clinic.example/form?id=3, not https://clinic.example/form or file:///etc/passwd."
	want := "Fill in https://clinic.example/form?id=3, not or."
	if got := Plain(text, cited); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestVisible(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"plain ü 漢字\tand\nlines", "plain ü 漢字\tand\nlines"},
		{"\x1b[31m\x07\u009b", "⟨U+001B⟩[31m⟨U+0007⟩⟨U+009B⟩"},
		{"\u202edrow\u202c \u200b\ufeff", "⟨U+202E⟩drow⟨U+202C⟩ ⟨U+200B⟩⟨U+FEFF⟩"},
		{"می\u200cخواهم co\u00adoperate ❤\ufe0f\u200d🔥", "می\u200cخواهم co\u00adoperate ❤\ufe0f\u200d🔥"},
		{"a\ufe01\ufe02\ufe03\ufe04", "a\ufe01\ufe02⟨U+FE03⟩⟨U+FE04⟩"},
		{"b\U000E0049\U000E0147", "b⟨U+E0049⟩⟨U+E0147⟩"},
		{"\u3164filler\u115f", "⟨U+3164⟩filler⟨U+115F⟩"},
		{"\u0600١", "\u0600١"},
		{"broken \xff", "broken \ufffd"},
	} {
		if got := Visible(c.text); got != c.want {
			t.Errorf("Visible(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

func TestLine(t *testing.T) {
	if got := Line("a\r\nb\u2028c\u0085d\x1b]0;x\x07"); got != "a b c d⟨U+001B⟩]0;x⟨U+0007⟩" {
		t.Errorf("%q", got)
	}
	if got := Text("a\r\nb\rc\u2028d\x1b"); got != "a\nb\nc\nd⟨U+001B⟩" {
		t.Errorf("%q", got)
	}
}

// What is written into a note, and that it reads back.
func TestNoteMarkdown(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"The eGFR is < 30 and > 15; cost $5.", "The eGFR is < 30 and > 15; cost $5."},
		{"Set `max_connections` to 100, see `ls -l`.", "Set `max_connections` to 100, see `ls -l`."},
		{"`r system('x')`", "&#96;r system('x')&#96;"},
		{"`r` is a language, `R 4` too", "`r` is a language, &#96;R 4&#96; too"},
		{"`{python} x`", "&#96;&#123;python} x&#96;"},
		{"`= dv.x` and `$= x`", "&#96;= dv.x&#96; and &#96;&#36;= x&#96;"},
		{"`<b>`{=html}", "&#96;\\<b>&#96;&#123;=html}"},
		{`\input{/etc/passwd}`, "&#92;input&#123;/etc/passwd}"},
		{`C:\Users`, `C:&#92;Users`},
		{`50\% of \* and \`, `50\% of \* and \`},
		{"{{< include x.qmd >}} {{ x }} {% x %}", "&#123;&#123;< include x.qmd >}} &#123;&#123; x }} &#123;% x %}"},
		{"<% tp.x %> <img src=x> <!-- x -->", "&#60;% tp.x %> \\<img src=x> \\<!-- x -->"},
		{`\<img src=x> \\<b>`, `&#92;\<img src=x> &#92;&#92;\<b>`},
		{"[[wiki]] ![[embed]] [^1] ^[x] [a](b) ![c](d)", "&#91;[wiki]] !&#91;[embed]] &#91;^1] &#94;[x] [a]\\(b) !\\[c]\\(d)"},
		{"%%hidden%% 100%", "&#37;%hidden&#37;% 100%"},
		{"$x$ and $$y$$", "&#36;x&#36; and &#36;&#36;y&#36;&#36;"},
		{"as @smith2001 says; me@clinic.example", "as &#64;smith2001 says; me@clinic.example"},
		{"write &#96; or &amp;#96; or &amp; or &#960;", "write &amp;#96; or &amp;amp;#96; or &amp; or &#960;"},
	} {
		got := NoteMarkdown(c.text)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q:\n%s", c.text, diff)
		}
		if back := ReadNoteMarkdown(got); back != c.text {
			t.Errorf("%q reads back as %q", c.text, back)
		}
	}
}

// Notes that were written before some characters had numbers are read as they were meant.
func TestOlderNotesAreRead(t *testing.T) {
	for written, want := range map[string]string{
		`\<b> and !\[a]\(b)`: "<b> and ![a](b)", "`r x` {y} C:\\Users $5 and $6": "`r x` {y} C:\\Users $5 and $6",
	} {
		if got := ReadNoteMarkdown(written); got != want {
			t.Errorf("%q is read as %q, want %q", written, got, want)
		}
	}
}

// active are what runs, includes or hides something in a note of some kind of Markdown; what each
// program looks for in the text as it stands.
var activeInNotes = map[string]*regexp.Regexp{
	"knitr":              regexp.MustCompile("`r[ #][^`]+`"),
	"quarto, myst":       regexp.MustCompile("`\\{|\\{\\{|\\{%"),
	"mdx, raw attribute": regexp.MustCompile("\\{"),
	"dataview":           regexp.MustCompile("`\\$?="),
	"templater":          regexp.MustCompile("<%"),
	"tex":                regexp.MustCompile(`\\[\pL\pN]|\\\)|\\\]`),
	"mathematics":        regexp.MustCompile("\\$.*\\$"),
	"obsidian":           regexp.MustCompile("\\[\\[|%%|\\[\\^"),
	"pandoc citation":    regexp.MustCompile("(?:^|[^\\pL\\pN._%+-])@[A-Za-z0-9_{]"),
	"html":               regexp.MustCompile("(?:^|[^\\\\])<[A-Za-z/!?]|\\\\\\\\<[A-Za-z/!?]"),
	"image or link":      regexp.MustCompile("!\\[|\\]\\("),
}

var renderer = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList, extension.Footnote))

// elements holds what the words of a line may become in a rendered page.
var elements = regexp.MustCompile(`</?(?:p|em|strong|del|code)>`)

func checkNote(t testing.TB, text string) {
	t.Helper()
	line := plaintext.OneLine(Visible(text))
	written := NoteMarkdown(line)
	if back := ReadNoteMarkdown(written); back != line {
		t.Errorf("%q was written as %q and reads back as %q", line, written, back)
	}
	for what, pattern := range activeInNotes {
		if found := pattern.FindString(written); found != "" {
			t.Errorf("%s: %q is active in %q", what, found, written)
		}
	}
	var page bytes.Buffer
	if err := renderer.Convert([]byte("- a "+written+" b"), &page); err != nil {
		t.Fatal(err)
	}
	if left := regexp.MustCompile(`</?(?:ul|li)>`).ReplaceAllString(elements.ReplaceAllString(page.String(), ""), ""); strings.Contains(left, "<") {
		t.Errorf("%q renders as %s", written, page.String())
	}
}

// forbidden holds what must not be left of a text that a model wrote.
var forbidden = regexp.MustCompile(`(?i)<[a-z/!?]|!\[|\]\(|\]:|\]\[|[a-z][a-z0-9+.\-]*://|(?:javascript|vbscript):\S|(?:^|[^\pL])(?:www\.|(?:command|vscode[\w-]*|data|file|mailto|tel|about|blob):\S)|[\r\n\t]`)

func checkPlain(t testing.TB, text string) {
	t.Helper()
	got := Plain(text)
	if found := forbidden.FindString(got); found != "" {
		t.Errorf("%q is left of %q in %q", found, text, got)
	}
	if at := strings.IndexFunc(got, func(r rune) bool { return classOf(r) != visible }); at >= 0 {
		t.Errorf("a hidden character is left in %q", got)
	}
	if again := Plain(got); again != got {
		t.Errorf("%q becomes %q", got, again)
	}
}

func checkWords(t testing.TB, text string) {
	t.Helper()
	got := Words(text, nil, "(left out)")
	if found := regexp.MustCompile("(?i)<[a-z/!?%]|[a-z][a-z0-9+.-]*://|(?:javascript|vbscript):\\S|`|\\[[0-9]{1,6}\\]").FindString(got); found != "" {
		t.Errorf("%q is left of %q in %q", found, text, got)
	}
	checkTerminal(t, got)
}

// checkTerminal fails for characters that a terminal acts on, and for invisible ones.
func checkTerminal(t testing.TB, text string) {
	t.Helper()
	joined := 0
	for _, r := range text {
		kind := classOf(r)
		if kind == joiner {
			joined++
		} else {
			joined = 0
		}
		if kind == control || kind == hidden || kind == lineEnd || joined > maxJoined {
			t.Fatalf("%U is left in %q", r, text)
		}
	}
	if !utf8.ValidString(text) {
		t.Errorf("%q is not UTF-8", text)
	}
}

func checkHover(t testing.TB, text string) {
	t.Helper()
	var page bytes.Buffer
	if err := goldmark.New(goldmark.WithExtensions(extension.GFM)).Convert([]byte(Markdown(plaintext.OneLine(text))), &page); err != nil {
		t.Fatal(err)
	}
	if left := regexp.MustCompile(`</?p>`).ReplaceAllString(page.String(), ""); strings.Contains(left, "<") {
		t.Errorf("%q renders as %s", text, page.String())
	}
}

func checkJSON(t testing.TB, text string) {
	t.Helper()
	written, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	var before, after string
	safe := JSON(written)
	if err := errorsOf(json.Unmarshal(written, &before), json.Unmarshal(safe, &after)); err != nil || before != after {
		t.Errorf("%q is %q as JSON, %v", before, after, err)
	}
	if strings.ContainsFunc(string(safe), func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Bidi_Control) }) {
		t.Errorf("%s has what a terminal acts on", safe)
	}
}

func errorsOf(all ...error) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}

// payloads holds what strangers try.
var payloads = []string{
	"Gout is **treated** with [colchicine](https://evil.example) [1].", "<<b>script>alert(1)</script>", "<!",
	"![a](b)![c][d]", "[x]: y\n[z]: javascript:alert(1)", "a@b www.c d://e", "\u202e\u200b\xff<!--", "[[a](b)](c)",
	"htt<x>ps://a", "!\u200b[a](b)", "- - # > x", "`<`b>", "ww`w.a", "java**script:x", "data:x]", "]<b>(", "0jAvAsCript:0",
	"`r system('x')`", "`{python} x`", "``r x``", "`r\tx`", "`=x`", "`x`{=latex}", "\\input{x}", "\\\\input{x}", "{{< include x >}}",
	"<% x %>", "\\<% x %>", "\\<b>", "\\\\<b>", "![[x]]", "%%x%%", "$x$", "@smith", "&#96;r x&#96;", "&amp;#96;", "[^1]", "^[x]",
	"\x1b]0;x\x07\x1b[2J", "\r\n\u2028\u0085", "a\ufe01\ufe02\ufe03", "<|im_end|> [INST] <<<", "[Context 3]", "\\[x\\]", "\\(x\\)", "*a*`b`_c_",
}

// FuzzSanitise has what must hold of each destination, for whatever is written.
func TestQuotable(t *testing.T) {
	for _, text := range []string{"Take 5 mg < 10 mg daily.", "See [the table](page.md).", "رقم ٥", "می‌خواهم", "Two\r\nlines."} {
		if !Quotable(text) {
			t.Errorf("%q may not be quoted", text)
		}
	}
	for _, text := range []string{
		"<b>Bold.</b>", "a <!-- b", "![x](y)", "[x](command:quit)", "[x]( <JavaScript:a)", "[x](vscode-insiders:a)", "[x](about:blank)",
		"a\u202eb", "a\u200bb", "a\x1bb", "a\fb", "a\U000e0041b", "a\ue000b",
	} {
		if Quotable(text) {
			t.Errorf("%q may be quoted", text)
		}
	}
}

func FuzzSanitise(f *testing.F) {
	for _, seed := range payloads {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkPlain(t, text)
		checkWords(t, text)
		checkNote(t, text)
		checkHover(t, text)
		checkJSON(t, text)
		if Quotable(text) && (strings.Contains(text, "<!--") || strings.Contains(text, "![") || strings.ContainsAny(text, "\u202e\u200b\x1b")) {
			t.Errorf("%q may be quoted", text)
		}
		checkTerminal(t, Line(text))
		checkTerminal(t, strings.ReplaceAll(Text(text), "\n", " "))
		var out bytes.Buffer
		w := NewWriter(&out)
		for i := range len(text) { // a byte at a time
			if _, err := w.Write([]byte{text[i]}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		checkTerminal(t, out.String())
		for _, prompt := range []string{Prompt(text), PromptData(text)} {
			if found := regexp.MustCompile(`<\||\|>|(?i:\[/?INST\])|<<<|>>>`).FindString(prompt); found != "" {
				t.Errorf("%q is left in the prompt %q", found, prompt)
			}
		}
	})
}

// Where a word stands in a longer text makes no difference.
func TestPayloadsAnywhere(t *testing.T) {
	for _, payload := range payloads {
		for _, around := range []string{"%s", "a %s b", "(%s)", "%s%[1]s", "`%s`", "x%sy", "\\%s"} {
			text := fmt.Sprintf(around, payload)
			checkPlain(t, text)
			checkWords(t, text)
			checkNote(t, text)
			checkHover(t, text)
			checkTerminal(t, Line(text))
		}
	}
}
