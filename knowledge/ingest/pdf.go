package ingest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/document"
	"lacuna/knowledge/ingest/ocr"
	"lacuna/knowledge/ingest/pdf"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// extractPDF reads a PDF file. Pages take the place of lines.
func extractPDF(ctx context.Context, content []byte, longest time.Duration) (document.Document, error) {
	read, err := pdf.Read(ctx, content, longest)
	if !ocr.Active() || !needsOCR(read, err) {
		if err != nil {
			return document.Document{}, err
		}
		return pdfDocument(read)
	}
	recognised, failed := ocr.Read(ctx, content)
	switch {
	case ctx.Err() != nil:
		return document.Document{}, ctx.Err()
	case failed != nil && err != nil:
		return document.Document{}, fmt.Errorf("%w; %w", err, failed)
	case failed == nil:
		read = mergeRecognised(read, recognised)
	}
	d, err := pdfDocument(read)
	if failed != nil {
		d.Partly += "; " + failed.Error()
	}
	return d, err
}

// needsOCR reports whether a file has pages of which only a picture is known, or is made of them.
func needsOCR(d pdf.Document, err error) bool {
	if err != nil {
		return errors.Is(err, pdf.ErrNoText) || errors.Is(err, pdf.ErrNoMap)
	}
	return slices.ContainsFunc(d.Pages, isUnread)
}

// isUnread reports whether most of what a page shows is not text, or not known to be.
func isUnread(p pdf.Page) bool {
	letters := 0
	for _, b := range p.Blocks {
		for _, line := range b.Lines {
			letters += len(line.Text)
		}
	}
	return p.Picture || p.Unmapped > letters
}

// mergeRecognised returns the document with the pages that OCR read in place of those that are only
// pictures.
func mergeRecognised(d, recognised pdf.Document) pdf.Document {
	if len(d.Pages) != len(recognised.Pages) {
		if len(d.Pages) > 0 {
			return d
		}
		d.Title, d.About, d.Pages = recognised.Title, recognised.About, make([]pdf.Page, len(recognised.Pages))
		for i := range d.Pages {
			d.Pages[i].Picture = true
		}
	}
	for i, page := range recognised.Pages {
		if isUnread(d.Pages[i]) && len(page.Blocks) > 0 {
			d.Pages[i] = page
			d.Pages[i].Recognised, d.Pages[i].Picture = true, false
		} else if d.Pages[i].Number == 0 { // it has no text at all
			d.Pages[i] = page
		}
	}
	return d
}

// pdfDocument writes the blocks of a PDF file as those of a document.
func pdfDocument(d pdf.Document) (document.Document, error) {
	w := pdfWriter{vocabulary: map[string]bool{}}
	w.collectWords(d)
	w.Title, w.Keywords = w.meaningfulTitle(d.Title), d.About
	title := titleBlock(d)
	labels := make([]string, len(d.Pages))
	for i, page := range d.Pages {
		labels[i] = page.Label
		w.page = page.Number
		for k := range page.Blocks {
			b := &d.Pages[i].Blocks[k]
			if len(b.Lines) == 0 {
				continue
			}
			w.add(b)
			if b == title && w.Title == "" {
				w.End()
				if n := len(w.Blocks); n > 0 && w.Blocks[n-1].Kind == passage.Heading {
					w.Title, w.Blocks[n-1].Label = w.Blocks[n-1].Label, ""
				}
			}
		}
	}
	w.end()
	w.waiting = w.chrome
	w.end()
	w.lose(d)
	w.About.Pages = passage.PageLabelsOf(labels)
	return w.Finish(), w.err
}

// titleBlock returns the largest heading of the first two pages, or nil.
func titleBlock(d pdf.Document) *pdf.Block {
	var largest *pdf.Block
	for i := range d.Pages[:min(2, len(d.Pages))] {
		for k := range d.Pages[i].Blocks {
			b := &d.Pages[i].Blocks[k]
			if b.Kind == pdf.Heading && b.Chrome == pdf.NotChrome && len(b.Lines) > 0 && canBeTitle(b.Lines[0].Text) && (largest == nil || b.Lines[0].Size > largest.Lines[0].Size) {
				largest = b
			}
		}
	}
	return largest
}

// pdfWriter joins lines into headings, paragraphs, items and tables.
type pdfWriter struct {
	document.Builder
	err        error
	vocabulary map[string]bool // words of the document, in lower case
	page       int
	last       pdf.Line      // the last line of the open paragraph; its text is empty if none is open
	lastPage   int           // its page
	hyphen     string        // the part of a word before the hyphen at the end of the last line
	waiting    []waitingNote // footnotes, which must not divide a sentence that goes on after them
	chrome     []waitingNote // which must not divide passages
	columns    int           // of the open table; 0 if none is open
	tablePage  int           // page of its last row
}

