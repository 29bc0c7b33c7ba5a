package head

import (
	"fmt"
	"strings"
	"testing"
)

const (
	no      = "open"
	yes     = "private"
	unclean = "private, not clear"
)

func said(text string, markup Markup) string {
	switch s, private := Private(text, markup); {
	case !private:
		return no
	case s.Clear:
		return yes
	default:
		return unclean
	}
}

func TestPrivate(t *testing.T) {
	for _, test := range []struct {
		markup Markup
		text   string
		want   string
	}{
		// Front matter of YAML and TOML.
		{Markdown, "---\nlacuna: private\n---\n", yes},
		{Markdown, "\uFEFF---\r\nlacuna: private\r\n---\r\n", yes},
		{Markdown, "---\rlacuna: private\r---\r", yes},
		{Markdown, "---\ntitle: A\nlacuna: private # not for others\n...\n", yes},
		{Markdown, "---\nLacuna: Private\n---\n", yes},
		{Markdown, "---\n\"lacuna\": 'private'\n---\n", yes},
		{Markdown, "---\nlacuna: [private]\n---\n", yes},
		{Markdown, "---\nlacuna:\tprivate\n---\n", yes},
		{Markdown, "---\nlacuna :\u00A0private\n---\n", yes},
		{Markdown, "---\nlacuna\u200B:\u200Bpri\u200Dvate\n---\n", yes},
		{Markdown, "---\nlacuna：ｐｒｉｖａｔｅ\n---\n", yes},
		{Markdown, "---\nlacuna: “private”\n---\n", yes},
		{Markdown, "---\nlаcuna: рrivate\n---\n", yes}, // with letters of Cyrillic
		{Markdown, "+++\nlacuna = \"private\" # c\n+++\n", yes},
		{Markdown, "+++\nlacuna = private\n+++\n", yes},
		{Markdown, "---\nlacuna:private\n---\n", yes},
		{Plain, "---\nlacuna: private\n---\n", yes},
		{Plain, "lacuna: private\n\nText.", yes},
		{Org, "---\nlacuna: private\n---\n", yes},

		// What can only mean private, and is told.
		{Markdown, "---\nlacuna: privat\n---\n", unclean},
		{Markdown, "---\nlacuna: prviate\n---\n", unclean},
		{Markdown, "---\nlacuna: true\n---\n", unclean},
		{Markdown, "---\nlacuna:\n---\n", unclean},
		{Markdown, "---\nlacuna:\n  - private\n---\n", unclean},
		{Markdown, "---\nlacuna:\n  private: true\n---\n", unclean},
		{Markdown, "---\nlacuna: {private: true}\n---\n", unclean},
		{Markdown, "---\nlacuna: >\n  private\n---\n", unclean},
		{Markdown, "---\nmeta:\n  lacuna: private\n---\n", unclean},
		{Markdown, "---\n  lacuna: private\n---\n", unclean},
		{Markdown, "---\ntags: [a, lacuna-private]\n---\n", unclean},
		{Markdown, "---\nlacuna private\n---\n", unclean},
		{Markdown, "---\nlacuna_private: yes\n---\n", unclean},
		{Markdown, "+++\n[lacuna]\nprivate = true\n+++\n", unclean},
		{Markdown, "+++\nlacuna.private = true\n+++\n", unclean},
		{Markdown, "+++\ntitle = \"\"\"open\nlacuna = \"private\"\n+++\n", yes},
		{Markdown, "---\nlacuna: private\n\nText, and the block is never closed.\n", unclean},
		{Markdown, "---\ntitle: A\nlacuna: private\n+++\nText.\n", unclean},
		{Markdown, "\n\n---\nlacuna: private\n---\n", unclean},
		{Markdown, "<!-- made by hand -->\n---\nlacuna: private\n---\n", unclean},
		{Markdown, " ---\nlacuna: private\n---\n", unclean},
		{Markdown, "—\nlacuna: private\n—\n", unclean},
		{Markdown, "---yaml\nlacuna: private\n---\n", unclean},
		{Markdown, "---\n----\nlacuna: private\n---\n", yes},
		{Markdown, ";;;\n{\"lacuna\": \"private\"}\n;;;\n", unclean},
		{Markdown, "{\n\"lacuna\": \"private\"\n}\n\nText.", unclean},
		{Markdown, "lacuna: private\n\nText.", unclean},
		{Markdown, "Title: A\nLacuna: private\n\nText.", unclean},
		{Markdown, "lacuna:: private\n\nText.", unclean},
		{Markdown, "# A visit\n\nlacuna: private\n\nText.", unclean},
		{Markdown, "# A visit\nlacuna: private\n\nText.", unclean},
		{Markdown, "Text.\n\n---\nlacuna: private\n---\n", unclean},
		{Plain, "# lacuna: private\nText.", unclean},

		// Comments.
		{Markdown, "Text.\n\n<!-- lacuna: private -->\n", yes},
		{Markdown, "Text. <!--lacuna:private-->\n", yes},
		{Markdown, "<!--\nA letter.\nLacuna: private\n-->\n", yes},
		{Markdown, "<!-- lacuna: private\n\nText.", yes},
		{Markdown, "<!-- lacuna is private -->\n", unclean},
		{Markdown, "<!-- lacuna: pirvate -->\n", unclean},
		{Markdown, "Text.\n\n%% lacuna: private %%\n", unclean},
		{Markdown, "Text.\n\n{/* lacuna: private */}\n", unclean},
		{Markdown, "Text.\n\n[//]: # (lacuna: private)\n", unclean},
		{Plain, "Text.\n<!-- lacuna: private -->\n", yes},
		{HTML, "<p>Text.</p><!-- lacuna: private -->", yes},
		{HTML, "<meta name=lacuna content=\"private\"><p>Text.", unclean},
		{Org, "#+title: A\n#+lacuna: private\n", yes},
		{Org, "#+LACUNA:Private\n", yes},
		{Org, "Text.\n# lacuna: private\n", yes},
		{Org, ":PROPERTIES:\n:lacuna: private\n:END:\n", unclean},
		{Org, "#+property: lacuna private\n", unclean},
		{Org, "#+filetags: :lacuna_private:\n", unclean},
		{Org, "#+begin_comment\nlacuna: private\n#+end_comment\n", unclean},
		{Org, "#+begin_src sh\n# lacuna: private\n", yes}, // which never ends
		{RST, ":lacuna: private\n\nText.\n", yes},
		{RST, "Text.\n\n.. lacuna: private\n", yes},
		{RST, "..\n   lacuna: private\n", yes},
		{RST, ".. lacuna:: private\n", unclean},
		{LaTeX, "\\documentclass{article}\n% lacuna: private\n", yes},
		{LaTeX, "%%lacuna:private\n", yes},
		{LaTeX, "50\\% of text % lacuna: private\n", yes},
		{LaTeX, "\\lacuna{private}\n", unclean},
		{AsciiDoc, ":lacuna: private\n", yes},
		{AsciiDoc, "Text.\n\n// lacuna: private\n", yes},
		{AsciiDoc, "////\nlacuna: private\n////\n", unclean},
		{Typst, "#let lacuna = \"private\"\n", yes},
		{Typst, "Text. // lacuna: private\n", yes},
		{Typst, "/* lacuna: private */\n", unclean},
		{Typst, "/*\nlacuna: private\n*/\n", unclean},

		// What mentions the words and means nothing by them.
		{Markdown, "", no},
		{Markdown, "Text.", no},
		{Markdown, "A note with `lacuna: private` in its front matter stays here.\n", no},
		{Markdown, "Write lacuna: private into it.\n", no},
		{Markdown, "Text that goes on with\nlacuna: private\nand does not end there.\n", no},
		{Markdown, "- `<!-- lacuna: private -->` is a comment\n", no},
		{Markdown, "```yaml\nlacuna: private\n```\n", no},
		{Markdown, "Text.\n\n~~~\n<!-- lacuna: private -->\n\nlacuna: private\n\n~~~\n", no},
		{Markdown, "Text.\n\n    <!-- lacuna: private -->\n", no},
		{Markdown, "- item\n\n  - deeper\n\n    <!-- lacuna: private -->\n", yes}, // which is no code in a list
		{Markdown, "---\ntitle: \"What lacuna: private does\"\n---\n", no},
		{Markdown, "---\ndescription: |\n  lacuna: private\n  is a line\ntitle: A\n---\n", no},
		{Markdown, "+++\ntext = \"\"\"\nlacuna = private\n\"\"\"\n+++\n", no},
		{Markdown, "---\nlacuna: public\n---\n", no},
		{Markdown, "---\ntitle: lacunae of the skull\nprivate: true\n---\n", no},
		{Markdown, "---\n\nLacuna is a word for a gap.\n\n---\n", no},
		{Markdown, "Lacuna: a gap in a text.\n", no},
		{Markdown, "Lacunar stroke: private practice\n", no},
		{Markdown, "<!-- lacuna: ask -->\nWhat?\n<!-- lacuna:answer 0a -->\n**Answered**\n<!-- lacuna:end -->\n", no},
		{Markdown, "<!-- The lacuna: private line is gone -->", no},
		{Plain, "--- lacuna answer 0a ---\nprivate\n--- end of lacuna answer ---\n", no},
		{Plain, "Lacuna asks private questions: why?\n", no},
		{HTML, "<p>lacuna: private</p>", no},
		{Org, "Text.\n#+begin_src sh\n# lacuna: private\n#+end_src\n", no},
		{Org, "Text.\n: lacuna: private\n", no},
		{RST, "Text::\n\n    .. lacuna: private\n\nText.\n", no},
		{RST, ".. code-block:: rst\n\n    .. lacuna: private\n\nText.\n", no},
		{RST, "Text.\n\n   lacuna: private in a quotation\n", no},
		{LaTeX, "\\begin{verbatim}\n% lacuna: private\n\\end{verbatim}\n", no},
		{LaTeX, "Write \\verb|% lacuna: private| there.\n", no},
		{AsciiDoc, "Text.\n\n----\n// lacuna: private\n----\n", no},
		{AsciiDoc, "----\n// lacuna: private\n----\n", no},
		{Org, "#+begin_src sh\n# lacuna: private\n#+end_src\n", no},
		{RST, ".. code::\n\n   .. lacuna: private\n", no},
		{AsciiDoc, "* lacuna: private is a line\n", no},
		{Typst, "```\n// lacuna: private\n```\n", no},
	} {
		if got := said(test.text, test.markup); got != test.want {
			t.Errorf("markup %d, %q: %s, want %s", test.markup, test.text, got, test.want)
		}
	}
}

