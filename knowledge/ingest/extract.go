package ingest

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"lacuna/knowledge/ingest/pdf"
	"lacuna/knowledge/passage"
)

// extractedField is the field of a place in a file whose text is not its bytes: the span is one of
// the text that the file's reader takes from it, which for the same file is always the same.
const extractedField = "text"

// maxExtracted is the longest text taken from one file, in bytes.
const maxExtracted = 64 << 20

var errMuchText = errors.New("more than 64 MiB of text")

// extracted is the text of a file and its structure, whose spans are bytes of that text.
type extracted struct {
	text     string
	title    string
	headings []heading
	lines    []passage.Mark // lines of the file, pages of a PDF, paragraphs of a Word document
	hidden   int
	about    []string // what the file says of itself beside its text: keywords and the like
	partly   string   // why some of the file's text is missing; empty when none is
}

// extract takes the text from a file of a form that needs it. A PDF is given up after longest.
func extract(ctx context.Context, f form, content []byte, longest time.Duration) (extracted, error) {
	switch f {
	case pdfDocument:
		return extractPDF(ctx, content, longest)
	case htmlDocument:
		return extractHTML(content)
	case wordDocument:
		return extractDOCX(content)
	}
	return extracted{}, errors.New("no text can be taken from it")
}

// extracts reports whether the form's text must be taken from its files.
func (f form) extracts() bool { return f == htmlDocument || f == wordDocument || f == pdfDocument }

// extraction adds the passages of a file whose text must be taken from it.
func (c *candidate) extraction(ctx context.Context, content []byte, file *File) {
	longest := min(c.share.GiveUp, pdf.Longest)
	if formOf(c.record) == pdfDocument && longest < time.Second {
		c.share.over = "give_up"
		file.skip(c.share.reason())
		return
	}
	found, err := extract(ctx, formOf(c.record), content, longest)
	var late pdf.LateError
	switch {
	case errors.As(err, &late):
		c.share.used.lost += late.After
		file.fail(err.Error())
		if late.After < pdf.Longest {
			c.share.over = "give_up"
			file.Reason += "; " + c.share.reason()
		}
		return
	case errors.Is(err, pdf.ErrEncrypted), errors.Is(err, pdf.ErrNoText):
		file.skip(err.Error())
		return
	case err != nil:
		file.fail(err.Error())
		return
	}
	file.Reason = found.partly
	r := found.reading()
	r.private = c.privacy(content, found)
	c.passages(r, func() func(int) int { return found.lineAt }, file)
}

// reading is the text with its sections.
func (e *extracted) reading() reading {
	r := reading{text: e.text, format: passage.Plain, field: extractedField, marks: e.lines}
	r.title, r.hidden = e.title, e.hidden
	units := widened(e.text, passage.Sentences(e.text, passage.Plain))
	r.sections = sectionsOf(e.headings, units, len(e.text))
	return r
}

// lineAt returns the line of the file on which the text at an offset was written.
func (e *extracted) lineAt(offset int) int {
	i, exact := slices.BinarySearchFunc(e.lines, offset, func(m passage.Mark, at int) int { return int(m.Offset) - at })
	if !exact {
		i--
	}
	if i < 0 {
		return 1
	}
	return int(e.lines[i].Line)
}

// extractedRow gives the text of a file as if it were the one field of a record.
type extractedRow string

func (r extractedRow) text(field string) (string, error) {
	if field != extractedField {
		return "", ErrChanged
	}
	return string(r), nil
}

func (r extractedRow) list(string) ([]string, error) { return nil, ErrChanged }
func (r extractedRow) marks(string) []passage.Mark   { return nil }

// readExtracted takes the text from an open file again, whatever it has become.
func readExtracted(f form, file *os.File) (row extractedRow, err error) {
	defer func() {
		if recover() != nil {
			err = ErrChanged
		}
	}()
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	content, err := io.ReadAll(io.LimitReader(file, maxDocumentBytes))
	if err != nil {
		return "", err
	}
	if f == pdfDocument {
		return lastTexts.of(content)
	}
	found, err := extract(context.Background(), f, content, pdf.Longest)
	if err != nil {
		return "", ErrChanged
	}
	return extractedRow(found.text), nil
}

