package ingest

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/ingest/pdf"
)

// extractPDF takes the text from a PDF file, which has only lines of some size in some place: what
// looks like a heading or a paragraph becomes one. Pages take the place of lines.
func extractPDF(ctx context.Context, content []byte, longest time.Duration) (extraction, error) {
	document, err := pdf.Read(ctx, content, longest)
	if err != nil {
		return extraction{}, err
	}
	return pdfText(document), nil
}

// pdfText writes the lines of a document as headings and paragraphs.
func pdfText(d pdf.Document) extraction {
	w := pdfWriter{vocabulary: map[string]bool{}}
	w.title, w.about = meaningfulTitle(d.Title), d.About
	w.measure(d)
	for _, page := range d.Pages {
		w.page = page.Number
		for _, line := range page.Lines {
			w.line(line)
		}
		if page.Broken && w.partly == "" {
			w.partly = fmt.Sprintf("page %d cannot be read to its end", page.Number)
		}
	}
	w.end()
	return w.finish()
}

// pdfWriter joins lines into headings and paragraphs.
type pdfWriter struct {
	textBuilder
	body       float64         // size of most letters
	levels     []float64       // sizes of headings, largest first
	vocabulary map[string]bool // words of the document, in lower case
	page       int
	last       pdf.Line
	hyphen     string // the part of a word before the hyphen at the end of the last line
	heading    int    // where the open heading begins; -1 for none
	level      int    // of the open heading, 0 for none
}

// headingSize is the least size of a heading, relative to running text.
const headingSize = 1.12

// measure finds the size of running text, the sizes of headings, and the document's words.
func (w *pdfWriter) measure(d pdf.Document) {
	letters := map[float64]int{}
	for _, page := range d.Pages {
		for _, line := range page.Lines {
			letters[line.Size] += utf8.RuneCountInString(line.Text)
			for _, word := range strings.FieldsFunc(strings.ToLower(line.Text), func(r rune) bool { return !unicode.IsLetter(r) && r != '-' }) {
				w.vocabulary[word] = true
			}
		}
	}
	for size, n := range letters {
		if n > letters[w.body] || n == letters[w.body] && size < w.body {
			w.body = size
		}
	}
	for size := range letters {
		if size >= headingSize*w.body {
			w.levels = append(w.levels, size)
		}
	}
	slices.SortFunc(w.levels, func(a, b float64) int { return cmp.Compare(b, a) })
}

// maxHeadingChars is the length of the longest line of a heading; longer ones are text in large print.
const maxHeadingChars = 120

func (w *pdfWriter) line(line pdf.Line) {
	level := 0
	if line.Size >= headingSize*w.body && utf8.RuneCountInString(line.Text) <= maxHeadingChars {
		level = min(6, 1+slices.Index(w.levels, line.Size))
	}
	follows := w.follows(line)
	switch {
	case level > 0 && level == w.level && follows:
	case level > 0:
		w.end()
		w.level, w.heading = level, -1
	case w.level > 0 || !follows || itemMark.MatchString(line.Text):
		w.end()
	}
	w.join(line.Text)
	w.last = line
}

// itemMark matches the beginning of a list item.
var itemMark = regexp.MustCompile(`^(?:[•●▪◦‣–*-]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s`)

// follows reports whether a line continues the last one: right below it, or in the next column or on
// the next page in the middle of a sentence.
func (w *pdfWriter) follows(line pdf.Line) bool {
	if w.last.Text == "" || math.Abs(line.Size-w.last.Size) > 0.1*w.last.Size {
		return false
	}
	if drop := w.last.Y - line.Y; drop > 0 {
		return drop < 1.75*line.Size && line.X < w.last.End
	}
	first, _ := utf8.DecodeRuneInString(line.Text)
	return line.Y > w.last.Y && unicode.IsLower(first) && !strings.ContainsAny(lastRune(w.last.Text), ".!?:;")
}

func lastRune(s string) string {
	_, size := utf8.DecodeLastRuneInString(s)
	return s[len(s)-size:]
}

// join adds a line to the open block.
func (w *pdfWriter) join(text string) {
	switch {
	case w.hyphen != "":
		w.joinHyphenated(text)
	case w.pending == "" && w.Len() > 0:
		text = " " + text
	}
	if stem, found := strings.CutSuffix(text, "-"); found {
		before := stem[strings.LastIndexFunc(stem, func(r rune) bool { return !unicode.IsLetter(r) })+1:]
		if before != "" {
			text, w.hyphen = stem, strings.ToLower(before)
		}
	}
	if w.level > 0 && w.heading < 0 {
		w.heading = w.Len() // of which the separator before it becomes a part that endHeading takes off
	}
	_ = w.words(text, w.page) // cannot fail: the PDF reader bounds the text
}

// joinHyphenated completes a word broken at the end of a line. It keeps the hyphen if the document has
// the word with one elsewhere, or if what follows cannot be the rest of a word.
func (w *pdfWriter) joinHyphenated(text string) {
	rest, _, _ := strings.Cut(strings.ToLower(text), " ")
	rest = strings.TrimRight(rest, ".,;:!?)”\"")
	first, _ := utf8.DecodeRuneInString(text)
	if !unicode.IsLower(first) || !w.vocabulary[w.hyphen+rest] && w.vocabulary[w.hyphen+"-"+rest] {
		w.put("-", w.page)
	}
	w.hyphen = ""
}

// end ends the open block, and makes it a heading if it is one.
func (w *pdfWriter) end() {
	if w.hyphen != "" {
		w.put("-", w.page)
		w.hyphen = ""
	}
	if w.level > 0 && w.heading >= 0 {
		w.endHeading(w.heading, w.level)
	}
	w.level, w.heading = 0, -1
	w.gap("\n\n")
}

// meaningfulTitle returns the title from a file's properties, unless a program put it there.
func meaningfulTitle(title string) string {
	lower := strings.ToLower(title)
	for _, sign := range []string{"untitled", "microsoft word", ".doc", ".tex", ".dvi", ".indd", ".qxd", ".pdf", "slide 1"} {
		if strings.Contains(lower, sign) {
			return ""
		}
	}
	return title
}
