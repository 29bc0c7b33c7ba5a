// Package notebook reads the text cells of Jupyter notebooks and writes them back into the file's JSON: what does not
// belong to a changed cell keeps every byte, in a changed cell the lines that stay do, and what is new is written as the
// notebook writes its lines. Begin with [Read].
package notebook

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"
)

// Why a file cannot be read.
var (
	ErrNotNotebook = errors.New("this is not a notebook of version 4 of Jupyter's format")
	ErrAmbiguous   = errors.New("the notebook names the same field twice, and programs differ in which they read")
)

// Notebook is a notebook as it stands in its file. It is immutable.
type Notebook struct {
	data  string
	Cells []Cell // in order
}

// Cell is a cell of a notebook.
type Cell struct {
	Type string // markdown, raw or code
	Text string

	start, end int      // of the source in the file
	lines      []string // of a source that is a list: its strings as they are written
	texts      []string // what they say
}

// Read reads a notebook.
func Read(data string) (*Notebook, error) {
	if !utf8.ValidString(data) || !json.Valid([]byte(data)) {
		return nil, ErrNotNotebook
	}
	r := reader{data: data, in: json.NewDecoder(strings.NewReader(data))}
	n := &Notebook{data: data}
	found := false
	err := r.object(func(field string) error {
		if field != "cells" {
			return r.skip()
		}
		if found {
			return ErrAmbiguous
		}
		found = true
		return r.array(func() error {
			cell, err := r.cell()
			n.Cells = append(n.Cells, cell)
			return err
		})
	})
	if err == nil && !found {
		err = ErrNotNotebook
	}
	if err != nil {
		return nil, err
	}
	return n, nil
}

// With returns the text of the file with other texts in some cells, by their index.
func (n *Notebook) With(texts map[int]string) string {
	var b strings.Builder
	at := 0
	for i, cell := range n.Cells {
		text, changed := texts[i]
		if !changed || text == cell.Text || cell.end == 0 { // the last has no source
			continue
		}
		b.WriteString(n.data[at:cell.start])
		b.WriteString(n.write(cell, text))
		at = cell.end
	}
	b.WriteString(n.data[at:])
	return b.String()
}

// write returns the source of a cell with another text.
func (n *Notebook) write(cell Cell, text string) string {
	if cell.lines == nil {
		return encode(text)
	}
	first, last := 0, len(cell.lines)
	rest := text
	for first < last && strings.HasSuffix(cell.texts[first], "\n") && strings.HasPrefix(rest, cell.texts[first]) {
		rest = rest[len(cell.texts[first]):]
		first++
	}
	for last > first && strings.HasSuffix(rest, cell.texts[last-1]) {
		before := rest[:len(rest)-len(cell.texts[last-1])]
		if before != "" && !strings.HasSuffix(before, "\n") || cell.texts[last-1] == "" {
			break
		}
		rest = before
		last--
	}
	lines := slices.Clone(cell.lines[:first])
	for line := range strings.Lines(rest) {
		lines = append(lines, encode(line))
	}
	lines = append(lines, cell.lines[last:]...)
	if len(lines) == 0 {
		return "[]"
	}
	begin, between, end := n.layout(cell)
	return "[" + begin + strings.Join(lines, ","+between) + end + "]"
}

// layout returns the white space behind the bracket that opens a list of lines, between its lines and before the bracket
// that closes it.
func (n *Notebook) layout(cell Cell) (begin, between, end string) {
	source := n.data[cell.start+1 : cell.end-1]
	if len(cell.lines) == 0 {
		return "", "", ""
	}
	begin, end = source[:strings.IndexByte(source, '"')], source[strings.LastIndexByte(source, '"')+1:]
	return begin, begin, end
}

// encode writes a string in JSON, with letters of every script as they are.
func encode(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}

// reader goes through the tokens of a notebook and knows where they stand.
type reader struct {
	data string
	in   *json.Decoder
}

// begin reads the token that opens a list or an object.
func (r *reader) begin(want json.Delim) error {
	token, err := r.in.Token()
	if err != nil || token != want {
		return ErrNotNotebook
	}
	return nil
}

// object calls value at the value of each field of an object; it has to read that.
func (r *reader) object(value func(field string) error) error {
	if err := r.begin('{'); err != nil {
		return err
	}
	for r.in.More() {
		token, err := r.in.Token()
		field, ok := token.(string)
		if err != nil || !ok {
			return ErrNotNotebook
		}
		if err := value(field); err != nil {
			return err
		}
	}
	_, err := r.in.Token()
	return err
}

// array calls item at each item of a list; it has to read that.
func (r *reader) array(item func() error) error {
	if err := r.begin('['); err != nil {
		return err
	}
	for r.in.More() {
		if err := item(); err != nil {
			return err
		}
	}
	_, err := r.in.Token()
	return err
}

// value reads a value and returns where it stands.
func (r *reader) value() (start, end int, raw json.RawMessage, err error) {
	if err := r.in.Decode(&raw); err != nil {
		return 0, 0, nil, err
	}
	end = int(r.in.InputOffset())
	return end - len(raw), end, raw, nil
}

func (r *reader) skip() error {
	_, _, _, err := r.value()
	return err
}

// cell reads a cell. One whose text is of another type, or says what cannot be written again, has no type and no text.
func (r *reader) cell() (Cell, error) {
	var c Cell
	kind, source := false, false
	readable := true
	err := r.object(func(field string) error {
		switch field {
		case "cell_type":
			if kind {
				return ErrAmbiguous
			}
			kind = true
			_, _, raw, err := r.value()
			if err == nil && json.Unmarshal(raw, &c.Type) != nil {
				c.Type = ""
			}
			return err
		case "source":
			if source {
				return ErrAmbiguous
			}
			source = true
			var raw json.RawMessage
			var err error
			c.start, c.end, raw, err = r.value()
			readable = err == nil && c.read(raw)
			return err
		}
		return r.skip()
	})
	if !readable || !source {
		return Cell{}, err
	}
	return c, err
}

// read reads the source of a cell, which is a text or a list of lines.
func (c *Cell) read(raw json.RawMessage) bool {
	if raw[0] != '[' {
		return raw[0] == '"' && text(raw, &c.Text)
	}
	var lines []json.RawMessage
	if json.Unmarshal(raw, &lines) != nil {
		return false
	}
	c.lines = []string{}
	for _, line := range lines {
		var said string
		if line[0] != '"' || !text(line, &said) {
			return false
		}
		c.lines, c.texts = append(c.lines, string(line)), append(c.texts, said)
	}
	c.Text = strings.Join(c.texts, "")
	return true
}

// text decodes a string. It refuses half a character, which would be another one if it was written again.
func text(raw json.RawMessage, into *string) bool {
	if json.Unmarshal(raw, into) != nil {
		return false
	}
	return strings.Count(*into, "\uFFFD") == strings.Count(string(raw), "\uFFFD")+strings.Count(strings.ToLower(string(raw)), `\ufffd`)
}
