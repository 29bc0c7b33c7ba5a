// Package head reads what a document says about itself: its front matter, and whether it is private. It
// reads notes and sources alike, so that no file is private as one and public as the other.
//
// Privacy fails closed. A document is private if a line of its head or a comment says so in any spelling.
// A line that can only have meant it counts too, and is reported as unclear for the user to correct.
// Running text and code that mention the words say nothing.
//
// Begin with [Private].
package head

import (
	"strings"

	"lacuna/knowledge/passage"
)

// Markup is the language of a document; it decides what is a comment and what is code.
type Markup int

const (
	Plain Markup = iota
	Markdown
	Org
	RST
	HTML
	LaTeX
	AsciiDoc
	Typst
)

// Statement is the line by which a document is private.
type Statement struct {
	Span passage.Span // of the line, without its end
	Line int          // the first is 1
	// Clear reports that the line is written as documented, in any case, with any quotation marks and
	// with a comment after it.
	Clear bool
}

// lineScanner iterates over the lines of a text, which end with \n, \r\n or \r.
type lineScanner struct {
	body   string
	at     passage.Span // the current line, without its end
	behind int          // after the line's end
	number int          // the first is 1

	feed, carriage int // where the next of each stands, or the end; looked for once
}

func scanLines(body string) lineScanner {
	l := lineScanner{body: body, feed: -1, carriage: -1}
	l.next()
	return l
}

func (l *lineScanner) done() bool { return l.at.Start >= len(l.body) }

func (l *lineScanner) text() string { return l.body[l.at.Start:l.at.End] }

func (l *lineScanner) next() {
	l.number++
	l.seek(&l.feed, '\n')
	l.seek(&l.carriage, '\r')
	l.at = passage.Span{Start: l.behind, End: min(l.feed, l.carriage)}
	l.behind = l.at.End + 1
	if l.carriage+1 == l.feed && l.at.End == l.carriage {
		l.behind++
	}
	l.behind = min(l.behind, len(l.body))
}

func (l *lineScanner) seek(place *int, c byte) {
	if *place >= l.behind {
		return
	}
	*place = len(l.body)
	if i := strings.IndexByte(l.body[l.behind:], c); i >= 0 {
		*place = l.behind + i
	}
}
