package note

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func init() {
	hostile[RST] = []string{
		".. include:: /etc/passwd", ".. raw:: html", ":raw:`x`", "`go <javascript:x>`__", "`x`_", "|image|", "*it*", "**bold**", "``code``", "word_", "word__ and", "[1]_", "[#]_",
		"_`target`", "https://example.org/x", "mailto:a@example.org", "a@example.org", "then::", "::", ":field: x", "- x", "* x", "1. x", "a) x", "(1) x", "#. x", ">>> x",
		"__ x", "=====", "-----", "--option", "/V", "| line", ".. lacuna:end", "\\", "\\*x\\*", "a\\", "+---+", "x <y#lacuna-00>`__: \"z\"", "§", "a_b", "10:30",
	}
	own[RST] = regexp.MustCompile("^\\.\\. lacuna:(?:answer [0-9a-f]+|end)$|^\\d+\\. `|[^ ]*#(?:L\\d+-)?lacuna-[0-9a-f]{32}>`__|^\\*\\*|\\*\\*$|\\\\.")
	active[RST] = []*regexp.Regexp{regexp.MustCompile("[*`|\\\\@]|_(?:[^\\pL\\pN]|$)|[A-Za-z]:[^\\s\\d\"<]|::|^(?:- )?(?:[+.>:_=#/|]|[0-9A-Za-z]+[.)] )|^-[^ ]|^- -")}
}

func TestRST(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"titles", "===========\n What is it?\n===========\n\nIs it safe?\n-----------\n", []string{"What is it?", "Is it safe?"}},
		{"items", "- What is *gout*?\n#. Is :term:`it <x>` safe?\n\n   - Or `this <x.html>`_?\n", []string{"What is gout?", "Is it safe?", "Or this?"}},
		{"asked", "Q: what now\n\n.. lacuna: ask\n\nThe dose\n", []string{"what now", "The dose"}},
		{"off and on", ".. lacuna: off\n\nIs it a?\n\n.. lacuna: on\n\nIs it b?\n", []string{"Is it b?"}},
		{"directives", ".. code-block:: sh\n\n   is it?\n\n   is it?\n\n.. is it?\n   is it?\n\nIs it asked?\n", []string{"Is it asked?"}},
		{"literal", "Text::\n\n  is it?\n\n::\n\n  is it?\n\nText\n\n   is it?\n", []string{}},
		{"lines", ":what: Is it?\n\n>>> is it?\n\n| is it?\n\n=====  =====\na      is it?\n=====  =====\n", []string{}},
	} {
		if diff := cmp.Diff(test.want, questions(Parse(test.text, RST))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
	for _, private := range []string{":lacuna: private\n", ".. lacuna: private\n"} {
		if !Parse(private, RST).Private {
			t.Errorf("%q is not private", private)
		}
	}
}
