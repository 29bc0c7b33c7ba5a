package markup

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"lacuna/knowledge/document"
	"lacuna/knowledge/head"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

var (
	rstDirective  = regexp.MustCompile(`^([ \t]*)\.\.[ \t]+(?:\|[^|]+\|[ \t]+)?([\w:+.-]+?)::(?:[ \t]+|$)`)
	rstFootnote   = regexp.MustCompile(`^[ \t]*\.\.[ \t]+\[[^\]]+\](?:[ \t]+|$)`)
	rstExplicit   = regexp.MustCompile(`^[ \t]*\.\.(?:[ \t]|$)`)
	rstTarget     = regexp.MustCompile(`^[ \t]*(?:\.\.[ \t]+|__ )_`)
	rstField      = regexp.MustCompile(`^[ \t]*:([^:\n]+):(?:[ \t]+(.*))?$`)
	rstMarkup     = regexp.MustCompile("(?::[\\w:-]+:)?`([^`<]*?)(?: <[^>]*>)?`_{0,2}|\\*\\*?([^*]+)\\*\\*?")
	rstItem       = regexp.MustCompile(`^(?:[-*+•‣⁃]|\(?(?:\d{1,4}|[a-zA-Z#]|[ivxIVX]{1,5})[.)])(?:[ \t]+|$)`)
	rstOption     = regexp.MustCompile(`^(?:--?[\w-]+|/\w+)(?:[ =][\w<>\[\]-]+)?(?:, --?[\w-]+(?:[ =][\w<>\[\]-]+)?)*(?:[ ]{2,}|$)`)
	rstGrid       = regexp.MustCompile(`^[ \t]*\+(?:[-=]+\+)+$`)
	rstSimple     = regexp.MustCompile(`^[ \t]*=+(?:[ \t]+=+)+$`)
	rstSimpleRule = regexp.MustCompile(`^[ \t]*-+(?:[ \t]+-+)*$`)
	rstCell       = regexp.MustCompile(`^[ \t]*[*-][ \t]+[*-](?:[ \t]|$)`)
)

var (
	// rstCode holds the directives whose content is shown verbatim.
	rstCode = map[string]bool{"code": true, "code-block": true, "sourcecode": true, "parsed-literal": true, "math": true, "prompt": true, "doctest": true,
		"ipython": true, "console": true, "testcode": true, "testoutput": true}
	// rstSkipped holds the directives whose content is no text of the document, and what they are called in
	// the list of what was left out.
	rstSkipped = map[string]string{"toctree": "tables of contents", "contents": "tables of contents", "include": "included files",
		"literalinclude": "included files", "raw": "text for other formats", "highlight": "", "index": "", "meta": "", "replace": "", "default-role": "",
		"role": "", "sectnum": "", "unicode": "", "currentmodule": "", "module": "", "automodule": "", "autoclass": "", "autofunction": "", "graphviz": "",
		"testsetup": "", "only": "-", "ifconfig": "-"}
	// rstTitled holds the directives whose argument is the title of what follows.
	rstTitled = map[string]bool{"admonition": true, "topic": true, "sidebar": true, "rubric": true, "dropdown": true, "tab": true, "tab-item": true,
		"card": true, "grid-item-card": true, "versionadded": true, "versionchanged": true, "deprecated": true}
)

// RST reads a reStructuredText document. The first heading is the title if no other has its style.
func RST(body string) document.Document {
	r := rstReader{lineReader: newLineReader(body), opening: true, about: map[string]string{}}
	for !r.done() {
		r.line()
	}
	r.flush()
	r.promoteTitle()
	var f head.Front
	title := r.Title
	f.Fill(r.about)
	r.Date, r.About, r.Aliases = f.Date, f.About, f.Aliases
	if title == "" {
		r.Title = f.Title
	}
	return r.Document
}

type rstReader struct {
	lineReader
	styles  []adornment // by level
	before  string      // the line before the current one
	opening bool        // only fields and headings have been read
	about   map[string]string
}

// adornment describes the marking of a heading: a line below it, or one above it too.
type adornment struct {
	mark byte
	over bool
}

