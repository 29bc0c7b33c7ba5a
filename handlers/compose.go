package handlers

import (
	"context"
	"path"
	"path/filepath"
	"slices"

	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/handlers/note/query"
	"lacuna/handlers/settings"
	"lacuna/handlers/wiki"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/gap/ledger"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/sanitise"
)

// Compose converts a result to the block that goes below its question. Links to sources are relative to
// the folder of the note at notePath, an absolute path; they are absolute if notePath is empty or there is
// no relative path. Characters that could hide something are shown by name, and a model's words are
// sanitised. The block names the gaps in missing. It is in the full form. Compose reads no files.
func Compose(r answer.Result, notePath string, missing ...gap.Gap) note.Block {
	b := note.Block{Status: sanitise.Visible(messages.Status(r))}
	for _, line := range remarks(r) {
		b.Notes = append(b.Notes, sanitise.Visible(line))
	}
	for _, c := range r.Conflicts {
		b.Notes = append(b.Notes, sanitise.Visible(messages.SidesOfConflict(c)))
	}
	for _, g := range missing {
		b.Missing = append(b.Missing, sanitise.Visible(messages.GapMessage(g)))
	}
	claimed := make(map[int]bool) // citations of a model's sentences
	for _, bullet := range messages.Bullets(r) {
		b.Bullets = append(b.Bullets, bullet)
		for _, n := range bullet.Citations {
			claimed[n] = claimed[n] || bullet.Basis != note.Quote && bullet.Basis != note.Place
		}
	}
	for _, c := range r.Citations {
		place := c.Place()
		source := note.BlockSource{
			N: c.N, Passage: c.Passage.ID, Label: sanitise.Visible(label(c.Passage, place.Line)), Title: sanitise.WithoutModeLine(messages.CitationTitle(c.Passage, place.Line)),
			Path: pathFrom(notePath, place.File), Line: place.Line,
		}
		if claimed[c.N] {
			source.Quote = sanitise.Visible(c.Shown())
		}
		b.Sources = append(b.Sources, source)
	}
	return b
}

// Form says how answers are written into notes.
type Form struct {
	Settings settings.Settings
	Library  *knowledge.Library
	// Wiki reports whether the notes of the folder link as wikis do, which decides where neither the settings nor the
	// note itself do. It may be nil.
	Wiki func() bool
}

// WriteAnswer returns the edit that puts a result below its question, in the note at an absolute path. It is false
// for a result that is not [Recordable]. The block names the gaps in missing, see [Missing].
func WriteAnswer(n *note.Note, q note.Question, r answer.Result, notePath string, form Form, missing ...gap.Gap) (edit Edit, ok bool) {
	if !Recordable(r) {
		return Edit{}, false
	}
	block := Compose(r, notePath, missing...)
	if block.Lean = form.Settings.Answer.Block == settings.Lean; block.Lean {
		if pages, ok := form.pages(n, notePath); ok {
			for i, c := range r.Citations {
				pages.name(&block.Sources[i], c.Passage)
			}
		}
	}
	return Edit{n.Write(q, block), originOf(r)}, true
}

// pages names the pages of a library as the links of a wiki do.
type pages struct {
	names   wiki.Names
	sources []ingest.Source
}

// pages returns the names of pages if the answers of a note are to link as wikis do.
func (f Form) pages(n *note.Note, notePath string) (pages, bool) {
	if n.Language != note.Markdown || notePath == "" {
		return pages{}, false
	}
	switch f.Settings.Answer.Links {
	case settings.WikiLinks:
	case settings.AutoLinks:
		links, others := n.LinkHabit()
		if links < others || links == others && (f.Wiki == nil || !f.Wiki()) {
			return pages{}, false
		}
	default:
		return pages{}, false
	}
	files := []string{notePath}
	for _, p := range f.Library.Passages() {
		if file := p.Place.File; file != files[len(files)-1] {
			files = append(files, file)
		}
	}
	return pages{wiki.NamesOf(files), f.Settings.Sources}, true
}

// name has the link to a passage be one of a wiki, if its file is in the workspace, as the pages of a wiki are, and such a
// link can name it.
func (p pages) name(s *note.BlockSource, of *passage.Passage) {
	inside := func(source ingest.Source) bool {
		_, within := lsp.Within(of.Place.File, source.Path)
		return source.Confined && within
	}
	name, ok := p.names.Of(of.Place.File)
	if !ok || !slices.ContainsFunc(p.sources, inside) {
		return
	}
	s.Page = name
	if len(of.Headings) > 0 && note.LanguageOf("", of.Place.File) == note.Markdown {
		s.Heading = wiki.Heading(of.Headings[len(of.Headings)-1])
	}
}

// Shorten returns the edits that write the answers of the note at an absolute path in the lean form, each citation named
// by the passage that the library has for it.
func Shorten(n *note.Note, notePath string, form Form) []note.Edit {
	s := Snapshot{Note: n, Path: notePath, Library: form.Library}
	pages, asWiki := form.pages(n, notePath)
	return n.Shorten(func(c note.Citation, quote string) (source note.BlockSource, edited bool) {
		found := s.findCited(c, quote)
		p := found.passage
		switch {
		case p == nil:
			p = &passage.Passage{Record: path.Base(c.Path), Place: passage.Place{File: found.file}}
		case asWiki && !found.elsewhere:
			pages.name(&source, p)
		}
		source.Title = messages.CitationTitle(p, c.Line)
		return source, found.altered
	})
}

