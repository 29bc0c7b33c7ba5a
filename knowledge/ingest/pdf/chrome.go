package pdf

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// markChrome marks the blocks that are not part of the text: running heads, contents and indexes.
func markChrome(pages []Page) {
	for i := range pages {
		pages[i].releaseArtifacts()
	}
	markRunning(pages)
	continues := false
	for i := range pages {
		continues = markContents(&pages[i], continues)
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
//
// continues says that the page before is part of a table of contents. markContents reports whether this
// page is.
func markContents(p *Page, continues bool) bool {
	entries, ending, terms, lines := 0, 0, 0, 0
	titled, indexed := continues, false
	baselines := map[int]bool{}
	var numbers []int // of the entries
	for _, b := range p.Blocks {
		if b.Chrome != NotChrome {
			for _, line := range b.Lines { // a running head names the table on each of its pages
				titled = titled || contentsHeading.MatchString(line.Text)
			}
			continue
		}
		if b.isWideRow() {
			lines += len(b.Lines)
			continue
		}
		for _, line := range b.Lines {
			lines++
			baselines[int(math.Round(line.Y))] = true
			if n, err := strconv.Atoi(line.Text[strings.LastIndexByte(line.Text, ' ')+1:]); err == nil && isContentsEntry(line.Text) {
				numbers = append(numbers, n)
			}
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
		return false
	}
	plainEntries := titled && ending >= minEntries && 2*ending >= lines
	contents := entries >= minEntries && (titled || 2*entries >= lines)
	if 3*entries >= 2*len(baselines) && entries >= minEntries && !countsUp(numbers) {
		contents, titled = true, true // what is in between is part of it
	}
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
		case b.Chrome != NotChrome || b.isWideRow():
		case contents && (hit > 0 || (titled || isOnlyNumbers(b)) && from <= i && i < to), plainEntries && 3*ends >= len(b.Lines):
			b.Chrome = Contents
		case terms >= minTerms && (indexed && 4*terms >= lines || 10*terms >= 6*lines) && b.Kind == Text:
			b.Chrome = Index
		}
	}
	return contents || plainEntries
}

// countsUp reports whether most numbers are one more than the number before, as those of the lines of a
// form are.
func countsUp(numbers []int) bool {
	steps := 0
	for i := 1; i < len(numbers); i++ {
		if numbers[i] == numbers[i-1]+1 {
			steps++
		}
	}
	return 10*steps > 7*(len(numbers)-1)
}

// isOnlyNumbers reports whether a block has no letters.
func isOnlyNumbers(b *Block) bool {
	return !slices.ContainsFunc(b.Lines, func(l Line) bool { return strings.ContainsFunc(l.Text, unicode.IsLetter) })
}

// maxEntryGap bounds the blocks between two entries of a table of contents: a chapter without a number,
// a number that stands alone.
const maxEntryGap = 4

// isWideRow reports whether a block is a row with more cells than an entry of contents has: its number,
// its title and its page.
func (b *Block) isWideRow() bool {
	filled := 0
	for _, cell := range b.Cells {
		if cell != "" {
			filled++
		}
	}
	return filled > 3
}

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
