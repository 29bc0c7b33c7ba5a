// Package superseded finds sources that a newer page replaces or whose review is due, by what the pages say of
// themselves and by their names. It never says which of two pages is right.
//
// The package depends on package passage alone and reads no files. Begin with [New].
package superseded

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// Reason says why a source is no longer the one to rely on.
type Reason string

const (
	Replaced Reason = "replaced"   // another page says that it replaces it, or the page says what replaces it
	Newer    Reason = "newer"      // there is a newer version of the same page
	Overdue  Reason = "review_due" // the date of its next review has passed
)

// Finding is what is known of a source.
type Finding struct {
	Reason Reason
	By     *passage.Passage // the first passage of the newer page; nil if none is in the sources
	Name   string           // of the newer page, as people know it; empty if there is none
	Due    string           // the date of the review, as written; of Overdue only
}

// document is a page of a source.
type document struct {
	first    *passage.Passage
	headings map[string]bool
	by       *document // that replaces it
	reason   Reason
	name     string // what replaces it, as it says, if that is not in the sources
}

// Index knows the pages that newer ones replace. It is immutable and safe for concurrent use.
type Index struct {
	documents map[key]*document
}

// key names a page: a record of a source.
type key struct{ source, record string }

func keyOf(p *passage.Passage) key { return key{p.Source, p.Record} }

// New looks through passages for pages that others replace. Stored questions count only as far as they are part of
// a page.
func New(passages []*passage.Passage) *Index {
	x := &Index{documents: make(map[key]*document)}
	var order []*document
	for _, p := range passages {
		if p.Kind == passage.QA {
			continue
		}
		d := x.documents[keyOf(p)]
		if d == nil {
			d = &document{first: p, headings: make(map[string]bool)}
			x.documents[keyOf(p)] = d
			order = append(order, d)
		}
		d.headings[plaintext.Fold(p.Section)] = true
	}
	names := namesOf(order)
	for _, d := range order {
		about := d.first.About
		if about == nil {
			continue
		}
		for _, old := range names.find(d, about.Replaces) {
			old.replace(d, Replaced)
		}
		if about.SupersededBy != "" && d.by == nil {
			d.reason, d.name = Replaced, about.SupersededBy
			if newer := names.find(d, about.SupersededBy); len(newer) == 1 {
				d.replace(newer[0], Replaced)
			}
		}
	}
	versions(order)
	return x
}

// replace records what replaces a page, unless that is known or would go round in a circle.
func (d *document) replace(by *document, reason Reason) {
	if d.by != nil || d == by {
		return
	}
	for up := by; up != nil; up = up.by {
		if up == d {
			return
		}
	}
	d.by, d.reason = by, reason
}

// Of returns what is known of the page of a passage on the day that today is in its time zone; false if nothing speaks against it. Of several
// versions the newest is named.
func (x *Index) Of(p *passage.Passage, today time.Time) (Finding, bool) {
	if x == nil {
		return Finding{}, false
	}
	if d := x.documents[keyOf(p)]; d != nil && d.reason != "" {
		f := Finding{Reason: d.reason, Name: d.name}
		if d.by != nil {
			newest := d.by
			for newest.by != nil {
				newest = newest.by
			}
			f.By, f.Name = newest.first, nameOf(newest.first)
		}
		return f, true
	}
	if p.About != nil {
		here := time.Date(today.Year(), today.Month(), today.Day(), 0, 0, 0, 0, time.UTC)
		if due, ok := endOf(p.About.ReviewDue); ok && !here.Before(due) {
			return Finding{Reason: Overdue, Due: p.About.ReviewDue}, true
		}
	}
	return Finding{}, false
}

// Entry says what replaces a page, on any day.
type Entry struct {
	Source, Record string // of the page that is replaced
	Reason         Reason
	Name           string           // of what replaces it, as the page says, if that is not in the sources
	By             *passage.Passage `json:",omitempty"` // what is told of the newest page: its names and its place, and no text
}

// Entries returns what an index knows of the pages that newer ones replace, ordered by source and record.
func (x *Index) Entries() []Entry {
	var entries []Entry
	for key, d := range x.documents {
		if d.reason == "" {
			continue
		}
		e := Entry{Source: key.source, Record: key.record, Reason: d.reason, Name: d.name}
		if d.by != nil {
			newest := d.by
			for newest.by != nil {
				newest = newest.by
			}
			p := newest.first
			e.By = &passage.Passage{ID: p.ID, Source: p.Source, Record: p.Record, Document: p.Document, Kind: p.Kind, Title: p.Title, About: p.About, Place: p.Place}
		}
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b Entry) int {
		return cmp.Or(strings.Compare(a.Source, b.Source), strings.Compare(a.Record, b.Record))
	})
	return entries
}

