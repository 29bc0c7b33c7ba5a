package note

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func init() {
	hostile[AsciiDoc] = []string{
		"include::/etc/passwd[]", "image::http://x/y.png[]", "image:x[]", "link:javascript:alert(1)[go]", "https://example.org/x[go]", "mailto:a@example.org", "a@example.org",
		"pass:[<script>]", "+++<script>+++", "++x++", "$$x$$", "<<anchor>>", "<<a,b>>", "[[anchor]]", "((index))", "(((a,b)))", "footnote:[x]", "{docdir}", "{set:x:y}", "\\{x}",
		"*bold*", "**b**old", "_it_", "`code`", "#mark#", "[.role]#x#", "x^2^", "x~2~", "\"`quoted`\"", "'`q`'", "(C)", "(TM)", "a -- b", "a--b", "...", "=>", "->", "&#60;x", "&lt;",
		"// lacuna:end", "//", "////", "----", "....", "====", "|===", "| cell", "++++", "____", "'''", "<<<", "== head", "# head", ".title", ". item", "* item", "- x", "1. x", "a. x",
		"ii) x", "<1> x", "term:: words", "term::", "term;; words", ":;; x", ":attr: x", "NOTE: x", "[source,sh]", "[quote]", "ifdef::x[]", "endif::[]", "x +", "kbd:[F1]",
		"\\", "a\\", "x]: \"b\"", "stem:[x]", "menu:a[b]", "toc::[]", "say \"so\" [2]", "'quoted' words", "don't", "a;; b", "indexterm:[x]", "C) x", "c. x", "\ufffd", "é*", "“x”",
	}
	own[AsciiDoc] = regexp.MustCompile(`^// lacuna:(?:answer [0-9a-f]+|end)$|^//-$|^\d+\. link:[^\s\[\]*_+^~<>|&$@={}\\:#]*#(?:L\d+-)?lacuna-[0-9a-f]{32}\[|\](?:$|: ")|^\*(?:Answered|x\b)|\*$|&#\d+;|(?: \[\d+\])+(?:$|[ ;)])`)
	active[AsciiDoc] = []*regexp.Regexp{
		regexp.MustCompile("[*_`#+^~<>|&$@={}\\[\\]\\\\]|:[^ ]|::|;;|--|\\.\\.|//|\\(\\(|\\)\\)|''|\\((?:C|R|T)|(?:^|[^\\pL\\pN\\x01])'"),
		regexp.MustCompile(`^- [-:;'/|+.](?:\s|$)|^[:;'/|+.](?:\s|$)|^(?:- )?(?:(?:\d+|[A-Za-z])\. |[ivxIVX]+\) |(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION): )`),
	}
}

func TestAsciiDoc(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"headings", "= Is it safe?\n\n== What is *gout*? ==\n\nWhy now?\n--------\n", []string{"Is it safe?", "What is gout?", "Why now?"}},
		{"items", "* What is `gout`?\n** [ ] Is link:x.html[it] safe?\n. Or <<y,this>>?\n1. Or that?\nterm:: Is it known?\n", []string{"What is gout?", "Is it safe?", "Or this?", "Or that?", "Is it known?"}},
		{"remark", "NOTE: Is it safe?\n", []string{"Is it safe?"}},
		{"line end", "Is it +\nsafe? +\nYes.\n", []string{"Is it + safe?"}},
		{"asked", "Q: what now\n\n// lacuna: ask\nThe dose\n", []string{"what now", "The dose"}},
		{"off and on", "// lacuna: off\nIs it a?\n// lacuna: on\nIs it b?\n", []string{"Is it b?"}},
		{"blocks", "----\nis it?\n----\n....\nis it?\n\n....\n____\nis it?\n____\n////\nis it?\n////\n|===\n|is it?\n|===\n====\nIs it asked?\n====\n", []string{"Is it asked?"}},
		{"styles", "[source,sh]\nis it?\n\n[quote, x]\n.title\n====\nis it?\n\nis it?\n====\n[NOTE]\nIs it asked?\n", []string{"Is it asked?"}},
		{"lines", ":attr: is it?\n// is it?\n.Is it?\ninclude::is.it[?]\n[is it?]\n\n  is it?\nis it?\n", []string{}},
		{"address", "See https://example.org/?\n", []string{}},
	} {
		if diff := cmp.Diff(test.want, questions(Parse(test.text, AsciiDoc))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
	for _, private := range []string{":lacuna: private\n", "= T\n:x: y\n// lacuna: private\n"} {
		if !Parse(private, AsciiDoc).Private {
			t.Errorf("%q is not private", private)
		}
	}
}
