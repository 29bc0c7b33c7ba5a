package office

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"strconv"
	"strings"

	"lacuna/knowledge/document"
	"lacuna/knowledge/ingest/archive"
)

var (
	errNotODF   = errors.New("not an OpenDocument file")
	errPassword = errors.New("protected with a password; save it again without")
)

// OpenText reads an OpenDocument text (ODT, OTT, FODT). Its places are paragraphs: the number of the text:p
// or text:h element among all of content.xml, in the order of their start tags; that of a note is its own.
func OpenText(ctx context.Context, content []byte) (document.Document, error) {
	return readODF(ctx, content, false)
}

// OpenSlides reads an OpenDocument presentation (ODP). Its places are slides.
func OpenSlides(ctx context.Context, content []byte) (document.Document, error) {
	return readODF(ctx, content, true)
}

func readODF(ctx context.Context, content []byte, slides bool) (document.Document, error) {
	r := &odfReader{context: ctx, slides: slides, styles: map[string]*odfStyle{}, lists: map[string]*odfList{}, continued: map[string]*odfCounter{}}
	r.frames = []*odfFrame{{}}
	parts, err := odfParts(content)
	if err != nil {
		return document.Document{}, err
	}
	for _, name := range []string{"styles.xml", "content.xml"} {
		if err := parts(name, r.styleReader()); err != nil && !(name == "styles.xml" && errors.Is(err, archive.ErrNoPart)) {
			return document.Document{}, err
		}
	}
	if err := parts("content.xml", r.token); err != nil {
		return document.Document{}, err
	}
	var about properties
	if err := parts("meta.xml", about.reader()); err != nil && (errors.Is(err, archive.ErrUnpacked) || errors.Is(err, archive.ErrTooDeep)) {
		return document.Document{}, err
	}
	if r.aside > 0 {
		r.out.Omit(string(document.RunningHead), r.aside)
	}
	d := r.out.Finish()
	about.describe(&d)
	setTitle(&d, r.out.shown, about.title)
	return d, nil
}

// odfParts returns a function that reads the parts of a document: an archive, or one XML text that is all
// parts at the same time.
func odfParts(content []byte) (func(string, archive.TokenReader) error, error) {
	if start := bytes.TrimLeft(content[:min(len(content), 64)], " \t\r\n\ufeff\xef\xbb\xbf"); bytes.HasPrefix(start, []byte("<")) {
		return func(name string, read archive.TokenReader) error {
			return archive.Tokens(bytes.NewReader(content), read)
		}, nil
	}
	a, err := open(content, errNotODF)
	if err != nil {
		return nil, err
	}
	if !a.Has("content.xml") {
		return nil, errNotODF
	}
	if manifest, err := a.Read("META-INF/manifest.xml"); err == nil && bytes.Contains(manifest, []byte("encryption-data")) {
		return nil, errPassword
	}
	return a.Tokens, nil
}

// odfStyle is a style of paragraphs or characters.
type odfStyle struct {
	parent string
	hidden bool
	raised bool
}

// odfList is a style of lists; level 0 is the first.
type odfList struct{ levels [maxListLevels + 1]odfLevel }

type odfLevel struct {
	bullet                 bool
	format, prefix, suffix string
	start, shown           int // shown counts the levels whose numbers are shown
}

// odfCounter counts the items of a list.
type odfCounter struct {
	at      [maxListLevels + 1]int
	running [maxListLevels + 1]bool
}

// openList is a list that is open.
type openList struct {
	style   *odfList
	counter *odfCounter
	item    bool // an item is open and its number is still to be shown
	header  bool // the item has no number
	start   int  // of the item, if it says so; else 0
}

// odfFrame is what pieces are collected in.
type odfFrame struct {
	pieces []piece
	table  *table
	header int // open elements of header rows
	spans  int // columns that the last cell still covers
	open   []*odfParagraph
	note   string // the mark of the note that it holds
	kind   frameKind
}

type frameKind uint8

const (
	inBody frameKind = iota
	inCell
	inBox
	inNote
)

type odfParagraph struct {
	paragraph
	number int
	hides  bool // its style hides it
}

type odfReader struct {
	context   context.Context
	slides    bool
	styles    map[string]*odfStyle
	lists     map[string]*odfList
	outline   odfList
	headings  odfCounter
	continued map[string]*odfCounter // by identifier and by style
	out       flowWriter
	frames    []*odfFrame
	open      []openList
	started   bool // the body
	skipped   int
	skipName  string
	skipWords int
	chrome    []document.Chrome // of open indexes
	hidden    int               // open spans that are hidden
	spans     []odfStyle        // open ones
	count     int
	slide     int
	title     bool // in the frame of a slide's title
	citation  bool
	page      bool // in a field of page numbers
	aside     int
	text      int
	held      int
	inRunning int
}