// line reads the current line and the block it begins, and moves on.
func (r *rstReader) line() {
	line, at := r.lineScanner.text(), r.at
	bare := strings.TrimLeft(line, " \t")
	switch {
	case line == "":
		r.flush()
	case r.before == "" && (rstSimple.MatchString(line) || rstGrid.MatchString(line)):
		r.table(line)
		return
	case r.before == "" && r.overlined(line), r.underlined(line):
		return
	case r.before == "" && ruleLength(line) >= 4:
		r.flush()
	case rstDirective.MatchString(line):
		r.directive(line)
		return
	case rstFootnote.MatchString(line):
		r.flush()
		r.items = nil
		r.open = document.Block{Kind: passage.Footnote, Span: passage.Span{Start: at.Start + indent(line), End: at.Start + len(line)}}
		r.before = line
		r.next()
		return
	case rstTarget.MatchString(line):
		r.flush()
		r.indented(at)
		return
	case rstExplicit.MatchString(line):
		r.flush()
		r.hide(r.indented(at))
		return
	case r.before == "" && rstField.MatchString(line) && !strings.HasPrefix(bare, ":ref:"):
		r.field(line)
		return
	case strings.HasPrefix(bare, ">>> ") && r.before == "":
		s := at
		for ; !r.done() && r.lineScanner.text() != ""; r.next() {
			s.End = r.at.End
		}
		r.single(document.Block{Kind: passage.Code, Span: s, Level: len(r.items)})
		r.before = ""
		return
	case strings.HasPrefix(bare, "| "):
		r.single(document.Block{Span: passage.Span{Start: at.Start + indent(line) + 2, End: at.End}, Level: len(r.items)})
	default:
		r.opening = false
		r.running(line, bare)
		return
	}
	r.before = line
	r.next()
}

// running reads a line of a paragraph, an item, or a term with its definition.
func (r *rstReader) running(line, bare string) {
	at := r.at
	marker := len(rstItem.FindString(bare))
	if marker == 0 && r.before == "" {
		marker = len(rstOption.FindString(bare))
	}
	if below := r.peek(); marker == 0 && r.before == "" && below != "" && columns(below) > columns(line) && r.open.Len() == 0 && !rstExplicit.MatchString(below) {
		r.lead = 0
		r.single(document.Block{Kind: passage.Term, Span: at})
		r.next()
		s := r.at
		r.open = document.Block{Kind: passage.Definition, Span: passage.Span{Start: s.Start + indent(r.lineScanner.text()), End: s.End}}
		r.before = r.lineScanner.text()
		if strings.HasSuffix(r.before, "::") {
			margin := columns(line)
			r.next()
			r.literal(margin)
			return
		}
		r.next()
		return
	}
	r.before = line
	r.prose(marker)
	if strings.HasSuffix(line, "::") && !strings.HasPrefix(line, "..") {
		r.literal(columns(line))
	}
}

// ruleLength returns the length of a line that repeats one punctuation mark, or 0.
func ruleLength(line string) int {
	if line == "" || !strings.ContainsAny(line[:1], "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~") || strings.Trim(line, line[:1]) != "" {
		return 0
	}
	return len(line)
}

// underlined reads a heading with a line below it, if the current line is one.
func (r *rstReader) underlined(line string) bool {
	below := r.peek()
	length := ruleLength(below)
	if r.before != "" || line[0] == ' ' || length < 2 || length < 4 && length < utf8.RuneCountInString(line) {
		return false
	}
	start := r.at.Start
	r.next()
	r.section(passage.Span{Start: start, End: r.at.End}, adornment{below[0], false}, line)
	return true
}

// overlined reads a heading between two equal lines, if the current line is the first of them.
func (r *rstReader) overlined(line string) bool {
	if ruleLength(line) < 2 {
		return false
	}
	ahead := r.lineScanner
	ahead.next()
	if text := ahead.text(); text == "" || ruleLength(text) > 0 || ahead.peek() != line {
		return false
	}
	start, text := r.at.Start, ahead.text()
	ahead.next()
	r.lineScanner = ahead
	r.section(passage.Span{Start: start, End: r.at.End}, adornment{line[0], true}, text)
	return true
}

// section adds a heading. Levels follow the order in which their styles first appear.
func (r *rstReader) section(span passage.Span, style adornment, text string) {
	level := 0
	for level < len(r.styles) && r.styles[level] != style {
		level++
	}
	if level == len(r.styles) {
		r.styles = append(r.styles, style)
	}
	r.single(document.Block{Kind: passage.Heading, Span: span, Level: level + 1, Label: plaintext.OneLine(rstMarkup.ReplaceAllString(text, "$1$2"))})
	r.items, r.lead = nil, 0
	r.before = ""
	r.next()
}

