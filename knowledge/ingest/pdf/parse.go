package pdf

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
)

const (
	maxPages = 20_000
	maxNodes = 4 * maxPages // of the page tree
	maxText  = 64 << 20     // bytes of a document
)

// parse reads a file in this process. It may panic or exhaust memory, so call [Read] instead.
func parse(content []byte) (Document, error) {
	f, err := openFile(content)
	if errors.Is(err, ErrEncrypted) {
		return Document{}, err
	}
	if err != nil {
		return Document{}, fmt.Errorf("not a readable PDF file: %w", err)
	}
	info := f.dict(f.trailer["Info"])
	about := func(key name) string {
		s, _ := f.resolve(info[key]).(text)
		return tidy((&font{}).displayText(textString(s), ""))
	}
	document := Document{Title: about("Title"), XFA: f.dict(f.catalogue()["AcroForm"])["XFA"] != nil}
	for _, key := range []name{"Subject", "Keywords"} {
		if s := about(key); s != "" {
			document.About = append(document.About, s)
		}
	}
	var length int
	fonts := map[reference]*font{}
	nodes := f.pages()
	if len(nodes) == 0 && f.rebuild() == nil {
		nodes = f.pages()
	}
	if len(nodes) == 0 {
		return Document{}, fmt.Errorf("not a readable PDF file: %w", errNoPages)
	}
	if document.Pages, length, err = f.readPages(nodes, fonts); err == nil && markUnreadable(fonts, length) {
		document.Pages, length, err = f.readPages(nodes, fonts)
	}
	if err != nil {
		return Document{}, err
	}
	if length == 0 {
		for _, page := range document.Pages {
			if page.Unmapped > 0 {
				return Document{}, ErrNoMap
			}
		}
		return Document{}, ErrNoText
	}
	f.applyLabels(document.Pages)
	markChrome(document.Pages)
	for i := range document.Pages {
		joinInitials(&document.Pages[i])
	}
	markHeadings(document.Pages, f.bookmarks(nodes))
	markStructure(document.Pages)
	return document, nil
}

// readPages reads pages and returns the length of their text in bytes.
func (f *file) readPages(nodes []pageNode, fonts map[reference]*font) (pages []Page, length int, err error) {
	for i, node := range nodes {
		page := f.readPage(node, fonts)
		page.Number = i + 1
		for _, b := range page.Blocks {
			for _, line := range b.Lines {
				length += len(line.Text)
			}
		}
		if length > maxText {
			return nil, 0, errors.New("more than 64 MiB of text")
		}
		pages = append(pages, page)
	}
	return pages, length, nil
}

// pageNode is a page dictionary with its inherited entries.
type pageNode struct {
	dict
	number int // of its object; 0 if it has none
}

// pages returns the pages of the page tree in order. If the tree is broken, it returns every page
// object, by number.
func (f *file) pages() (pages []pageNode) {
	nodes := 0
	open := map[int]bool{}
	var walk func(o object, inherited dict, depth int)
	walk = func(o object, inherited dict, depth int) {
		r, _ := o.(reference)
		if nodes++; nodes > maxNodes || depth > maxObjectDepth || len(pages) == maxPages || open[r.number] {
			return
		}
		node, ok := f.resolve(o).(dict)
		if !ok {
			return
		}
		own := dict{}
		for _, key := range []name{"Resources", "MediaBox", "Rotate"} {
			if own[key] = node[key]; own[key] == nil {
				own[key] = inherited[key]
			}
		}
		if kids, isTree := f.resolve(node["Kids"]).(array); isTree && f.name(node["Type"]) != "Page" {
			if r.number > 0 {
				open[r.number] = true
				defer delete(open, r.number)
			}
			for _, kid := range kids {
				walk(kid, own, depth+1)
			}
			return
		}
		for _, key := range []name{"Contents", "Annots"} {
			own[key] = node[key]
		}
		pages = append(pages, pageNode{own, r.number})
	}
	walk(f.catalogue()["Pages"], dict{}, 0)
	if len(pages) > 0 {
		return pages
	}
	for _, number := range slices.Sorted(maps.Keys(f.entries)) { // the tree is broken
		if d, _ := f.load(number).(dict); d["Type"] == name("Page") && len(pages) < maxPages {
			pages = append(pages, pageNode{d, number})
		}
	}
	return pages
}

