// Package report writes what people keep and pass on: a note with its answers as one page of HTML, and what the sources lack as a
// list that a team can share out.
//
//	report.go   what a page says: the questions of a note, their answers and sources, what was sent
//	page.go     the page, page.tmpl and page.css
//	gaps.go     the list of gaps: CSV, Markdown for an issue, and a page, gaps.tmpl
//
// Begin with [Page] and [GapList]. [Fresh] and [Kept] make the entries of a page, from a result or from an answer that stands in the
// note; [ListGaps] makes the list.
//
// Every text that a page shows, from notes, sources, models or file names, is escaped and has its invisible characters
// spelt out: nothing of it is markup, a link or an image.
package report

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"time"

	"lacuna/handlers"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/sanitise"
)

// Page is a note with its answers.
type Page struct {
	Title   string
	File    string    // of the note, as it is named to others
	Made    time.Time // in the zone in which it is shown
	Version string    // of the program
	Private bool      // the note says so
	Entries []Entry
	Sent    Sent
}

// Entry is a question with its answer.
type Entry struct {
	N        int      // of the question in its note, from 1
	Under    []string // the headings that it stands under, from the outermost
	Question string
	Options  []string
	State    answer.State
	Status   string // how far it is answered, as the note would say it
	Kept     bool   // the answer stood in the note before
	Remarks  []string
	Bullets  []note.Bullet
	Missing  []Gap
	Sources  []Source
}

// Gap is something that the sources lack, in words.
type Gap struct {
	Text   string    // with its state: how certain it is, or what became of it
	Search string    // what would find it; may be empty
	Since  time.Time // when a model named it first; zero if it was found by judging the sources just now
}

// Source is a cited place.
type Source struct {
	N        int
	Title    string // of the document, with the headings that the place stands under
	Place    string // file and page, line or other place in it
	Date     string // of the document, as it says
	Quote    string // the words that a model's sentence rests on; empty where a statement quotes them
	Troubles []string
	Private  bool // the document says so
	// Passage is what is cited and Span its place in the file; nil if the sources no longer have it.
	Passage *passage.Passage
	Span    passage.Place
}

// Cited returns the sources that the sentences of the answer cite. The nearest places are not claimed to answer, and none is among
// them.
func (e Entry) Cited() []Source {
	var cited []Source
	for _, s := range e.Sources {
		if s.Passage != nil && slices.ContainsFunc(e.Statements(), func(b note.Bullet) bool { return slices.Contains(b.Citations, s.N) }) {
			cited = append(cited, s)
		}
	}
	return cited
}

// Finding is a question with what an answer to it found.
type Finding struct {
	N        int
	Question note.Question
	Result   answer.Result
}

// Remembered says what is stored of the gaps of a question. Its functions may be nil.
type Remembered struct {
	Dismissed func(gapID string) bool
	Since     func(gapID string) time.Time
}

// Fresh returns the entry of a question that was answered just now. today is the day by which reviews are due.
func Fresh(n *note.Note, f Finding, library *knowledge.Library, stored Remembered, today time.Time) Entry {
	r := f.Result
	block := handlers.Compose(r, "")
	e := Entry{
		N: f.N, Under: Headings(n, f.Question), Question: f.Question.Text, Options: options(f.Question), State: r.State,
		Status: block.Status, Bullets: block.Bullets, Missing: gaps(r.Gaps, stored),
	}
	e.Remarks = append(e.Remarks, block.Notes...)
	if !handlers.Recordable(r) {
		e.Remarks = append(e.Remarks, messages.UpperFirst(handlers.Unrecorded(r))+".")
	}
	if cost := messages.Cost(r); cost != "" {
		e.Remarks = append(e.Remarks, messages.UpperFirst(cost)+".")
	}
	for _, l := range r.Lacks {
		e.Remarks = append(e.Remarks, messages.UpperFirst(messages.Lack(l, r.System)))
	}
	e.Remarks = append(e.Remarks, handlers.Notices(r)...)
	for i, c := range r.Citations {
		s := sourceOf(c.N, c.Passage, c.Place())
		s.Quote = block.Sources[i].Quote
		if old, is := library.Superseded(c.Passage, today); is {
			s.Troubles = append(s.Troubles, messages.Superseded(c.Passage.Source+"/"+c.Passage.Record, old))
		}
		e.Sources = append(e.Sources, s)
	}
	return e
}

