package bibliography

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// bibtex scans a .bib file. It is linear in the size of the file: what is not closed is given up, not
// read again.
type bibtex struct {
	text    string
	at      int
	line    int
	counted int // line feeds before it are counted in line
	strings map[string]string
}

// lineAt returns the line of an offset; offsets never decrease.
func (p *bibtex) lineAt(offset int) int {
	if offset > p.counted {
		p.line += strings.Count(p.text[p.counted:offset], "\n")
		p.counted = offset
	}
	return p.line + 1
}

// months are the macros that every style defines.
var months = map[string]string{"jan": "01", "feb": "02", "mar": "03", "apr": "04", "may": "05", "jun": "06", "jul": "07", "aug": "08", "sep": "09", "oct": "10", "nov": "11", "dec": "12"}

// fieldOf is a field of an entry.
type fieldOf struct {
	value string
	line  int
}

// raw is an entry before its fields are understood.
type raw struct {
	kind, key string
	line      int
	fields    map[string]fieldOf
}

func parseBibTeX(content []byte) []Entry {
	content = bytes.TrimPrefix(content, []byte("\uFEFF"))
	if !utf8.Valid(content) { // as old programs write it; no line feed moves
		if decoded, err := charmap.Windows1252.NewDecoder().Bytes(content); err == nil {
			content = decoded
		}
	}
	p := bibtex{text: string(content), strings: map[string]string{}}
	var raws []raw
	for len(raws) < MaxEntries {
		r, more := p.entry()
		if !more {
			break
		}
		if r.fields != nil {
			raws = append(raws, r)
		}
	}
	keys := make(map[string]int, len(raws))
	for i, r := range raws {
		if _, taken := keys[strings.ToLower(r.key)]; !taken {
			keys[strings.ToLower(r.key)] = i
		}
	}
	entries := make([]Entry, 0, len(raws))
	for _, r := range raws {
		if parent, found := keys[strings.ToLower(r.fields["crossref"].value)]; found {
			inherit(r.fields, raws[parent].fields)
		}
		if e := r.entry(); e.Title != "" || e.Abstract != "" || len(e.Notes) > 0 {
			entries = append(entries, e)
		}
	}
	return entries
}

// inherit copies the fields that an entry takes from the one it refers to.
func inherit(to, from map[string]fieldOf) {
	for name, field := range from {
		switch name {
		case "title":
			name = "booktitle"
		case "abstract", "note", "annote", "annotation", "file", "doi", "keywords", "crossref", "shorttitle":
			continue
		}
		if _, own := to[name]; !own {
			to[name] = field
		}
	}
}

// entry reads up to the end of the next entry; false at the end of the file. Fields are nil if there is
// nothing to keep.
func (p *bibtex) entry() (r raw, more bool) {
	at := strings.IndexByte(p.text[p.at:], '@')
	if at < 0 {
		return r, false
	}
	p.at += at + 1
	r.line = p.lineAt(p.at)
	r.kind = strings.ToLower(p.name())
	p.space()
	if r.kind == "" || p.at >= len(p.text) || p.text[p.at] != '{' && p.text[p.at] != '(' {
		return r, true
	}
	if r.kind == "comment" {
		p.braces()
		return r, true
	}
	closing := byte('}')
	if p.text[p.at] == '(' {
		closing = ')'
	}
	p.at++
	if r.kind != "string" && r.kind != "preamble" {
		p.space()
		from := p.at
		for p.at < len(p.text) && strings.IndexByte(",})\n=", p.text[p.at]) < 0 && p.at-from < 1000 {
			p.at++
		}
		r.key = strings.TrimSpace(p.text[from:p.at])
	}
	fields := map[string]fieldOf{}
	for {
		p.space()
		if p.at >= len(p.text) {
			break
		}
		switch c := p.text[p.at]; {
		case c == closing:
			p.at++
		case c == '@' && p.at > 0 && p.text[p.at-1] == '\n': // the entry is not closed
		case c == ',':
			p.at++
			continue
		default:
			name := strings.ToLower(p.name())
			p.space()
			if name == "" || p.at >= len(p.text) || p.text[p.at] != '=' {
				if name == "" {
					p.at++
				}
				continue
			}
			p.at++
			p.space()
			line := p.lineAt(min(p.at, len(p.text)))
			value, ok := p.value()
			if len(fields) < 200 {
				if _, twice := fields[name]; !twice {
					fields[name] = fieldOf{value, line}
				}
			}
			if ok {
				continue
			}
		}
		break
	}
	switch r.kind {
	case "string":
		if len(p.strings) < 10_000 {
			for name, field := range fields {
				p.strings[name] = field.value
			}
		}
	case "preamble":
	default:
		r.fields = fields
	}
	return r, true
}

