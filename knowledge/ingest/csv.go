package ingest

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"lacuna/knowledge/head"
	"lacuna/knowledge/passage"
)

// csvReader reads rows separated by commas, semicolons or tabs, whichever cuts the first row into the
// most columns. The first row names the columns.
type csvReader struct {
	r       *csv.Reader
	comma   rune
	columns columns
	base    int64 // of the reader's offsets in the file
	start   int64 // of the row just read
	line    int
}

// openCSV opens a CSV file.
func openCSV(r io.Reader, limit int64, wanted ...string) (rowReader, error) {
	return newCSV(&limited{r, min(limit, maxDocumentBytes)}, wanted...)
}

// csvRowAt reads the row that begins at an offset of a file which has a column of the field's name.
func csvRowAt(file io.ReadSeeker, offset int64, field string) (row, error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	c, err := newCSV(file, field)
	if err != nil {
		return nil, err
	}
	if _, err := file.Seek(offset, io.SeekStart); err != nil {
		return nil, err
	}
	c.r, c.base = newReader(&limited{file, maxDocumentBytes}, c.comma), offset
	return c.next()
}

func (c *csvReader) place() (int64, int) { return c.start, c.line }

func (c *csvReader) next() (row, error) {
	c.start = c.base + c.r.InputOffset()
	values, err := c.r.Read()
	var bad *csv.ParseError
	switch {
	case errors.As(err, &bad):
		c.line = bad.StartLine
		return nil, &rowError{line: bad.StartLine, reason: "a quotation mark in the wrong place"}
	case err != nil:
		return nil, err
	}
	c.line, _ = c.r.FieldPos(0)
	for _, value := range values {
		if !utf8.ValidString(value) {
			return nil, &rowError{line: c.line, reason: "not UTF-8"}
		}
	}
	if len(values) > 0 && head.Means(values[0]) {
		return nil, &rowError{line: c.line, private: true}
	}
	r := csvRow{columns: c.columns, values: values, line: c.line}
	if slices.ContainsFunc(values, func(value string) bool { return strings.Contains(value, "\n") }) {
		for i := range values {
			line, _ := c.r.FieldPos(i)
			r.lines = append(r.lines, line)
		}
	}
	return r, nil
}

// columns finds fields by the names in the first row.
type columns []string

// index returns the column of a name, matched exactly if possible, else ignoring case; -1 if there is
// none.
func (c columns) index(name string) int {
	if i := slices.Index(c, name); i >= 0 {
		return i
	}
	return slices.IndexFunc(c, func(column string) bool { return strings.EqualFold(column, name) })
}

// errNoColumns says that a CSV file has none of the wanted columns.
var errNoColumns = errors.New("no column")

// newCSV reads the first row and fails with errNoColumns if it names none of the wanted columns.
func newCSV(r io.Reader, wanted ...string) (*csvReader, error) {
	buffered := bufio.NewReaderSize(r, 64<<10)
	c := &csvReader{}
	if mark, err := buffered.Peek(len(byteOrderMark)); err == nil && string(mark) == byteOrderMark {
		_, _ = buffered.Discard(len(byteOrderMark))
		c.base = int64(len(byteOrderMark))
	}
	first, err := buffered.Peek(buffered.Size())
	if err != nil && err != io.EOF {
		return nil, err
	}
	c.comma, c.columns = separator(string(first))
	if !slices.ContainsFunc(wanted, func(name string) bool { return c.columns.index(name) >= 0 }) {
		return nil, fmt.Errorf(`%w "%s" in the first row`, errNoColumns, strings.Join(wanted, `" or "`))
	}
	c.r = newReader(buffered, c.comma)
	if _, err := c.r.Read(); err != nil {
		return nil, err
	}
	return c, nil
}

func newReader(r io.Reader, comma rune) *csv.Reader {
	reader := csv.NewReader(r)
	reader.Comma = comma
	reader.FieldsPerRecord = -1
	return reader
}

// separator returns the separator that cuts the first row into the most columns, and those columns.
func separator(first string) (rune, columns) {
	var best rune
	var most columns
	for _, comma := range []rune{',', ';', '\t'} {
		names, err := newReader(strings.NewReader(first), comma).Read()
		if err == nil && len(names) > len(most) {
			best, most = comma, names
		}
	}
	for i, name := range most {
		most[i] = strings.TrimSpace(name)
	}
	return best, most
}

// csvRow is a row of a CSV file. A short row lacks its last fields.
type csvRow struct {
	columns columns
	values  []string
	line    int
	lines   []int // of the values; nil where all are on the line of the row
}

func (r csvRow) text(field string) (string, error) {
	if i := r.columns.index(field); i >= 0 && i < len(r.values) {
		return r.values[i], nil
	}
	return "", nil
}

func (r csvRow) marks(field string) []passage.Mark {
	i := r.columns.index(field)
	if i < 0 || i >= len(r.lines) || r.lines[i] == r.line && !strings.Contains(r.values[i], "\n") {
		return nil
	}
	marks := []passage.Mark{{Line: int32(r.lines[i])}}
	for at, b := range []byte(r.values[i]) {
		if b == '\n' {
			marks = append(marks, passage.Mark{Offset: int32(at) + 1, Line: marks[len(marks)-1].Line + 1})
		}
	}
	return marks
}

func (r csvRow) list(field string) ([]string, error) {
	text, err := r.text(field)
	return splitList(text), err
}

func (r csvRow) about() []column {
	var about []column
	for i, name := range r.columns {
		if i < len(r.values) && head.Names(name) {
			about = append(about, column{name, r.values[i]})
		}
	}
	return about
}
