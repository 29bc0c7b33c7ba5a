package ingest

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"lacuna/knowledge/document"
	"strconv"
	"strings"
	"time"
)

// Limits of unpacking an office document.
const (
	maxEntries  = 4096
	maxUnpacked = 128 << 20 // of one part, in bytes
	maxRatio    = 250       // of a part's size to its size in the file; honest XML stays below 50
)

var (
	errNotWord  = errors.New("not a Word document")
	errUnpacked = errors.New("unpacks to more than the limit")
)

// extractDOCX takes the text from a Word document. It leaves out comments, deleted and hidden text,
// headers and footers.
func extractDOCX(_ context.Context, content []byte, _ time.Duration) (document.Document, error) {
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil || len(archive.File) > maxEntries {
		return document.Document{}, errNotWord
	}
	styles := map[string]int{}
	if err := readPart(archive, "word/styles.xml", styleReader(styles)); err != nil && !errors.Is(err, errNotWord) {
		return document.Document{}, err
	}
	d := wordText{styles: styles}
	if err := readPart(archive, "word/document.xml", d.token); err != nil {
		return document.Document{}, err
	}
	found := d.finish()
	for _, part := range []string{"docProps/core.xml", "docProps/custom.xml"} {
		_ = readPart(archive, part, propertyReader(&found.about)) // which a document may lack
	}
	return found.document(), nil
}

// readPart passes the tokens of a part of an archive to read.
func readPart(archive *zip.Reader, name string, read func(xml.Token) error) error {
	for _, file := range archive.File {
		if file.Name != name {
			continue
		}
		if file.UncompressedSize64 > maxUnpacked || file.UncompressedSize64 > maxRatio*(file.CompressedSize64+1024) {
			return errUnpacked
		}
		part, err := file.Open()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		defer part.Close()
		if err := eachToken(part, read); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	}
	return errNotWord
}

// eachToken reads XML to its end. The unpacking itself enforces the size that the archive claims for a
// part.
func eachToken(part io.Reader, read func(xml.Token) error) error {
	decoder := xml.NewDecoder(part)
	for depth := 0; ; {
		token, err := decoder.Token()
		if err == io.EOF && depth == 0 {
			return nil
		}
		if err != nil {
			return err
		}
		switch token.(type) {
		case xml.StartElement:
			if depth++; depth > maxElementDepth {
				return errTooDeep
			}
		case xml.EndElement:
			depth--
		}
		if err := read(token); err != nil {
			return err
		}
	}
}

// titleLevel is the level of a paragraph in the title style.
const titleLevel = -1

// styleReader notes the level of each heading style by the style's name in the document. The names
// behind it are English whatever the language of the program.
func styleReader(levels map[string]int) func(xml.Token) error {
	var style string
	return func(token xml.Token) error {
		start, ok := token.(xml.StartElement)
		if !ok || !isWord(start.Name) {
			return nil
		}
		switch start.Name.Local {
		case "style":
			style = attribute(start, "styleId")
		case "name":
			if level := levelOf(attribute(start, "val")); level != 0 && style != "" {
				levels[style] = level
			}
		case "outlineLvl":
			if level, err := strconv.Atoi(attribute(start, "val")); err == nil && 0 <= level && level < 9 && levels[style] == 0 {
				levels[style] = level + 1
			}
		}
		return nil
	}
}

// propertyReader collects the document's properties, such as its keywords, and custom properties, each
// preceded by its name.
func propertyReader(about *[]string) func(xml.Token) error {
	element, name := "", ""
	return func(token xml.Token) error {
		switch t := token.(type) {
		case xml.StartElement:
			element = t.Name.Local
			if element == "property" {
				name = attribute(t, "name")
			}
		case xml.CharData:
			switch element {
			case "keywords", "category", "subject", "description", "contentStatus":
				*about = append(*about, string(t))
			default:
				if name != "" {
					*about = append(*about, name+": "+string(t))
				}
			}
		}
		return nil
	}
}

// levelOf returns the level that a style's name stands for, or 0.
func levelOf(style string) int {
	style = strings.ToLower(style)
	if style == "title" {
		return titleLevel
	}
	number, ok := strings.CutPrefix(style, "heading")
	level, err := strconv.Atoi(strings.TrimSpace(number))
	if !ok || err != nil || level < 1 || level > 9 {
		return 0
	}
	return level
}

