package ingest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"lacuna/knowledge/ingest/ocr"
	"lacuna/knowledge/ingest/pdf"
	"lacuna/knowledge/passage"
)

// ErrChanged says that a file no longer holds anything at a place, because it became shorter or its
// records moved. If other text stands there now, that text is returned; the caller must compare it.
var ErrChanged = errors.New("the file has changed")

// Resolve reads the bytes that stand at a place now: of the file, of the decoded field of its record,
// or of the text extracted from the file again.
func Resolve(place passage.Place) (string, error) {
	r := ResolveAll([]passage.Place{place})[0]
	return r.Text, r.Err
}

// Resolution is the text at a place, or the reason why there is none.
type Resolution struct {
	Text string
	Err  error
}

// ResolveAll resolves many places. It opens each file once and reads a compressed one at most once.
// Results are in the order of places.
func ResolveAll(places []passage.Place) []Resolution {
	order := make([]int, len(places))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(places[a].File, places[b].File), cmp.Compare(places[a].Record, places[b].Record))
	})
	resolutions := make([]Resolution, len(places))
	for len(order) > 0 {
		file := places[order[0]].File
		n := 1
		for n < len(order) && places[order[n]].File == file {
			n++
		}
		resolveFile(file, order[:n], places, resolutions)
		order = order[n:]
	}
	return resolutions
}

// ReadWhole reports whether resolving one place of a file costs as much as resolving all of them.
func ReadWhole(file string) bool {
	format := formatOf(file)
	return format != nil && (format.extract != nil || format.rows != nil && format.rowAt == nil)
}

// resolveFile resolves the places of one file, whose indices are in the order of their records.
func resolveFile(file string, indices []int, places []passage.Place, into []Resolution) {
	s, err := openStored(file)
	if err != nil {
		for _, i := range indices {
			into[i].Err = err
		}
		return
	}
	defer s.file.Close()
	for _, i := range indices {
		into[i].Text, into[i].Err = s.at(places[i])
		if into[i].Err != nil {
			into[i].Err = fmt.Errorf("%s: %w", file, into[i].Err)
		}
	}
}

// stored is an open file of a source.
type stored struct {
	file   *os.File
	format *format
	rows   rowReader // of a compressed file, whose records can only be read in order
	row    row       // last read
	begin  int64     // of row
}

func openStored(name string) (*stored, error) {
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: not a regular file", name)
	}
	if err != nil {
		return nil, err
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return &stored{file: file, format: formatOf(name), begin: -1}, nil
}

func (s *stored) at(place passage.Place) (string, error) {
	if place.Span.Start < 0 || place.Span.Len() < 0 || place.Record < 0 {
		return "", fmt.Errorf("impossible place %d, %v", place.Record, place.Span)
	}
	if place.Field == "" {
		return s.bytes(place.Span)
	}
	if s.begin != place.Record {
		row, err := s.read(place)
		if err != nil {
			s.begin = -1
			return "", err
		}
		s.row, s.begin = row, place.Record
	}
	text, err := s.row.text(place.Field)
	if err != nil || place.Span.End > len(text) {
		return "", ErrChanged
	}
	return text[place.Span.Start:place.Span.End], nil
}

func (s *stored) bytes(span passage.Span) (string, error) {
	if span.Len() > maxDocumentBytes {
		return "", ErrChanged
	}
	buffer := make([]byte, span.Len())
	if _, err := s.file.ReadAt(buffer, int64(span.Start)); err == io.EOF {
		return "", ErrChanged
	} else if err != nil {
		return "", err
	}
	return string(buffer), nil
}

// read reads the record that begins at place.Record.
func (s *stored) read(place passage.Place) (row, error) {
	switch {
	case s.format == nil:
		return nil, ErrChanged
	case s.format.extract != nil:
		return orChanged(extractAgain(s.format, s.file))
	case s.format.rowAt != nil:
		return orChanged(s.format.rowAt(s.file, place.Record, place.Field))
	case s.format.rows != nil:
		return s.inflateTo(place.Record)
	}
	return nil, ErrChanged
}

// inflateTo reads the records of a compressed file up to the one that begins at offset. Records are
// asked for in order, so the file is read once.
func (s *stored) inflateTo(offset int64) (row, error) {
	if s.rows == nil || s.begin > offset {
		if _, err := s.file.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		rows, err := s.format.rows(s.file, maxRecordsBytes)
		if err != nil {
			return nil, ErrChanged
		}
		s.rows = rows
	}
	for {
		row, err := s.rows.next()
		at, _ := s.rows.place()
		var bad *rowError
		switch {
		case err != nil && !errors.As(err, &bad), at > offset:
			s.rows = nil
			return nil, ErrChanged
		case at == offset && err == nil:
			return row, nil
		}
	}
}

// orChanged replaces any error with ErrChanged: a record that was readable no longer is.
func orChanged(r row, err error) (row, error) {
	if err != nil {
		return nil, ErrChanged
	}
	return r, nil
}

// textRow presents the text taken from a file as the one field of a record.
type textRow string

func (r textRow) text(field string) (string, error) {
	if field != extractedField {
		return "", ErrChanged
	}
	return string(r), nil
}

func (r textRow) list(string) ([]string, error) { return nil, ErrChanged }

func (r textRow) marks(string) []passage.Mark { return nil }

func (r textRow) about() []column { return nil }

// extractAgain takes the text from an open file again, whatever the file has become.
func extractAgain(f *format, file *os.File) (row textRow, err error) {
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
	if f.slow {
		return slowTexts.extract(f.extract, content)
	}
	taken, err := f.extract(context.Background(), content, pdf.MaxTime)
	return textRow(taken.Text), err
}

// slowTexts caches the texts taken from PDF files most recently, because taking one costs a process and
// hovers ask for the same file again and again.
var slowTexts textCache

// textCache maps the content of files to their texts, so the text of a file that has changed is never
// returned. It is safe for concurrent use.
type textCache struct {
	mu     sync.Mutex
	cached []cachedText // latest last; mu guards it
}

type cachedText struct {
	content [sha256.Size]byte
	text    string
}

const (
	maxTexts     = 16
	maxTextBytes = 16 << 20 // of all texts; the latest stays whatever its size
)

// extract returns the text of a file. Callers take turns, so that those who ask for the same file
// together wait for one process.
func (t *textCache) extract(extract extractor, content []byte) (textRow, error) {
	key := sha256.Sum256(append(content[:len(content):len(content)], ocr.Stamp()...))
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.cached {
		if c.content == key {
			return textRow(c.text), nil
		}
	}
	taken, err := extract(ocr.CachedOnly(context.Background()), content, pdf.MaxTime)
	if err != nil {
		return "", err
	}
	t.cached = append(t.cached, cachedText{key, taken.Text})
	size := len(taken.Text)
	for i := len(t.cached) - 2; i >= 0; i-- {
		if size += len(t.cached[i].text); size > maxTextBytes || len(t.cached)-i > maxTexts {
			t.cached = slices.Delete(t.cached, 0, i+1)
			break
		}
	}
	return textRow(taken.Text), nil
}
