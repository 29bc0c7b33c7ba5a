package dataset

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"unicode/utf8"
)

// maxBytes bounds what is read of one file, unpacked.
const maxBytes = 1 << 30

// file is one file of a data set, unpacked.
type file struct {
	name    string
	form    string // what it is read as, for faults
	content []byte
	base    int // number of the first option, where a set gives numbers
}

// fault says what is wrong with the whole file.
func (f *file) fault(line int, format string, args ...any) error {
	return &Fault{File: f.name, Line: line, Why: fmt.Sprintf(format, args...), Form: f.form}
}

// open reads a file, which may be compressed by gzip.
func open(path string) (*file, error) {
	from, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	var plain io.Reader = from
	magic := make([]byte, 2)
	if _, err := io.ReadFull(from, magic); err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
		if _, err := from.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		if plain, err = gzip.NewReader(from); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	} else if _, err := from.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(plain, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f := &file{name: path, content: bytes.TrimPrefix(content, []byte("\uFEFF"))}
	switch {
	case len(content) > maxBytes:
		return nil, f.fault(0, "longer than %d MB", maxBytes>>20)
	case f.first() == 0:
		return nil, f.fault(0, "the file is empty")
	case !utf8.Valid(f.content):
		return nil, f.fault(0, "not UTF-8")
	}
	return f, nil
}

// first returns the first byte that is not white space; 0 if there is none.
func (f *file) first() byte {
	if text := bytes.TrimLeft(f.content, " \t\r\n"); len(text) > 0 {
		return text[0]
	}
	return 0
}

// lines yields the lines that are not blank with their numbers, without white space around them.
func (f *file) lines() func(yield func(n int, text string) bool) {
	return func(yield func(n int, text string) bool) {
		n := 0
		for line := range bytes.Lines(f.content) {
			n++
			if text := bytes.TrimSpace(line); len(text) > 0 && !yield(n, string(text)) {
				return
			}
		}
	}
}
