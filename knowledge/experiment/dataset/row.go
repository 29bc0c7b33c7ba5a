package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"lacuna/prompts"
)

// row is one record of a JSON file, wherever in the file it stands.
type row struct {
	from   *file
	line   int
	key    string // under which an object lists it; else empty
	group  string // key of the object around that
	fields map[string]json.RawMessage
}

// has reports whether the row has all these fields; null counts.
func (r row) has(names ...string) bool {
	for _, name := range names {
		if _, has := r.fields[name]; !has {
			return false
		}
	}
	return true
}

// fault says what is wrong with a field.
func (r row) fault(field, format string, args ...any) error {
	return &Fault{File: r.from.name, Line: r.line, Field: field, Why: fmt.Sprintf(format, args...), Form: r.from.form}
}

// text returns the text of a field that must not be empty; a number is a text, too.
func (r row) text(field string) (string, error) {
	raw, has := r.fields[field]
	if !has {
		return "", r.fault(field, "is missing")
	}
	text, ok := textOf(raw)
	if text = strings.TrimSpace(text); !ok || text == "" {
		return "", r.fault(field, "expected a text, got %s", shown(raw))
	}
	return text, nil
}

// optional returns the text of a field, or "".
func (r row) optional(field string) string {
	text, _ := textOf(r.fields[field])
	return strings.TrimSpace(text)
}

// texts returns the texts of a field: one, or a list.
func (r row) texts(field string) ([]string, error) {
	raw, has := r.fields[field]
	if !has {
		return nil, r.fault(field, "is missing")
	}
	texts, ok := textsOf(raw)
	if !ok {
		return nil, r.fault(field, "expected a text or a list of texts, got %s", shown(raw))
	}
	return texts, nil
}

// options returns the options of a field that has texts by letter, or a list of texts.
func (r row) options(field string) ([]prompts.Option, error) {
	raw, has := r.fields[field]
	if !has {
		return nil, r.fault(field, "is missing")
	}
	var byLetter map[string]string
	if texts, ok := textsOf(raw); ok && len(texts) > 1 {
		return lettered(texts), nil
	}
	if json.Unmarshal(raw, &byLetter) != nil || len(byLetter) < 2 {
		return nil, r.fault(field, "expected two or more texts by letter, got %s", shown(raw))
	}
	var options []prompts.Option
	for letter := 'A'; int(letter-'A') < len(byLetter); letter++ {
		text := strings.TrimSpace(byLetter[string(letter)])
		if text == "" {
			return nil, r.fault(field, "expected texts under the letters from A on; there is none under %c", letter)
		}
		options = append(options, prompts.Option{Letter: string(letter), Text: text})
	}
	return options, nil
}

// letter returns a field that names one of the options by its letter, or by its text.
func (r row) letter(field string, options []prompts.Option) (string, error) {
	text, err := r.text(field)
	if err != nil {
		return "", err
	}
	if letter := letterIn(text, options); letter != "" {
		return letter, nil
	}
	return "", r.fault(field, "expected the letter of an option (%s), got %s", lettersOf(options), shown(r.fields[field]))
}

// letterIn returns the letter of the option that a text names by its letter or its text, or "".
func letterIn(text string, options []prompts.Option) string {
	for _, o := range options {
		if strings.EqualFold(text, o.Letter) || strings.EqualFold(text, o.Text) {
			return o.Letter
		}
	}
	return ""
}

func lettersOf(options []prompts.Option) string {
	letters := make([]string, len(options))
	for i, o := range options {
		letters[i] = o.Letter
	}
	return strings.Join(letters, ", ")
}

// lettered gives texts the letters from A on.
func lettered(texts []string) []prompts.Option {
	options := make([]prompts.Option, len(texts))
	for i, text := range texts {
		options[i] = prompts.Option{Letter: string(rune('A' + i)), Text: strings.TrimSpace(text)}
	}
	return options
}

var yesNo = lettered([]string{"yes", "no"})
var yesNoMaybe = lettered([]string{"yes", "no", "maybe"})

// notYesNo reports whether an option is more than a plain yes, no or maybe.
func notYesNo(o prompts.Option) bool {
	for _, plain := range yesNoMaybe {
		if strings.EqualFold(o.Text, plain.Text) {
			return false
		}
	}
	return true
}

// textOf returns a JSON text or number as text.
func textOf(raw json.RawMessage) (string, bool) {
	var text string
	if len(raw) > 0 && json.Unmarshal(raw, &text) == nil && string(raw) != "null" {
		return text, true
	}
	var number json.Number
	if json.Unmarshal(raw, &number) == nil && number != "" {
		return number.String(), true
	}
	return "", false
}