// promoteTitle makes the first heading the title if it stands above all others.
func (r *rstReader) promoteTitle() {
	first := -1
	for i, b := range r.Blocks {
		switch {
		case b.Kind != passage.Heading || b.Level != 1:
		case first >= 0:
			return
		default:
			first = i
		}
	}
	if first >= 0 {
		r.Title, r.Blocks[first].Label = r.Blocks[first].Label, ""
	}
}

// field reads a field: at the beginning of the document it says something about it, elsewhere it is text.
func (r *rstReader) field(line string) {
	found := rstField.FindStringSubmatch(line)
	at := r.at
	margin := columns(line)
	s := passage.Span{Start: at.Start + indent(line), End: at.Start + len(line)}
	for r.next(); !r.done(); r.next() {
		text := r.lineScanner.text()
		if text == "" || columns(text) <= margin {
			break
		}
		s.End = r.at.Start + len(text)
	}
	r.flush()
	r.before = ""
	if !r.opening {
		r.add(document.Block{Kind: passage.Property, Span: s, Level: len(r.items)})
		return
	}
	name := strings.ToLower(strings.TrimSpace(found[1]))
	value := s
	value.Start = s.Start + strings.Index(r.Text[s.Start:s.End], ":"+found[1]+":") + len(found[1]) + 2
	value = trim(r.Text, value)
	r.about[name] = r.Text[value.Start:value.End]
	if name == "description" || name == "abstract" || name == "summary" {
		r.add(document.Block{Kind: passage.Property, Span: value})
		r.apart = true
	}
}

// directive reads a directive: it leaves out its options; its content is text, code, rows or left out.
func (r *rstReader) directive(line string) {
	found := rstDirective.FindStringSubmatch(line)
	name := strings.ToLower(found[2])
	name = name[strings.LastIndexByte(name, ':')+1:]
	at, margin := r.at, columns(line)
	r.opening = false
	r.flush()
	r.outdent(margin)
	r.before = ""
	argument := trim(r.Text, passage.Span{Start: at.Start + len(found[0]), End: at.Start + len(line)})
	what, skipped := rstSkipped[name]
	switch {
	case skipped && what != "-":
		if r.indented(at); what != "" {
			r.Omit(what, 0)
		}
		r.apart = true
		return
	case rstCode[name]:
		r.add(document.Block{Kind: passage.Code, Span: r.indented(at), Level: len(r.items)})
		return
	case name == "image" || name == "figure":
		r.picture(margin)
		return
	case name == "list-table" || name == "csv-table" || name == "table":
		if argument.Len() > 0 {
			r.add(document.Block{Kind: passage.Caption, Span: argument})
		}
		r.directiveTable(name, margin)
		return
	}
	r.lead, r.end = 0, margin
	if admonitions[name] || rstTitled[name] {
		title := argument
		if !rstTitled[name] || title.Len() == 0 {
			start := at.Start + strings.LastIndex(found[0], found[2])
			title = passage.Span{Start: start, End: start + len(found[2])}
		}
		r.lead = r.add(document.Block{Kind: passage.Admonition, Span: title})
	}
	r.options(margin)
	if argument.Len() > 0 && !rstTitled[name] && (admonitions[name] || skipped) || argument.Len() > 0 && !admonitions[name] && !rstTitled[name] && !skipped {
		r.open = document.Block{Span: argument, Level: len(r.items)}
		if !r.done() && r.lineScanner.text() != "" && columns(r.lineScanner.text()) > margin {
			r.before = line
		} else {
			r.flush()
		}
	}
}

// options moves past a directive's first line and its options, and returns them.
func (r *rstReader) options(margin int) map[string]passage.Span {
	options := map[string]passage.Span{}
	for r.next(); !r.done(); r.next() {
		text := r.lineScanner.text()
		found := rstField.FindStringSubmatchIndex(text)
		if found == nil || columns(text) <= margin {
			break
		}
		if found[4] >= 0 {
			options[text[found[2]:found[3]]] = passage.Span{Start: r.at.Start + found[4], End: r.at.Start + found[5]}
		}
	}
	return options
}

// picture reads a picture: its caption, or else what is shown in its place.
func (r *rstReader) picture(margin int) {
	options := r.options(margin)
	for !r.done() && r.lineScanner.text() == "" {
		r.next()
	}
	if !r.done() && columns(r.lineScanner.text()) > margin {
		s := r.at
		for ; !r.done() && r.lineScanner.text() != ""; r.next() {
			s.End = r.at.End
		}
		r.add(document.Block{Kind: passage.Caption, Span: s})
		return
	}
	if alt := options["alt"]; len(strings.Fields(r.Text[alt.Start:alt.End])) > 1 {
		r.add(document.Block{Kind: passage.Caption, Span: alt})
	}
}