// waitingNote is a block that is written later.
type waitingNote struct {
	block *pdf.Block
	page  int
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

// blockKinds maps the kinds of blocks that hold lines.
var blockKinds = map[pdf.Kind]passage.BlockKind{
	pdf.Heading: passage.Heading, pdf.Item: passage.Item, pdf.Caption: passage.Caption, pdf.Footnote: passage.Footnote,
}

var chromeOf = map[pdf.Chrome]document.Chrome{
	pdf.Artifact: document.RunningHead, pdf.Running: document.RunningHead, pdf.Contents: document.Contents, pdf.Index: document.Index,
}

func (w *pdfWriter) add(b *pdf.Block) {
	switch {
	case b.Chrome != pdf.NotChrome:
		w.chrome = append(w.chrome, waitingNote{b, w.page})
		return
	case b.Kind == pdf.Footnote:
		w.waiting = append(w.waiting, waitingNote{b, w.page})
		return
	case b.Kind == pdf.Row:
		w.addRow(b)
		return
	case b.Kind == pdf.Text && w.continuesSentence(b.Lines[0]):
	default:
		w.end()
		w.columns = 0
		w.Begin(blockKinds[b.Kind], b.Level)
	}
	for _, line := range b.Lines {
		w.addLine(line.Text)
		w.last, w.lastPage = line, w.page
	}
	if b.Kind != pdf.Text && b.Kind != pdf.Item {
		w.last = pdf.Line{}
	}
}

// end ends the open block and writes what waits for that.
func (w *pdfWriter) end() {
	w.writeHyphen()
	w.End()
	w.last = pdf.Line{}
	page := w.page
	for _, note := range w.waiting {
		w.Begin(blockKinds[note.block.Kind], 0)
		w.Chrome(chromeOf[note.block.Chrome])
		w.page = note.page
		for _, line := range note.block.Lines {
			w.addLine(line.Text)
		}
		w.writeHyphen()
		w.End()
	}
	w.waiting, w.page = w.waiting[:0], page
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
	last, _ := utf8.DecodeLastRuneInString(w.last.Text)
	if unicode.Is(unicode.Han, first) { // to another column or page, in the middle of a sentence
		return unicode.Is(unicode.Han, last) && (w.page != w.lastPage || line.Y > w.last.Y)
	}
	return unicode.IsLower(first) && !strings.ContainsRune(".!?:;", last)
}

// addRow adds a row of a table. A table without a header that begins the next page with as many columns
// as the last one goes on with it.
func (w *pdfWriter) addRow(b *pdf.Block) {
	cells, filled := make([]string, len(b.Cells)), 0
	for i, cell := range b.Cells {
		if cells[i] = strings.ReplaceAll(cell, "\u00ad", ""); cell != "" {
			filled++
		}
	}
	if b.First && !(w.columns == len(cells) && !b.Header && w.page == w.tablePage+1) {
		w.columns = 0
	}
	if w.columns == 0 {
		w.end()
		w.EndTable()
	}
	w.columns, w.tablePage = len(b.Cells), w.page
	if filled == 1 {
		cells = []string{strings.Join(cells, "")}
	}
	w.keep(w.Row(cells, b.Header, w.page))
	w.last = pdf.Line{}
}

// keep remembers the first error.
func (w *pdfWriter) keep(err error) {
	if w.err == nil {
		w.err = err
	}
}

// addLine adds a line to the open block.
func (w *pdfWriter) addLine(text string) {
	if w.hyphen != "" {
		w.joinHyphenated(text)
	} else {
		w.Space()
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
	w.keep(w.Words(strings.ReplaceAll(text, "\u00ad", ""), w.page))
}

// joinHyphenated completes a word that the end of a line divides. It keeps the hyphen if the document
// has the word with one elsewhere, or if the next line cannot be the rest of a word.
func (w *pdfWriter) joinHyphenated(text string) {
	rest, _, _ := strings.Cut(strings.ToLower(text), " ")
	rest = strings.TrimRight(rest, ".,;:!?)”\"")
	first, _ := utf8.DecodeRuneInString(text)
	if !unicode.IsLower(first) || !w.vocabulary[w.hyphen+rest] && w.vocabulary[w.hyphen+"-"+rest] {
		w.keep(w.Words("-", w.page))
	}
	w.hyphen = ""
}

// writeHyphen writes the hyphen of a word that no line continues.
func (w *pdfWriter) writeHyphen() {
	if w.hyphen != "" {
		w.keep(w.Words("-", w.page))
		w.hyphen = ""
	}
}

// lose counts what could not be read.
func (w *pdfWriter) lose(d pdf.Document) {
	var pictures, broken, recognised []int
	unmapped := 0
	for _, page := range d.Pages {
		if page.Recognised {
			recognised = append(recognised, page.Number)
		}
		switch {
		case page.Broken:
			broken = append(broken, page.Number)
			w.Lose("pages that cannot be read to their end", 0)
		case page.Picture:
			pictures = append(pictures, page.Number)
			w.Lose("scanned pages", wordsOfPage)
		}
		if words := page.Unmapped / 6; words > 0 {
			w.Lose("text in fonts without a map to letters", words)
			unmapped += words
		}
	}
	switch {
	case len(broken) > 0:
		w.Partly = fmt.Sprintf("%s cannot be read to its end", pageNames(broken[:1]))
	case len(pictures) > 0:
		w.Partly = fmt.Sprintf("no text on %s, only images; run OCR on it", pageNames(pictures))
	case unmapped > 0:
		w.Partly = "some of its fonts do not say which letters they show"
	case d.XFA:
		w.Partly = "an XFA form, of which only what its pages show is read"
	}
	if len(recognised) > 0 {
		if w.Partly != "" {
			w.Partly += "; "
		}
		w.Partly += pageNames(recognised) + " read by ocr.command"
	}
}

// wordsOfPage is how many words a scanned page counts for in the share of a file that was read.
const wordsOfPage = 250

// pageNames lists the first of some pages.
func pageNames(pages []int) string {
	const most = 5
	names := make([]string, min(most, len(pages)))
	for i := range names {
		names[i] = strconv.Itoa(pages[i])
	}
	list := strings.Join(names, ", ")
	switch {
	case len(pages) == 1:
		return "page " + list
	case len(pages) > most:
		return fmt.Sprintf("pages %s and %d more", list, len(pages)-most)
	}
	return "pages " + list
}

// madeTitle matches the titles that programs make up.
var madeTitle = regexp.MustCompile(`(?i)^(?:untitled|(?:none|null|test|cover|blank|page|pdf|doc|temp|tmp|draft|sheet ?\d*|feuille?\d*|tabelle ?\d*|book ?\d*|mappe ?\d*|präsentation ?\d*)$|microsoft (?:word|powerpoint|excel|publisher|visio)(?: -| ?$|.*\bdoc)|powerpoint pr|slide ?\d|document ?\d*$|layout ?\d|print$|title$|book$|(?:default|template)\b.{0,20}$|folie ?\d+$|dokument ?\d|présentation powerpoint|diapositiva ?\d|无标题|幻灯片)|` +
	`\.(?:docx?|tex|dvi|indd|qxd|qxp|pdf|ppt|pptx|xlsx?|cdr|ai|p65|pub|fm|htm|html|ps|eps|rtf|wpd|odt)\b|^(?:https?://|www\.|file:)\S*$`)

// meaningfulTitle returns the title from a file's properties, or "" if a program made it up or none of
// its words stands in the document.
func (w *pdfWriter) meaningfulTitle(title string) string {
	if madeTitle.MatchString(title) || !hasWords(title) {
		return ""
	}
	for word := range strings.FieldsFuncSeq(strings.ToLower(title), func(r rune) bool { return !unicode.IsLetter(r) && r != '-' }) {
		if utf8.RuneCountInString(word) > 2 && w.vocabulary[word] || plaintext.HasHan(word) {
			return title
		}
	}
	return ""
}

// blankPage matches what stands on a page that is empty otherwise.
var blankPage = regexp.MustCompile(`(?i)intentionally (?:left )?blank|^contents$|^table of contents$|^inhalt`)

// canBeTitle reports whether a heading can be the title of its document.
func canBeTitle(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return hasWords(text) && !unicode.IsLower(first) && (unicode.IsLetter(first) || unicode.IsDigit(first) || strings.ContainsRune("“\"'„«(¿¡《「", first)) && !blankPage.MatchString(text)
}

// hasWords reports whether a text has three letters in a row and not many more figures, or a Han
// character.
func hasWords(text string) bool {
	letters, others, run, longest := 0, 0, 0, 0
	for _, r := range text {
		switch {
		case unicode.IsLetter(r):
			letters++
			run++
			longest = max(longest, run)
			continue
		case unicode.IsDigit(r), r == '_':
			others++
		}
		run = 0
	}
	return longest >= 3 && 3*letters > others || plaintext.HasHan(text)
}
