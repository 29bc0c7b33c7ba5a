package note

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"lacuna/knowledge/plaintext"
)

var latex = markup{
	hidden:     "%% lacuna %s",
	cite:       latexCite,
	link:       `\((?:(?P<label>[^()]*), )?\\texttt\{(?P<path>.*?):(?P<line>\d{1,9})\}\)`,
	number:     `\item[%d.] `,
	open:       "%% lacuna:answer %s",
	close:      "% lacuna:end",
	openLine:   regexp.MustCompile(`^% lacuna:answer ([0-9a-f]+(?:-[0-9]+)?)$`),
	status:     `\textbf{%s}`,
	source:     latexSource,
	sourceLine: regexp.MustCompile(`^\\item\[(?P<n>\d{1,6})\.\] \\texttt\{(?P<path>.*?):(?P<line>\d{1,9})\}(?:: ` + "``(?P<quote>.*)''" + `)? % lacuna:cite (?P<id>[0-9a-f]{32})$`),
	escape:     escapeLatex,
	unescape:   latexPlain.Replace,
	begin:      unchanged, // escapeLatex does it
	unbegin:    unchanged,
	item:       `\item `,
	leftQuote:  "``",
	rightQuote: "''",
	quoteLine:  quotePattern("", "``", "''"),
	placeLine:  quotePattern(titled, "``", "''"),
	list:       [2]string{`\begin{itemize}`, `\end{itemize}`},
	sources:    [2]string{`\begin{itemize}`, `\end{itemize}`},

	directive:    latexDirective,
	comment:      "%",
	stripComment: withoutLatexComment,
	trail:        " \t}\\",
	strip:        stripLatex,
	isOutside:    outsideLatex,
	option:       latexOptionOf,
	inline:       inlineLatex,
}.withLean(titled)

// latexSource lists a source by its place. It is no link, for which a document would need a package
// that it may not load.
func latexSource(s BlockSource) string {
	path := escapeLatex(escapePath(s.Path, "%:{}\"`"))
	quote := plaintext.OneLine(s.Quote)
	if quote != "" {
		quote = ": ``" + escapeLatex(quote) + "''"
	}
	return fmt.Sprintf(`\item[%d.] \texttt{%s:%d}%s %% lacuna:cite %s`, s.N, path, s.Line, quote, s.Passage)
}

// What TeX gives a meaning is written by name. Quotation marks too: packages for languages make
// letters of them. Two marks that would become one, such as a dash, are kept apart by an empty group.
var (
	latexNames = []string{
		`\`, `\textbackslash{}`, `^`, `\textasciicircum{}`, `~`, `\textasciitilde{}`, `"`, `\char34{}`, "`", `\char96{}`,
		`{`, `\{`, `}`, `\}`, `$`, `\$`, `&`, `\&`, `#`, `\#`, `_`, `\_`, `%`, `\%`,
	}
	latexEscaped = strings.NewReplacer(latexNames...)
	latexPlain   = strings.NewReplacer(append(swapped(latexNames), latexAngle, "›", `{}`, ``)...)
)

// latexAngle writes "›", which stands between a title and its headings: without a package, TeX has no such
// letter.
const latexAngle = `\textgreater{}`

// swapped makes pairs of what and by what into pairs that undo them.
func swapped(pairs []string) []string {
	out := make([]string, len(pairs))
	for i := range pairs {
		out[i] = pairs[i^1]
	}
	return out
}

func escapeLatex(s string) string {
	var b strings.Builder
	if strings.HasPrefix(s, "[") {
		b.WriteString("{}") // it would be the label of an item
	}
	for i := range len(s) {
		if i > 0 && s[i] == s[i-1] && strings.IndexByte("-<>,'", s[i]) >= 0 {
			b.WriteString("{}")
		}
		if s[i] < 0x80 {
			b.WriteString(latexEscaped.Replace(s[i : i+1]))
		} else {
			b.WriteByte(s[i])
		}
	}
	return strings.ReplaceAll(b.String(), "›", latexAngle)
}

