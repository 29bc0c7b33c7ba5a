package note

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func init() {
	hostile[Typst] = []string{
		`#read("/etc/passwd")`, `#include "x.typ"`, `#import "@preview/x:1.0.0"`, `#eval("1")`, "#{x}", "#[x]", "#x", "#", "*bold*", "_it_", "`code`", "```rs x```", "$x$", "$ x $",
		"<label>", "@ref", "https://example.org/x", "http://x", "mailto:a@b", "// lacuna:end", "// lacuna:cite 00", "/* x", "*/", "a /* b */ c", "= head", "== head", "- x", "+ x", "1. x", "12. x",
		"/ term: x", "[x", "x]", "]: \"b\"", "[]", "a -- b", "a --- b", "...", "-?", "~", "\\", "a\\", "\\u{41}", "\\ x", "say \"so\" [2]", "'q'", "\"", "5 #text", "///", "/*/", "://", "a:/b", "-5 °C", "2.5 mg",
	}
	own[Typst] = regexp.MustCompile(`^// lacuna:(?:answer [0-9a-f]+|end)$| // lacuna:cite [0-9a-f]{32}$|^\d+\. #link\("[^"\\]*"\)\[|\](?:: "|$)|^\*(?:Answered|x\b)|\*$|\\.|(?: \[\d+\])+(?:$|[ ;)])`)
	active[Typst] = []*regexp.Regexp{
		regexp.MustCompile("[*_`#$<>@~\\[\\]\\\\]|//|/\\*|\\*/|--|-\\?|\\.\\.\\."),
		regexp.MustCompile(`^- [=+/-](?:\s|$)|^[=+/](?:\s|$)|^(?:- )?\d+\. `),
	}
}

func TestTypst(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"headings", "= Is it safe? <intro>\n== What is *gout*? // later\n", []string{"Is it safe?", "What is gout?"}},
		{"items", "- What is `gout`?\n  + Is #link(\"x\")[it] safe?\n1. Is #emph[this] it?\n/ Term: Is it known?\n", []string{"What is gout?", "Is it safe?", "Is this it?", "Is it known?"}},
		{"escapes", "What is 5\\$ of \\#1? \\\n", []string{"What is 5$ of #1?"}},
		{"asked", "Q: what now\n\n// lacuna: ask\nThe dose\n", []string{"what now", "The dose"}},
		{"off and on", "// lacuna: off\nIs it a?\n// lacuna: on\nIs it b?\n", []string{"Is it b?"}},
		{"blocks", "```\nis it?\n```\n/* is it?\nis it?\n*/\n$\nx?\n$\n#quote[\nis it?\n]\n#figure(\n  caption: [is it?],\n)\nIs it asked?\n", []string{"Is it asked?"}},
		{"lines", "// is it?\n#let x = \"is it?\"\n$ x? $\nText // is it?\n", []string{"is it?"}},
		{"address", "See https://example.org/?\n", []string{}},
	} {
		if diff := cmp.Diff(test.want, questions(Parse(test.text, Typst))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
	for _, private := range []string{"#let lacuna = \"private\"\n", "// lacuna: private\n"} {
		if !Parse(private, Typst).Private {
			t.Errorf("%q is not private", private)
		}
	}
}