func TestStatementHasItsPlace(t *testing.T) {
	for text, want := range map[string]string{
		"---\ntitle: A\r\nlacuna: privat\n---\n":              `3 "lacuna: privat"`,
		"\uFEFF---\nlacuna: private\n---\n":                   `2 "lacuna: private"`,
		"---\nlacuna: privat\nlacuna: private\n---\n":         `3 "lacuna: private"`, // a clear one before others
		"Text.\n\nMore. <!-- a -->\n<!--\nlacuna: private-->": `5 "lacuna: private-->"`,
		"Text.\rMore.\r\rlacuna: private\r":                   `0 ""`,
		"Text.\n\nlacuna: private\n":                          `3 "lacuna: private"`,
	} {
		s, _ := Private(text, Markdown)
		if got := fmt.Sprintf("%d %q", s.Line, text[s.Span.Start:s.Span.End]); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// FuzzPrivate looks for texts that end the reading, and checks that a comment in front never opens a
// document that was private by its body.
func FuzzPrivate(f *testing.F) {
	for _, seed := range []string{"---\nlacuna: private\n---\n", "<!-- lacuna: private", "#+begin_src\n# lacuna: private", "\\verb|%|% lacuna", ".. lacuna:\n  x", "```\n<!--", "/*\n*/", "'''\n+++\n"} {
		for markup := range Typst + 1 {
			f.Add(seed, int(markup))
		}
	}
	f.Fuzz(func(t *testing.T, text string, markup int) {
		m := Markup(markup)
		s, private := Private(text, m)
		if private != (s.Line > 0) || s.Span.Start < 0 || s.Span.End < s.Span.Start || s.Span.End > len(text) {
			t.Fatalf("%+v of %d bytes", s, len(text))
		}
		if line := strings.Count(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text[:s.Span.Start]), "\n") + 1; private && line != s.Line {
			t.Errorf("line %d, counted %d", s.Line, line)
		}
		if end := FrontMatter(text).End; end < 0 || end > len(text) {
			t.Errorf("front matter ends at %d of %d", end, len(text))
		}
	})
}