func (r *odfReader) frame() *odfFrame { return r.frames[len(r.frames)-1] }

func (r *odfReader) paragraph() *odfParagraph {
	if f := r.frame(); len(f.open) > 0 {
		return f.open[len(f.open)-1]
	}
	return nil
}

// is reports whether a style is another one, or based on it. Styles go by their name in English.
func (r *odfReader) is(style string, names ...string) bool {
	for range maxBases {
		for _, name := range names {
			if style == name {
				return true
			}
		}
		s := r.styles[style]
		if s == nil || s.parent == "" {
			return false
		}
		style = s.parent
	}
	return false
}

func (r *odfReader) isHidden(style string) bool {
	for range maxBases {
		s := r.styles[style]
		if s == nil {
			return false
		}
		if s.hidden {
			return true
		}
		style = s.parent
	}
	return false
}

// styleReader reads styles of paragraphs and lists, and counts running heads.
func (r *odfReader) styleReader() archive.TokenReader {
	var style *odfStyle
	var list *odfList
	return func(token xml.Token, _ int) error {
		switch t := token.(type) {
		case xml.StartElement:
			get := func(name string) string { return archive.Attribute(t, name) }
			switch t.Name.Local {
			case "style":
				style = &odfStyle{parent: get("parent-style-name")}
				if family := get("family"); family == "paragraph" || family == "text" {
					r.styles[get("name")] = style
				}
			case "text-properties":
				if style != nil {
					style.hidden = style.hidden || get("display") == "none"
					style.raised = strings.HasPrefix(get("text-position"), "super")
				}
			case "list-style":
				list = &odfList{}
				r.lists[get("name")] = list
			case "outline-style":
				list = &r.outline
			case "list-level-style-number", "outline-level-style", "list-level-style-bullet", "list-level-style-image":
				level, err := strconv.Atoi(get("level"))
				if list == nil || err != nil || level < 1 || level > len(list.levels) {
					break
				}
				l := odfLevel{bullet: t.Name.Local == "list-level-style-bullet" || t.Name.Local == "list-level-style-image", format: get("num-format"), prefix: get("num-prefix"), suffix: get("num-suffix"), start: 1, shown: 1}
				if n, err := strconv.Atoi(get("start-value")); err == nil {
					l.start = n
				}
				if n, err := strconv.Atoi(get("display-levels")); err == nil {
					l.shown = n
				}
				list.levels[level-1] = l
			case "header", "footer", "header-left", "footer-left", "header-first", "footer-first":
				r.inRunning++
			}
		case xml.EndElement:
			switch t.Name.Local {
			case "style":
				style = nil
			case "list-style", "outline-style":
				list = nil
			case "header", "footer", "header-left", "footer-left", "header-first", "footer-first":
				r.inRunning--
			}
		case xml.CharData:
			if r.inRunning > 0 {
				r.aside += countWords(string(t))
			}
		}
		return nil
	}
}

// number returns the number of the next item at a level, from 0, as shown.
func (l *odfList) number(c *odfCounter, at, start int) string {
	level := l.levels[at]
	if level.bullet {
		return "-"
	}
	for i := range at {
		if !c.running[i] {
			c.at[i], c.running[i] = max(1, l.levels[i].start), true
		}
	}
	switch {
	case start > 0:
		c.at[at], c.running[at] = start, true
	case !c.running[at]:
		c.at[at], c.running[at] = max(0, level.start), true
	default:
		c.at[at]++
	}
	for below := at + 1; below < len(c.running); below++ {
		c.running[below] = false
	}
	if level.format == "" {
		return strings.TrimSpace(level.prefix + level.suffix)
	}
	var numbers []string
	for i := max(0, at+1-max(1, level.shown)); i <= at; i++ {
		if l.levels[i].format == "" || l.levels[i].bullet {
			continue
		}
		numbers = append(numbers, numberAs(c.at[i], odfFormat(l.levels[i].format), ""))
	}
	return strings.TrimSpace(clean(level.prefix + strings.Join(numbers, ".") + level.suffix))
}

// odfFormat returns the name of a format of numbers in Word's words.
func odfFormat(format string) string {
	switch format {
	case "a":
		return "lowerLetter"
	case "A":
		return "upperLetter"
	case "i":
		return "lowerRoman"
	case "I":
		return "upperRoman"
	case "一, 二, 三, ...":
		return "chineseCounting"
	case "①, ②, ③, ...":
		return "decimalEnclosedCircle"
	}
	return "decimal"
}
