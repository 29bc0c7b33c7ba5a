package ingest

import (
	"context"
	"fmt"
	"lacuna/knowledge/document"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/ingest/pdf"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// extractPDF extracts the text of a PDF file. Pages take the place of lines.
func extractPDF(ctx context.Context, content []byte, longest time.Duration) (document.Document, error) {
	read, err := pdf.Read(ctx, content, longest)
	if err != nil {
		return document.Document{}, err
	}
	text := pdfText(read)
	return text.document(), nil
}

// pdfText writes the blocks of a document as headings, paragraphs and tables. It leaves out chrome,
// such as running heads.
func pdfText(d pdf.Document) extraction {
	w := pdfWriter{vocabulary: map[string]bool{}, page: 1}
	w.title, w.about = meaningfulTitle(d.Title), d.About
	w.collectWords(d)
	title := titleBlock(d)
	for i, page := range d.Pages {
		w.page = page.Number
		for k := range page.Blocks {
			b := &d.Pages[i].Blocks[k]
			if b.Chrome != pdf.NotChrome || len(b.Lines) == 0 {
				continue
			}
			w.addBlock(b)
			if b == title && w.title == "" {
				if n := len(w.headings); n > 0 {
					w.title, w.headings[n-1].text = w.headings[n-1].text, ""
				}
			}
		}
		if page.Broken && w.partly == "" {
			w.partly = fmt.Sprintf("page %d cannot be read to its end", page.Number)
		}
	}
	w.endTable()
	w.endParagraph()
	if d.XFA && w.partly == "" {
		w.partly = "an XFA form, of which only what its pages show is read"
	}
	return w.finish()
}

// titleBlock returns the largest heading of the first two pages, or nil.
func titleBlock(d pdf.Document) *pdf.Block {
	var largest *pdf.Block
	for i := range d.Pages[:min(2, len(d.Pages))] {
		for k := range d.Pages[i].Blocks {
			b := &d.Pages[i].Blocks[k]
			if b.Kind == pdf.Heading && b.Chrome == pdf.NotChrome && len(b.Lines) > 0 && (largest == nil || b.Lines[0].Size > largest.Lines[0].Size) {
				largest = b
			}
		}
	}
	return largest
}

// pdfWriter joins lines into headings, paragraphs and tables.
type pdfWriter struct {
	textBuilder
	vocabulary  map[string]bool // words of the document, in lower case
	page        int
	last        pdf.Line // the last line of running text
	lastPage    int      // its page
	hyphen      string   // the part of a word before the hyphen at the end of the last line
	head        []string // rows that name the columns of the open table
	headWritten bool     // head has been written
	rows        []string // pending rows of the open table
	rowsPage    int      // page of the pending rows
}

// collectWords fills the vocabulary.
func (w *pdfWriter) collectWords(d pdf.Document) {
	for _, page := range d.Pages {
		for _, b := range page.Blocks {
			for _, line := range b.Lines {
				for word := range strings.FieldsFuncSeq(strings.ToLower(line.Text), func(r rune) bool { return !unicode.IsLetter(r) && r != '-' }) {
					w.vocabulary[word] = true
				}
			}
		}
	}
}

func (w *pdfWriter) addBlock(b *pdf.Block) {
	switch b.Kind {
	case pdf.Row:
		if b.First {
			w.endTable()
		}
		w.endParagraph()
		w.addRow(b)
		w.last = pdf.Line{}
		return
	case pdf.Heading:
		w.endTable()
		w.endParagraph()
		from := w.Len() // endHeading removes the separator that precedes the heading
		for _, line := range b.Lines {
			w.addLine(line.Text)
		}
		w.writeHyphen()
		w.endHeading(from, b.Level)
		w.gap("\n\n")
		w.last = pdf.Line{}
		return
	}
	w.endTable()
	if !w.continuesSentence(b.Lines[0]) {
		w.endParagraph()
	}
	for _, line := range b.Lines {
		w.addLine(line.Text)
		w.last, w.lastPage = line, w.page
	}
}

// continuesSentence reports whether a line, in the next column or on the next page, continues the
// sentence that the last line broke off.
func (w *pdfWriter) continuesSentence(line pdf.Line) bool {
	if w.last.Text == "" || math.Abs(line.Size-w.last.Size) > 0.1*w.last.Size {
		return false
	}
	if drop := w.last.Y - line.Y; w.page == w.lastPage && drop > 1.75*line.Size && line.X < w.last.End {
		return false
	}
	first, _ := utf8.DecodeRuneInString(line.Text)
	return unicode.IsLower(first) && !itemMark.MatchString(line.Text) && !strings.ContainsAny(lastRune(w.last.Text), ".!?:;")
}

// itemMark matches the beginning of a list item.
var itemMark = regexp.MustCompile(`^(?:[•●▪◦‣–*-]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s`)

// maxRowWords bounds the words of a unit of rows, with the names of their columns.
const maxRowWords = 150

// addRow adds a row to the open table. Rows that fit in one passage with the names of their columns
// form a unit; if it is full, the next unit repeats the names.
func (w *pdfWriter) addRow(b *pdf.Block) {
	cells := slices.DeleteFunc(slices.Clone(b.Cells), func(cell string) bool { return cell == "" })
	if len(cells) > 1 {
		cells = b.Cells
	}
	text := "| " + strings.Join(cells, " | ") + " |"
	if w.page != w.rowsPage {
		w.writeRows()
		w.rowsPage = w.page
	}
	if b.Header && len(w.rows) == 0 {
		w.head = append(w.head, text)
		return
	}
	words := len(strings.Fields(text))
	for _, row := range w.head {
		words += len(strings.Fields(row))
	}
	for _, row := range w.rows {
		words += len(strings.Fields(row))
	}
	if words > maxRowWords && len(w.rows) > 0 {
		w.writeRows()
	}
	w.rows = append(w.rows, text)
}

// writeRows writes the pending rows as one unit, below the names of their columns.
func (w *pdfWriter) writeRows() {
	if len(w.rows) == 0 && (len(w.head) == 0 || w.headWritten) {
		return
	}
	w.gap("\n\n")
	from := w.Len() + len(w.pending)
	for _, row := range append(slices.Clone(w.head), w.rows...) {
		_ = w.words(row, w.rowsPage) // cannot fail: the PDF reader bounds the text
		w.gap("\n")
	}
	w.units = append(w.units, passage.Span{Start: from, End: w.Len()})
	w.gap("\n\n")
	w.rows, w.headWritten = w.rows[:0], true
}

// endTable writes the rest of the open table.
func (w *pdfWriter) endTable() {
	if len(w.rows) > 0 || !w.headWritten {
		w.writeRows()
	}
	w.head, w.rows, w.headWritten = nil, nil, false
}

func lastRune(s string) string {
	_, size := utf8.DecodeLastRuneInString(s)
	return s[len(s)-size:]
}

// addLine adds a line to the open block.
func (w *pdfWriter) addLine(text string) {
	switch {
	case w.hyphen != "":
		w.joinHyphenated(text)
	case w.pending == "" && w.Len() > 0:
		text = " " + text
	}
	stem, found := strings.CutSuffix(text, "-")
	if !found {
		stem, found = strings.CutSuffix(text, "\u00ad")
	}
	if found {
		before := stem[strings.LastIndexFunc(stem, func(r rune) bool { return !unicode.IsLetter(r) })+1:]
		if before != "" {
			text, w.hyphen = stem, strings.ToLower(before)
		}
	}
	_ = w.words(strings.ReplaceAll(text, "\u00ad", ""), w.page) // cannot fail: the PDF reader bounds the text
}

// joinHyphenated completes a word that the end of a line divides. It keeps the hyphen if the document
// has the word with one elsewhere, or if the next line cannot be the rest of a word.
func (w *pdfWriter) joinHyphenated(text string) {
	rest, _, _ := strings.Cut(strings.ToLower(text), " ")
	rest = strings.TrimRight(rest, ".,;:!?)”\"")
	first, _ := utf8.DecodeRuneInString(text)
	if !unicode.IsLower(first) || !w.vocabulary[w.hyphen+rest] && w.vocabulary[w.hyphen+"-"+rest] {
		w.put("-", w.page)
	}
	w.hyphen = ""
}

// endParagraph ends the open paragraph.
func (w *pdfWriter) endParagraph() {
	w.writeHyphen()
	w.gap("\n\n")
}

// writeHyphen writes the hyphen of a word that no line continues.
func (w *pdfWriter) writeHyphen() {
	if w.hyphen != "" {
		w.put("-", w.page)
		w.hyphen = ""
	}
}

// meaningfulTitle returns the title from a file's properties, or "" if a program made it up.
func meaningfulTitle(title string) string {
	lower := strings.ToLower(title)
	for _, sign := range []string{"untitled", "microsoft word", "powerpoint presentation", ".doc", ".tex", ".dvi", ".indd", ".qxd", ".pdf", ".ppt", ".xls", "slide 1"} {
		if strings.Contains(lower, sign) {
			return ""
		}
	}
	letters := 0
	for _, r := range title {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	if letters < 3 && !plaintext.HasHan(title) {
		return ""
	}
	return title
}
