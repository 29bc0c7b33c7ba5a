// Package office reads the documents of office programs: Word (DOCX), OpenDocument text and
// presentations (ODT, ODP), Rich Text Format (RTF) and PowerPoint (PPTX). Each reader collects
// paragraphs and tables as the file has them, and one writer makes blocks of them: see flow.go.
//
// The readers show what a person sees in the document: numbers of lists and clauses as shown, results of
// fields, inserted text. They leave out and count what is not part of it: comments, deleted text, running
// heads. Places are numbers of paragraphs, or of slides. Begin with [Word].
package office

import (
	"errors"
	"io"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/document"
	"lacuna/knowledge/ingest/archive"
)

// What the readers leave out on purpose, in the words of users.
const (
	comments    = "comments"
	deletedText = "deleted text"
	pictures    = "pictures"
	embedded    = "embedded documents"
	charts      = "charts"
	ruby        = "pronunciation beside characters"
)

// errOldFormat says that a file is of the time before zip files, or protected.
var errOldFormat = errors.New("in an old format, or protected with a password; save it again in the new one, without")

// open opens a document that is a zip file.
func open(content []byte, notOne error) (*archive.Archive, error) {
	a, err := archive.Open(content)
	if err == nil {
		return a, nil
	}
	if !errors.Is(err, archive.ErrNotZip) {
		return nil, err
	}
	if strings.HasPrefix(string(content[:min(8, len(content))]), "\xd0\xcf\x11\xe0") {
		return nil, errOldFormat
	}
	return nil, notOne
}

// Unpacked returns how many bytes of XML a document claims to hold; the size of a file that is no zip file.
func Unpacked(file io.ReaderAt, size int64) int64 {
	return archive.Unpacked(file, size, func(name string) bool { return strings.EqualFold(path.Ext(name), ".xml") })
}

// clean returns text without control characters and soft hyphens, which nobody sees; line ends and tabs
// become spaces.
func clean(text string) string {
	if !strings.ContainsFunc(text, unseen) {
		return text
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r' || r == '\v' || r == '\f' || r == '\u0085':
			return ' '
		case unseen(r):
			return -1
		}
		return r
	}, text)
}

func unseen(r rune) bool {
	return r < ' ' || r == '\u00ad' || r == '\ufeff' || r == utf8.RuneError || r >= 0x7f && unicode.IsControl(r) || r&0xfffe == 0xfffe
}

// countWords counts words between white space.
func countWords(text string) int { return len(strings.Fields(text)) }

// saysNothing reports whether a title is what programs write by themselves.
func saysNothing(title string) bool {
	lower := strings.ToLower(strings.TrimSpace(title))
	for _, start := range []string{"microsoft word", "microsoft powerpoint", "powerpoint pr", "powerpoint presentation", "powerpoint-präsentation", "présentation powerpoint", "presentación de powerpoint", "presentazione di powerpoint", "презентация powerpoint", "untitled", "document", "slide ", "слайд ", "diapositiva ", "diapositive ", "template", "title", "presentation", "folie 1", "präsentation", "normal"} {
		if strings.HasPrefix(lower, start) && len(lower) < len(start)+6 || strings.HasPrefix(lower, "microsoft word -") {
			return true
		}
	}
	switch path.Ext(lower) {
	case ".doc", ".docx", ".dot", ".dotx", ".rtf", ".odt", ".ppt", ".pptx", ".pdf", ".wpd", ".txt":
		return true
	}
	return len([]rune(lower)) < 4 || !strings.ContainsFunc(lower, unicode.IsLetter)
}

// setTitle decides the title: what the document shows as its title, else what its properties say, else a
// heading that stands alone above all others.
func setTitle(d *document.Document, shown, property string) {
	property = strings.Join(strings.Fields(clean(property)), " ")
	switch {
	case shown != "":
		d.Title = shown
	case property != "" && !saysNothing(property):
		d.Title = property
	}
	highest := 0
	for _, b := range d.Blocks {
		if b.Label != "" && b.Level == 1 && b.Chrome == document.Content {
			highest++
		}
	}
	if highest == 1 || d.Title != "" && shown == "" {
		d.TakeTitle()
	}
}
