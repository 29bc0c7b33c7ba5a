package ingest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"lacuna/knowledge/head"
	"lacuna/knowledge/passage"
)

// jsonLinesReader reads one JSON object per line. Lines end with
// ; white space around an object and blank lines are ignored.
type jsonLinesReader struct {
	r      *bufio.Reader
	buffer []byte
	offset int64 // of the next line
	start  int64 // of the line just read
	line   int   // of the line just read, the first being 1
}

func (j *jsonLinesReader) place() (int64, int) { return j.start, j.line }

func (j *jsonLinesReader) next() (row, error) {
	for {
		line, ended, err := j.readLine()
		if err != nil {
			return nil, err
		}
		if j.line == 1 {
			line = bytes.TrimPrefix(line, []byte(byteOrderMark))
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		object, reason := parseObject(line)
		if reason != "" && !ended {
			reason = "the last line is incomplete"
		}
		if reason != "" {
			return nil, &rowError{line: j.line, reason: reason, private: head.Means(string(line[:min(len(line), maxRemark)]))}
		}
		return object, nil
	}
}

// readLine returns the next line and whether it had a line end. The line is valid until the next call.
func (j *jsonLinesReader) readLine() (line []byte, ended bool, err error) {
	j.start = j.offset
	j.line++
	j.buffer = j.buffer[:0]
	tooLong := false
	for {
		part, err := j.r.ReadSlice('\n')
		j.offset += int64(len(part))
		if tooLong = tooLong || len(j.buffer)+len(part) > maxLineBytes; !tooLong {
			j.buffer = append(j.buffer, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case tooLong && (err == nil || err == io.EOF):
			return nil, false, &rowError{line: j.line, reason: fmt.Sprintf("longer than %d MiB", maxLineBytes>>20)}
		case err == nil:
			return j.buffer, true, nil
		case err == io.EOF && j.offset > j.start:
			return j.buffer, false, nil
		case err == io.EOF:
			return nil, false, io.EOF
		default:
			return nil, false, err
		}
	}
}

// maxRemark limits how much of a line that is not a record is searched for a privacy statement, in
// bytes.
const maxRemark = 400

// openJSONLines opens a file of JSON Lines.
func openJSONLines(r io.Reader, limit int64, _ ...string) (rowReader, error) {
	return newJSONLines(&limited{r, limit}), nil
}

// openPackedJSONLines opens a gzip file of JSON Lines. The limit applies to the unpacked bytes.
func openPackedJSONLines(r io.Reader, limit int64, _ ...string) (rowReader, error) {
	unpacked, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("not a gzip file: %w", err)
	}
	return newJSONLines(&limited{unpacked, limit}), nil
}

// jsonLineAt reads the record on the line that begins at an offset of the file.
func jsonLineAt(file io.ReadSeeker, offset int64, _ string) (row, error) {
	if _, err := file.Seek(offset, io.SeekStart); err != nil {
		return nil, err
	}
	return newJSONLines(file).next()
}

func newJSONLines(r io.Reader) *jsonLinesReader {
	return &jsonLinesReader{r: bufio.NewReaderSize(r, 64<<10)}
}

// parseObject reads one JSON object, or returns why it cannot be used.
func parseObject(line []byte) (object jsonObject, reason string) {
	if !utf8.Valid(line) {
		return nil, "not UTF-8"
	}
	if err := json.Unmarshal(line, &object); err != nil || object == nil {
		return nil, "not a JSON object"
	}
	return object, ""
}

// jsonObject is a row of JSON Lines. If a key is repeated, its last value counts.
type jsonObject map[string]json.RawMessage

func (o jsonObject) text(field string) (string, error) {
	raw := o[field]
	if len(raw) == 0 {
		return "", nil
	}
	switch raw[0] {
	case '"':
		var s string
		err := json.Unmarshal(raw, &s)
		return s, err
	case 'n': // null
		return "", nil
	case '{', '[':
		return "", &rowError{reason: fmt.Sprintf("%q is not text", field)}
	}
	return string(raw), nil // a number, true or false, as written
}

func (o jsonObject) list(field string) ([]string, error) {
	raw := o[field]
	if len(raw) == 0 || raw[0] != '[' {
		text, err := o.text(field)
		return splitList(text), err
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return nil, &rowError{reason: fmt.Sprintf("%q is not a list of names", field)}
	}
	var names []string
	for _, item := range items {
		name, err := jsonObject{field: item}.text(field)
		if err != nil {
			return nil, err
		}
		if name != "" {
			names = append(names, name)
		}
	}
	return names, nil
}

func (o jsonObject) marks(string) []passage.Mark { return nil }

func (o jsonObject) about() []column {
	var about []column
	for name, raw := range o {
		if !head.Names(name) {
			continue
		}
		value := string(raw)
		var text string
		if json.Unmarshal(raw, &text) == nil { // null is ""
			value = text
		}
		about = append(about, column{name, value})
	}
	return about
}