// FromEntries returns the index that has these entries, without the passages that it was made of.
func FromEntries(entries []Entry) *Index {
	x := &Index{documents: make(map[key]*document, len(entries))}
	for _, e := range entries {
		d := &document{reason: e.Reason, name: e.Name}
		if e.By != nil {
			d.by = &document{first: e.By}
		}
		x.documents[key{e.Source, e.Record}] = d
	}
	return x
}

// nameOf returns the title of a page with its version, or its record.
func nameOf(p *passage.Passage) string {
	switch {
	case p.Title == "":
		return p.Record
	case p.About != nil && p.About.Version != "" && !strings.Contains(p.Title, p.About.Version):
		return p.Title + " (" + p.About.Version + ")"
	}
	return p.Title
}

// names finds pages by what other pages call them.
type names map[string][]*document

func namesOf(all []*document) names {
	n := make(names)
	for _, d := range all {
		p := d.first
		called := []string{"record\x00" + withoutExtension(p.Record), "title\x00" + plaintext.Fold(p.Title)}
		if p.About != nil && p.About.Version != "" {
			called = append(called, "title\x00"+plaintext.Fold(p.Title+" "+p.About.Version))
		}
		if page := path.Base(withoutExtension(p.Record)); page != withoutExtension(p.Record) {
			called = append(called, "record\x00"+page)
		}
		for _, also := range p.Also {
			called = append(called, "title\x00"+plaintext.Fold(also))
		}
		for _, name := range called {
			if strings.HasSuffix(name, "\x00") || slices.Contains(n[name], d) {
				continue
			}
			n[name] = append(n[name], d)
		}
	}
	return n
}

func withoutExtension(record string) string {
	return strings.ToLower(strings.TrimSuffix(record, path.Ext(record)))
}

// link matches the target of a link, as people write it into front matter.
var link = regexp.MustCompile(`^\[\[([^\]|#]+)[^\]]*\]\]$|^\[[^\]]*\]\(([^)#]+)[^)]*\)$`)

// find returns the pages of the same source that a page means by a name: a path from its own folder or from the
// source's, a title, another name, or a version of the same title. A name that several pages have is no name.
func (n names) find(from *document, name string) []*document {
	name = strings.TrimSpace(name)
	if m := link.FindStringSubmatch(name); m != nil {
		name = strings.TrimSpace(m[1] + m[2])
	}
	if name == "" {
		return nil
	}
	for _, called := range []string{
		"record\x00" + withoutExtension(path.Join(path.Dir(from.first.Record), name)),
		"record\x00" + withoutExtension(path.Clean(name)),
		"record\x00" + strings.ToLower(path.Clean(name)),
		"title\x00" + plaintext.Fold(name),
		"title\x00" + plaintext.Fold(from.first.Title+" "+name),
	} {
		var found []*document
		for _, d := range n[called] {
			if d != from && d.first.Source == from.first.Source {
				found = append(found, d)
			}
		}
		if len(found) == 1 {
			return found
		}
	}
	return nil
}

// dateForm is a way to write a date, with what is to be added for the first moment after it.
type dateForm struct {
	layout              string
	years, months, days int
}

// dateForms are the dates that people write.
var dateForms = []dateForm{
	{"2006-01-02", 0, 0, 1}, {"2006/01/02", 0, 0, 1}, {"2006/1/2", 0, 0, 1}, {"2.1.2006", 0, 0, 1}, {"2 January 2006", 0, 0, 1}, {"2 Jan 2006", 0, 0, 1}, {"January 2, 2006", 0, 0, 1},
	{"2006年1月2日", 0, 0, 1}, {time.RFC3339, 0, 0, 1}, {"2006-01-02 15:04:05", 0, 0, 1},
	{"2006-01", 0, 1, 0}, {"2006/01", 0, 1, 0}, {"01/2006", 0, 1, 0}, {"January 2006", 0, 1, 0}, {"Jan 2006", 0, 1, 0}, {"2006年1月", 0, 1, 0},
	{"2006", 1, 0, 0}, {"2006年", 1, 0, 0},
}

// endOf returns the first day after a date, a month or a year, at midnight in UTC; false if it is none of these. A time
// zone in the date is ignored.
func endOf(date string) (time.Time, bool) {
	date = strings.TrimSpace(date)
	for _, form := range dateForms {
		if t, err := time.Parse(form.layout, date); err == nil {
			t = time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
			return t.AddDate(form.years, form.months, form.days), true
		}
	}
	return time.Time{}, false
}
