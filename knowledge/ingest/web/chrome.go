package web

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html/atom"

	"lacuna/knowledge/document"
)

// proseWords is the number of words from which a block without many links reads as text.
const proseWords = 9

// Hints are parts of the names that writers give to elements. They are evidence, never proof.
var (
	navigationHint = regexp.MustCompile(`nav|menu|sidebar|side-bar|pager|paginat|footer|toolbar|topbar|header|masthead|banner|skip|share|social|language|lang-|quicklink|subscribe|newsletter|search|prev|next|copyright|toc|treeview|colophon|catlinks|portlet|jump|edit|logo|widget|feedback|login|crumb|catalog|button|btn`)
	// insideHint is what counts inside the content, where a list of links may be what the page is for.
	insideHint   = regexp.MustCompile(`nav|menu|pager|paginat|prevnext|prev-next|skip|share|social|footer|toolbar|sidebar|subscribe|edit|crumb|catlinks|printfooter`)
	crumbHint    = regexp.MustCompile(`breadcrumb|bread-crumb|\bcrumbs?\b`)
	contentsHint = regexp.MustCompile(`\btoc\b|toc-|-toc|\btoc|tableofcontents|table-of-contents|table of contents|\bcontents\b|on-this-page|\bonthispage`)
	noticeHint   = regexp.MustCompile(`cookie|consent|gdpr|usa-banner|announcement-?bar|site-notice|sitenotice`)
	indexHint    = regexp.MustCompile(`(?i)\bgenindex\b|\bindex\b|stichwort|sachregister|\bregister\b|índice alfab|索引`)
	drawnHint    = regexp.MustCompile(`katex|mathjax|mjx|icon|symbol|glyph|\bfa-|emoji`) // what is drawn with letters
	editHint     = regexp.MustCompile(`editsection|headerlink|permalink|anchor-?link|heading-?link|header-?anchor|\banchor\b|hash-link|reversefootnote|footnote-back|backref|backlink|self-?link|edit-this-page|edit_page|editlink`)
)

// hint returns the names that the writer gave to an element.
func (n *node) hint() string {
	var b strings.Builder
	for _, a := range n.attributes {
		switch a.Key {
		case "id", "class", "role", "aria-label", "epub:type":
			b.WriteString(strings.ToLower(a.Val))
			b.WriteByte(' ')
		}
	}
	return b.String()
}

func (n *node) isRole(roles ...string) bool {
	role := n.attribute("role")
	return role != "" && slices.Contains(roles, role)
}

// countWords counts words, and two Chinese or Japanese characters as one.
func countWords(text string) int32 {
	count, wide := 0, 0
	inside := false
	for _, r := range text {
		switch {
		case r < utf8.RuneSelf && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'):
			if !inside {
				count++
			}
			inside = true
		case r < utf8.RuneSelf:
			if inside && (r == '\'' || r == '-' || r == '.' || r == '_') {
				continue
			}
			inside = false
		case r >= 0x3040 && r <= 0x9FFF:
			wide++
			inside = false
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if !inside {
				count++
			}
			inside = true
		default:
			inside = false
		}
	}
	return int32(count + (wide+1)/2)
}

// leftOut names the elements whose text is not part of the document, with what users read about them.
var leftOut = map[atom.Atom]string{
	atom.Script: "-", atom.Style: "-", atom.Head: "-", atom.Title: "-", atom.Template: "-", atom.Rp: "-", atom.Datalist: "options of forms",
	atom.Select: "options of forms", atom.Textarea: "fields of forms", atom.Svg: "words in drawings", atom.Canvas: "fallback text", atom.Video: "fallback text",
	atom.Audio: "fallback text", atom.Object: "fallback text", atom.Noembed: "fallback text", atom.Iframe: "fallback text", atom.Noframes: "fallback text", atom.Noscript: "fallback text",
	atom.Rt: "readings above characters", atom.Applet: "fallback text",
}