// isWord reports whether a name belongs to WordprocessingML, in either of its two versions.
func isWord(name xml.Name) bool {
	return strings.Contains(name.Space, "wordprocessingml") && strings.HasSuffix(name.Space, "main")
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// wordText extracts the text of a Word document.
type wordText struct {
	textBuilder
	styles         map[string]int
	paragraphs     []paragraph // open ones; a text box stands in one
	paragraphCount int         // paragraphs so far
	skipped        int         // open elements whose text is not shown
	cells          int         // open cells of tables
	inRun          bool
	runHidden      bool // of the run
	inText         bool
}

type paragraph struct{ number, from, level int }

// number returns the number of the innermost open paragraph, else of the last one.
func (d *wordText) number() int {
	if n := len(d.paragraphs); n > 0 {
		return d.paragraphs[n-1].number
	}
	return max(1, d.paragraphCount)
}

// lineEnds replaces the line ends of a file's XML with the spaces they stand for.
var lineEnds = strings.NewReplacer("\r", " ", "\n", " ")

// token handles one token of the document.
func (d *wordText) token(token xml.Token) error {
	switch t := token.(type) {
	case xml.StartElement:
		if isUnshown(t.Name) {
			d.skipped++
		} else if isWord(t.Name) && d.skipped == 0 {
			d.start(t)
		}
	case xml.EndElement:
		if isUnshown(t.Name) {
			d.skipped--
		} else if isWord(t.Name) && d.skipped == 0 {
			d.end(t.Name.Local)
		}
	case xml.CharData:
		if d.inText && !d.runHidden && d.skipped == 0 {
			return d.words(lineEnds.Replace(string(t)), d.number())
		}
	}
	return nil
}

// isUnshown reports elements whose text was deleted or moved away, or is repeated for older programs.
func isUnshown(name xml.Name) bool {
	return isWord(name) && (name.Local == "del" || name.Local == "moveFrom") || name.Local == "Fallback"
}

func (d *wordText) start(e xml.StartElement) {
	n := len(d.paragraphs) - 1
	switch e.Name.Local {
	case "p":
		d.part("\n\n")
		d.paragraphCount++
		d.paragraphs = append(d.paragraphs, paragraph{number: d.paragraphCount, from: d.Len()})
	case "pStyle":
		if n >= 0 {
			style := attribute(e, "val")
			if d.paragraphs[n].level = d.styles[style]; d.paragraphs[n].level == 0 {
				d.paragraphs[n].level = levelOf(style)
			}
		}
	case "outlineLvl":
		if level, err := strconv.Atoi(attribute(e, "val")); n >= 0 && err == nil && 0 <= level && level < 9 {
			d.paragraphs[n].level = level + 1
		}
	case "numPr":
		if n >= 0 && d.paragraphs[n].level == 0 && d.cells == 0 {
			d.marker = "- "
		}
	case "r":
		d.inRun, d.runHidden = true, false
	case "vanish":
		if value := attribute(e, "val"); d.inRun && value != "0" && value != "false" {
			d.runHidden = true
			d.hidden++
		}
	case "t":
		d.inText = true
	case "tab":
		d.space = d.Len() > 0
	case "br", "cr":
		if d.inRun {
			d.part("\n")
		}
	case "tr":
		d.part("\n")
	case "tc":
		d.cells++
		d.space = d.Len() > 0
		d.put("|", d.paragraphCount+1)
		d.space = true
	}
}

func (d *wordText) end(name string) {
	switch name {
	case "p":
		if n := len(d.paragraphs) - 1; n >= 0 {
			p := d.paragraphs[n]
			d.paragraphs = d.paragraphs[:n]
			d.endParagraph(p)
		}
	case "r":
		d.inRun, d.runHidden = false, false
	case "t":
		d.inText = false
	case "tc":
		d.cells--
	case "tr":
		d.space = true
		d.put("|", d.number())
		d.part("\n")
	case "tbl":
		d.part("\n\n")
	}
}

// endParagraph makes a heading of a paragraph in a heading style.
func (d *wordText) endParagraph(p paragraph) {
	d.marker = ""
	switch {
	case p.level == 0 || d.cells > 0:
	case p.level == titleLevel:
		d.endHeading(p.from, 1)
		if n := len(d.headings); n > 0 && d.title == "" {
			d.title = d.headings[n-1].text
			d.headings[n-1].text = ""
		}
	default:
		d.endHeading(p.from, p.level)
	}
	d.part("\n\n")
}

// part ends a block. Inside a table cell nothing does.
func (d *wordText) part(sep string) {
	if d.cells > 0 {
		d.space = true
		return
	}
	d.gap(sep)
}

// unpackedDOCX returns the unpacked size that the archive claims for the parts we read.
func unpackedDOCX(file io.ReaderAt, size int64) int64 {
	archive, err := zip.NewReader(file, size)
	if err != nil {
		return size
	}
	unpacked := uint64(0)
	for _, part := range archive.File {
		if part.Name == "word/document.xml" || part.Name == "word/styles.xml" {
			unpacked += min(part.UncompressedSize64, maxUnpacked)
		}
	}
	return int64(unpacked)
}
