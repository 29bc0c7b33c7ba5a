package handlers

import (
	"path/filepath"
	"slices"
	"strconv"

	"lacuna/handlers/note"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/passage"
)

// Compose makes of a result the block that goes under its question. The links of its sources are
// relative to the folder of the note at notePath, an absolute path; with an empty one, or where
// there is no relative path, they are absolute. Characters that could hide something stand there by
// name, and what a model wrote can do nothing but be read. Compose reads no files.
func Compose(r answer.Result, notePath string) note.Block {
	b := note.Block{Status: visible(Status(r))}
	for _, line := range remarks(r) {
		b.Notes = append(b.Notes, visible(line))
	}
	claimed := make(map[int]bool) // citations that a model's sentence rests on
	for _, s := range r.Statements {
		bullet, ok := bulletOf(r, s)
		if !ok {
			continue
		}
		b.Bullets = append(b.Bullets, bullet)
		for _, n := range bullet.Citations {
			claimed[n] = claimed[n] || bullet.Basis == note.Claim
		}
	}
	for _, c := range r.Citations {
		place := c.Place()
		source := note.BlockSource{
			N: c.N, Passage: c.Passage.ID, Label: visible(label(c.Passage, place.Line)),
			Path: pathFrom(notePath, place.File), Line: place.Line,
		}
		if claimed[c.N] {
			source.Quote = visible(c.Quote)
		}
		b.Sources = append(b.Sources, source)
	}
	return b
}

// Recordable reports whether a result says anything about its question, so that it may stand in a note. One
// that could not be searched for says nothing.
func Recordable(r answer.Result) bool {
	return r.State != answer.Nothing || r.Reason != answer.ToolFailure && r.Reason != answer.NoSources
}

// Unrecorded says why a result is not [Recordable].
func Unrecorded(r answer.Result) string { return whyNot(r) }

// remarks are the lines that belong to an answer beside its sentences. A note is a record: what it took to
// answer, what failed and what could be done about it are [Notices] and never stand there.
func remarks(r answer.Result) []string {
	var lines []string
	if r.Choice != "" {
		lines = append(lines, chosen(r.Choice))
	}
	if r.Stored != nil {
		lines = append(lines, askedBefore(r.Stored.Passage.Question, r.Stored.Date))
	}
	if r.Differ {
		lines = append(lines, textDiffer)
	}
	return lines
}

// Notices are what a person should know of how an answer came about. They are told beside the note: in
// messages, in the hover on the question, and on standard error.
func Notices(r answer.Result) []string {
	var lines []string
	if passedOver(r) {
		lines = append(lines, decided(r))
	}
	return append(lines, mishaps(r)...)
}

// mishaps are the notices of what went wrong.
func mishaps(r answer.Result) []string {
	var lines []string
	if r.Refused > 0 {
		lines = append(lines, refusedCitations(r.Refused))
	}
	if r.Dropped > 0 {
		lines = append(lines, changedOnDisk(r.Dropped))
	}
	if r.Failure != nil { // last: it may end in a command to copy
		lines = append(lines, modelFailed(r))
	}
	return lines
}

// passedOver reports whether it was decided to answer without the sources.
func passedOver(r answer.Result) bool {
	return r.Decision != nil && (!r.Decision.Retrieve || r.Decision.Kept)
}

// bulletOf makes a bullet of a statement; false where nothing of it may stand in a note. A claim
// whose citations the answer does not have is not supported by anything.
func bulletOf(r answer.Result, s answer.Statement) (note.Bullet, bool) {
	cited := slices.DeleteFunc(slices.Clone(s.Citations), func(n int) bool {
		return !slices.ContainsFunc(r.Citations, func(c answer.Citation) bool { return c.N == n })
	})
	if s.Basis == answer.Quote {
		lead := visible(s.Lead)
		if s.Elided {
			lead += " …"
		}
		return note.Bullet{Lead: lead, Text: visible(s.Text), Citations: cited}, len(cited) > 0
	}
	b := note.Bullet{Basis: note.Basis(s.Basis), Text: claimText(r, s)}
	switch {
	case s.Basis == answer.Claim && len(cited) == 0:
		b.Basis = note.Unsupported
	case s.Basis == answer.Claim:
		b.Citations = cited
	}
	return b, b.Text != ""
}

// claimText is what a model wrote in a statement, as it may be shown. An address stays where a
// quote that the statement cites has it.
func claimText(r answer.Result, s answer.Statement) string {
	var quotes []string
	for _, c := range r.Citations {
		if slices.Contains(s.Citations, c.N) {
			quotes = append(quotes, c.Quote)
		}
	}
	return harmless(s.Text, quotes)
}

// label names a place of a source for a person, such as "guidelines/metformin.md:31".
func label(p *passage.Passage, line int) string {
	name := p.Source + "/" + p.Record
	if line <= 0 {
		return name
	}
	switch passage.UnitOf(p.Place.File) {
	case passage.Pages:
		return name + ", p. " + strconv.Itoa(line)
	case passage.Paragraphs:
		return name + ", par. " + strconv.Itoa(line)
	}
	return name + ":" + strconv.Itoa(line)
}

// pathFrom is the path of a file as a link in a note writes it, with forward slashes.
func pathFrom(notePath, file string) string {
	if notePath != "" {
		if relative, err := filepath.Rel(filepath.Dir(notePath), file); err == nil {
			return filepath.ToSlash(relative)
		}
	}
	return filepath.ToSlash(file)
}

// fileOf is the file that a citation's link leads to; the inverse of pathFrom.
func fileOf(notePath, link string) string {
	file := filepath.FromSlash(link)
	if filepath.IsAbs(file) || notePath == "" {
		return filepath.Clean(file)
	}
	return filepath.Join(filepath.Dir(notePath), file)
}

// sourcesOf counts the records that an answer cites.
func sourcesOf(r answer.Result) int {
	records := make(map[[2]string]bool)
	for _, c := range r.Citations {
		records[[2]string{c.Passage.Source, c.Passage.Record}] = true
	}
	return len(records)
}