// omit decides for each element whether its text is left out, and why. "-" is not reported.
func (t *tree) omit() {
	fallback, drawn := t.framed(), t.drawn()
	t.each(0, func(at int32) bool {
		n := &t.nodes[at]
		if n.isText() {
			return false
		}
		what := leftOut[n.tag]
		t.revealAlternative(at)
		switch {
		case n.name == "annotation" || n.name == "annotation-xml":
			what = "-"
		case n.tag == atom.Head:
			what = "" // its own elements are left out; what does not belong there is seen
		case n.concealed:
			what = "hidden"
		case n.tag == atom.Template && n.has("shadowrootmode"):
			what = ""
		case n.tag == atom.Svg && drawn, n.tag == atom.Object && t.wordsIn(at, 20) > 20:
			what = ""
		case what == "fallback text" && fallback && n.tag != atom.Iframe:
			what = ""
		case n.tag == atom.Button && !n.has("aria-expanded") && !n.has("aria-controls") && !t.under(at, func(up *node) bool {
			return headings[up.tag] || up.tag == atom.Summary || up.tag == atom.Dt
		}):
			what = "buttons"
		case n.attribute("aria-hidden") == "true" && !n.isBlock() && (t.wordsIn(at, 1) == 0 || drawnHint.MatchString(n.hint())):
			what = "-"
		case n.tag == atom.Dialog && !n.has("open"):
			what = "hidden"
		case n.tag == atom.A && t.isMark(at):
			what = "-"
		case n.tag == atom.Span && editHint.MatchString(n.hint()) && t.under(at, func(up *node) bool { return headings[up.tag] }):
			what = "-"
		}
		n.omitted = what
		return what == ""
	}, nil)
}

// revealAlternative reads the last of the wordings in the midst of a sentence of which a script shows one, as of
// the keys of each system, if all of them are hidden until then: without it the sentence lacks a word.
func (t *tree) revealAlternative(at int32) {
	n := &t.nodes[at]
	if n.isBlock() || n.concealed || n.first == n.last {
		return
	}
	beside := t.nodes[n.next].isText() && n.next != 0
	for i := t.nodes[n.parent].first; i != 0 && i != at; i = t.nodes[i].next {
		beside = beside || t.nodes[i].isText()
	}
	for i := n.first; i != 0; i = t.nodes[i].next {
		if c := &t.nodes[i]; c.isText() && strings.TrimSpace(c.text) != "" || !c.isText() && (!c.concealed || c.isBlock()) {
			return
		}
	}
	if last := &t.nodes[n.last]; beside && !last.isText() {
		last.concealed = false
	}
}

// drawn reports whether most words of the page stand in drawings, as in comics.
func (t *tree) drawn() bool {
	inside, all := int32(0), int32(0)
	for i := int32(0); int(i) < len(t.nodes); {
		n := &t.nodes[i]
		switch {
		case n.tag == atom.Svg:
			inside += t.wordsIn(i, 1000)
			i = n.end
			continue
		case leftOut[n.tag] != "" && n.tag != atom.Head:
			i = n.end
			continue
		}
		all += countWords(n.text)
		i++
	}
	return inside > 2*all && inside > 3
}

// framed reports whether what stands in for frames or scripts is all the text of the page.
func (t *tree) framed() bool {
	seen, instead := int32(0), int32(0)
	t.each(0, func(at int32) bool {
		n := &t.nodes[at]
		switch {
		case n.isText():
			seen += countWords(n.text)
		case n.tag == atom.Noframes || n.tag == atom.Noscript:
			instead += t.wordsIn(at, 1000)
			return false
		}
		return leftOut[n.tag] == "" || n.tag == atom.Head
	}, nil)
	return instead > 20 && seen*4 < instead
}

// wordsIn counts the words below a node, whether they are seen or not, up to about a limit.
func (t *tree) wordsIn(at, limit int32) int32 {
	words := int32(0)
	for i := at + 1; i < t.nodes[at].end && words <= limit; i++ {
		words += countWords(t.nodes[i].text)
	}
	return words
}