// Missing returns the gaps of a result that an answer names if answer.show_missing is on: those with a mark that the
// user has not dismissed. Dismissed takes a [gap.Gap.ID]; it may be nil.
func Missing(r answer.Result, dismissed func(gapID string) bool) []gap.Gap {
	var missing []gap.Gap
	for _, g := range r.Gaps {
		open := g.Status == gap.Open || g.Status == "" || g.Status == gap.Generated
		if g = messages.ShownGap(g); open && g.Text != "" && g.Severity() != gap.Silent && (dismissed == nil || !dismissed(g.ID)) && len(missing) < mostGaps {
			missing = append(missing, g)
		}
	}
	return missing
}

// form says how the answers of the note are written.
func (s Snapshot) form() Form { return Form{s.Settings, s.Library, s.WikiLinks} }

// write returns the edit that puts a result below its question, as the settings have it.
func (s Snapshot) write(q note.Question, r answer.Result) (edit Edit, ok bool) {
	if !s.Settings.Answer.ShowMissing {
		return WriteAnswer(s.Note, q, r, s.Path, s.form())
	}
	return WriteAnswer(s.Note, q, r, s.Path, s.form(), Missing(r, func(id string) bool { return s.Dismissed != nil && s.Dismissed(q, id) })...)
}

// originOf says whose words an answer is in.
func originOf(r answer.Result) Origin {
	if messages.WrittenByModel(r) {
		return Model
	}
	return Sources
}

// RefOf names a question of a note for the ledger. A note is named by its absolute path or, without a file, by
// its URI. Its text is what is searched for: a list of gaps is read away from the notes.
func RefOf(noteName string, n *note.Note, q note.Question) ledger.QuestionRef {
	return ledger.QuestionRef{Note: noteName, Question: string(q.ID), Text: query.Asked(n, q)}
}

// RememberGaps stores in the ledger what a model judged to be missing; it stores nothing if no model judged, or if a source
// was away, which may have what is missing.
func RememberGaps(ctx context.Context, stored *ledger.Ledger, library *knowledge.Library, ref ledger.QuestionRef, r answer.Result) error {
	if !r.Judged() || len(r.Away) > 0 {
		return nil
	}
	return stored.Learn(ctx, library, ref, ledger.Judgement{System: r.System, Gaps: r.Gaps, Read: r.Read()})
}

// Recordable reports whether a result says anything about its question, and so may be written into a note.
// If the search failed, it says nothing.
func Recordable(r answer.Result) bool {
	return r.State != answer.Nothing || r.Reason != answer.ToolFailure && r.Reason != answer.NoSources
}

// Unrecorded says why a result is not [Recordable].
func Unrecorded(r answer.Result) string { return messages.WhyNoAnswer(r) }

// remarks returns the lines that an answer has in a note besides its sentences. A note is a record: what
// the answer cost, what failed and what could be done about it are [Notices] and never written there.
func remarks(r answer.Result) []string {
	var lines []string
	switch {
	case r.Choice != "":
		lines = append(lines, messages.ChosenOption(chosenOption(r)))
	case len(r.Question.Options) > 0 && r.System == answer.OfflineID:
		lines = append(lines, messages.NoOption)
	}
	if r.Stored != nil {
		lines = append(lines, messages.PreviouslyAnswered(r.Stored.Passage.Question, r.Stored.Date))
	}
	if r.Reading != nil {
		lines = append(lines, messages.WhileReading(*r.Reading))
	}
	if r.Disagree {
		lines = append(lines, messages.SourcesDisagree)
	}
	return lines
}

// chosenOption returns the letter of the choice and the text of its option.
func chosenOption(r answer.Result) string {
	for _, o := range r.Question.Options {
		if o.Letter == r.Choice {
			return o.Letter + ". " + o.Text
		}
	}
	return r.Choice
}

// Notices returns what the user should know about how an answer was made. It is shown outside of the note:
// in messages, in the hover on the question, and on standard error.
func Notices(r answer.Result) []string {
	var lines []string
	if passedOver(r) {
		lines = append(lines, messages.Decision(r))
	}
	return append(lines, mishaps(r)...)
}

// mishaps returns the notices of what went wrong.
func mishaps(r answer.Result) []string {
	var lines []string
	if r.Refused > 0 {
		lines = append(lines, messages.RefusedCitations(r.Refused))
	}
	if r.Dropped > 0 {
		lines = append(lines, messages.ChangedOnDisk(r.Dropped))
	}
	for _, a := range r.Away {
		lines = append(lines, messages.SourceAway(a))
	}
	if r.Failure != nil { // last: it may end in a command to copy
		lines = append(lines, messages.ModelFailure(r))
	}
	return lines
}

// passedOver reports whether the gate decided to answer without the sources.
func passedOver(r answer.Result) bool {
	return r.Decision != nil && (!r.Decision.Retrieve || r.Decision.OwnAnswer)
}

// label names a place of a source as it is shown, such as "guidelines/metformin.md:31".
func label(p *passage.Passage, line int) string {
	return messages.At(p.Source+"/"+p.Record, p, line)
}

// pathFrom returns the path of a file as a link in a note has it, with forward slashes.
func pathFrom(notePath, file string) string {
	if notePath != "" {
		if relative, err := filepath.Rel(filepath.Dir(notePath), file); err == nil {
			return filepath.ToSlash(relative)
		}
	}
	return filepath.ToSlash(file)
}

// fileOf returns the file that a link leads to; it is the inverse of pathFrom.
func fileOf(notePath, link string) string {
	file := filepath.FromSlash(link)
	if filepath.IsAbs(file) || notePath == "" {
		return filepath.Clean(file)
	}
	return filepath.Join(filepath.Dir(notePath), file)
}
