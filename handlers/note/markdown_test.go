package note

import (
	"regexp"
	"slices"
	"testing"
)

// Markdown is rendered by many programs, and some look for what they run in the text as it stands. So
// their marks count wherever they are, also behind a backslash.
func init() {
	hostile[Markdown] = []string{
		"`r system('x')`", "`r\tx`", "``r x``", "`{python} x`", "`{r} x`", "`= dv.x`", "`$= x`", "`x`{=latex}", "`0`r x", "`<b>`{=html}",
		`\input{x}`, `\\input{x}`, `\\\write18{x}`, `\[x\]`, `\(x\)`, "$x$ $y$", "$$x$$",
		"{{< include x >}}", "{{ x }}", "{% x %}", "{x}", "${x}", "<% x %>", `\<% x %>`, "<?x?>", "<b>x</b>", `\<b>`, `\\<b>`, "<!-- x -->",
		"[[x]]", "![[x]]", "![x](y)", "[x](y)", "[^1]", "^[x]", "%%x%%", "@smith", "[@smith]", "@import \"x\"", "::: x", ":::x", "```{r}", "~~~ x",
		"[x]: y", "# x", "> x", "---", "***", "&#96;r x&#96;", "&amp;#96;",
	}
	own[Markdown] = regexp.MustCompile("<!-- lacuna:(?:answer [0-9a-f]+|end|cite [0-9a-f]{32}) -->|\\]\\((?:<[^<>`{}$]*>|[^()<>\\s`{}$]*)\\)|&#\\d+;|&amp;|(?: \\[\\d+\\])+$")
	active[Markdown] = []*regexp.Regexp{
		regexp.MustCompile("`(?:r[ #]|\\{|\\$?=)|`\\{|\\{|<%|%%|\\[\\[|\\[\\^|\\$.*\\$"), // knitr, Quarto, Dataview, MDX, Jekyll, Templater, Obsidian
		regexp.MustCompile(`\\[\pL\pN]`),                                                 // TeX, as pandoc reads it
		regexp.MustCompile(`(?:^|[^\\\x01])<[A-Za-z/!?]|(?:^|[^\\])!\[|[^\\\x01]\]\(`),
		regexp.MustCompile(`(?:^|[^\pL\pN._%+-])@[A-Za-z0-9_{]|^\s*(?:- )?:::`),
	}
}

// TestQuarto reads a Quarto document: its text is a note, its code and what stands behind "#|" in it is none.
func TestQuarto(t *testing.T) {
	const text = "---\ntitle: What is it?\nformat: html\n---\n\n## Dose {#sec-dose}\n\nWhat is the dose of metformin?\n\n```{r}\n#| label: fig\n# What is the dose of insulin?\nprint(\"Is it high?\")\n```\n\n::: {.callout-note}\nWhen is metformin avoided?\n:::\n"
	var got []string
	for _, q := range Parse(text, LanguageOf("quarto", "/round.qmd")).Questions {
		got = append(got, q.Text)
	}
	if want := []string{"What is the dose of metformin?", "When is metformin avoided?"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
