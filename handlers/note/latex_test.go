package note

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func init() {
	hostile[Latex] = []string{
		`\input{/etc/passwd}`, `\immediate\write18{rm -rf x}`, `\openin5=x`, `\catcode`, `\end{itemize}`, `\end{document}`, `\begin{verbatim}`, `^^5cinput x`,
		"% lacuna:end", "50 % of", "[label] words", `a\\b`, `{open`, `shut}`, `$x$`, "a & b", "#1", "a_b^c~d", "``x'' [2]", `"quote"`, `"`, "--- dash", "<<x>>", "?`",
		"\\", `\{`, `{}`, `\textbackslash{}`, `\char34{}`, "'", "''", "a''' [1] % lacuna:cite x", `\item x`, "}: ``x'' %", "é{}", `\%`,
	}
	own[Latex] = regexp.MustCompile(`^% lacuna:(?:answer [0-9a-f]+|end)$| % lacuna:cite [0-9a-f]{32}$|^\\(?:begin|end)\{itemize\}$|^\\item\[\d+\.\] \\texttt\{|^\\item (?:[^\[\\]|\\[{}$&#_%]|\\(?:textbackslash|textasciicircum|textasciitilde|char34|char96)\{\})|^\\textbf\{|` +
		`\\(?:textbackslash|textasciicircum|textasciitilde|char34|char96)\{\}`)
	active[Latex] = []*regexp.Regexp{regexp.MustCompile(`\\[A-Za-z@\\]|(?:^|[^\\])(?:[$&#^_~%"]|\{[^}])`)}
}

func TestLatex(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"heading", "\\section*{What is gout?}\\label{s}\n\\subsection[Short]{Is it \\emph{safe}?}\n", []string{"What is gout?", "Is it safe?"}},
		{"items", "\\begin{itemize}\n  \\item What is 5\\,\\% of~it?\n  \\item[b)] Is it safe? % I wonder\n\\end{itemize}\n", []string{"What is 5,% of it?", "Is it safe?"}},
		{"asked", "Q: what now\n\n% lacuna: ask\nThe dose\n", []string{"what now", "The dose"}},
		{"off and on", "% lacuna: off\nIs it a?\n% lacuna: on\nIs it b?\n", []string{"Is it b?"}},
		{"document", "\\documentclass{article}\n\\title{Is it?}\nis it?\n\\begin{document}\nIs it asked?\n\\end{document}\nis it?\n", []string{"Is it asked?"}},
		{"environments", "\\begin{verbatim}\nis it?\n\\end{verbatim}\n\\begin{align*}\nx?\n\\end{align*}\n\\begin{quote}\nis it?\n\\end{quote}\n\\[\nx?\n\\]\n$$\nx?\n$$\n", []string{}},
		{"comment", "% is it?\nText % is it?\n", []string{"is it?", "is it?"}},
		{"braces", "\\textbf{Is it safe?}\n", []string{"Is it safe?"}},
	} {
		if diff := cmp.Diff(test.want, questions(Parse(test.text, Latex))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
	if !Parse("\\documentclass{article}\n% lacuna: private\n\\begin{document}\n", Latex).Private {
		t.Error("a private document is not private")
	}
}
