package bibliography

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Entry is one work in a list.
type Entry struct {
	Key      string
	Title    string
	Short    string // another title, such as an abbreviation
	Authors  []string
	Date     string // 2021, 2021-05 or 2021-05-03
	In       string // the journal or book
	DOI      string // lower case, without the address before it
	Keywords []string
	Files    []string // paths, as written
	Abstract string
	Notes    []string
	Line     int // of the file, from 1, on which the entry begins
	// AbstractLine and NoteLine are the lines on which these begin.
	AbstractLine, NoteLine int
}

// Limits of one list.
const (
	MaxEntries = 200_000
	maxValue   = 256 << 10 // of a field, in bytes
	maxMacros  = 16 << 10  // up to which macros make a value longer, in bytes
	maxList    = 64        // authors, keywords, notes and files of an entry
)

// Stamp returns a text that changes with whatever of the entry describes a file.
func (e *Entry) Stamp() string {
	return fmt.Sprintf("%q %q %q %q %q %q", e.Title, e.Short, e.Authors, e.Date, e.DOI, e.Keywords)
}

// source returns who wrote the entry, where and when.
func (e *Entry) source() string {
	authors := strings.Join(e.Authors, ", ")
	var parts []string
	for _, part := range []string{authors, e.In, e.Date} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if e.DOI != "" {
		parts = append(parts, "doi:"+e.DOI)
	}
	return strings.Join(parts, ". ")
}

// clean returns text on one line, without control characters and soft hyphens. Blank lines stay.
func clean(text string) string {
	text = strings.ToValidUTF8(text, "")
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r == '\u00AD', r == '\u200B', r == '\uFEFF':
			return -1
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, text)
	var paragraphs []string
	for _, part := range strings.Split(text, "\n\n") {
		if part = strings.Join(strings.Fields(part), " "); part != "" {
			paragraphs = append(paragraphs, part)
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

// oneLine is clean without blank lines.
func oneLine(text string) string { return strings.ReplaceAll(clean(text), "\n\n", " ") }

// doiOf returns a DOI without the address before it, in lower case; "" if there is none.
func doiOf(text string) string {
	text = strings.ToLower(strings.TrimSpace(text))
	at := strings.Index(text, "10.")
	if at < 0 || !strings.Contains(text[at:], "/") {
		return ""
	}
	text = text[at:]
	if end := strings.IndexFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"<>{}|^`, r) }); end >= 0 {
		text = text[:end]
	}
	return strings.TrimRight(text, ".,;:)]'’")
}

// untagged removes the tags that publishers leave in abstracts, such as <jats:p>.
func untagged(text string) string {
	if !strings.Contains(text, "<") {
		return text
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "<")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		tag, after, closed := strings.Cut(rest, ">")
		if !closed || tag == "" || len(tag) > 80 || tag[0] != '/' && !unicode.IsLetter(rune(tag[0])) {
			b.WriteByte('<') // less than
			text = rest
			continue
		}
		name := strings.ToLower(strings.TrimPrefix(strings.Trim(tag, "/ "), "jats:"))
		switch name, _, _ = strings.Cut(name, " "); name {
		case "i", "b", "em", "strong", "sub", "sup", "span", "sc", "italic", "bold":
		case "p", "title", "sec":
			b.WriteString("\n\n")
		default:
			b.WriteByte(' ')
		}
		text = after
	}
}

// worthReading reports whether a note says more than a number or an address.
func worthReading(note string) bool {
	const few = 3 // words, as in "in press"
	words := strings.Fields(note)
	if len(words) <= few {
		return false
	}
	for _, word := range words {
		if strings.Contains(word, "://") {
			return len(words) > 3*few
		}
	}
	return true
}

// files returns the paths of a file field. Programs write them alone, or between a description and a type,
// with colons, and several with semicolons: "Full text:files/12/Tea.pdf:application/pdf".
func files(field string) []string {
	var paths []string
	field = strings.ReplaceAll(field, `{\_}`, "_")
	field = strings.ReplaceAll(strings.ReplaceAll(field, `$\backslash$`, `\`), `{\textbackslash}`, `\`)
	for _, one := range splitEscaped(field, ';') {
		parts := splitEscaped(one, ':')
		path := ""
		for _, part := range parts {
			if strings.HasSuffix(strings.ToLower(strings.TrimSpace(part)), ".pdf") {
				path = part // the path comes after the description
			}
		}
		path = strings.ReplaceAll(strings.TrimSpace(path), `\`, "/")
		for strings.Contains(path, "//") {
			path = strings.ReplaceAll(path, "//", "/")
		}
		if path != "" && len(paths) < maxList && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// splitEscaped splits at a separator that no backslash precedes.
func splitEscaped(text string, separator byte) []string {
	var parts []string
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text) && (text[i+1] == separator || text[i+1] == '_' || text[i+1] == '&'):
			i++
			b.WriteByte(text[i])
		case text[i] == separator:
			parts = append(parts, b.String())
			b.Reset()
		default:
			b.WriteByte(text[i])
		}
	}
	return append(parts, b.String())
}