func (p *bibtex) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// name reads the name of an entry type, a field or a macro.
func (p *bibtex) name() string {
	from := p.at
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n{}(),=#\"@%", p.text[p.at]) < 0 && p.at-from < 200 {
		p.at++
	}
	return p.text[from:p.at]
}

// value reads a value: parts in braces or quotation marks, numbers and macros, joined with #. It returns
// false if the value is not closed.
func (p *bibtex) value() (string, bool) {
	var b strings.Builder
	for {
		p.space()
		if p.at >= len(p.text) {
			return b.String(), false
		}
		switch p.text[p.at] {
		case '{':
			part, ok := p.braces()
			b.WriteString(part)
			if !ok {
				return b.String(), false
			}
		case '"':
			part, ok := p.quotes()
			b.WriteString(part)
			if !ok {
				return b.String(), false
			}
		default:
			word := p.name()
			if word == "" {
				return b.String(), true
			}
			switch lower := strings.ToLower(word); {
			case p.strings[lower] != "":
				word = p.strings[lower]
			case months[lower] != "":
				word = months[lower]
			}
			if b.Len()+len(word) <= maxMacros { // macros of macros grow
				b.WriteString(word)
			}
		}
		p.space()
		if p.at >= len(p.text) || p.text[p.at] != '#' {
			return b.String(), true
		}
		p.at++
	}
}

// braces reads a part in braces, or in the brackets of a comment. It returns false if the part is not
// closed before the next entry.
func (p *bibtex) braces() (string, bool) {
	from, depth := p.at+1, 0
	for i := p.at; i < len(p.text); i++ {
		switch p.text[i] {
		case '\\':
			i++
		case '{', '(':
			if p.text[i] == '{' || i == p.at {
				depth++
			}
		case '}':
			if depth--; depth <= 0 {
				p.at = i + 1
				return p.text[from:i], true
			}
		case ')':
			if depth == 1 && p.text[from-1] == '(' {
				p.at = i + 1
				return p.text[from:i], true
			}
		case '\n':
			if p.opensEntry(i + 1) {
				p.at = i + 1
				return p.text[from:i], false
			}
		}
		if i-from > maxValue {
			p.at = i
			return p.text[from:i], false
		}
	}
	p.at = len(p.text)
	return p.text[min(from, len(p.text)):], false
}

// quotes reads a part in quotation marks.
func (p *bibtex) quotes() (string, bool) {
	from, depth := p.at+1, 0
	for i := from; i < len(p.text); i++ {
		switch p.text[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			depth--
		case '"':
			if depth <= 0 {
				p.at = i + 1
				return p.text[from:i], true
			}
		case '\n':
			if p.opensEntry(i + 1) {
				p.at = i + 1
				return p.text[from:i], false
			}
		}
		if i-from > maxValue {
			p.at = i
			return p.text[from:i], false
		}
	}
	p.at = len(p.text)
	return p.text[min(from, len(p.text)):], false
}

