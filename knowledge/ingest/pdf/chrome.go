package pdf

import (
	"regexp"
	"slices"
	"strings"
)

// markChrome marks the blocks that are not part of the text: running heads, contents and indexes.
func markChrome(pages []Page) {
	for i := range pages {
		pages[i].releaseArtifacts()
	}
	markRunning(pages)
	for i := range pages {
		markContents(&pages[i])
	}
}

// releaseArtifacts turns artifacts into text if they hold much of a page. Heads, feet and watermarks are
// short; some programs mark as artifacts all that they have no structure for.
func (p *Page) releaseArtifacts() {
	artifacts, all := 0, 0
	for i := range p.Blocks {
		for _, line := range p.Blocks[i].Lines {
			words := strings.Count(line.Text, " ") + 1
			all += words
			if p.Blocks[i].Chrome == Artifact {
				artifacts += words
			}
		}
	}
	if artifacts < minReleasedWords || maxArtifactShare*all >= artifacts*100 {
		return
	}
	for i := range p.Blocks {
		if b := &p.Blocks[i]; b.Chrome == Artifact {
			b.Chrome = NotChrome
		}
	}
}

const (
	minReleasedWords = 20
	maxArtifactShare = 15 // per cent of the words of a page
)

// maxOuterBlocks bounds the baselines at either end of a page that can hold running heads or feet.
const maxOuterBlocks = 3

// minRunningPages is the minimum of pages on which a running head or foot stands.
const minRunningPages = 3

var (
	digits     = regexp.MustCompile(`\d+|\b[ivxlc]+\b`)
	pagePrefix = regexp.MustCompile(`^(?i:page|seite) `)
	pageNumber = regexp.MustCompile(`^(?i:page |p\. ?|seite |– ?|- ?)?(?:\d{1,4}|[ivxlc]{1,6})(?i: ?(?:/|of|von) ?\d{1,4}| ?[-–]| ?\|)?$`)
)

// markRunning marks lines that repeat at the head or foot of several pages in the same place, except
// for their numbers, and lone page numbers.
func markRunning(pages []Page) {
	type place struct {
		text string
		y    int
	}
	key := func(l Line, shift int) place { return place{digits.ReplaceAllString(l.Text, "0"), int(l.Y/4) + shift} }
	seen := map[place]map[int]bool{}
	for i := range pages {
		for _, b := range pages[i].outerBlocks() {
			for _, line := range b.Lines {
				at := key(line, 0)
				if seen[at] == nil {
					seen[at] = map[int]bool{}
				}
				seen[at][i] = true
			}
		}
	}
	often := func(l Line) bool {
		n := len(seen[key(l, 0)]) + len(seen[key(l, 1)]) + len(seen[key(l, -1)])
		return n >= minRunningPages && 10*n >= 3*min(len(pages), 40)
	}
	for i := range pages {
		for _, b := range pages[i].outerBlocks() {
			all := b.Kind == Text || len(b.Lines) <= 4
			for _, line := range b.Lines {
				all = all && (often(line) || (len(pages) > 2 || pagePrefix.MatchString(line.Text)) && pageNumber.MatchString(line.Text))
			}
			if all {
				b.Chrome = Running
			}
		}
	}
}

// outerBlocks returns the blocks on the highest and the lowest baselines of a page.
func (p *Page) outerBlocks() []*Block {
	var ys []float64
	for _, b := range p.Blocks {
		ys = append(ys, b.Lines[0].Y)
	}
	slices.Sort(ys)
	ys = slices.Compact(ys)
	if len(ys) < 3 {
		return nil
	}
	n := min(maxOuterBlocks, len(ys)/2)
	var outer []*Block
	for i := range p.Blocks {
		if b := &p.Blocks[i]; len(b.Lines) <= 4 && (b.Lines[0].Y <= ys[n-1] || b.Lines[0].Y >= ys[len(ys)-n]) {
			outer = append(outer, b)
		}
	}
	return outer
}