// A scanned page is a picture, on which a program may have stamped a few words.
const (
	maxScanLetters = 60
	minScanArea    = 0.5 // of the page
)

// readPage reads a page. If it fails halfway, it returns what it has read and marks the page as
// broken.
func (f *file) readPage(node pageNode, fonts map[reference]*font) (page Page) {
	in := interpreter{f: f, resources: f.dict(node.dict["Resources"]), fonts: fonts}
	box := readNumbers(f, node.dict["MediaBox"], 4)
	if box == nil || box[0] == box[2] || box[1] == box[3] {
		box = []float64{0, 0, 612, 792}
	}
	width, height := math.Abs(box[2]-box[0]), math.Abs(box[3]-box[1])
	x, y := min(box[0], box[2]), min(box[1], box[3])
	upright := matrix{1, 0, 0, 1, -x, -y}
	rotate, _ := f.number(node.dict["Rotate"])
	switch (int(rotate)%360 + 360) % 360 {
	case 90:
		upright = matrix{0, -1, 1, 0, -y, width + x}
		width, height = height, width
	case 180:
		upright = matrix{-1, 0, 0, -1, width + x, height + y}
	case 270:
		upright = matrix{0, 1, -1, 0, height + y, -x}
		width, height = height, width
	}
	in.state = graphicsState{page: upright, scale: 1}
	func() {
		defer func() { page.Broken = recover() != nil }()
		in.run(f.pageContent(node.dict["Contents"]))
		in.drawAnnotations(f.array(node.dict["Annots"]), upright)
	}()
	page.Blocks = in.layOut(width, height)
	page.Unmapped = in.unmapped
	page.Picture = len(in.glyphs) < maxScanLetters && in.unmapped < maxScanLetters && in.pictures > minScanArea*width*height
	return page
}

// pageContent concatenates the content streams of a page.
func (f *file) pageContent(o object) []byte {
	var all []byte
	for _, part := range f.asArray(o) {
		if s, ok := f.resolve(part).(*stream); ok {
			all = append(append(all, f.decode(s)...), '\n')
		}
	}
	return all
}

// layOut returns the blocks of a page, one text angle after the other; the angle with the most glyphs
// comes first.
func (in *interpreter) layOut(width, height float64) []Block {
	byAngle := map[int16][]glyph{}
	var angles []int16
	for _, g := range in.glyphs {
		sin, cos := sincos(g.angle)
		if x, y := g.x*cos-g.y*sin, g.y*cos+g.x*sin; x < -2-g.size || x > width+2 || y < -2-g.size || y > height+2+g.size {
			continue // off the page
		}
		if byAngle[g.angle] == nil {
			angles = append(angles, g.angle)
		}
		byAngle[g.angle] = append(byAngle[g.angle], g)
	}
	slices.SortStableFunc(angles, func(a, b int16) int { return cmp.Compare(len(byAngle[b]), len(byAngle[a])) })
	var blocks []Block
	for _, angle := range angles {
		rules := rotateRules(in.rules, angle)
		words, typed := typedRules(joinWords(byAngle[angle]))
		l := layout{horizontal: joinHorizontal(append(slices.Clone(rules), typed...))}
		l.grids = findGrids(l.horizontal, joinVertical(rules))
		l.layOut(words)
		for i := range l.blocks {
			l.blocks[i].turned = angle != angles[0]
		}
		blocks = append(blocks, l.blocks...)
	}
	return blocks
}