// textsOf returns the texts of one text, or of a list of texts however deep; empty ones are left out.
func textsOf(raw json.RawMessage) ([]string, bool) {
	if text, ok := textOf(raw); ok {
		if text = strings.TrimSpace(text); text == "" {
			return nil, true
		}
		return []string{text}, true
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil || list == nil {
		return nil, false
	}
	var texts []string
	for _, item := range list {
		inner, ok := textsOf(item)
		if !ok {
			return nil, false
		}
		texts = append(texts, inner...)
	}
	return texts, true
}

// shownBytes is how much of a wrong value a message shows.
const shownBytes = 60

func shown(raw json.RawMessage) string {
	var plain bytes.Buffer
	if json.Compact(&plain, raw) != nil || plain.Len() == 0 {
		return "nothing"
	}
	if plain.Len() > shownBytes {
		return strings.ToValidUTF8(plain.String()[:shownBytes], "") + "…"
	}
	return plain.String()
}

// rows returns the records of a JSON file: one on each line, those of a list, those of an object by their
// keys, or those of a list in a field of an object. ok is false if the file is no JSON.
func (f *file) rows() (rows []row, shape string, err error) {
	decoder := json.NewDecoder(bytes.NewReader(f.content))
	lines := lineCounter{content: f.content}
	fields := func(raw json.RawMessage) map[string]json.RawMessage {
		var fields map[string]json.RawMessage
		_ = json.Unmarshal(raw, &fields) // what is no object has no fields
		return fields
	}
	add := func(raw json.RawMessage, end int64, key string) error {
		r := row{from: f, line: lines.at(end - int64(len(raw))), key: key, fields: fields(raw)}
		if r.fields == nil {
			return &Fault{File: f.name, Line: r.line, Why: "expected an object, got " + shown(raw)}
		}
		rows = append(rows, r)
		return nil
	}
	broken := func(err error) error {
		if errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF {
			return &Fault{File: f.name, Line: lines.at(int64(len(f.content))), Why: "the JSON is not complete; was the file cut off?"}
		}
		at := decoder.InputOffset()
		if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) && syntax.Offset > at {
			at = min(syntax.Offset, int64(len(f.content)))
		}
		return &Fault{File: f.name, Line: lines.at(at), Why: "no JSON: " + err.Error()}
	}
	switch f.first() {
	case '[':
		_, _ = decoder.Token()
		for decoder.More() {
			var raw json.RawMessage
			if err := decoder.Decode(&raw); err != nil {
				return nil, "", broken(err)
			}
			if err := add(raw, decoder.InputOffset(), ""); err != nil {
				return nil, "", err
			}
		}
		if _, err := decoder.Token(); err != nil {
			return nil, "", broken(err)
		}
		return rows, "list", nil
	case '{':
		var first json.RawMessage
		if err := decoder.Decode(&first); err != nil {
			return nil, "", broken(err)
		}
		if !decoder.More() {
			if whole := fields(first); nested(whole) {
				return f.nestedRows(&lines)
			}
		}
		for raw := first; ; raw = nil {
			if raw == nil {
				if err := decoder.Decode(&raw); err == io.EOF {
					return rows, "lines", nil
				} else if err != nil {
					return nil, "", broken(err)
				}
			}
			if err := add(raw, decoder.InputOffset(), ""); err != nil {
				return nil, "", err
			}
		}
	}
	return nil, "", nil
}

// nested reports whether an object holds records rather than being one: every value is an object, or one is
// a list of objects.
func nested(whole map[string]json.RawMessage) bool {
	objects := 0
	for name, raw := range whole {
		raw = bytes.TrimSpace(raw)
		switch {
		case raw[0] == '{':
			objects++
		case (name == "data" || name == "questions") && raw[0] == '[':
			list := bytes.TrimSpace(raw[1:])
			return len(list) > 0 && list[0] == '{'
		}
	}
	return objects > 0 && objects == len(whole)
}

// nestedRows returns the records inside one object.
func (f *file) nestedRows(lines *lineCounter) (rows []row, shape string, err error) {
	decoder := json.NewDecoder(bytes.NewReader(f.content))
	_, _ = decoder.Token() // it has been decoded as a whole
	for decoder.More() {
		token, _ := decoder.Token()
		name, _ := token.(string)
		var raw json.RawMessage
		_ = decoder.Decode(&raw)
		start := decoder.InputOffset() - int64(len(raw))
		if raw[0] == '[' {
			if name != "data" && name != "questions" {
				continue
			}
			inner := &file{name: f.name, content: raw}
			listed, _, err := inner.rows()
			if err != nil {
				return nil, "", err
			}
			for _, r := range listed {
				r.from, r.line = f, r.line+lines.at(start)-1
				rows = append(rows, r)
			}
			return rows, name, nil
		}
		var fields map[string]json.RawMessage
		if json.Unmarshal(raw, &fields) != nil {
			continue
		}
		if !nested(fields) {
			rows, shape = append(rows, row{from: f, line: lines.at(start), key: name, fields: fields}), "by key"
			continue
		}
		inner := &file{name: f.name, content: raw}
		keyed, _, err := inner.nestedRows(&lineCounter{content: raw})
		if err != nil {
			return nil, "", err
		}
		for _, r := range keyed {
			r.from, r.group, r.line = f, name, r.line+lines.at(start)-1
			rows = append(rows, r)
		}
		shape = "by key in groups"
	}
	return rows, shape, nil
}

// lineCounter tells the line of ascending offsets.
type lineCounter struct {
	content []byte
	offset  int64
	lines   int
}

func (l *lineCounter) at(offset int64) int {
	if offset < l.offset {
		l.offset, l.lines = 0, 0
	}
	l.lines += bytes.Count(l.content[l.offset:offset], []byte{'\n'})
	l.offset = offset
	return l.lines + 1
}
