package workspace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/passage"
	"lacuna/vecmath/regular"
)

// publishedFolder holds, in the folder of the index, a page for each passage of an engine that an answer cited, and the
// list of them. Notes cite these pages as any file: they open in every editor, and stand while the engine is away.
const (
	publishedFolder = "published"
	publishedList   = "cited.jsonl"
)

// publishedLine is a line of the list.
type publishedLine struct {
	Source  string    `json:"source"`
	File    string    `json:"file"` // of the page, relative to the folder
	By      string    `json:"by"`
	On      time.Time `json:"on"`
	Passage []byte    `json:"passage"` // as [knowledge.EncodePassage] has it
}

// pages is the folder of a source's pages.
func (w *Workspace) pages(source string) string {
	return filepath.Join(w.indexDir, publishedFolder, pageName(source))
}

// pageName makes a name of a file of any text.
func pageName(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.' && b.Len() > 0:
			b.WriteRune(r)
		default:
			b.WriteByte('-')
		}
	}
	return strings.TrimRight(b.String(), ".")
}

// keepCited writes a page for each passage that an answer of a source cites, and returns the answer with the pages as
// the places of its passages. Without a page, because nothing can be written, a passage stays where its publisher had it.
func (w *Workspace) keepCited(source string, r answer.Result) answer.Result {
	pages := make(map[*passage.Passage]*passage.Passage)
	page := func(p *passage.Passage) *passage.Passage {
		if p == nil || p.Published == nil {
			return p
		}
		if pages[p] == nil {
			if pages[p] = w.pageOf(source, p); pages[p] == nil {
				pages[p] = p
			}
		}
		return pages[p]
	}
	r.Citations = append([]answer.Citation(nil), r.Citations...)
	for i := range r.Citations {
		r.Citations[i].Passage = page(r.Citations[i].Passage)
	}
	if r.Stored != nil {
		stored := *r.Stored
		stored.Passage, r.Stored = page(stored.Passage), &stored
	}
	r.Conflicts = append([]answer.SourceConflict(nil), r.Conflicts...)
	for i := range r.Conflicts {
		r.Conflicts[i].A.Passage, r.Conflicts[i].B.Passage = page(r.Conflicts[i].A.Passage), page(r.Conflicts[i].B.Passage)
	}
	r.Gaps = append([]gap.Gap(nil), r.Gaps...)
	for i := range r.Gaps {
		nearest := append([]*passage.Passage(nil), r.Gaps[i].Nearest...)
		for j, p := range nearest {
			nearest[j] = page(p)
		}
		r.Gaps[i].Nearest = nearest
	}
	r.Evidence = append([]knowledge.Hit(nil), r.Evidence...)
	for i, hit := range r.Evidence {
		if cited := pages[hit.Passage]; cited != nil {
			r.Evidence[i].Passage = cited
		}
	}
	var list []*passage.Passage
	for _, kept := range pages {
		list = append(list, kept)
	}
	if err := w.noteCited(source, list); err != nil {
		w.request.Log.Warn("what an answer cites is not kept, so that its note cannot show it later", "err", err)
	}
	return r
}

// pageOf writes the page of a passage, which it returns as standing there, or nil.
func (w *Workspace) pageOf(source string, p *passage.Passage) *passage.Passage {
	head := fmt.Sprintf("<!-- Published by %s on %s, and verified. From %s of %s.\nA copy that Lacuna keeps because a note cites it; the original is the publisher's. -->\n\n",
		p.Published.By, p.Published.On.Format(time.DateOnly), singleLine(p.Record), singleLine(source))
	kept := *p
	kept.Place = passage.Place{
		File: filepath.Join(w.pages(source), pageName(p.Record)+"-"+p.ID.String()[:12]+".md"),
		Span: passage.Span{Start: len(head), End: len(head) + len(p.Text)}, Line: 1 + strings.Count(head, "\n"),
	}
	kept.Marks = nil
	shift := kept.Place.Span.Start - p.Place.Span.Start
	kept.Leads = append([]passage.Lead(nil), p.Leads...)
	for i := range kept.Leads {
		kept.Leads[i].Span.Start += shift
		kept.Leads[i].Span.End += shift
	}
	text := []byte(head + p.Text + "\n")
	if there, err := regular.ReadFile(kept.Place.File); err == nil && bytes.Equal(there, text) {
		return &kept
	}
	if err := os.MkdirAll(filepath.Dir(kept.Place.File), 0o700); err != nil {
		return nil
	}
	if err := os.WriteFile(kept.Place.File, text, 0o600); err != nil {
		return nil
	}
	return &kept
}

// singleLine returns a text that cannot end the comment it stands in.
func singleLine(text string) string {
	return strings.NewReplacer("\n", " ", "\r", " ", "--", "–", ">", "›", "<", "‹").Replace(text)
}

// noteCited adds passages to the list of those that notes cite.
func (w *Workspace) noteCited(source string, passages []*passage.Passage) error {
	w.cited.mu.Lock()
	defer w.cited.mu.Unlock()
	known := make(map[string]bool)
	for _, p := range w.cited.list {
		known[p.Place.File] = true
	}
	var lines bytes.Buffer
	for _, p := range passages {
		within, err := filepath.Rel(filepath.Join(w.indexDir, publishedFolder), p.Place.File)
		if err != nil || !filepath.IsLocal(within) || known[p.Place.File] {
			continue
		}
		line, err := json.Marshal(publishedLine{source, filepath.ToSlash(within), p.Published.By, p.Published.On, knowledge.EncodePassage(p)})
		if err != nil {
			return err
		}
		lines.Write(append(line, '\n'))
		w.cited.list = append(w.cited.list[:len(w.cited.list):len(w.cited.list)], p)
	}
	w.index.Cite(w.cited.list)
	if lines.Len() == 0 {
		return nil
	}
	file, err := regular.OpenFile(filepath.Join(w.indexDir, publishedFolder, publishedList), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(lines.Bytes())
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}

// openCited reads the list of the passages that notes cite. A line that cannot be read is passed over, and so is one whose
// page is gone.
func (w *Workspace) openCited() {
	folder := filepath.Join(w.indexDir, publishedFolder)
	text, err := regular.ReadFile(filepath.Join(folder, publishedList))
	if err != nil {
		return
	}
	for line := range bytes.Lines(text) {
		var l publishedLine
		if json.Unmarshal(line, &l) != nil || !filepath.IsLocal(filepath.FromSlash(l.File)) {
			continue
		}
		file := filepath.Join(folder, filepath.FromSlash(l.File))
		p, err := knowledge.DecodePassage(string(l.Passage), l.Source, file)
		if info, statErr := os.Stat(file); err != nil || statErr != nil || !info.Mode().IsRegular() {
			continue
		}
		p.Published = &passage.Publication{By: l.By, On: l.On}
		w.cited.list = append(w.cited.list, p)
	}
	w.index.Cite(w.cited.list)
}
