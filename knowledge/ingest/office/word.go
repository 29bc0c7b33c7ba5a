package office

import (
	"context"
	"encoding/xml"
	"errors"
	"path"
	"strings"

	"lacuna/knowledge/document"
	"lacuna/knowledge/ingest/archive"
	"lacuna/knowledge/passage"
)

var errNotWord = errors.New("not a Word document")

// Word reads a Word document (DOCX, DOCM, DOTX). Its places are paragraphs: the number of the w:p element
// among all of the main part, in the order of their start tags; that of a note is the paragraph with its
// reference.
func Word(ctx context.Context, content []byte) (document.Document, error) {
	a, err := open(content, errNotWord)
	if err != nil {
		return document.Document{}, err
	}
	return readWord(ctx, a, 0)
}

// readWord reads an open Word document that stands inside depth others.
func readWord(ctx context.Context, a *archive.Archive, depth int) (document.Document, error) {
	main, err := mainPart(a, "word/document.xml")
	if err != nil {
		return document.Document{}, err
	}
	if !a.Has(main) {
		return document.Document{}, errNotWord
	}
	byID, order, err := relations(a, main)
	if err != nil {
		return document.Document{}, err
	}
	part := func(kind string) string {
		for _, id := range order {
			if byID[id].kind == kind {
				return byID[id].target
			}
		}
		return path.Join(path.Dir(main), kind+".xml")
	}
	w := &wordReader{archive: a, context: ctx, depth: depth, relations: byID, styles: newStyles()}
	w.numbering = newNumbering(w.styles)
	w.out.Format = passage.Plain
	for _, p := range []struct {
		name string
		read archive.TokenReader
	}{
		{part("styles"), w.styles.reader()},
		{part("numbering"), w.numbering.reader()},
	} {
		if err := a.Tokens(p.name, p.read); err != nil && !errors.Is(err, archive.ErrNoPart) {
			return document.Document{}, err
		}
	}
	for _, kind := range []string{"footnotes", "endnotes"} {
		notes, err := w.readNotes(part(kind))
		if err != nil {
			return document.Document{}, err
		}
		w.notes[strings.TrimSuffix(kind, "s")] = notes
	}
	body := w.newStory(true)
	if err := a.Tokens(main, body.token); err != nil {
		return document.Document{}, err
	}
	if err := body.finish(); err != nil {
		return document.Document{}, err
	}
	if err := w.countAside(order); err != nil {
		return document.Document{}, err
	}
	properties, err := readProperties(a)
	if err != nil {
		return document.Document{}, err
	}
	d := w.out.Finish()
	properties.describe(&d)
	setTitle(&d, w.out.shown, properties.title)
	return d, nil
}

// readNotes reads the notes of a part by identifier. A document may have none.
func (w *wordReader) readNotes(part string) (map[string][]piece, error) {
	if w.notes == nil {
		w.notes = noteParts{}
	}
	if !w.archive.Has(part) {
		return nil, nil
	}
	notes := map[string][]piece{}
	var open *story
	id := ""
	err := w.archive.Tokens(part, func(token xml.Token, line int) error {
		switch t := token.(type) {
		case xml.StartElement:
			if open == nil && isWord(t.Name) && (t.Name.Local == "footnote" || t.Name.Local == "endnote") {
				if kind := archive.Attribute(t, "type"); kind == "" || kind == "normal" {
					open, id = w.newStory(false), archive.Attribute(t, "id")
				}
				return nil
			}
		case xml.EndElement:
			if open != nil && isWord(t.Name) && (t.Name.Local == "footnote" || t.Name.Local == "endnote") {
				err := open.finish()
				notes[id] = open.top.pieces
				open = nil
				return err
			}
		}
		if open != nil {
			return open.token(token, line)
		}
		return nil
	})
	return notes, err
}

// countAside counts what stands beside the text: comments, and the heads and feet of pages.
func (w *wordReader) countAside(order []string) error {
	for _, id := range order {
		r := w.relations[id]
		words, paragraphs := 0, 0
		element := ""
		count := func(token xml.Token, _ int) error {
			switch t := token.(type) {
			case xml.StartElement:
				element = t.Name.Local
				if element == "comment" {
					paragraphs++
				}
			case xml.CharData:
				if element == "t" {
					words += countWords(string(t))
				}
			case xml.EndElement:
				element = ""
			}
			return nil
		}
		switch r.kind {
		case "comments", "header", "footer":
			err := w.archive.Tokens(r.target, count)
			if errors.Is(err, archive.ErrUnpacked) || errors.Is(err, archive.ErrTooDeep) {
				return err
			}
			if r.kind != "comments" && words > 0 {
				w.out.Omit(string(document.RunningHead), words)
			}
			for i := range paragraphs {
				if i > 0 {
					words = 0
				}
				w.out.Omit(comments, words)
			}
		case "chart":
			w.out.Omit(charts, 0)
		}
	}
	return nil
}