var (
	pageAtEnd       = regexp.MustCompile(`\s(?:\d{1,4}|[ivxlc]{1,6})$`)
	indexEntry      = regexp.MustCompile(`^\D{2,60}[, ]\s?\d{1,4}(?:[-–]\d{1,4})?(?:, ?\d{1,4}(?:[-–]\d{1,4})?)*$`)
	contentsHeading = regexp.MustCompile(`(?i)^(?:table of )?contents?$|^inhalt(?:sverzeichnis)?$|^sommaire$|^table des matières$|^目\s*录$`)
	indexHeading    = regexp.MustCompile(`(?i)^(?:subject |general )?index$|^sachregister$|^stichwortverzeichnis$`)
)

// mayEndInPage reports whether a line can end in a page number. It is a cheap test before pageAtEnd.
func mayEndInPage(line string) bool {
	last := line[len(line)-1]
	return '0' <= last && last <= '9' || strings.IndexByte("ivxlc", last) >= 0
}

const (
	maxEntryBytes = 160 // bytes
	maxTitleBytes = 48
	minEntries    = 5  // of a table of contents on a page
	minTerms      = 15 // of an index on a page
)

// isContentsEntry reports whether dots lead to a page number. In a form, dots lead to the number that
// the line begins with.
func isContentsEntry(line string) bool {
	i := strings.LastIndex(line, leaderText)
	if i < 0 {
		return false
	}
	number := strings.Trim(line[i:], " .")
	first, _, _ := strings.Cut(line, " ")
	return first != number && pageAtEnd.MatchString(" "+number) && !strings.Contains(number, " ")
}

// markContents marks entries of tables of contents and of indexes.
func markContents(p *Page) {
	entries, ending, terms, lines := 0, 0, 0, 0
	titled, indexed := false, false
	for _, b := range p.Blocks {
		if b.Chrome != NotChrome {
			continue
		}
		for _, line := range b.Lines {
			lines++
			if isContentsEntry(line.Text) {
				entries++
			}
			if mayEndInPage(line.Text) && pageAtEnd.MatchString(line.Text) {
				ending++
				if len(line.Text) < maxEntryBytes && indexEntry.MatchString(line.Text) {
					terms++
				}
			}
			if len(line.Text) < maxTitleBytes {
				titled = titled || contentsHeading.MatchString(line.Text)
				indexed = indexed || indexHeading.MatchString(line.Text)
			}
		}
	}
	if entries < minEntries && !(titled && ending >= minEntries) && terms < minTerms {
		return
	}
	plainEntries := titled && ending >= minEntries && 2*ending >= lines
	contents := entries >= minEntries && (titled || 2*entries >= lines)
	from, to := p.contentsExtent()
	for i := range p.Blocks {
		b := &p.Blocks[i]
		hit, ends := 0, 0
		for _, line := range b.Lines {
			if isContentsEntry(line.Text) {
				hit++
			}
			if mayEndInPage(line.Text) && pageAtEnd.MatchString(" "+line.Text) {
				ends++
			}
		}
		switch {
		case b.Chrome != NotChrome:
		case contents && (hit > 0 || titled && from <= i && i < to), plainEntries && 3*ends >= len(b.Lines):
			b.Chrome = Contents
		case terms >= minTerms && (indexed && 4*terms >= lines || 10*terms >= 6*lines) && b.Kind == Text:
			b.Chrome = Index
		}
	}
}

// maxEntryGap bounds the blocks between two entries of a table of contents: a chapter without a number,
// a number that stands alone.
const maxEntryGap = 4

// contentsExtent returns the first block of the table of contents on a page and the one after its last.
// It begins with its title or its first entry.
func (p *Page) contentsExtent() (from, to int) {
	from = -1
	for i := range p.Blocks {
		entry := false
		for _, line := range p.Blocks[i].Lines {
			title := from < 0 && len(line.Text) < maxTitleBytes && contentsHeading.MatchString(line.Text)
			entry = entry || title || isContentsEntry(line.Text) || from >= 0 && len(line.Text) < maxEntryBytes && mayEndInPage(line.Text) && pageAtEnd.MatchString(" "+line.Text)
		}
		switch {
		case entry && from < 0:
			from, to = i, i+1
		case entry && i-to < maxEntryGap:
			to = i + 1
		}
	}
	return max(from, 0), to
}
