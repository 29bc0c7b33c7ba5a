package answer

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
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
		{"", ""},
	} {
		if got := plainText(c.text); got != c.want {
			t.Errorf("plainText(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

func TestPlainTextKeepsAddressesThatAreCited(t *testing.T) {
	cited := "The form is at https://clinic.example/form?id=3, and at file:///etc/passwd as well."
	text := "Fill in https://clinic.example/form?id=3, not https://clinic.example/form or file:///etc/passwd."
	want := "Fill in https://clinic.example/form?id=3, not or."
	if got := plainText(text, cited); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// forbidden is what must not be left of a text that a model wrote.
var forbidden = regexp.MustCompile(`(?i)<[a-z/!?]|!\[|\]\(|\]:|\]\[|\b[a-z][a-z0-9+.\-]*://|\bwww\.|(?:javascript|vbscript|command|vscode[\w-]*|data|file|mailto):\S|[\r\n\t]`)

func checkPlain(t testing.TB, text string) {
	t.Helper()
	if found := forbidden.FindString(text); found != "" {
		t.Errorf("%q is left in %q", found, text)
	}
	if at := strings.IndexFunc(text, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co) }); at >= 0 {
		t.Errorf("a hidden character is left in %q", text)
	}
	if !utf8.ValidString(text) {
		t.Errorf("%q is not UTF-8", text)
	}
}

func FuzzPlainText(f *testing.F) {
	for _, seed := range []string{
		"Gout is **treated** with [colchicine](https://evil.example) [1].", "<<b>script>alert(1)</script>",
		"![a](b)![c][d]", "[x]: y\n[z]: javascript:alert(1)", "a@b www.c d://e", "\u202e\u200b\xff<!--", "[[a](b)](c)",
		"htt<x>ps://a", "!\u200b[a](b)", "- - # > x", "`<`b>", "ww`w.a", "java**script:x", "data:x]", "]<b>(",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := plainText(text)
		checkPlain(t, got)
		if again := plainText(got); again != got {
			t.Errorf("%q becomes %q", got, again)
		}
	})
}
