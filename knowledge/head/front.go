package head

import (
	"encoding/json"
	"slices"
	"strings"

	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// Front is what the front matter of a document says.
type Front struct {
	End     int      // after its closing line; 0 if there is none
	Title   string   // may be empty
	Aliases []string // other names of the document
	Date    string   // of its last change, else of its writing; as written
	About   passage.Metadata
	// Description is where the description stands in the text, without quotation marks; empty if there is
	// none or if it is not written as it reads.
	Description passage.Span
}

const byteOrderMark = "\uFEFF"

// FrontMatter reads the block between two lines of --- (YAML) or +++ (TOML) at the beginning of a
// document, or the JSON object there. Offsets count from the beginning of text, even if that is a byte
// order mark. It reads the forms that people write and leaves out others; a fault in one line loses that
// line only.
func FrontMatter(text string) Front {
	lines := scanLines(text)
	lines.at.Start += len(text) - len(strings.TrimPrefix(text, byteOrderMark))
	if lines.done() {
		return Front{}
	}
	start := lines.at.Start
	fence := strings.TrimRight(lines.text(), " \t")
	switch {
	case fence == "---", fence == "+++":
	case text[start] == '{':
		return frontJSON(text, start)
	default:
		return Front{}
	}
	r := frontReader{text: text}
	for lines.next(); !lines.done(); lines.next() {
		line := strings.TrimRight(lines.text(), " \t")
		if closes(line, fence) {
			var f Front
			if fence == "+++" {
				r.separator, r.comment = "=", "#"
			} else {
				r.separator, r.comment = ":", " #"
			}
			r.read(&f)
			f.End = lines.behind
			return f
		}
		r.lines = append(r.lines, passage.Span{Start: lines.at.Start, End: lines.at.Start + len(line)})
	}
	return Front{}
}

func closes(line, fence string) bool { return line == fence || fence == "---" && line == "..." }

// value is what stands behind a key.
type value struct {
	texts []string     // one, or the elements of a list
	list  bool         // it is written as a list
	span  passage.Span // of one text that stands as it reads; empty otherwise
}

// frontReader reads the lines of front matter, in the forms of YAML and TOML that people write.
type frontReader struct {
	text               string
	lines              []passage.Span
	at                 int // the next line
	separator, comment string
	broken             bool // a quotation mark or bracket is not closed; the others close on their line
}

func (r *frontReader) read(f *Front) {
	values := map[string]value{}
	skipped := false // in a table of TOML whose keys are not the document's
	for r.at < len(r.lines) {
		s := r.lines[r.at]
		line := r.text[s.Start:s.End]
		r.at++
		if r.separator == "=" && strings.HasPrefix(line, "[") {
			name := strings.Trim(line, "[] \t")
			skipped = name != "params" && name != "extra" && name != "taxonomies"
			continue
		}
		name, after, ok := strings.Cut(line, r.separator)
		if !ok || line[0] == ' ' || line[0] == '\t' || line[0] == '#' || line[0] == '-' || skipped {
			continue
		}
		key := strings.ToLower(strings.Trim(strings.TrimSpace(name), `"'`))
		key = strings.NewReplacer("-", "_", " ", "_").Replace(key)
		v := r.value(s.End-len(after), s.End)
		if _, twice := values[key]; !twice {
			values[key] = v
		}
	}
	f.fill(values)
}

// value reads what stands from an offset to the end of its line, and the lines that belong to it.
func (r *frontReader) value(start, end int) value {
	s := r.trimmed(start, end)
	written := r.text[s.Start:s.End]
	switch {
	case written == "" || r.separator == ":" && written[0] == '#':
		return r.below()
	case strings.HasPrefix(written, `"""`), strings.HasPrefix(written, `'''`):
		return r.until(s.Start, written[:3])
	case written[0] == '"' || written[0] == '\'':
		return r.until(s.Start, written[:1])
	case written[0] == '[':
		return r.flow(s.Start)
	case r.separator == ":" && (written[0] == '|' || written[0] == '>') && strings.Trim(written[1:], "+-0123456789 ") == "":
		return r.below()
	}
	v := value{texts: []string{r.plain(s)}, span: r.plainSpan(s)}
	if r.separator == ":" {
		for r.at < len(r.lines) && r.indented(r.at) { // a text that goes on
			more := r.plainSpan(r.trimmed(r.lines[r.at].Start, r.lines[r.at].End))
			v.texts[0] += " " + r.text[more.Start:more.End]
			v.span.End = more.End
			r.at++
		}
	}
	return v
}

func (r *frontReader) trimmed(start, end int) passage.Span {
	text := r.text[start:end]
	left := strings.TrimLeft(text, " \t")
	start += len(text) - len(left)
	return passage.Span{Start: start, End: start + len(strings.TrimRight(left, " \t"))}
}

// plainSpan cuts the comment from a text without quotation marks.
func (r *frontReader) plainSpan(s passage.Span) passage.Span {
	if at := strings.Index(r.text[s.Start:s.End], r.comment); at >= 0 {
		s = r.trimmed(s.Start, s.Start+at)
	}
	return s
}

func (r *frontReader) plain(s passage.Span) string {
	s = r.plainSpan(s)
	return r.text[s.Start:s.End]
}

func (r *frontReader) indented(i int) bool {
	s := r.lines[i]
	return s.Len() > 0 && (r.text[s.Start] == ' ' || r.text[s.Start] == '\t')
}

// until reads a text from its opening quotation mark to the closing one.
func (r *frontReader) until(start int, mark string) value {
	start += len(mark)
	stop := r.limit()
	body := r.text[start:stop]
	for i := 0; i < len(body); i++ {
		switch {
		case body[i] == '\\' && mark[0] == '"':
			i++
		case strings.HasPrefix(body[i:], mark) && mark == "'" && strings.HasPrefix(body[i+1:], "'"):
			i++
		case strings.HasPrefix(body[i:], mark):
			s := r.trimmed(start, start+i)
			for r.at < len(r.lines) && r.lines[r.at].Start < s.End {
				r.at++
			}
			v := value{texts: []string{unescaped(body[:i], mark)}}
			if v.texts[0] == body[:i] {
				v.span = s
			}
			return v
		}
	}
	r.broken = true
	line := r.lines[r.at-1]
	return value{texts: []string{r.text[start:max(start, line.End)]}}
}

// limit returns the offset up to which a closing mark is looked for.
func (r *frontReader) limit() int {
	if r.broken {
		return r.lines[r.at-1].End
	}
	return r.lines[len(r.lines)-1].End
}

func unescaped(text, mark string) string {
	if mark == "'" {
		return strings.ReplaceAll(text, "''", "'")
	}
	if mark == `"` && strings.Contains(text, `\`) {
		var out string
		if json.Unmarshal([]byte(`"`+text+`"`), &out) == nil {
			return out
		}
	}
	return text
}

// flow reads a list in brackets, which may go on over lines.
func (r *frontReader) flow(start int) value {
	v := value{list: true}
	stop := r.limit()
	from, quote := start+1, byte(0)
	element := func(end int) {
		s := r.trimmed(from, end)
		text := strings.TrimSpace(r.text[s.Start:s.End])
		if n := len(text); n >= 2 && (text[0] == '"' || text[0] == '\'') && text[n-1] == text[0] {
			text = unescaped(text[1:n-1], text[:1])
		}
		if text != "" {
			v.texts = append(v.texts, text)
		}
	}
	for i := start + 1; i < stop; i++ {
		switch c := r.text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && strings.TrimSpace(r.text[from:i]) == "":
			quote = c
		case c == '#' && strings.TrimSpace(r.text[from:i]) == "": // a comment
			length := strings.IndexAny(r.text[i:stop], "\r\n")
			if length < 0 {
				r.broken = true
				return v
			}
			i += length
			from = i
		case c == ',':
			element(i)
			from = i + 1
		case c == ']':
			element(i)
			for r.at < len(r.lines) && r.lines[r.at].Start < i {
				r.at++
			}
			return v
		}
	}
	r.broken = true
	return value{}
}

// below reads the lines below a key: the elements of a list, or a text.
func (r *frontReader) below() value {
	var v value
	for ; r.at < len(r.lines); r.at++ {
		line := r.lines[r.at]
		s := r.trimmed(line.Start, line.End)
		text := r.text[s.Start:s.End]
		dash := text == "-" || strings.HasPrefix(text, "- ")
		switch {
		case text == "":
			continue
		case !dash && !r.indented(r.at) || r.separator == "=":
			return v
		case dash && (v.list || len(v.texts) == 0):
			v.list = true
			element := r.plain(r.trimmed(s.Start+1, s.End))
			if n := len(element); n >= 2 && (element[0] == '"' || element[0] == '\'') && element[n-1] == element[0] {
				element = unescaped(element[1:n-1], element[:1])
			} else if name, rest, ok := strings.Cut(element, ": "); ok && name == "name" {
				element = strings.Trim(strings.TrimSpace(rest), `"'`)
			}
			if element != "" {
				v.texts = append(v.texts, element)
			}
		case v.list: // more about an element
		case len(v.texts) == 0:
			v.texts, v.span = []string{text}, s
		default:
			v.texts[0] += " " + text
			v.span.End = s.End
		}
	}
	return v
}

