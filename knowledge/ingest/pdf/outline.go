package pdf

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/plaintext"
)

// applyLabels sets the labels of pages from /PageLabels.
func (f *file) applyLabels(pages []Page) {
	type labels struct {
		from  int
		style name
		text  string
		first int
	}
	var all []labels
	seen := 0
	var walk func(o object, depth int)
	walk = func(o object, depth int) {
		d := f.dict(o)
		if seen++; d == nil || depth > 16 || seen > maxPages {
			return
		}
		for nums := f.array(d["Nums"]); len(nums) >= 2; nums = nums[2:] {
			from, _ := f.number(nums[0])
			entry := f.dict(nums[1])
			prefix, _ := f.resolve(entry["P"]).(text)
			first := 1.0
			if given, ok := f.number(entry["St"]); ok {
				first = given
			}
			all = append(all, labels{int(from), f.name(entry["S"]), tidy((&font{}).displayText(textString(prefix), "")), int(first)})
		}
		for _, kid := range f.array(d["Kids"]) {
			walk(kid, depth+1)
		}
	}
	walk(f.catalogue()["PageLabels"], 0)
	for i := range pages {
		for k := len(all) - 1; k >= 0; k-- {
			if l := all[k]; l.from <= i {
				if s := l.text + formatNumeral(l.style, l.first+i-l.from); s != strconv.Itoa(i+1) {
					pages[i].Label = s
				}
				break
			}
		}
	}
}

// formatNumeral formats a number in a style of PDF 32000-1, table 159.
func formatNumeral(style name, n int) string {
	switch {
	case style == "D" || n < 1 && style != "":
		return strconv.Itoa(n)
	case style == "A" || style == "a":
		letters := strings.Repeat(string(rune('A'+(n-1)%26)), min(1+(n-1)/26, 32))
		if style == "a" {
			return strings.ToLower(letters)
		}
		return letters
	case style == "R" || style == "r":
		if style == "r" {
			return strings.ToLower(plaintext.Roman(n))
		}
		return plaintext.Roman(n)
	}
	return ""
}

// bookmark is an entry of the outline.
type bookmark struct {
	title string // by foldTitle
	level int    // from 1
}

const maxBookmarks = 20_000

// bookmarks returns the entries of the outline by page index; entries without a page have the key -1.
func (f *file) bookmarks(pages []pageNode) map[int][]bookmark {
	numbers := map[int]int{}
	for i, page := range pages {
		numbers[page.number] = i
	}
	found := map[int][]bookmark{}
	seen := map[int]bool{}
	var walk func(o object, level int)
	walk = func(o object, level int) {
		for level <= 16 {
			r, _ := o.(reference)
			d := f.dict(o)
			if d == nil || seen[r.number] || len(seen) > maxBookmarks {
				return
			}
			seen[r.number] = true
			if title, ok := f.resolve(d["Title"]).(text); ok {
				page := -1
				destination := f.resolve(d["Dest"])
				if action := f.dict(d["A"]); destination == nil {
					destination = f.resolve(action["D"])
				}
				if at, ok := destination.(array); ok && len(at) > 0 {
					if to, isPage := at[0].(reference); isPage {
						if i, known := numbers[to.number]; known {
							page = i
						}
					}
				}
				found[page] = append(found[page], bookmark{foldTitle(textString(title)), level})
			}
			walk(d["First"], level+1)
			o = d["Next"]
		}
	}
	walk(f.dict(f.catalogue()["Outlines"])["First"], 1)
	return found
}

// foldTitle reduces a title to its letters in lower case, because outline and page differ in case,
// spaces, punctuation and numbering.
func foldTitle(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, tidy(s))
}

const (
	// minHeadingRatio is the minimum ratio of the size of a heading to that of the text.
	minHeadingRatio = 1.12
	// maxHeadingBytes bounds a heading; longer blocks are text in large print.
	maxHeadingBytes = 160
)

// markHeadings marks as headings the blocks that a bookmark names, that are larger than the text, or
// that are short and bold while the text is not.
func markHeadings(pages []Page, bookmarks map[int][]bookmark) {
	letters := map[float64]int{}
	bold, all := 0, 0
	each := func(do func(page, k int, b *Block)) {
		for i := range pages {
			for k := range pages[i].Blocks {
				if b := &pages[i].Blocks[k]; b.Chrome == NotChrome {
					do(i, k, b)
				}
			}
		}
	}
	each(func(_, _ int, b *Block) {
		for _, line := range b.Lines {
			n := utf8.RuneCountInString(line.Text)
			letters[line.Size] += n
			all += n
			if line.Bold {
				bold += n
			}
		}
	})
	body := mode(letters)
	var sizes []float64
	each(func(_, _ int, b *Block) {
		if size, ok := b.headingSize(); ok && size >= minHeadingRatio*body && !slices.Contains(sizes, size) {
			sizes = append(sizes, size)
		}
	})
	slices.SortFunc(sizes, func(a, b float64) int { return cmp.Compare(b, a) })
	plainBody := 5*bold < 2*all
	each(func(page, k int, b *Block) {
		size, ok := b.headingSize()
		if !ok {
			return
		}
		title := ""
		for _, line := range b.Lines {
			title += line.Text
		}
		key := foldTitle(title)
		for _, at := range []int{page, -1} {
			for _, mark := range bookmarks[at] {
				if key != "" && key == mark.title {
					b.Kind, b.Level = Heading, min(mark.level, 6)
				}
			}
		}
		last, _ := utf8.DecodeLastRuneInString(title)
		next := rune(0) // the first letter of what follows
		if k+1 < len(pages[page].Blocks) {
			if after := &pages[page].Blocks[k+1]; after.Kind == Text && after.Chrome == NotChrome {
				next, _ = utf8.DecodeRuneInString(after.Lines[0].Text)
			}
		}
		switch {
		case b.Kind == Heading || utf8.RuneCountInString(key) < 2 || strings.Contains(title, leaderText):
		case unicode.IsLower(next) && !strings.ContainsRune(".!?:", last): // a sentence goes on
		case bulletMark.MatchString(title):
		case size >= minHeadingRatio*body:
			b.Kind, b.Level = Heading, min(1+slices.Index(sizes, size), 6)
		case plainBody && b.Lines[0].Bold && len(b.Lines) <= 2 && size >= 0.95*body && !strings.ContainsRune(".,;:", last) && !itemMark.MatchString(title):
			b.Kind, b.Level = Heading, min(1+len(sizes), 6)
		}
	})
}

// headingSize returns the size of a block, and whether the block is short enough for a heading.
func (b *Block) headingSize() (float64, bool) {
	if b.Kind != Text || len(b.Lines) > 4 || b.turned {
		return 0, false
	}
	length, first := 0, b.Lines[0]
	for _, line := range b.Lines {
		length += len(line.Text)
		if line.Bold != first.Bold {
			return 0, false
		}
	}
	return first.Size, length <= maxHeadingBytes
}