// under reports whether one of the nearest elements around a node fulfils a condition.
func (t *tree) under(at int32, is func(*node) bool) bool {
	for depth := 0; at != 0 && depth < 6; depth++ {
		at = t.nodes[at].parent
		if is(&t.nodes[at]) {
			return true
		}
	}
	return false
}

// isMark reports whether a link is a mark for the writer or the reader of the page, such as the sign that
// links a heading to itself.
func (t *tree) isMark(at int32) bool {
	n := &t.nodes[at]
	if n.isRole("doc-backlink") || editHint.MatchString(n.hint()) && t.wordsIn(at, 4) <= 4 {
		return true
	}
	if !strings.HasPrefix(n.attribute("href"), "#") {
		return false
	}
	seen := false
	for i := at + 1; i < n.end; i++ {
		for _, r := range t.nodes[i].text {
			seen = seen || !unicode.IsSpace(r)
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return false
			}
		}
	}
	return seen
}

// measureAll fills in what stands in each element.
func (t *tree) measureAll() {
	block := make([]int32, len(t.nodes)) // the nearest block around each node
	link := make([]bool, len(t.nodes))
	hidden := make([]bool, len(t.nodes))
	for i := range t.nodes {
		n := &t.nodes[i]
		if i > 0 {
			up := n.parent
			block[i], link[i], hidden[i] = block[up], link[up], hidden[up] || n.omitted != ""
			if t.nodes[up].isBlock() {
				block[i] = up
			}
		}
		if hidden[i] {
			continue
		}
		switch {
		case n.isText():
			n.words = countWords(n.text)
			b := &t.nodes[block[i]]
			b.own += n.words
			if link[i] {
				n.linked = n.words
				b.ownL += n.words
			}
		case n.tag == atom.A && n.attribute("href") != "":
			link[i] = true
			n.links = 1
			if strings.HasPrefix(n.attribute("href"), "#") {
				n.inside = 1
			}
		case headings[n.tag]:
			n.heads = 1
		}
	}
	for i := len(t.nodes) - 1; i > 0; i-- {
		n := &t.nodes[i]
		if n.own >= proseWords && n.ownL*2 < n.own {
			n.prose += n.own
		}
		up := &t.nodes[n.parent]
		up.words += n.words
		up.linked += n.linked
		up.prose += n.prose
		up.links += n.links
		up.inside += n.inside
		up.heads += n.heads
	}
	if root := &t.nodes[0]; root.own >= proseWords && root.ownL*2 < root.own {
		root.prose += root.own
	}
}

// density returns the share of an element's words that are links.
func (m *measure) density() float64 {
	if m.words == 0 {
		return 0
	}
	return float64(m.linked) / float64(m.words)
}

// page is what the labelling of chrome knows of a page.
type page struct {
	*tree
	main        int32 // the element that holds the content; 0 for none
	first       int32 // the node at which its text begins
	last        int32 // the last node of its text
	targets     map[string]bool
	heading     []int32 // the last heading before each node; 0 for none
	unlinked    []int32 // words outside links before each node
	isIndexPage bool    // the content is an index of words
	spent       int     // nodes looked at again
	boldness    int     // how much is labelled: 0 all that looks like chrome, 1 what is named so, 2 nothing
}

// label labels chrome. If that leaves too little of the page, it labels less.
func (t *tree) label() {
	t.measureAll()
	p := &page{tree: t, targets: map[string]bool{}}
	for i := range t.nodes {
		for _, name := range []string{"id", "name"} {
			if v := t.nodes[i].attribute(name); v != "" {
				p.targets["#"+v] = true
			}
		}
	}
	p.unlinked = make([]int32, len(t.nodes)+1)
	p.heading = make([]int32, len(t.nodes)+1)
	for i := range t.nodes {
		p.heading[i+1] = p.heading[i]
		if headings[t.nodes[i].tag] && t.nodes[i].words > 0 {
			p.heading[i+1] = int32(i)
		}
		p.unlinked[i+1] = p.unlinked[i]
		if n := &t.nodes[i]; n.isText() {
			p.unlinked[i+1] += n.words - n.linked
		}
	}
	p.findMain()
	p.findText()
	main := &t.nodes[p.main]
	p.isIndexPage = main.links >= 40 && main.density() >= 0.5 && main.prose*4 < main.words && p.isIndex(p.main)
	for p.boldness = 0; p.boldness < 3; p.boldness++ {
		kept, keptProse, index := p.labelAll()
		total, prose := t.nodes[0].words, t.nodes[0].prose
		enough := keptProse >= 30 || kept*8 >= total || total < 40 && kept > 0
		if p.boldness == 1 {
			enough = kept >= 8
		}
		if index || keptProse*4 >= prose*3 && enough {
			return
		}
	}
}

