package note

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func init() {
	hostile[Org] = []string{
		"[[shell:rm -rf x][go]]", "elisp:(kill-emacs)", "shell:rm", "see https://example.org/x", "<https://example.org>", "<%%(delete-file x)>",
		"src_emacs-lisp{(kill-emacs)}", "call_run(x)", "{{{macro(x)}}}", "@@html:<script>@@", "@@latex:\\input{x}@@", "$\\input{/etc/passwd}$",
		"\\(x\\)", "\\[x\\]", "\\begin{x}", "\\alpha", "*bold*", "(/it/)", "=code=", "~code~", "+gone+", "_under_", "a_{b} c^{d}", "<<target>>",
		"[fn:1]", "[cite:@x]", "[2026-11-21 Sat]", "<2026-11-21 Sat>", "* head", "#+INCLUDE: x", "#+begin_src sh", "# lacuna:end", "| a |", ": fixed",
		":PROPERTIES:", "term :: words", "[ ] task", "[@5] x", "- x", "1) x", "%%(sexp)", "\u200b*x*", "\\\u200b", "a ]]: \"b\" @@comment:x@@", "\\dollar{}", "$",
	}
	own[Org] = regexp.MustCompile(`^\d+\. \[\[file:.*?\]\]`)
	active[Org] = []*regexp.Regexp{
		regexp.MustCompile(`\[\[[^f]|\[(?:fn:|cite|%|@|\d{4}-)|\{\{|@@[^c\s]|<[<A-Za-z%]|<\d{4}-`),
		regexp.MustCompile(`\\[A-Za-ce-z(\[$]|\$|[^\x{200b}][_^]|[_^][A-Za-z0-9{(+\\-]`),
		regexp.MustCompile(`(?:[\s("'{-])[*/=~+][^\s\x{200b}*"].*[^\s\x{200b}][*/=~+](?:[\s)"'}.,;:!?-]|$)`),
		regexp.MustCompile(`(?:https?|elisp|shell|mailto):\S|\S::\s|\s::\s`),
		regexp.MustCompile(`^[ \t]*(?:#\+|\*+ |\||:\S*:|%%)|^- (?:[-+*#|:%] |\[[ xX@])`),
	}
}

func TestOrg(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"heading", "* TODO [#A] What is gout?   :a:b:\n** Is it safe?\n", []string{"What is gout?", "Is it safe?"}},
		{"items", "- What is *gout*?\n1. [ ] Is it safe?\n  * Or [[file:x.org][this]]?\n", []string{"What is gout?", "Is it safe?", "Or this?"}},
		{"asked", "Q: what now\n\n# lacuna: ask\nThe dose\n", []string{"what now", "The dose"}},
		{"off and on", "# lacuna: off\nIs it a?\n# lacuna: on\nIs it b?\n", []string{"Is it b?"}},
		{"blocks", "#+begin_src sh\nis it?\n#+END_SRC\n#+BEGIN_QUOTE\nis it?\n\n#+end_quote\n#+begin_note\nIs it asked?\n#+end_note\n", []string{"Is it asked?"}},
		{"lines", "#+TITLE: Is it?\n# is it?\n: is it?\n| is it?\n:NOTES:\nis it?\n:END:\n", []string{"is it?"}},
		{"math", "\\begin{align}\nx?\n\\end{align}\n\\[ x?\n\\]\n", []string{}},
		{"address", "See https://example.org/?\n", []string{}},
	} {
		if diff := cmp.Diff(test.want, questions(Parse(test.text, Org))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}
