package note

import (
	"fmt"
	"regexp"
	"strings"

	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// Basis says what a statement of an answer rests on.
type Basis string

const (
	Quote        Basis = ""             // it is verbatim, from its one citation
	Claim        Basis = "claim"        // a model's words, which its citations state
	Partly       Basis = "partly"       // a model's words, of which its citations state a part
	Contradicted Basis = "contradicted" // a model's words, which its citations contradict
	Unchecked    Basis = "unchecked"    // a model's words, to compare with its citations: words cannot tell
	Background   Basis = "background"   // a model's words, which no source supports and none contradicts
	Unsupported  Basis = "unsupported"  // a model's words, which no passage that was compared states
	Opinion      Basis = "opinion"      // the writer's own, for which no source is claimed
	// Place is verbatim, from its one citation, and not claimed to answer: it is one of the nearest places.
	Place Basis = "place"
	// Uncited is read and never written: a list line in a model's answer with neither a citation nor a
	// remark.
	Uncited Basis = "uncited"
)

// Finding is what a check of a sentence found, as its remark in a block has it.
type Finding struct {
	Unstated    []string     // words of the sentence that its citations do not state; of Partly only
	Differences []Difference // of Contradicted only
	ByModel     bool         // a model found it
}

// Difference is a pair of words that cannot both be true; one of both may be empty.
type Difference struct{ Said, Stated string }

// A remark follows a model's sentence that its citations do not simply state. Notes on disk are read by these
// words, so a word that was ever written stays readable; the first of a basis is written.
var remarks = []struct {
	basis Basis
	words string
}{
	{Background, "(background from the model, not from your sources)"},
	{Unsupported, "(not in the passages found)"},
	{Unsupported, "(not found in your sources)"},
	{Unchecked, "(not checked)"},
	{Opinion, OwnOpinion},
	{Opinion, "(eigene Meinung)"},
	{Opinion, "（个人意见）"},
}

// OwnOpinion follows a sentence for which its writer claims no source, in an answer and in running text.
const OwnOpinion = "(own opinion)"

// FromFiles and StillBeingRead are of the line of an answer that was written before all sources had been read; files
// are counted between them. Notes on disk are read by these words, so they must not change.
const (
	FromFiles      = "From"
	StillBeingRead = "as the sources were still being read"
)

// early matches these words, on one line or wrapped.
var early = regexp.MustCompile(FromFiles + `\s[\s\pP\pS\d]+\sof\s[\s\pP\pS\d]+\sfiles?,[\s\pP\pS]+` + strings.ReplaceAll(StillBeingRead, " ", `[\s\pP\pS]+`))

// IsEarly reports whether an answer says that it was written before all sources had been read.
func (n *Note) IsEarly(a Answer) bool { return early.MatchString(n.Text[a.Span.Start:a.Span.End]) }

// Remark returns the words that follow a sentence of that basis without a citation; it may be empty.
func Remark(basis Basis) string {
	for _, remark := range remarks {
		if remark.basis == basis {
			return remark.words
		}
	}
	return ""
}

// Bounds on what a remark names.
const (
	mostNamed = 3
	maxNamed  = 100 // characters of each
)

// byModel ends a remark that a model's verdict is behind.
const byModel = "checked by a model"

// marks returns the citation marks of a statement.
func (b Bullet) marks() string {
	var marks []string
	for _, n := range b.Citations {
		marks = append(marks, fmt.Sprintf("[%d]", n))
	}
	return strings.Join(marks, " ")
}

// suffix returns what follows the words of a statement: its citation marks, or a remark with them.
func (b Bullet) suffix(escape func(string) string) string {
	var marks strings.Builder
	if len(b.Citations) > 0 {
		marks.WriteString(" " + b.marks())
	}
	quote := func(text string) string {
		return "“" + escapeAmongOthers(escape, curlyMarks.Replace(shorten(plaintext.OneLine(text)))) + "”"
	}
	var remark []string
	switch {
	case b.Basis == Partly:
		var parts []string
		for _, part := range b.Unstated[:min(len(b.Unstated), mostNamed)] {
			parts = append(parts, quote(part))
		}
		if len(parts) > 0 {
			remark = append(remark, "not stated there: "+strings.Join(parts, ", "))
		} else {
			remark = append(remark, "not all of it stated there")
		}
	case b.Basis == Contradicted && len(b.Citations) > 0:
		remark = append(remark, "but"+marks.String()+" says "+differ(b.Differences, quote))
		marks.Reset()
	case b.Basis == Unchecked && len(b.Citations) > 0:
		remark = append(remark, "compare"+marks.String())
		marks.Reset()
	default:
		if words := Remark(b.Basis); words != "" {
			return " " + words
		}
	}
	if b.ByModel {
		remark = append(remark, byModel)
	}
	if len(remark) == 0 {
		return marks.String()
	}
	return marks.String() + " (" + strings.Join(remark, "; ") + ")"
}

// curlyMarks keeps words apart from the quotation marks around them.
var curlyMarks = strings.NewReplacer("“", "'", "”", "'")

// escapeAmongOthers escapes words that share their line with others: one dollar sign is a price, two in a line
// are mathematics in Markdown.
func escapeAmongOthers(escape func(string) string, text string) string {
	const dollars = " $$"
	if escaped, ok := strings.CutSuffix(escape(text+dollars), escape(dollars)); ok && strings.Contains(text, "$") {
		return escaped
	}
	return escape(text)
}

// differ says in which words a source and a sentence differ.
func differ(differences []Difference, quote func(string) string) string {
	var parts []string
	for _, d := range differences[:min(len(differences), mostNamed)] {
		switch {
		case d.Stated != "" && d.Said != "":
			parts = append(parts, quote(d.Stated)+", not "+quote(d.Said))
		case d.Stated != "":
			parts = append(parts, quote(d.Stated))
		case d.Said != "":
			parts = append(parts, "it without "+quote(d.Said))
		}
	}
	if len(parts) == 0 {
		return "otherwise"
	}
	return strings.Join(parts, ", and ")
}

// shorten cuts words in their middle, of which both ends tell where they stand.
func shorten(text string) string {
	runes := []rune(text)
	if len(runes) <= maxNamed {
		return text
	}
	return strings.TrimSpace(string(runes[:maxNamed/2])) + " … " + strings.TrimSpace(string(runes[len(runes)-maxNamed/2:]))
}

const (
	markPattern  = `\[\d{1,6}\]`
	namedPattern = `“[^“”]*”`
	endPattern   = `(; ` + byModel + `)?\)$`
	onePattern   = `(?:` + namedPattern + `(?:, not ` + namedPattern + `)?|it without ` + namedPattern + `)`
)

// What ends a line with a statement, apart from remarks without citations. Each has the groups words, marks,
// named and model, which may be empty.
var suffixes = []struct {
	basis   Basis
	pattern *regexp.Regexp
}{
	{Claim, regexp.MustCompile(`^(.+?)((?: ` + markPattern + `)+)()()$`)},
	{Claim, regexp.MustCompile(`^(.+?)((?: ` + markPattern + `)+)() \((` + byModel + `)\)$`)},
	{Partly, regexp.MustCompile(`^(.+?)((?: ` + markPattern + `)+) \((not stated there: ` + namedPattern + `(?:, ` + namedPattern + `)*|not all of it stated there)` + endPattern)},
	{Contradicted, regexp.MustCompile(`^(.+?) \(but((?: ` + markPattern + `)+) says (` + onePattern + `(?:, and ` + onePattern + `)*|otherwise)` + endPattern)},
	{Unchecked, regexp.MustCompile(`^(.+?) \(compare((?: ` + markPattern + `)+)()` + endPattern)},
	{Opinion, regexp.MustCompile(`^(.+?)((?: ` + markPattern + `)+)() ()(?:\(own opinion\)|\(eigene Meinung\)|（个人意见）)$`)},
}

var (
	claimMark = regexp.MustCompile(markPattern)
	endMarks  = regexp.MustCompile(`(?:\s*\[\d{1,6}\])+$`)
	named     = regexp.MustCompile(namedPattern)
	oneNamed  = regexp.MustCompile(onePattern)
)

// readSuffix splits a line of a block into the words of a statement and what follows them; marks are the spans
// of its citation marks in the line.
func (m *markup) readSuffix(line string) (words string, found Statement, marks []passage.Span, ok bool) {
	for _, s := range suffixes {
		at := s.pattern.FindStringSubmatchIndex(line)
		if at == nil {
			continue
		}
		found.Basis, found.ByModel = s.basis, at[8] >= 0 && at[9] > at[8]
		for _, mark := range claimMark.FindAllStringIndex(line[at[4]:at[5]], -1) {
			marks = append(marks, spanAt(mark[0], mark[1], at[4]))
		}
		found.read(m, s.basis, line[at[6]:at[7]])
		return line[at[2]:at[3]], found, marks, true
	}
	for _, remark := range remarks {
		if words, ok := strings.CutSuffix(line, " "+remark.words); ok && strings.TrimSpace(words) != "" {
			found.Basis = remark.basis
			return words, found, nil, true
		}
	}
	return "", found, nil, false
}

// read reads what a remark names.
func (f *Finding) read(m *markup, basis Basis, text string) {
	bare := func(quoted string) string { return m.unescape(strings.Trim(quoted, "“”")) }
	switch basis {
	case Partly:
		for _, one := range named.FindAllString(text, -1) {
			f.Unstated = append(f.Unstated, bare(one))
		}
	case Contradicted:
		for _, one := range oneNamed.FindAllString(text, -1) {
			words := named.FindAllString(one, -1)
			switch {
			case len(words) == 2:
				f.Differences = append(f.Differences, Difference{Said: bare(words[1]), Stated: bare(words[0])})
			case strings.HasPrefix(one, "it without "):
				f.Differences = append(f.Differences, Difference{Said: bare(words[0])})
			default:
				f.Differences = append(f.Differences, Difference{Stated: bare(words[0])})
			}
		}
	}
}