// labelLists labels the lists of contents of a page of a book.
func (t *tree) labelLists() {
	t.measureAll()
	for i := range t.nodes {
		if n := &t.nodes[i]; n.tag == atom.Nav && n.words > 0 && n.density() > 0.5 {
			n.chrome = document.Contents
		}
	}
}

// findMain finds the element that says that it holds the content, if it holds most of the text.
func (p *page) findMain() {
	var articles []int32
	for i := range p.nodes {
		n := &p.nodes[i]
		switch {
		case n.words == 0:
		case (n.tag == atom.Main || n.isRole("main")) && n.words > p.nodes[p.main].words || p.main == 0 && (n.tag == atom.Main || n.isRole("main")):
			p.main = int32(i)
		case (n.tag == atom.Article || n.isRole("article")) && (len(articles) == 0 || !p.isBelow(int32(i), articles[len(articles)-1])):
			articles = append(articles, int32(i))
		}
	}
	if p.main == 0 && len(articles) == 1 {
		p.main = articles[0]
	}
	if m := &p.nodes[p.main]; p.main != 0 && (m.prose*2 < p.nodes[0].prose && p.nodes[0].prose >= 40 || m.words < 5) {
		p.main = 0
	}
}

// isBelow reports whether a node is an element or stands in it.
func (p *page) isBelow(at, up int32) bool { return up <= at && at < p.nodes[up].end }

// findText finds where the text of the content begins and ends: the first and the last block that reads as
// text or is a heading.
func (p *page) findText() {
	for i := range p.nodes {
		n := &p.nodes[i]
		if n.isBlock() && n.own >= proseWords && n.ownL*2 < n.own && n.tag != atom.Footer {
			if p.first == 0 {
				p.first = int32(i)
			}
			p.last = int32(i)
		}
	}
}

// labelAll labels the page and returns the words that are left, of them those that read as text, and whether the page is an index of words.
func (p *page) labelAll() (kept, prose int32, index bool) {
	kept, prose = p.nodes[0].words, p.nodes[0].prose
	for i := range p.nodes {
		p.nodes[i].chrome = document.Content
	}
	p.each(0, func(at int32) bool {
		n := &p.nodes[at]
		if n.isText() || n.omitted != "" {
			return false
		}
		if n.words == 0 {
			return false
		}
		if n.chrome = p.chromeOf(at); n.chrome == document.Content {
			return true
		}
		index = index || p.isIndexPage || n.chrome == document.Index && n.words*2 > p.nodes[0].words
		kept -= n.words
		prose -= n.prose
		return false
	}, nil)
	return kept, prose, index
}