// lastTexts keeps the texts of PDF files that were asked for last, because taking one costs a process and
// a hover asks for the same file again and again.
var lastTexts texts

// texts are by content, so that one of a file that has changed is never given. They are safe for
// concurrent use.
type texts struct {
	mu   sync.Mutex
	kept []keptText // latest last
}

type keptText struct {
	content [sha256.Size]byte
	text    string
}

const (
	mostTexts     = 16
	mostTextBytes = 16 << 20 // of all; the latest is kept whatever its size
)

// of takes one text at a time, so that those who ask for the same file together wait for one child.
func (t *texts) of(content []byte) (extractedRow, error) {
	key := sha256.Sum256(content)
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, kept := range t.kept {
		if kept.content == key {
			return extractedRow(kept.text), nil
		}
	}
	found, err := extractPDF(context.Background(), content, pdf.Longest)
	if err != nil {
		return "", ErrChanged
	}
	t.kept = append(t.kept, keptText{key, found.text})
	size := len(found.text)
	for i := len(t.kept) - 2; i >= 0; i-- {
		if size += len(t.kept[i].text); size > mostTextBytes || len(t.kept)-i > mostTexts {
			t.kept = slices.Delete(t.kept, 0, i+1)
			break
		}
	}
	return extractedRow(found.text), nil
}

// textBuilder writes extracted text: words apart by single spaces, blocks by blank lines.
type textBuilder struct {
	extracted
	strings.Builder
	space   bool   // before the next word
	pending string // in its stead
	marker  string // of a list, in front of the next word
}

// gap ends the current block; the next begins behind sep, or behind the longer of several.
func (b *textBuilder) gap(sep string) {
	b.space = false
	if b.Len() > 0 && len(sep) > len(b.pending) {
		b.pending = sep
	}
}

// words adds text that stands on a line of the file.
func (b *textBuilder) words(text string, line int) error {
	for len(text) > 0 {
		word := strings.TrimLeft(text, asciiSpace)
		if len(word) < len(text) {
			line += strings.Count(text[:len(text)-len(word)], "\n")
			b.space = b.space || b.Len() > 0
		}
		end := strings.IndexAny(word, asciiSpace)
		if end < 0 {
			end = len(word)
		}
		if end == 0 {
			return nil
		}
		b.put(word[:end], line)
		text = word[end:]
	}
	if b.Len() > maxExtracted {
		return errMuchText
	}
	return nil
}

const asciiSpace = " \t\n\r\f"

// put adds characters as they are, behind the separator that is due.
func (b *textBuilder) put(text string, line int) {
	switch {
	case b.pending != "":
		b.WriteString(b.pending)
	case b.space:
		b.WriteByte(' ')
	}
	b.pending, b.space = "", false
	if n := len(b.lines); n == 0 || b.lines[n-1].Line != int32(line) {
		b.lines = append(b.lines, passage.Mark{Offset: int32(b.Len()), Line: int32(line)})
	}
	b.WriteString(b.marker + text)
	b.marker = ""
}

// endHeading makes what was written from an offset on a heading, if it is anything.
func (b *textBuilder) endHeading(from, level int) {
	written := b.String()[from:]
	if text := strings.TrimSpace(written); text != "" {
		start := from + strings.Index(written, text)
		b.headings = append(b.headings, heading{Span: passage.Span{Start: start, End: b.Len()}, level: level, text: text})
	}
}

// finish returns what was written. Without a title of its own, the first heading of level one is the
// title, as in Markdown.
func (b *textBuilder) finish() extracted {
	b.text = b.String()
	for i, h := range b.headings {
		if h.level == 1 && b.title == "" {
			b.title, b.headings[i].text = h.text, ""
			break
		}
	}
	return b.extracted
}