// Kept returns the entry of the answer that stands below a question, with its sources as they are now.
func Kept(s handlers.Snapshot, n int, q note.Question, known []gap.Gap, stored Remembered) Entry {
	block := s.Note.Answers[q.Answer]
	e := Entry{
		N: n, Under: Headings(s.Note, q), Question: q.Text, Options: options(q), State: answer.Answered, Status: block.Status, Kept: true,
		Missing: gaps(known, stored),
	}
	if s.Note.Open(q) {
		e.State = answer.Nothing
	}
	cited := s.Cited(q)
	for _, st := range block.Statements {
		b := note.Bullet{Basis: st.Basis, Text: st.Text, Citations: st.Cites, Finding: st.Finding}
		if st.Basis == note.Place && len(st.Cites) > 0 {
			e.State = answer.Nearest
			if at := slices.IndexFunc(cited, func(c handlers.Cited) bool { return c.N == st.Cites[0] && c.Passage != nil }); at >= 0 {
				b.Title = messages.PlaceTitle(cited[at].Passage)
			}
		}
		e.Bullets = append(e.Bullets, b)
	}
	if len(known) == 0 {
		for _, m := range block.Missing {
			e.Missing = append(e.Missing, Gap{Text: m.Text})
		}
	}
	for _, c := range cited {
		one := Source{N: c.N, Title: c.Path, Place: c.Path}
		if c.Passage != nil {
			one = sourceOf(c.N, c.Passage, c.Place)
		}
		one.Troubles = c.Troubles
		if !slices.ContainsFunc(e.Bullets, func(b note.Bullet) bool {
			return (b.Basis == note.Quote || b.Basis == note.Place) && slices.Contains(b.Citations, c.N)
		}) {
			one.Quote = c.Quote
		}
		e.Sources = append(e.Sources, one)
	}
	return e
}

// Headings returns what a question stands under, from the outermost heading; of a note's only heading of the first level, which
// is its title, nothing.
func Headings(n *note.Note, q note.Question) []string {
	var above []note.Heading
	for _, h := range n.Headings {
		if h.Span.End > q.Span.Start {
			break
		}
		for len(above) > 0 && above[len(above)-1].Level >= h.Level {
			above = above[:len(above)-1]
		}
		above = append(above, h)
	}
	var texts []string
	for _, h := range above {
		if h.Text != "" && h.Text != TitleOf(n) {
			texts = append(texts, h.Text)
		}
	}
	return texts
}

// TitleOf returns the title of a note: its first heading, if that is of the first level; else it is empty.
func TitleOf(n *note.Note) string {
	if len(n.Headings) > 0 && n.Headings[0].Level == 1 && (len(n.Questions) == 0 || n.Headings[0].Span != n.Questions[0].Span) {
		return n.Headings[0].Text
	}
	return ""
}

func options(q note.Question) []string {
	var all []string
	for _, o := range q.Options {
		all = append(all, o.Letter+". "+o.Text)
	}
	return all
}

// gaps returns those that a note would mark, and what became of others.
func gaps(found []gap.Gap, stored Remembered) []Gap {
	var all []Gap
	for _, g := range found {
		open := g.Status == gap.Open || g.Status == ""
		if g = messages.ShownGap(g); g.Text == "" || open && g.Severity() == gap.Silent {
			continue
		}
		dismissed := g.Status == gap.Dismissed || stored.Dismissed != nil && stored.Dismissed(g.ID)
		one := Gap{Text: messages.GapLine(g, dismissed)}
		if open && !dismissed {
			one.Search = g.Query
		}
		if stored.Since != nil {
			one.Since = stored.Since(g.ID)
		}
		all = append(all, one)
	}
	return all
}

func sourceOf(n int, p *passage.Passage, at passage.Place) Source {
	return Source{N: n, Title: messages.Breadcrumb(p), Place: placeOf(p, at), Date: p.Date, Private: p.Private, Passage: p, Span: at}
}

// placeOf names a place by its record and, where that is not named after it, its file.
func placeOf(p *passage.Passage, at passage.Place) string {
	place := messages.At(p.Source+"/"+p.Record, p, at.Line)
	if file := filepath.Base(at.File); at.Field != "" && file != path.Base(p.Record) {
		place += " (" + file + ")"
	}
	return place
}

// Sent says what went to models while a page was made. Its requests are those of the audit.
type Sent struct {
	Requests []Request // by host and model
	Unknown  string    // why the audit cannot tell; empty if it can
	From, To time.Time // of the requests, if there are any
}

// Request counts what one model of one host was sent.
type Request struct {
	Host, Model string
	Local       bool // the host is this machine
	Count       int
	Failed      int // of Count
	Bytes       int
	Replaced    []string // what was replaced before sending, by class, each once
}

// Add counts a request. failed says that it came to nothing; replaced may be empty.
func (s *Sent) Add(at time.Time, r Request, replaced string) {
	if s.From.IsZero() || at.Before(s.From) {
		s.From = at
	}
	if at.After(s.To) {
		s.To = at
	}
	i := slices.IndexFunc(s.Requests, func(o Request) bool { return o.Host == r.Host && o.Model == r.Model })
	if i < 0 {
		i = len(s.Requests)
		s.Requests = append(s.Requests, Request{Host: r.Host, Model: r.Model, Local: r.Local})
	}
	sum := &s.Requests[i]
	sum.Count, sum.Failed, sum.Bytes = sum.Count+r.Count, sum.Failed+r.Failed, sum.Bytes+r.Bytes
	if replaced != "" && !slices.Contains(sum.Replaced, replaced) {
		sum.Replaced = append(sum.Replaced, replaced)
	}
	slices.SortFunc(s.Requests, func(a, b Request) int { return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.Model, b.Model)) })
}

// visible is a text on one line in which nothing hides and no key stands.
func visible(text string) string { return sanitise.Line(text) }