// chromeOf returns why an element is not content.
func (p *page) chromeOf(at int32) document.Chrome {
	n := &p.nodes[at]
	if p.boldness == 2 || !n.isBlock() && n.tag != atom.Span && n.tag != atom.A && n.name == "" || at == p.main || n.tag == atom.Body {
		return document.Content
	}
	if p.main != 0 && p.isBelow(p.main, at) { // it surrounds the content
		return document.Content
	}
	density := n.density()
	hint := n.hint()
	most := n.prose*2 > p.nodes[0].prose && n.prose > 0
	inMain := p.main != 0 && p.isBelow(at, p.main)
	if n.isBlock() || n.name != "" {
		switch {
		case most:
		case noticeHint.MatchString(hint) && n.words <= 400 && n.heads <= 3:
			return document.Notice
		case crumbHint.MatchString(hint) && n.words <= 60:
			return document.Breadcrumbs
		case n.tag == atom.Nav, n.isRole("navigation", "menu", "menubar", "search", "toolbar", "doc-toc", "directory", "tree"):
			if density >= 0.25 || n.prose == 0 {
				return p.navigation(at)
			}
		case n.isRole("contentinfo"), n.tag == atom.Footer && !inMain:
			if n.words <= 200 || density >= 0.25 {
				return document.Navigation
			}
		case n.isRole("banner"), n.tag == atom.Header && !inMain && !p.under(at, func(up *node) bool { return up.tag == atom.Article || up.tag == atom.Section }):
			if n.heads == 0 && (n.words <= 60 || density >= 0.25) {
				return document.Navigation
			}
		}
	}
	if !n.isBlock() && n.name == "" {
		return document.Content
	}
	if n.prose == 0 && n.links >= 1 && density >= 0.5 {
		if !inMain && navigationHint.MatchString(hint) || n.links >= 2 && density >= 0.7 && insideHint.MatchString(hint) {
			return p.navigation(at)
		}
	}
	if p.boldness > 0 {
		return document.Content
	}
	switch {
	case p.isIndexPage && n.prose == 0 && n.links > 0 && density >= 0.4:
		return document.Index
	case n.links >= 40 && density >= 0.5 && !most && p.isIndex(at):
		return document.Index
	case n.inside >= 3 && n.inside*10 >= n.links*8 && density >= 0.6 && n.prose == 0 && p.isList(at) && p.pointsInside(at):
		return document.Contents
	case n.inside >= 2 && n.inside*10 >= n.links*8 && contentsHint.MatchString(hint) && n.prose == 0 && density >= 0.5:
		return document.Contents
	case n.tag == atom.Aside && !inMain && n.prose == 0 && density >= 0.3:
		return document.Navigation
	case p.main != 0 && !inMain && (n.prose == 0 && n.heads == 0 || density >= 0.5):
		return document.Navigation
	case n.links >= 2 && n.prose == 0 && density >= 0.6 && n.words <= 30 && p.isEdge(at):
		return document.Navigation
	case p.main == 0 && n.links >= 3 && n.prose == 0 && density >= 0.75 && p.isOutside(at) && !most:
		return document.Navigation
	}
	return document.Content
}

// navigation tells a table of contents from other navigation.
func (p *page) navigation(at int32) document.Chrome {
	n := &p.nodes[at]
	if n.inside*2 > n.links && n.inside >= 2 || n.isRole("doc-toc") || contentsHint.MatchString(n.hint()) {
		return document.Contents
	}
	return document.Navigation
}

// isOutside reports whether an element stands before the text of the page or after it, and below no
// heading there.
func (p *page) isOutside(at int32) bool {
	if p.first == 0 || p.isBelow(p.first, at) {
		return false
	}
	if at < p.first {
		return p.heading[at] == 0
	}
	// A list below the last paragraph, in the same part of the page, is about the same thing.
	up := p.nodes[at].parent
	return at > p.last && p.heading[at] < p.last && !p.isLabelled(at) && (up == 0 || p.nodes[up].tag == atom.Body || !p.isBelow(p.last, up))
}

// isLabelled reports whether a short label stands directly before an element, as above links to pages about
// the same thing.
func (p *page) isLabelled(at int32) bool {
	before := int32(0)
	for child := p.nodes[p.nodes[at].parent].first; child != 0 && child < at; child = p.nodes[child].next {
		if p.spent++; p.spent > 8*maxNodes {
			return false
		}
		if p.nodes[child].words > 0 {
			before = child
		}
	}
	label := &p.nodes[before]
	return before > 0 && label.linked == 0 && label.words <= 6 && p.nodes[at].words <= 80
}

