// Package pdf takes the text from PDF files: lines in reading order, page by page.
//
// The library underneath follows whatever references a file holds, so a hostile one can make it turn in
// circles, fill the memory or end the program. [Read] therefore runs it in a child process with limits
// of time and memory. The program that wants PDFs calls [Child] before anything else.
package pdf

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ledongthuc/pdf"
)

// Document is the text of a file.
type Document struct {
	Title string   `json:"title"`           // as the file's own information gives it; may be empty
	About []string `json:"about,omitempty"` // its subject and keywords
	Pages []Page   `json:"pages"`
}

// Page is the text of one page. Pages count from 1.
type Page struct {
	Number int    `json:"number"`
	Lines  []Line `json:"lines"`
	// Broken says that the page could not be read to its end.
	Broken bool `json:"broken,omitempty"`
}

// Errors that tell the user what to do about a file.
var (
	ErrEncrypted = errors.New("encrypted")
	ErrNoText    = errors.New("no text, only images; run OCR on it first")
)

const (
	mostPages = 20_000
	mostNodes = 4 * mostPages // of the tree of pages
	mostText  = 64 << 20      // bytes of a document
)

// parse reads a file in this process. It may never return, panic, or exhaust the memory.
func parse(content []byte) (Document, error) {
	file, err := pdf.NewReader(bytes.NewReader(content), int64(len(content)))
	if errors.Is(err, pdf.ErrInvalidPassword) {
		return Document{}, ErrEncrypted
	}
	if err != nil {
		return Document{}, fmt.Errorf("not a readable PDF file: %w", err)
	}
	info := file.Trailer().Key("Info")
	document := Document{Title: tidy(info.Key("Title").Text())}
	for _, key := range []string{"Subject", "Keywords"} {
		if about := tidy(info.Key(key).Text()); about != "" {
			document.About = append(document.About, about)
		}
	}
	text := 0
	for i, node := range pagesOf(file.Trailer().Key("Root").Key("Pages")) {
		page := readPage(node)
		page.Number = i + 1
		for _, line := range page.Lines {
			text += len(line.Text)
		}
		if text > mostText {
			return Document{}, errors.New("more than 64 MiB of text")
		}
		document.Pages = append(document.Pages, page)
	}
	if text == 0 {
		return Document{}, ErrNoText
	}
	dropRunningLines(document.Pages)
	return document, nil
}

// pagesOf returns the pages of the tree in order.
func pagesOf(root pdf.Value) (pages []pdf.Value) {
	nodes := 0
	var walk func(node pdf.Value, depth int)
	walk = func(node pdf.Value, depth int) {
		if nodes++; nodes > mostNodes || depth > 64 || len(pages) == mostPages {
			return
		}
		if kids := node.Key("Kids"); kids.Kind() == pdf.Array {
			for i := range kids.Len() {
				walk(kids.Index(i), depth+1)
			}
			return
		}
		if node.Kind() == pdf.Dict {
			pages = append(pages, node)
		}
	}
	walk(root, 0)
	return pages
}

// readPage reads the text of a page as far as possible.
func readPage(node pdf.Value) (page Page) {
	p := painter{resources: inherited(node, "Resources"), fonts: map[string]*font{}}
	defer func() {
		page.Broken = recover() != nil
		page.Lines = p.lines()
	}()
	p.content(node.Key("Contents"))
	return page
}

// inherited returns a property of a page or of the nodes above it.
func inherited(node pdf.Value, key string) pdf.Value {
	for range 64 {
		if found := node.Key(key); !found.IsNull() || node.IsNull() {
			return found
		}
		node = node.Key("Parent")
	}
	return pdf.Value{}
}

// dropRunningLines removes lines that stand, up to their numbers, in the same place at the head or foot
// of most pages: they belong to no sentence and would interrupt those that cross a page.
func dropRunningLines(pages []Page) {
	type place struct {
		text string
		y    int
	}
	of := func(l Line) place { return place{digits.Replace(l.Text), int(l.Y / 4)} }
	seen := map[place]int{}
	for _, page := range pages {
		for _, line := range page.outer() {
			seen[of(line)]++
		}
	}
	for i := range pages {
		outer := pages[i].outer()
		pages[i].Lines = slices.DeleteFunc(pages[i].Lines, func(l Line) bool {
			return seen[of(l)] >= 3 && 2*seen[of(l)] > len(pages) && slices.Contains(outer, l)
		})
	}
}

var digits = strings.NewReplacer("1", "0", "2", "0", "3", "0", "4", "0", "5", "0", "6", "0", "7", "0", "8", "0", "9", "0")

// outer returns the lines on the highest two and the lowest two baselines.
func (p Page) outer() []Line {
	var ys []float64
	for _, line := range p.Lines {
		ys = append(ys, line.Y)
	}
	slices.Sort(ys)
	ys = slices.Compact(ys)
	if len(ys) < 5 {
		return nil
	}
	var outer []Line
	for _, line := range p.Lines {
		if line.Y <= ys[1] || line.Y >= ys[len(ys)-2] {
			outer = append(outer, line)
		}
	}
	return outer
}
