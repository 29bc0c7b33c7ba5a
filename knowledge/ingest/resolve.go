package ingest

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"lacuna/knowledge/passage"
)

// ErrChanged is returned when a file is there but no longer holds anything at a place, because it
// became shorter or its records moved. Where other text stands at the place now, that text is
// returned; comparing it is the caller's part.
var ErrChanged = errors.New("the file has changed")

// Resolve reads from disk the bytes that stand at a place now: of the file, of the decoded field of
// its record, or of the text that is taken from the file anew.
func Resolve(place passage.Place) (string, error) {
	r := ResolveAll([]passage.Place{place})[0]
	return r.Text, r.Err
}

// Resolution is what stands at a place.
type Resolution struct {
	Text string
	Err  error
}

// ResolveAll resolves many places, opening every file once and reading a compressed one at most
// once. The results are in the order of places.
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
	form := formOf(file)
	return form == jsonLinesGzip || form.extracts()
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
	file  *os.File
	form  form
	rows  rowReader // of a compressed file, whose records can only be read in order
	row   row       // last read
	begin int64     // of row
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
	return &stored{file: file, form: formOf(name), begin: -1}, nil
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
	switch s.form {
	case jsonLinesGzip:
		return s.inflateTo(place.Record)
	case commaSeparated:
		if _, err := s.file.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		c, err := newCSV(s.file, place.Field)
		if err != nil {
			return nil, ErrChanged
		}
		return unchanged(c.rowAt(s.file, place.Record))
	case htmlDocument, wordDocument, pdfDocument:
		return unchanged(readExtracted(s.form, s.file))
	case jsonLines:
		if _, err := s.file.Seek(place.Record, io.SeekStart); err != nil {
			return nil, err
		}
		return unchanged(newJSONLines(s.file).next())
	}
	return nil, ErrChanged
}

// inflateTo reads the records of a compressed file up to the one that begins at offset. Records
// are asked for in order, so the file is read once.
func (s *stored) inflateTo(offset int64) (row, error) {
	if s.rows == nil || s.begin > offset {
		if _, err := s.file.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		rows, err := openRows(s.form, s.file, maxRecordsBytes)
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

// unchanged turns a record that cannot be read, where one was, into ErrChanged.
func unchanged(r row, err error) (row, error) {
	if err != nil {
		return nil, ErrChanged
	}
	return r, nil
}