// opensEntry reports whether an entry begins at the beginning of a line.
func (p *bibtex) opensEntry(at int) bool {
	if at >= len(p.text) || p.text[at] != '@' {
		return false
	}
	for i := at + 1; i < len(p.text) && i < at+40; i++ {
		switch c := p.text[i] | 0x20; {
		case c >= 'a' && c <= 'z':
		case p.text[i] == '{' || p.text[i] == '(':
			return i > at+1
		default:
			return false
		}
	}
	return false
}

// entry understands the fields.
func (r *raw) entry() Entry {
	get := func(names ...string) string {
		for _, name := range names {
			if value := r.fields[name].value; value != "" {
				return oneLine(unlatex(value))
			}
		}
		return ""
	}
	e := Entry{Key: r.key, Line: r.line, Title: get("title"), Short: get("shorttitle", "titleaddon"), In: get("journal", "journaltitle", "booktitle", "publisher", "school", "institution"), DOI: doiOf(get("doi"))}
	if sub := get("subtitle"); sub != "" && e.Title != "" {
		e.Title += ": " + sub
	}
	if e.DOI == "" && strings.Contains(r.fields["url"].value, "doi.org/") {
		e.DOI = doiOf(get("url"))
	}
	for _, name := range splitNames(r.fields["author"].value) {
		if len(e.Authors) < maxList {
			e.Authors = append(e.Authors, name)
		}
	}
	if len(e.Authors) == 0 {
		for _, name := range splitNames(r.fields["editor"].value) {
			if len(e.Authors) < maxList {
				e.Authors = append(e.Authors, name)
			}
		}
	}
	e.Date = get("date")
	if e.Date == "" {
		e.Date = get("year")
		month := strings.ToLower(get("month"))
		if number, known := months[month[:min(3, len(month))]]; known {
			month = number
		}
		if len(month) == 1 {
			month = "0" + month
		}
		if len(e.Date) == 4 && len(month) == 2 && month[0] >= '0' && month[0] <= '1' && month[1] >= '0' && month[1] <= '9' {
			e.Date += "-" + month
		}
	}
	for k := range strings.FieldsFuncSeq(get("keywords", "mendeley-tags"), func(r rune) bool { return r == ',' || r == ';' }) {
		if k = strings.TrimSpace(k); k != "" && len(e.Keywords) < maxList && !slices.Contains(e.Keywords, k) {
			e.Keywords = append(e.Keywords, k)
		}
	}
	e.Files = files(r.fields["file"].value)
	e.Abstract, e.AbstractLine = clean(untagged(unlatex(r.fields["abstract"].value))), r.fields["abstract"].line
	for _, name := range []string{"note", "annote", "annotation", "review", "comment"} {
		if note := clean(untagged(unlatex(r.fields[name].value))); note != "" && worthReading(note) {
			if e.NoteLine == 0 {
				e.NoteLine = r.fields[name].line
			}
			e.Notes = append(e.Notes, note)
		}
	}
	return e
}

// splitNames returns the names of a list that "and" separates, given names first.
func splitNames(list string) []string {
	var names []string
	depth, from := 0, 0
	add := func(part string) {
		braced := strings.HasPrefix(strings.TrimSpace(part), "{") && strings.HasSuffix(strings.TrimSpace(part), "}")
		name := oneLine(unlatex(part))
		if parts := strings.Split(name, ","); !braced && len(parts) > 1 {
			first := strings.TrimSpace(parts[len(parts)-1])
			name = strings.TrimSpace(first + " " + strings.TrimSpace(parts[0]))
			if len(parts) > 2 {
				name += ", " + strings.TrimSpace(parts[1])
			}
		}
		if name != "" && !strings.EqualFold(name, "others") {
			names = append(names, name)
		}
	}
	for i := 0; i < len(list); i++ {
		switch list[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			depth--
		case 'a', 'A':
			if depth == 0 && i > 0 && i+3 < len(list) && strings.EqualFold(list[i:i+3], "and") && isSpace(list[i-1]) && isSpace(list[i+3]) {
				add(list[from:i])
				from = i + 3
			}
		}
	}
	add(list[min(from, len(list)):])
	return names
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