// frontJSON reads the object at the beginning of a document, if it gives a title.
func frontJSON(text string, start int) Front {
	decoder := json.NewDecoder(strings.NewReader(text[start:]))
	var object map[string]any
	if decoder.Decode(&object) != nil || object["title"] == nil {
		return Front{}
	}
	values := map[string]value{}
	for key, raw := range object {
		key = strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(key))
		switch raw := raw.(type) {
		case string:
			values[key] = value{texts: []string{raw}}
		case []any:
			v := value{list: true}
			for _, element := range raw {
				if element, ok := element.(string); ok {
					v.texts = append(v.texts, element)
				}
			}
			values[key] = v
		}
	}
	var f Front
	f.fill(values)
	f.End = start + int(decoder.InputOffset())
	if s := values["description"]; len(s.texts) == 1 && s.texts[0] != "" {
		if at := strings.Index(text[start:f.End], s.texts[0]); at >= 0 {
			f.Description = passage.Span{Start: start + at, End: start + at + len(s.texts[0])}
		}
	}
	return f
}

// Fill sets what a document says about itself from properties that other formats write: the names are
// those of front matter, in lower case.
func (f *Front) Fill(properties map[string]string) {
	values := map[string]value{}
	for name, text := range properties {
		values[strings.NewReplacer("-", "_", " ", "_").Replace(name)] = value{texts: []string{text}}
	}
	f.fill(values)
}

