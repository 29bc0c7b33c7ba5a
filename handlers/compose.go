package handlers

import (
	"path/filepath"
	"strconv"

	"lacuna/handlers/note"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/passage"
)

// Compose makes of a result the block that goes under its question. The links of its sources are
// relative to the folder of the note at notePath, an absolute path; with an empty one, or where
// there is no relative path, they are absolute. Characters that could hide something stand there by
// name. Compose reads no files.
func Compose(r answer.Result, notePath string) note.Block {
	b := note.Block{Status: visible(Status(r))}
	if r.Stored != nil {
		b.Notes = append(b.Notes, visible(askedBefore(r.Stored.Passage.Question, r.Stored.Date)))
	}
	if r.Differ {
		b.Notes = append(b.Notes, textDiffer)
	}
	if r.Dropped > 0 {
		b.Notes = append(b.Notes, changedOnDisk(r.Dropped))
	}
	for _, s := range r.Statements {
		lead := visible(s.Lead)
		if s.Elided {
			lead += " …"
		}
		b.Bullets = append(b.Bullets, note.Bullet{Lead: lead, Text: visible(s.Text), Citation: s.Citations[0]})
	}
	for _, c := range r.Citations {
		place := c.Place()
		b.Sources = append(b.Sources, note.BlockSource{
			N: c.N, Passage: c.Passage.ID, Label: visible(label(c.Passage, place.Line)),
			Path: pathFrom(notePath, place.File), Line: place.Line,
		})
	}
	return b
}

// label names a place of a source for a person, such as "guidelines/metformin.md:31".
func label(p *passage.Passage, line int) string {
	name := p.Source + "/" + p.Record
	if line > 0 {
		name += ":" + strconv.Itoa(line)
	}
	return name
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
