package markup

import (
	"regexp"
	"strings"

	"lacuna/knowledge/document"
	"lacuna/knowledge/head"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

var (
	orgHeading  = regexp.MustCompile(`^(\*+)[ \t]+(.*)$`)
	orgKeyword  = regexp.MustCompile(`^(?:TODO|DONE|NEXT|WAITING|CANCELLED)[ \t]+|^\[#[A-Z0-9]\][ \t]*`)
	orgTags     = regexp.MustCompile(`[ \t]+:[\pL\d_@#%:]+:$`)
	orgBegin    = regexp.MustCompile(`(?i)^[ \t]*#\+begin_(\w+)`)
	orgSetting  = regexp.MustCompile(`(?i)^[ \t]*#\+([\w-]+)(?:\[[^\]]*\])?:[ \t]*(.*)$`)
	orgComment  = regexp.MustCompile(`^[ \t]*#(?:[ \t]|$)`)
	orgDrawer   = regexp.MustCompile(`^[ \t]*:[\w-]+:$`)
	orgPlanning = regexp.MustCompile(`^[ \t]*(?:SCHEDULED|DEADLINE|CLOSED):[ \t]*[<\[]`)
	orgLink     = regexp.MustCompile(`\[\[[^\[\]]*\](?:\[([^\[\]]*)\])?\]`)
	orgItem     = regexp.MustCompile(`^(?:[-+•]|\d{1,4}[.)]|[a-zA-Z][.)])[ \t]+(?:\[[ xX-]\][ \t]+)?`)
	orgStar     = regexp.MustCompile(`^[ \t]+\*[ \t]+`)
	orgFootnote = regexp.MustCompile(`^\[fn:[^\]]+\][ \t]+`)
	orgRule     = regexp.MustCompile(`^[ \t]*(?:-{5,}|\|[-+|: ]*)$`)
	orgAlias    = regexp.MustCompile(`"([^"]+)"|(\S+)`)
	orgProperty = regexp.MustCompile(`^[ \t]*:([\w-]+):[ \t]+(.+)$`)
)

// Org reads an Org document. Its title is #+title.
func Org(body string) document.Document {
	o := orgReader{lineReader: newLineReader(body), about: map[string]string{}}
	for !o.done() {
		o.line()
	}
	o.flush()
	var f head.Front
	f.Fill(o.about)
	o.Title, o.Date, o.About = f.Title, f.Date, f.About
	o.Aliases = append(f.Aliases, o.aliases...)
	return o.Document
}

type orgReader struct {
	lineReader
	about   map[string]string // the settings
	aliases []string
}

// line reads the current line and the block it begins, and moves on.
func (o *orgReader) line() {
	line, at := o.lineScanner.text(), o.at
	bare := strings.TrimLeft(line, " \t")
	switch {
	case bare == "":
		o.flush()
	case orgHeading.MatchString(line):
		o.headline(line)
		return
	case orgBegin.MatchString(line):
		o.block(strings.ToLower(orgBegin.FindStringSubmatch(line)[1]))
		return
	case orgDrawer.MatchString(line) && !strings.EqualFold(bare, ":end:"):
		o.drawer()
	case orgSetting.MatchString(line):
		o.setting(orgSetting.FindStringSubmatchIndex(line), line)
	case orgComment.MatchString(line):
		o.flush()
		o.hide(at)
	case strings.HasPrefix(bare, "#+"), orgPlanning.MatchString(line), strings.EqualFold(bare, ":end:"):
		o.flush()
	case strings.HasPrefix(bare, "|"):
		o.table()
		return
	case strings.HasPrefix(bare, ": ") || bare == ":":
		o.fixed()
		return
	case orgFootnote.MatchString(line):
		o.flush()
		o.items = nil
		o.open = document.Block{Kind: passage.Footnote, Span: passage.Span{Start: at.Start, End: at.Start + len(line)}}
	case orgRule.MatchString(line):
		o.flush()
	default:
		marker := len(orgItem.FindString(bare))
		if marker == 0 && orgStar.MatchString(line) {
			marker = 2
		}
		o.prose(marker)
		return
	}
	o.next()
}

// setting reads a line such as #+title: Name.
func (o *orgReader) setting(found []int, line string) {
	o.flush()
	name, value := strings.ToLower(line[found[2]:found[3]]), strings.TrimSpace(line[found[4]:found[5]])
	s := passage.Span{Start: o.at.Start + found[4], End: o.at.Start + found[5]}
	switch name {
	case "caption":
		o.add(document.Block{Kind: passage.Caption, Span: s})
	case "include":
		o.Omit("included files", 0)
	case "alias", "aliases", "roam_alias":
		o.addAliases(value)
	default:
		if name == "filetags" {
			value = strings.ReplaceAll(value, ":", " ")
		}
		if name == "description" && value != "" {
			o.add(document.Block{Kind: passage.Property, Span: s})
			o.apart = true
		}
		if old := o.about[name]; old != "" {
			value = old + " " + value
		}
		o.about[name] = value
	}
}

func (o *orgReader) addAliases(value string) {
	for _, m := range orgAlias.FindAllStringSubmatch(value, -1) {
		o.aliases = append(o.aliases, m[1]+m[2])
	}
}

// drawer hides a drawer. Aliases in one above the first heading are the document's.
func (o *orgReader) drawer() {
	end, closed := o.until(":end:", "")
	o.flush()
	if !closed {
		return
	}
	for line := o.lineScanner; line.at.Start < end.Start; line.next() {
		if m := orgProperty.FindStringSubmatch(line.text()); m != nil && strings.EqualFold(m[1], "ROAM_ALIASES") && len(o.Blocks) == 0 {
			o.addAliases(m[2])
		}
	}
	o.apart = true
	o.at = end
}

// headline reads a heading, and hides the tree below one that is commented out.
func (o *orgReader) headline(line string) {
	o.flush()
	o.items = nil
	found := orgHeading.FindStringSubmatch(line)
	level, at := len(found[1]), o.at
	text := orgTags.ReplaceAllString(" "+found[2], "")
	text = strings.TrimSpace(text)
	for range 2 { // a state, then a priority
		text = orgKeyword.ReplaceAllString(text, "")
	}
	o.next()
	if text != "COMMENT" && !strings.HasPrefix(text, "COMMENT ") {
		o.add(document.Block{Kind: passage.Heading, Span: at, Level: level, Label: plaintext.OneLine(orgLink.ReplaceAllString(text, "$1"))})
		return
	}
	end := at.End
	for ; !o.done(); o.next() {
		if other := orgHeading.FindStringSubmatch(o.lineScanner.text()); other != nil && len(other[1]) <= level {
			break
		}
		end = o.at.End
	}
	o.hide(passage.Span{Start: at.Start, End: end})
}

// block reads from #+begin_ to #+end_ of the same kind. Without an end it is a line of markup.
func (o *orgReader) block(kind string) {
	begin := o.at
	end, closed := begin, false
	switch kind {
	case "comment", "export", "src", "example":
		end, closed = o.until("#+end_"+kind, "#+begin_"+kind)
	}
	whole := passage.Span{Start: begin.Start, End: end.End}
	switch {
	case !closed: // or a quotation or the like, whose lines are text
		o.flush()
		if admonitions[kind] && kind != "quote" && kind != "example" {
			start := begin.Start + strings.Index(strings.ToLower(o.Text[begin.Start:begin.End]), kind)
			o.add(document.Block{Kind: passage.Admonition, Span: passage.Span{Start: start, End: start + len(kind)}})
		}
	case kind == "comment":
		o.flush()
		o.hide(whole)
	case kind == "export":
		o.flush()
		o.Omit("text for other formats", 0)
		o.apart = true
	default:
		o.single(document.Block{Kind: passage.Code, Span: whole, Level: len(o.items)})
	}
	o.at = end
	o.next()
}

// fixed reads lines that begin with a colon: they are shown as they stand.
func (o *orgReader) fixed() {
	s := o.at
	for ; !o.done(); o.next() {
		if line := strings.TrimLeft(o.lineScanner.text(), " \t"); line != ":" && !strings.HasPrefix(line, ": ") {
			break
		}
		s.End = o.at.End
	}
	o.single(document.Block{Kind: passage.Code, Span: s, Level: len(o.items)})
}

// table reads a table. The rows above its first rule are the header, if rows follow.
func (o *orgReader) table() {
	o.outdent(columns(o.lineScanner.text()))
	var rows []passage.Span
	header := 0
	for ; !o.done(); o.next() {
		line := strings.TrimLeft(o.lineScanner.text(), " \t")
		if !strings.HasPrefix(line, "|") {
			break
		}
		switch {
		case !orgRule.MatchString(line):
			rows = append(rows, o.at)
		case header == 0:
			header = len(rows)
		}
	}
	o.flush()
	if header == len(rows) {
		header = 0
	}
	together := false
	for i, s := range rows {
		kind := passage.Row
		if i < header {
			kind = passage.HeaderRow
		}
		together = o.row(s, kind, together) || together
	}
}

// until looks for a later line that equals end. It stops at a heading, or at a line that begins another
// block of the kind, so that each line is looked at only a few times.
func (o *orgReader) until(end, another string) (line passage.Span, found bool) {
	ahead := o.lineScanner
	for ahead.next(); !ahead.done(); ahead.next() {
		text := strings.ToLower(strings.TrimSpace(ahead.text()))
		switch {
		case text == end:
			return ahead.at, true
		case another == "" && orgDrawer.MatchString(text), another != "" && strings.HasPrefix(text, another),
			orgHeading.MatchString(ahead.text()):
			return o.at, false
		}
	}
	return o.at, false
}
