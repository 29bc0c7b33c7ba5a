package bibliography

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// item is an item of CSL-JSON. Programs disagree on types, so each value is anything.
type item struct {
	ID          any    `json:"id"`
	Key         any    `json:"citation-key"`
	Title       any    `json:"title"`
	Short       any    `json:"title-short"`
	ShortTitle  any    `json:"shortTitle"`
	Container   any    `json:"container-title"`
	Publisher   any    `json:"publisher"`
	DOI         any    `json:"DOI"`
	URL         any    `json:"URL"`
	Abstract    any    `json:"abstract"`
	Note        any    `json:"note"`
	Annote      any    `json:"annote"`
	Keyword     any    `json:"keyword"`
	Author      []name `json:"author"`
	Editor      []name `json:"editor"`
	Issued      any    `json:"issued"`
	Attachments []any  `json:"attachments"`
	File        any    `json:"file"`
}

type name struct {
	Family   any `json:"family"`
	Given    any `json:"given"`
	Literal  any `json:"literal"`
	Particle any `json:"non-dropping-particle"`
	Dropping any `json:"dropping-particle"`
	Suffix   any `json:"suffix"`
}

func text(v any) string {
	switch v := v.(type) {
	case string:
		return oneLine(untagged(v))
	case float64, json.Number:
		return fmt.Sprint(v)
	case []any:
		if len(v) > 0 {
			return text(v[0])
		}
	}
	return ""
}

func parseCSL(content []byte) []Entry {
	decoder := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(content, []byte("\uFEFF"))))
	decoder.UseNumber()
	if token, err := decoder.Token(); err != nil || token != json.Delim('[') {
		return nil
	}
	var entries []Entry
	line, counted := 1, 0
	for decoder.More() && len(entries) < MaxEntries {
		var one json.RawMessage
		if err := decoder.Decode(&one); err != nil {
			break
		}
		end := min(int(decoder.InputOffset()), len(content))
		start := max(counted, end-len(one))
		line += bytes.Count(content[counted:start], []byte("\n"))
		var i item
		if json.Unmarshal(one, &i) == nil {
			e := i.entry()
			e.Line = line
			e.AbstractLine, e.NoteLine = line+lineOf(one, `"abstract"`), line+lineOf(one, `"note"`)
			if text(i.Note) == "" {
				e.NoteLine = line + lineOf(one, `"annote"`)
			}
			if e.Title != "" || e.Abstract != "" || len(e.Notes) > 0 {
				entries = append(entries, e)
			}
		}
		line += bytes.Count(content[start:end], []byte("\n"))
		counted = end
	}
	return entries
}

// lineOf returns the line feeds before a property.
func lineOf(object []byte, property string) int {
	at := bytes.Index(object, []byte(property))
	return bytes.Count(object[:max(0, at)], []byte("\n"))
}

func (i *item) entry() Entry {
	e := Entry{Key: text(i.Key), Title: text(i.Title), Short: text(i.Short), In: text(i.Container), DOI: doiOf(text(i.DOI)), Date: dateOf(i.Issued)}
	if e.Key == "" {
		e.Key = text(i.ID)
	}
	if e.Short == "" {
		e.Short = text(i.ShortTitle)
	}
	if e.In == "" {
		e.In = text(i.Publisher)
	}
	if url := text(i.URL); e.DOI == "" && strings.Contains(url, "doi.org/") {
		e.DOI = doiOf(url)
	}
	people := i.Author
	if len(people) == 0 {
		people = i.Editor
	}
	for _, p := range people[:min(len(people), maxList)] {
		var parts []string
		for _, part := range []any{p.Given, p.Dropping, p.Particle, p.Family, p.Suffix} {
			if words := text(part); words != "" {
				parts = append(parts, words)
			}
		}
		name := strings.Join(parts, " ")
		if name == "" {
			name = text(p.Literal)
		}
		if name != "" {
			e.Authors = append(e.Authors, name)
		}
	}
	for k := range strings.FieldsFuncSeq(text(i.Keyword), func(r rune) bool { return r == ',' || r == ';' }) {
		if k = strings.TrimSpace(k); k != "" && len(e.Keywords) < maxList && !slices.Contains(e.Keywords, k) {
			e.Keywords = append(e.Keywords, k)
		}
	}
	if s, ok := i.Abstract.(string); ok {
		e.Abstract = clean(untagged(s))
	}
	for _, note := range []any{i.Note, i.Annote} {
		if s, ok := note.(string); ok {
			if words := clean(untagged(s)); worthReading(words) {
				e.Notes = append(e.Notes, words)
			}
		}
	}
	e.Files = files(text(i.File))
	for _, a := range i.Attachments {
		if attachment, ok := a.(map[string]any); ok && len(e.Files) < maxList {
			if path, ok := attachment["path"].(string); ok {
				e.Files = append(e.Files, strings.ReplaceAll(path, `\`, "/"))
			}
		}
	}
	return e
}

// dateOf returns the date in one of the forms of CSL: date-parts, raw or literal.
func dateOf(v any) string {
	switch d := v.(type) {
	case string:
		return oneLine(d)
	case map[string]any:
		if parts, ok := d["date-parts"].([]any); ok && len(parts) > 0 {
			if first, ok := parts[0].([]any); ok {
				var date []string
				for i, part := range first[:min(3, len(first))] {
					word := text(part)
					if i > 0 && len(word) == 1 {
						word = "0" + word
					}
					date = append(date, word)
				}
				return strings.Join(date, "-")
			}
		}
		for _, form := range []string{"raw", "literal"} {
			if s := text(d[form]); s != "" {
				return s
			}
		}
	}
	return ""
}