var (
	latexDirective = regexp.MustCompile(`^%+\s*lacuna:\s*(ask|skip|off|on|private)$`)
	latexHeading   = regexp.MustCompile(`^\\(part|chapter|(?:sub){0,2}section|(?:sub)?paragraph)\*?(?:\[[^\]]*\])?\{`)
	latexLabel     = regexp.MustCompile(`\}\s*(?:\\label\{[^}]*\})?$`)
	latexItem      = regexp.MustCompile(`^\\item(?:\[[^\]]*\]|\b)[ \t]*`)
	latexBegin     = regexp.MustCompile(`^\\begin\{(\w+)(\*?)\}`)
	latexOutside   = regexp.MustCompile(`^(?:verbatim|Verbatim|lstlisting|minted|comment|filecontents|quote|quotation|verse|displayquote|thebibliography|` +
		`tabular|tabularx|tabulary|longtable|array|tikzpicture|picture|equation|align|alignat|gather|multline|flalign|eqnarray|math|displaymath)$`)
	latexReference = regexp.MustCompile(`\\(?:label|\w*cite\w*|\w*ref)\*?(?:\[[^\]]*\])*\{[^}]*\}`)
	latexCommand   = regexp.MustCompile(`\\\\|\\[A-Za-z]+\*?(?:\[[^\]]*\])?|\\(.)|[{}$]`)
)

func stripLatex(s *scanner, p *piece, _ int) (isItem bool, level int) {
	if p.text[0] != '\\' {
		return false, 0
	}
	if marker := latexItem.FindString(p.text); marker != "" {
		p.cut(len(marker))
		return true, 0
	}
	if found := latexHeading.FindStringSubmatch(p.text); found != nil {
		p.cut(len(found[0]))
		if at := latexLabel.FindStringIndex(p.text); at != nil {
			p.text = p.text[:at[0]]
		}
		return false, 1 + slices.Index(latexLevels, found[1])
	}
	return false, 0
}

// latexLevels lists the commands for headings, outermost first.
var latexLevels = []string{"part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph"}

// outsideLatex reports whether the line is a comment, the preamble, or begins or ends an
// environment, and notes those whose words are not the writer's.
func outsideLatex(s *scanner, text string, _ int) bool {
	switch {
	case text[0] == '%':
		return true
	case strings.HasPrefix(text, `\documentclass`):
		s.isLastLine = func(line string) bool {
			return strings.HasPrefix(line, `\begin{document}`)
		}
		return true
	case strings.HasPrefix(text, `\end{document}`):
		s.isLastLine = func(string) bool { return false }
		return true
	case strings.HasPrefix(text, `\begin{`), strings.HasPrefix(text, `\end{`):
		if found := latexBegin.FindStringSubmatch(text); found != nil && latexOutside.MatchString(found[1]) {
			s.untilHas(text, `\end{`+found[1]+found[2]+"}")
		}
		return true
	case strings.HasPrefix(text, `\[`):
		s.untilHas(text, `\]`)
		return true
	case strings.HasPrefix(text, "$$"):
		s.untilHas(text[2:], "$$")
		return true
	}
	return false
}

// withoutLatexComment takes the comment off the end of a line.
func withoutLatexComment(line string) string {
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '%':
			return strings.TrimRight(line[:i], " \t")
		}
	}
	return line
}

func inlineLatex(text string) string {
	text = latexReference.ReplaceAllString(text, "")
	text = latexCommand.ReplaceAllString(text, "$1")
	return plaintext.OneLine(strings.ToValidUTF8(strings.ReplaceAll(text, "~", " "), "\ufffd"))
}

// latexCite names the page and its file. It is no link, for which a document would need a package that it may not
// load.
func latexCite(s BlockSource) string {
	label := escapeLatex(plainLabel.Replace(plaintext.OneLine(s.Title)))
	if label != "" {
		label += ", "
	}
	return fmt.Sprintf(`(%s\texttt{%s:%d})`, label, escapeLatex(escapePath(s.Path, "%:{}\"`")), s.Line)
}
