package ingest

import (
	"regexp"
	"strings"

	"lacuna/knowledge/document"
	"lacuna/knowledge/ingest/markup"
	"lacuna/knowledge/passage"
)

var (
	orgHeading  = regexp.MustCompile(`^(\*+)[ \t]+(.*)$`)
	orgKeyword  = regexp.MustCompile(`^(?:TODO|DONE|NEXT|WAITING|CANCELLED)[ \t]+|^\[#[A-Z0-9]\][ \t]*`)
	orgTags     = regexp.MustCompile(`[ \t]+:[\pL\d_@#%:]+:$`)
	orgBegin    = regexp.MustCompile(`(?i)^[ \t]*#\+begin_(\w+)`)
	orgSetting  = regexp.MustCompile(`(?i)^[ \t]*#\+(\w+)(?:\[[^\]]*\])?:[ \t]*(.*)$`)
	orgComment  = regexp.MustCompile(`^[ \t]*#(?:[ \t]|$)`)
	orgDrawer   = regexp.MustCompile(`^[ \t]*:[\w-]+:$`)
	orgPlanning = regexp.MustCompile(`^[ \t]*(?:SCHEDULED|DEADLINE|CLOSED):[ \t]*[<\[]`)
	orgLink     = regexp.MustCompile(`\[\[[^\[\]]*\](?:\[([^\[\]]*)\])?\]`)
)

// orgOutline reads the structure of an Org document whose lines end with a line feed. Its title is
// #+title.
func orgOutline(body string, _ bool) (document.Document, []markup.Pair) {
	o := orgReader{lineMarkup: newLineMarkup(body), lineScanner: newLineScanner(body)}
	for !o.done() {
		o.line()
	}
	return o.finish(), nil
}

type orgReader struct {
	*lineMarkup
	lineScanner
}

// line reads the current line and the block it begins, and moves on.
func (o *orgReader) line() {
	line, at := o.lineScanner.text(), o.at
	switch {
	case orgHeading.MatchString(line):
		o.headline(line)
		return
	case orgBegin.MatchString(line):
		o.block(strings.ToLower(orgBegin.FindStringSubmatch(line)[1]))
		return
	case orgDrawer.MatchString(line) && !strings.EqualFold(strings.TrimSpace(line), ":end:"):
		if end, closed := o.until(":end:", ""); closed {
			o.hide(passage.Span{Start: at.Start, End: end.End})
			o.at = end
		} else {
			o.skip(at)
		}
	case orgSetting.MatchString(line):
		o.setting(orgSetting.FindStringSubmatch(line))
		o.skip(at)
	case orgComment.MatchString(line):
		o.comment(at)
	case strings.HasPrefix(strings.TrimLeft(line, " \t"), "#+"), orgPlanning.MatchString(line):
		o.skip(at)
	}
	o.next()
}

func (o *orgReader) setting(found []string) {
	if strings.EqualFold(found[1], "title") {
		o.title = strings.TrimSpace(found[2])
	}
}

// headline reads a heading, and hides the tree below one that is commented out.
func (o *orgReader) headline(line string) {
	found := orgHeading.FindStringSubmatch(line)
	level, at := len(found[1]), o.at
	text := orgTags.ReplaceAllString(" "+found[2], "")
	text = strings.TrimSpace(text)
	for range 2 { // a state, then a priority
		text = orgKeyword.ReplaceAllString(text, "")
	}
	o.next()
	if text != "COMMENT" && !strings.HasPrefix(text, "COMMENT ") {
		o.heading(at, level, orgLink.ReplaceAllString(text, "$1"))
		return
	}
	end := at.End
	for ; !o.done(); o.next() {
		if other := orgHeading.FindStringSubmatch(o.lineScanner.text()); other != nil && len(other[1]) <= level {
			break
		}
		end = o.at.End
	}
	o.comment(passage.Span{Start: at.Start, End: end})
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
		o.skip(begin)
	case kind == "comment":
		o.comment(whole)
	case kind == "export":
		o.hide(whole)
	default:
		o.verbatim(whole)
	}
	o.at = end
	o.next()
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