// directiveTable reads the content of a table that is written as a list or with commas.
func (r *rstReader) directiveTable(name string, margin int) {
	options := r.options(margin)
	headers := 0
	if s, ok := options["header-rows"]; ok && r.Text[s.Start:s.End] > "0" {
		headers = 1
	}
	if s, ok := options["header"]; ok {
		r.row(s, passage.HeaderRow, false)
	}
	if name == "table" {
		return // its content is drawn
	}
	var open passage.Span
	together := false
	rows := 0
	flush := func() {
		if open.Len() > 0 {
			kind := passage.Row
			if rows < headers {
				kind = passage.HeaderRow
			}
			together = r.row(open, kind, together) || together
			rows++
		}
		open = passage.Span{}
	}
	for ; !r.done(); r.next() {
		text := r.lineScanner.text()
		if text == "" {
			continue
		}
		if columns(text) <= margin {
			break
		}
		if name == "csv-table" || rstCell.MatchString(text) {
			flush()
			open = passage.Span{Start: r.at.Start + indent(text), End: r.at.Start + len(text)}
		} else if open.Len() > 0 {
			open.End = r.at.Start + len(text)
		}
	}
	flush()
}

// table reads a table that is drawn: with + and |, or with columns of =.
func (r *rstReader) table(line string) {
	r.flush()
	r.opening = false
	grid := rstGrid.MatchString(line)
	margin := columns(line)
	r.outdent(margin)
	type group struct {
		passage.Span
		header bool
	}
	var rows []group
	open, rules := passage.Span{}, 0
	close := func() {
		if open.Len() > 0 {
			rows = append(rows, group{Span: open})
		}
		open = passage.Span{}
	}
	for ; !r.done(); r.next() {
		text := r.lineScanner.text()
		if text == "" && (grid || rules > 2) || text != "" && columns(text) < margin {
			break
		}
		switch {
		case text == "":
			close()
		case rstGrid.MatchString(text), !grid && rstSimple.MatchString(text):
			close()
			if rules++; rules == 2 && !grid || grid && strings.Contains(text, "=") {
				for i := range rows {
					rows[i].header = true
				}
			}
			if !grid && rules == 2 && !r.tableGoesOn() {
				rules = 3
				for i := range rows {
					rows[i].header = false
				}
			}
		case !grid && rstSimpleRule.MatchString(text):
			close()
		case open.Len() > 0 && (grid || strings.HasPrefix(text, strings.Repeat(" ", margin+2))):
			open.End = r.at.Start + len(text)
		default:
			if !grid {
				close()
			}
			open = passage.Span{Start: r.at.Start + indent(text), End: r.at.Start + len(text)}
		}
	}
	close()
	together := false
	for _, row := range rows {
		kind := passage.Row
		if row.header {
			kind = passage.HeaderRow
		}
		together = r.row(row.Span, kind, together) || together
	}
	r.before = ""
}

// tableGoesOn reports whether rows follow the current rule of a table drawn with =.
func (r *rstReader) tableGoesOn() bool { return r.peek() != "" }

// literal reads the block announced by a paragraph that ends with "::", if one follows.
func (r *rstReader) literal(margin int) {
	ahead := r.lineScanner
	for !ahead.done() && ahead.text() == "" {
		ahead.next()
	}
	if ahead.done() || ahead.at == r.at || columns(ahead.text()) <= margin {
		return
	}
	r.flush()
	r.lineScanner = ahead
	r.outdent(margin + 1)
	s := r.at
	for ; !r.done(); r.next() {
		if text := r.lineScanner.text(); text != "" && columns(text) <= margin {
			break
		} else if text != "" {
			s.End = r.at.End
		}
	}
	r.add(document.Block{Kind: passage.Code, Span: s, Level: len(r.items)})
	r.before = ""
}

// indented returns the current line with the indented lines below it, and moves past them.
func (r *rstReader) indented(at passage.Span) passage.Span {
	margin, end := columns(r.lineScanner.text()), at.End
	for r.next(); !r.done(); r.next() {
		text := r.lineScanner.text()
		if text != "" && columns(text) <= margin {
			break
		}
		if text != "" {
			end = r.at.End
		}
	}
	r.before = ""
	return passage.Span{Start: at.Start, End: end}
}
