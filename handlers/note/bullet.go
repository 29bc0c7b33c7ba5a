package note

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"lacuna/knowledge/passage"
)

// Basis says what a statement of an answer rests on.
type Basis string

const (
	Quote       Basis = ""            // it is verbatim, from its one citation
	Claim       Basis = "claim"       // a model's words, which the quotes of its citations support
	Background  Basis = "background"  // a model's words, which no source supports and none contradicts
	Unsupported Basis = "unsupported" // a model's words, which should be in the sources and are not
	// Uncited is read and never written: a line of a list in an answer by a model that says neither
	// what it rests on nor that it rests on nothing.
	Uncited Basis = "uncited"
)

// remarks stand behind a model's sentence that has no citation. Blocks are read by these words, so
// they stay as they are.
var remarks = []struct {
	basis Basis
	words string
}{
	{Background, "(background from the model, not from your sources)"},
	{Unsupported, "(not found in your sources)"},
}

// Remark is what stands behind a sentence of that basis in the place of citations; it may be empty.
func Remark(basis Basis) string {
	for _, remark := range remarks {
		if remark.basis == basis {
			return remark.words
		}
	}
	return ""
}

// Bullet is one statement with its citations.
type Bullet struct {
	Basis     Basis
	Lead      string // the sentence before a quote, shown in brackets; may be empty
	Text      string
	Citations []int // one of a quote, some of a claim, none of the others
}

// String is the statement as people read it outside of notes.
func (b Bullet) String() string {
	text := oneLine(b.Text)
	if b.Basis == Quote {
		text = "“" + text + "”"
	}
	if lead := oneLine(b.Lead); lead != "" {
		text = "(" + lead + ") " + text
	}
	return text + b.ending()
}

// ending is what stands behind the words of a statement: its marks, or what it rests on instead.
func (b Bullet) ending() string {
	if remark := Remark(b.Basis); remark != "" {
		return " " + remark
	}
	var marks strings.Builder
	for _, n := range b.Citations {
		fmt.Fprintf(&marks, " [%d]", n)
	}
	return marks.String()
}

// Statement is a bullet as it stands in a note.
type Statement struct {
	Basis Basis
	Text  string       // white space folded to single spaces; of a quote without its lead
	Span  passage.Span // of the words in the note, up to the marks or the remark behind them
}

// bullet writes a statement. What stands at the end of the line is how it is read back, so a
// model's words must not end like it.
func (m *markup) bullet(b Bullet) string {
	text := oneLine(b.Text)
	if b.Basis == Quote {
		return m.item + m.lead(b.Lead) + m.left + m.escape(text) + m.right + b.ending()
	}
	text = strings.TrimSpace(endMarks.ReplaceAllString(text, ""))
	if strings.HasSuffix(text, `"`) && strings.ContainsAny(text[:1], `"(`) {
		text = text[:len(text)-1] + "”"
	}
	return m.item + m.begin(m.escape(text)) + b.ending()
}

// lead writes the sentence before a quote; one that would be mistaken for the beginning of the quote
// is left out.
func (m *markup) lead(text string) string {
	text = oneLine(text)
	if text = m.escape(text); text == "" || strings.Contains(text, ") "+m.left) {
		return ""
	}
	return "(" + text + ") "
}

var (
	claimLine = regexp.MustCompile(`^(.+?)((?: \[\d{1,6}\])+)$`)
	claimMark = regexp.MustCompile(`\[(\d{1,6})\]`)
	endMarks  = regexp.MustCompile(`(?:\s*\[\d{1,6}\])+$`)
)

// quoteLine matches a quote between those marks, behind the beginning of its line.
func quoteLine(left, right string) *regexp.Regexp {
	left, right = regexp.QuoteMeta(left), regexp.QuoteMeta(right)
	return regexp.MustCompile(`^(?:\(.*?\) )?` + left + `(.*)` + right + ` (\[(\d{1,6})\])$`)
}

// readBullet takes in a statement, without white space around it, and reports whether the line is
// one that Lacuna wrote.
func (a *Answer) readBullet(m *markup, line string, offset int) bool {
	line, isItem := strings.CutPrefix(line, m.item)
	if !isItem {
		return false
	}
	offset += len(m.item)
	if at := m.quoted.FindStringSubmatchIndex(line); at != nil {
		number, _ := strconv.Atoi(line[at[6]:at[7]])
		quote := m.plain(line[at[2]:at[3]])
		a.Marks = append(a.Marks, Mark{N: number, Span: shifted(at[4], at[5], offset), Quote: quote})
		a.state(Quote, quote, shifted(at[2]-len(m.left), at[3]+len(m.right), offset))
		return true
	}
	if at := claimLine.FindStringSubmatchIndex(line); at != nil {
		a.state(Claim, m.plain(m.words(line[at[2]:at[3]])), shifted(at[2], at[3], offset))
		for _, mark := range claimMark.FindAllStringSubmatchIndex(line[at[4]:], -1) {
			number, _ := strconv.Atoi(line[at[4]+mark[2] : at[4]+mark[3]])
			a.Marks = append(a.Marks, Mark{N: number, Span: shifted(mark[0], mark[1], offset+at[4]), Basis: Claim})
		}
		return true
	}
	for _, remark := range remarks {
		if words, ok := strings.CutSuffix(line, " "+remark.words); ok && strings.TrimSpace(words) != "" {
			a.state(remark.basis, m.plain(m.words(words)), shifted(0, len(words), offset))
			return true
		}
	}
	return false
}

// readUncited takes in a line of a list that is no statement of Lacuna's any more, or never was.
func (a *Answer) readUncited(m *markup, line string, offset int) {
	if text, ok := strings.CutPrefix(line, m.item); ok && strings.TrimSpace(text) != "" {
		a.state(Uncited, m.plain(m.words(text)), shifted(len(m.item), len(line), offset))
	}
}

func (a *Answer) state(basis Basis, text string, span passage.Span) {
	a.Statements = append(a.Statements, Statement{Basis: basis, Text: oneLine(text), Span: span})
}

func shifted(start, end, by int) passage.Span { return passage.Span{Start: start + by, End: end + by} }

// ByModel reports whether a model wrote a part of the answer.
func (a *Answer) ByModel() bool {
	for _, s := range a.Statements {
		if s.Basis != Quote && s.Basis != Uncited {
			return true
		}
	}
	for _, c := range a.Citations {
		if c.Quote != "" {
			return true
		}
	}
	return false
}