// fill sets the fields from the values of keys. Of several keys that mean the same the first named here
// counts.
func (f *Front) fill(values map[string]value) {
	one := func(keys ...string) string {
		for _, key := range keys {
			if v := values[key]; len(v.texts) > 0 {
				if text := clean(v.texts[0]); text != "" {
					return text
				}
			}
		}
		return ""
	}
	all := func(separators string, keys ...string) []string {
		var texts []string
		for _, key := range keys {
			v := values[key]
			parts := v.texts
			if !v.list && len(parts) == 1 && separators != "" {
				parts = strings.FieldsFunc(parts[0], func(r rune) bool { return strings.ContainsRune(separators, r) })
			}
			for _, text := range parts {
				if text = clean(strings.TrimPrefix(strings.TrimSpace(text), "#")); text != "" && !slices.Contains(texts, text) {
					texts = append(texts, text)
				}
			}
		}
		return texts
	}
	f.Title = one("title")
	f.Aliases = slices.DeleteFunc(all(",;", "aliases", "alias", "also_known_as", "synonyms"), func(name string) bool {
		return name == f.Title || isAddress(name)
	})
	f.Date = one("updated", "last_updated", "lastmod", "last_modified", "modified", "last_reviewed", "date", "created")
	f.About = passage.Metadata{
		Description:  one("description", "summary", "abstract", "excerpt"),
		Tags:         all(",; ", "tags", "tag", "keywords", "filetags"),
		Authors:      all("", "authors", "author"),
		Version:      one("version"),
		Replaces:     one("replaces", "supersedes", "ersetzt", "替代", "取代"),
		SupersededBy: one("superseded_by", "replaced_by", "ersetzt_durch", "abgelöst_durch", "被取代", "替代文件"),
		ReviewDue:    one("review_due", "review_by", "next_review", "expires", "expiry", "valid_until", "gültig_bis", "nächste_prüfung", "prüfung_fällig", "有效期至", "复审日期", "下次审核"),
		Page:         one("doi", "canonical_url", "source_url"),
	}
	for _, key := range []string{"description", "summary", "abstract", "excerpt"} {
		if v := values[key]; len(v.texts) == 1 && clean(v.texts[0]) != "" {
			f.Description = v.span
			break
		}
	}
}

// clean returns a value on one line; empty for a placeholder of a template.
func clean(text string) string {
	text = plaintext.OneLine(text)
	if strings.Contains(text, "{{") || strings.Contains(text, "<%") || text == "null" || text == "~" {
		return ""
	}
	return text
}

// isAddress reports whether an alias is an old address of a page rather than a name.
func isAddress(alias string) bool {
	return strings.HasPrefix(alias, "/") || strings.Contains(alias, "://") || strings.HasSuffix(alias, "/") || strings.HasSuffix(alias, ".html")
}
