package citation

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Formats that [Write] knows.
const (
	BibTeX = "bibtex"
	RIS    = "ris"
	CSL    = "csl"
)

// Write writes works in a format; another format is an error. Equal works give equal bytes.
func Write(w io.Writer, format string, works []Work) error {
	switch format {
	case BibTeX:
		return writeBibTeX(w, works)
	case RIS:
		return writeRIS(w, works)
	case CSL:
		return writeCSL(w, works)
	}
	return fmt.Errorf("unknown format %q", format)
}

// note says what has no field of its own in any format.
func (w Work) note() string {
	parts := []string{"Cited: " + strings.Join(w.Places, "; ")}
	if w.Issued.Words != "" {
		parts = append(parts, "dated "+w.Issued.Words)
	}
	if w.Private {
		parts = append(parts, "private")
	}
	return strings.Join(parts, ". ")
}

var months = [...]string{"", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}

// writeBibTeX writes entries of the type misc: of what type a document is, it does not say.
func writeBibTeX(out io.Writer, works []Work) error {
	var b strings.Builder
	for i, w := range works {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "@misc{%s,\n", w.Key)
		field := func(name, value string) {
			if value != "" {
				fmt.Fprintf(&b, "  %s = {%s},\n", name, value)
			}
		}
		var authors []string
		for _, a := range w.Authors {
			if a.Literal != "" {
				authors = append(authors, "{"+latex(a.Literal)+"}")
			} else {
				authors = append(authors, latex(a.String()))
			}
		}
		field("author", strings.Join(authors, " and "))
		if w.Title != "" {
			field("title", "{"+latex(w.Title)+"}") // styles leave its case
		}
		field("howpublished", latex(w.In))
		field("year", w.Issued.year())
		if w.Issued.Month > 0 {
			fmt.Fprintf(&b, "  month = %s,\n", months[w.Issued.Month])
		}
		field("version", latex(w.Version))
		field("doi", w.DOI)
		field("pmid", w.PMID)
		field("url", literal(w.URL))
		field("file", literal(w.File))
		field("note", latex(w.note()))
		b.WriteString("}\n")
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// literal returns an address or a path as BibTeX's readers take it, letter by letter; empty if it has a letter that would end the
// field.
func literal(text string) string {
	if strings.ContainsAny(text, "{}\\\"") {
		return ""
	}
	return text
}

var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\textbraceleft{}`, `}`, `\textbraceright{}`, `~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`,
	`$`, `\$`, `&`, `\&`, `#`, `\#`, `_`, `\_`, `%`, `\%`,
)

// latex returns a text in which LaTeX reads every character as it is, also those of which it makes dashes and quotation marks.
func latex(text string) string {
	var b strings.Builder
	before := ' '
	for _, r := range latexEscapes.Replace(text) {
		if r == before && strings.ContainsRune("-`'", r) {
			b.WriteString("{}")
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}

// writeRIS writes references of the type GEN, a generic one. A value is a line.
func writeRIS(out io.Writer, works []Work) error {
	var b strings.Builder
	for _, w := range works {
		field := func(tag, value string) {
			if value != "" {
				fmt.Fprintf(&b, "%s  - %s\n", tag, value)
			}
		}
		field("TY", "GEN")
		field("ID", w.Key)
		for _, a := range w.Authors {
			field("AU", a.String())
		}
		field("TI", w.Title)
		field("T2", w.In)
		field("PY", w.Issued.year())
		if w.Issued.Month > 0 {
			day := ""
			if w.Issued.Day > 0 {
				day = fmt.Sprintf("%02d", w.Issued.Day)
			}
			field("DA", fmt.Sprintf("%04d/%02d/%s/", w.Issued.Year, w.Issued.Month, day))
		}
		field("ET", w.Version)
		field("DO", w.DOI)
		field("AN", w.PMID)
		field("UR", w.URL)
		field("L1", w.File)
		field("N1", w.note())
		b.WriteString("ER  - \n\n")
	}
	_, err := io.WriteString(out, b.String())
	return err
}

type cslItem struct {
	ID        string    `json:"id"`
	Type      string    `json:"type"`
	Title     string    `json:"title,omitempty"`
	Author    []cslName `json:"author,omitempty"`
	Issued    *cslDate  `json:"issued,omitempty"`
	Container string    `json:"container-title,omitempty"`
	Version   string    `json:"version,omitempty"`
	DOI       string    `json:"DOI,omitempty"`
	PMID      string    `json:"PMID,omitempty"`
	URL       string    `json:"URL,omitempty"`
	Note      string    `json:"note"`
}

type cslName struct {
	Family  string `json:"family,omitempty"`
	Given   string `json:"given,omitempty"`
	Literal string `json:"literal,omitempty"`
}

type cslDate struct {
	Parts [][]int `json:"date-parts,omitempty"`
	Raw   string  `json:"raw,omitempty"`
}

// writeCSL writes items of the type document. CSL has no field for a file, so the note alone names it.
func writeCSL(out io.Writer, works []Work) error {
	items := []cslItem{}
	for _, w := range works {
		i := cslItem{ID: w.Key, Type: "document", Title: w.Title, Container: w.In, Version: w.Version, DOI: w.DOI, PMID: w.PMID, URL: w.URL, Note: w.note()}
		for _, a := range w.Authors {
			i.Author = append(i.Author, cslName(a))
		}
		switch d := w.Issued; {
		case d.Words != "":
			i.Issued = &cslDate{Raw: d.Words}
		case d.Day > 0:
			i.Issued = &cslDate{Parts: [][]int{{d.Year, d.Month, d.Day}}}
		case d.Month > 0:
			i.Issued = &cslDate{Parts: [][]int{{d.Year, d.Month}}}
		case d.Year > 0:
			i.Issued = &cslDate{Parts: [][]int{{d.Year}}}
		}
		items = append(items, i)
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(items)
}
