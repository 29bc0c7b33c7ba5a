package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"

	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/knowledge/answer"
)

//go:embed page.css
var pageStyle string

//go:embed page.tmpl
var pageTemplate string

var page = template.Must(template.New("page").Funcs(functions).Parse(pageTemplate))

// functions are what both pages say their texts by.
var functions = template.FuncMap{
	"visible": visible,
	"remark":  messages.Remark,
	"style":   func() template.CSS { return template.CSS(pageStyle) },
	"policy":  func() string { return policy(pageStyle) },
	"day":     day,
	"moment":  moment,
	"second":  second,
	"iso":     func(t time.Time) string { return t.Format(time.RFC3339) },
	"count":   messages.Count,
	"bytes":   messages.Number,
	"bullet":  func(e Entry, b note.Bullet) numbered { return numbered{e.N, b} },
	"quotes":  func(b note.Bullet) bool { return b.Basis == note.Quote || b.Basis == note.Place },
}

// numbered is a statement with the number of its question, of which the anchors of its sources are made.
type numbered struct {
	N int
	note.Bullet
}

// WriteHTML writes the page, which holds all that it needs and asks nothing of a network. Equal pages give equal bytes.
func (p Page) WriteHTML(w io.Writer) error { return page.Execute(w, p) }

// policy allows a page nothing but its own style sheet.
func policy(style string) string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func day(t time.Time) string { return t.Format("2 January 2006") }

// second is for what may take less than a minute.
func second(t time.Time) string { return t.Format("2 January 2006, 15:04:05 MST") }

func moment(t time.Time) string { return t.Format("2 January 2006, 15:04 MST") }

// Summary says how many questions are answered, and how far.
func (p Page) Summary() string {
	marks, kept := map[string]int{}, 0
	for _, e := range p.Entries {
		marks[e.Mark()]++
		if e.Kept {
			kept++
		}
	}
	var parts []string
	for _, mark := range []string{note.Answered, messages.MarkPartly, messages.MarkWritten, messages.MarkPerhaps, note.NotAnswered} {
		if n := marks[mark]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, strings.ToLower(mark)))
		}
	}
	text := messages.Count(len(p.Entries), "question")
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	if kept > 0 {
		text += fmt.Sprintf("; %d as the note had it before", kept)
	}
	return text + "."
}

// ByModel reports whether some sentence is a model's, so that a reader must be told which are quotes.
func (p Page) ByModel() bool {
	return slices.ContainsFunc(p.Entries, func(e Entry) bool {
		return slices.ContainsFunc(e.Bullets, func(b note.Bullet) bool { return b.Basis != note.Quote && b.Basis != note.Place })
	})
}

// Confidential reports whether the note or one of the sources that are quoted says that it is private.
func (p Page) Confidential() bool {
	private := func(s Source) bool { return s.Private }
	return p.Private || slices.ContainsFunc(p.Entries, func(e Entry) bool { return slices.ContainsFunc(e.Sources, private) })
}

// Nothing reports whether it is known that nothing was sent.
func (s Sent) Nothing() bool { return len(s.Requests) == 0 && s.Unknown == "" }

// Left reports whether something was sent to another machine.
func (s Sent) Left() bool {
	for _, r := range s.Requests {
		if !r.Local {
			return true
		}
	}
	return false
}

// Mark names the state of an entry in a word or two.
func (e Entry) Mark() string {
	switch {
	case strings.HasPrefix(e.Status, messages.MarkPartly):
		return messages.MarkPartly
	case strings.HasPrefix(e.Status, "Written by "):
		return messages.MarkWritten
	case e.State == answer.Answered:
		return note.Answered
	case e.State == answer.Nearest:
		return messages.MarkPerhaps
	}
	return note.NotAnswered
}

// Class is that of the mark in the style sheet.
func (e Entry) Class() string {
	switch e.Mark() {
	case note.Answered:
		return "answered"
	case note.NotAnswered:
		return "nothing"
	}
	return "nearest"
}

// Details is the status without what the mark and the heading of the nearest places say already.
func (e Entry) Details() string {
	text := strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(e.Status, e.Mark()), note.NearestPlaces), note.Perhaps)
	return messages.UpperFirst(strings.Trim(text, ": "))
}

// Statements are the sentences of the answer, and Places the nearest places.
func (e Entry) Statements() []note.Bullet { return e.bullets(false) }

// Places are the nearest places, none of which is claimed to answer.
func (e Entry) Places() []note.Bullet { return e.bullets(true) }

func (e Entry) bullets(places bool) []note.Bullet {
	var all []note.Bullet
	for _, b := range e.Bullets {
		if (b.Basis == note.Place) == places {
			all = append(all, b)
		}
	}
	return all
}
