package ingest

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"lacuna/knowledge/document"
	"lacuna/knowledge/ingest/markup"
	"lacuna/knowledge/passage"
)

var (
	restDirective = regexp.MustCompile(`^([ \t]*)\.\.[ \t]+(?:\|[^|]+\|[ \t]+)?([\w:+.-]+?)::(?:[ \t]+|$)`)
	restFootnote  = regexp.MustCompile(`^[ \t]*\.\.[ \t]+\[[^\]]+\][ \t]+`)
	restExplicit  = regexp.MustCompile(`^[ \t]*\.\.(?:[ \t]|$)`)
	restTarget    = regexp.MustCompile(`^[ \t]*(?:\.\.[ \t]+|__ )_`)
	restField     = regexp.MustCompile(`^[ \t]*:([\w -]+):(?:[ \t]+(.*))?$`)
	restMarkup    = regexp.MustCompile("(?::[\\w:-]+:)?`([^`<]*?)(?: <[^>]*>)?`_{0,2}|\\*\\*?([^*]+)\\*\\*?")
)

// restCode holds the directives with verbatim content, restUnread the directives whose content is not part
// of the document's text.
var (
	// restCode are the directives whose content is shown verbatim.
	restCode = map[string]bool{"code": true, "code-block": true, "sourcecode": true, "parsed-literal": true, "math": true, "prompt": true, "doctest": true}
	// restSkipped holds the directives whose content is no text of the document.
	restSkipped = map[string]bool{"image": true, "toctree": true, "contents": true, "include": true, "literalinclude": true, "raw": true,
		"highlight": true, "index": true, "meta": true, "replace": true, "default-role": true, "role": true, "sectnum": true}
)

// restOutline reads the structure of a reStructuredText document whose lines end with a line feed. The
// first heading is the title if no other has its style.
func restOutline(body string, _ bool) (document.Document, []markup.Pair) {
	r := restReader{lineMarkup: newLineMarkup(body), lineScanner: newLineScanner(body), opening: true}
	for !r.done() {
		r.line()
	}
	r.promoteTitle()
	return r.finish(), nil
}

type restReader struct {
	*lineMarkup
	lineScanner
	styles  []adornment // by level
	before  string      // the line before the current one
	opening bool        // only fields and headings have been read
}

// adornment describes the marking of a heading: a line below it, or one above it too.
type adornment struct {
	mark byte
	over bool
}

// line reads the current line and the block it begins, and moves on.
func (r *restReader) line() {
	line, at := r.lineScanner.text(), r.at
	switch {
	case line == "":
	case r.before == "" && r.overlined(line), r.underlined(line):
		return
	case r.before == "" && rule(line) >= 4:
		r.skip(at)
	case restDirective.MatchString(line):
		r.directive(line)
		return
	case restFootnote.MatchString(line):
		r.skip(passage.Span{Start: at.Start, End: at.Start + len(restFootnote.FindString(line))})
	case restTarget.MatchString(line):
		r.skip(r.block(at))
		return
	case restExplicit.MatchString(line):
		r.comment(r.block(at))
		return
	case r.opening && restField.MatchString(line):
		r.skip(at)
	default:
		r.opening = false
		if strings.HasSuffix(line, "::") {
			r.before = line
			r.next()
			r.literalBlock(indent(line))
			return
		}
	}
	r.before = line
	r.next()
}

// rule returns the length of a line that repeats one punctuation mark, or 0.
func rule(line string) int {
	if line == "" || !strings.ContainsAny(line[:1], "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~") || strings.Trim(line, line[:1]) != "" {
		return 0
	}
	return len(line)
}

// underlined reads a heading with a line below it, if the current line is one.
func (r *restReader) underlined(line string) bool {
	below := r.peek()
	length := rule(below)
	if r.before != "" || line[0] == ' ' || length < 2 || length < 4 && length < utf8.RuneCountInString(line) {
		return false
	}
	start := r.at.Start
	r.next()
	r.section(passage.Span{Start: start, End: r.at.End}, adornment{below[0], false}, line)
	return true
}

// overlined reads a heading between two equal lines, if the current line is the first of them.
func (r *restReader) overlined(line string) bool {
	if rule(line) < 2 {
		return false
	}
	ahead := r.lineScanner
	ahead.next()
	if text := ahead.text(); text == "" || rule(text) > 0 || ahead.peek() != line {
		return false
	}
	start, text := r.at.Start, ahead.text()
	ahead.next()
	r.lineScanner = ahead
	r.section(passage.Span{Start: start, End: r.at.End}, adornment{line[0], true}, text)
	return true
}

// section adds a heading. Levels follow the order in which their styles first appear.
func (r *restReader) section(span passage.Span, style adornment, text string) {
	level := 0
	for level < len(r.styles) && r.styles[level] != style {
		level++
	}
	if level == len(r.styles) {
		r.styles = append(r.styles, style)
	}
	r.heading(span, level+1, restMarkup.ReplaceAllString(text, "$1$2"))
	r.before = ""
	r.next()
}

// promoteTitle makes the first heading the title if it stands above all others.
func (r *restReader) promoteTitle() {
	first := -1
	for i, h := range r.headings {
		switch {
		case h.level != 1:
		case first >= 0:
			return
		default:
			first = i
		}
	}
	if first >= 0 {
		r.title, r.headings[first].text = r.headings[first].text, ""
	}
}

// directive reads a directive: it leaves out its options; its content is text, code or skipped.
func (r *restReader) directive(line string) {
	found := restDirective.FindStringSubmatch(line)
	name := strings.ToLower(found[2])
	r.opening = false
	switch {
	case restSkipped[name]:
		r.hide(r.block(r.at))
	case restCode[name]:
		r.verbatim(r.block(r.at))
	default:
		r.skip(passage.Span{Start: r.at.Start, End: r.at.Start + len(found[0])})
		for r.next(); !r.done() && indent(r.lineScanner.text()) > len(found[1]) && restField.MatchString(r.lineScanner.text()); r.next() {
			r.skip(r.at)
		}
		r.before = ""
	}
}

// literalBlock reads the block announced by a paragraph that ends with "::", if one follows.
func (r *restReader) literalBlock(margin int) {
	ahead := r.lineScanner
	for !ahead.done() && ahead.text() == "" {
		ahead.next()
	}
	if ahead.done() || ahead.at == r.at || indent(ahead.text()) <= margin {
		return
	}
	r.lineScanner = ahead
	first := r.at.Start
	end := r.at.End
	for ; !r.done(); r.next() {
		if text := r.lineScanner.text(); text != "" && indent(text) <= margin {
			break
		} else if text != "" {
			end = r.at.End
		}
	}
	r.verbatim(passage.Span{Start: first, End: end})
	r.before = ""
}

// block returns the current line with the indented lines below it, and moves past them.
func (r *restReader) block(at passage.Span) passage.Span {
	margin, end := indent(r.lineScanner.text()), at.End
	for r.next(); !r.done(); r.next() {
		text := r.lineScanner.text()
		if text != "" && indent(text) <= margin {
			break
		}
		if text != "" {
			end = r.at.End
		}
	}
	r.before = ""
	return passage.Span{Start: at.Start, End: end}
}
