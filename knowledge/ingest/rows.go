package ingest

import (
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"hash"
	"io"

	"lacuna/knowledge/passage"
)

// row is one record of a JSON Lines or CSV file.
type row interface {
	// text returns a field as text; one that is absent is empty. The error says what else it is.
	text(field string) (string, error)
	// list returns a field that holds several names.
	list(field string) ([]string, error)
	// marks are those of a field's text, from its beginning on; nil where it stands on one line with
	// the beginning of the row.
	marks(field string) []passage.Mark
	// about returns the columns that are about Lacuna, in no order.
	about() []column
}

// rowReader reads records in order. next returns io.EOF at the end, a *rowError for a row that
// cannot be used while those behind it can, and any other error when the file ends there for us.
type rowReader interface {
	next() (row, error)
	// place is where the row just read begins: its offset in the decompressed file, and its line.
	place() (offset int64, line int)
}

// rowError is a row that cannot be used.
type rowError struct {
	line    int
	reason  string
	private bool // it can only mean that the file is private
}

func (e *rowError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.reason) }

// errTooLarge ends a file that decompresses to more than we are willing to read.
var errTooLarge = fmt.Errorf("larger than %d MiB; the rest is left out", maxRecordsBytes>>20)

// limited reads at most left bytes and then fails with errTooLarge, where io.LimitReader would
// pretend that the file ends.
type limited struct {
	io.Reader
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errTooLarge
	}
	n, err := l.Reader.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}

// openRows begins to read the rows of a file of the given form. A CSV file must have one of the
// wanted columns.
func openRows(form form, r io.Reader, most int64, wanted ...string) (rowReader, error) {
	switch form {
	case jsonLinesGzip:
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, fmt.Errorf("not a gzip file: %w", err)
		}
		return newJSONLines(&limited{z, most}), nil
	case commaSeparated:
		return newCSV(&limited{r, min(most, maxDocumentBytes)}, wanted...)
	default:
		return newJSONLines(&limited{r, most}), nil
	}
}

// parseRecords adds the passages of a file of records.
func (c *candidate) parseRecords(ctx context.Context, f io.Reader, h hash.Hash, file *File) {
	raw := io.TeeReader(f, h)
	// The stamp covers the whole file, also what the reader leaves unread.
	defer func() { _, _ = io.Copy(io.Discard, raw) }()

	fields := c.source.Fields.orDefaults()
	rows, err := openRows(formOf(c.record), raw, min(maxRecordsBytes, c.share.Unpacked), c.source.wanted()...)
	if errors.Is(err, errNoColumns) {
		file.skip(err.Error())
		return
	}
	if err != nil {
		file.fail(err.Error())
		return
	}
	var problems problems
	names, private := interner{}, false
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return
		}
		row, err := rows.next()
		if err == io.EOF {
			break
		}
		offset, line := rows.place()
		c.share.used.unpacked = offset // which the reader bounds
		if err == nil {
			var read []*passage.Passage
			read, err = c.readRow(row, fields, passage.Place{File: c.path, Record: offset, Line: line}, names)
			if rowPrivate, clear := rowPrivacy(row); rowPrivate {
				for _, p := range read {
					p.Private = true
				}
				if !clear {
					problems.add(line, UnclearRow+`; write "private" into the column lacuna, or nothing`)
				}
			}
			cost := usageOf(read)
			cost.passages = max(1, cost.passages)
			if !c.share.takes(cost) {
				break
			}
			file.Passages = append(file.Passages, read...)
		} else if !c.share.takes(usage{passages: 1}) {
			break
		}
		var bad *rowError
		switch {
		case errors.As(err, &bad) && bad.private:
			private = true
			privacy{true, cmp.Or(bad.line, line)}.tell(&problems)
		case errors.As(err, &bad):
			problems.add(cmp.Or(bad.line, line), bad.reason)
		case errors.Is(err, errTooLarge) && c.share.Unpacked < maxRecordsBytes:
			c.share.over = "unpacked"
		case err != nil:
			problems.add(line, err.Error())
		}
		if err != nil && bad == nil {
			break
		}
	}
	for _, p := range file.Passages {
		p.Private = p.Private || private
	}
	problems.report(&file.FileReport)
	if c.share.over != "" {
		file.Reason, file.Line = c.share.reason(), 0
	}
	switch {
	case len(file.Passages) > 0:
	case file.Reason == "":
		file.skip("no records")
	default:
		file.State = Failed
	}
}

// readRow is passagesOf, whose fault loses this row and no other.
func (c *candidate) readRow(r row, fields Fields, at passage.Place, names interner) (all []*passage.Passage, err error) {
	defer func() {
		if p := recover(); p != nil {
			all, err = nil, &rowError{reason: fault(p)}
		}
	}()
	return c.passagesOf(r, fields, at, names)
}

// wanted are the columns one of which every row must have.
func (s *Source) wanted() []string {
	fields := s.Fields.orDefaults()
	switch {
	case s.mixed():
		return []string{fields.Text, fields.Question}
	case s.Kind == passage.QA:
		return []string{fields.Question}
	}
	return []string{fields.Text}
}

// mixed reports whether each row of the source says itself which kind it is.
func (s *Source) mixed() bool { return s.Implicit || s.Kind == "" }