// isList reports whether an element is a list, or has three items of one.
func (p *page) isList(at int32) bool {
	switch p.nodes[at].tag {
	case atom.Ul, atom.Ol, atom.Dl, atom.Menu, atom.Dir, atom.Nav:
		return true
	}
	if !p.spend(at) {
		return false
	}
	items := 0
	for i := at; i < p.nodes[at].end && items < 3; i++ {
		switch p.nodes[i].tag {
		case atom.Li, atom.Dt, atom.Dd, atom.Tr:
			items++
		}
	}
	return items == 3
}

// isEdge reports whether a line of links stands at the beginning or the end of the page or its content.
func (p *page) isEdge(at int32) bool {
	before, after := p.around(at)
	return before <= 12 && p.isOutside(at) || after <= 25 && p.isOutside(at)
}

// around counts the words of the content before an element and after it, without links.
func (p *page) around(at int32) (before, after int32) {
	from, to := p.main, p.nodes[p.main].end
	return p.unlinked[at] - p.unlinked[from], p.unlinked[to] - p.unlinked[p.nodes[at].end]
}

// spend reports whether there is time to look at all nodes of an element once more. Pages that nest
// thousands of lists of links run out of it.
func (p *page) spend(at int32) bool {
	p.spent += int(p.nodes[at].end - at)
	return p.spent < 8*maxNodes
}

// pointsInside reports whether most links of an element lead to places that the page has.
func (p *page) pointsInside(at int32) bool {
	if !p.spend(at) {
		return false
	}
	found, all := 0, 0
	p.each(at, func(i int32) bool {
		if n := &p.nodes[i]; n.tag == atom.A {
			if href := n.attribute("href"); strings.HasPrefix(href, "#") && len(href) > 1 {
				all++
				if p.targets[href] {
					found++
				}
			}
		}
		return true
	}, nil)
	return found*2 >= all
}

// isIndex reports whether the links of an element are words in alphabetical order, and the page or its
// letters say that they are an index.
func (p *page) isIndex(at int32) bool {
	if !p.spend(at) {
		return false
	}
	var texts []string
	letters := 0
	p.each(at, func(i int32) bool {
		n := &p.nodes[i]
		if n.tag != atom.A && !headings[n.tag] && n.tag != atom.Dt {
			return !n.isText()
		}
		text := strings.ToLower(strings.TrimSpace(p.textOf(i, 60)))
		if first, size := utf8.DecodeRuneInString(text); size == len(text) && size > 0 {
			if unicode.IsLetter(first) {
				letters++
			}
			return false
		}
		if n.tag == atom.A && text != "" && !strings.HasPrefix(text, "[") && unicode.IsLetter([]rune(text)[0]) {
			texts = append(texts, text)
		}
		return n.tag == atom.Dt
	}, nil)
	if len(texts) < 30 {
		return false
	}
	rising := 1
	for i := 1; i < len(texts); i++ {
		if texts[i][:1] >= texts[i-1][:1] {
			rising++
		}
	}
	named := letters >= 8 || indexHint.MatchString(p.title()) || indexHint.MatchString(p.nodes[at].hint())
	return named && rising*10 >= len(texts)*8
}

// textOf returns the words below a node, up to about a length in bytes.
func (t *tree) textOf(at int32, longest int) string {
	var b strings.Builder
	for i := at + 1; i < t.nodes[at].end && b.Len() <= longest; {
		n := &t.nodes[i]
		if n.omitted != "" {
			i = n.end
			continue
		}
		b.WriteString(n.text)
		if n.isBlock() || n.tag == atom.Br {
			b.WriteByte(' ')
		}
		i++
	}
	return strings.Join(strings.Fields(clean(b.String())), " ")
}

// title returns the words of the title element.
func (t *tree) title() string {
	for i := range t.nodes {
		if t.nodes[i].tag == atom.Title && t.nodes[t.nodes[i].parent].tag != atom.Svg {
			var b strings.Builder
			t.each(int32(i), func(at int32) bool { b.WriteString(t.nodes[at].text); return true }, nil)
			return strings.Join(strings.Fields(b.String()), " ")
		}
	}
	return ""
}
