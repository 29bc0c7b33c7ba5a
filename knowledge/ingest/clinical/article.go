package clinical

import (
	"slices"
	"strings"

	"lacuna/knowledge/document"
	"lacuna/knowledge/passage"
)

// articleRoles are the elements of journal articles, with tables as in HTML and as in CALS.
func articleRoles() vocabulary {
	return vocabulary{}.
		with(block, "p disp-quote verse-group verse-line statement speech attrib disp-formula disp-formula-group preformat-group sig-block media supplementary-material fig-group table-wrap-group table-wrap-foot def-list-group question answer abstract trans-abstract blockquote formula").
		with(section, "sec app app-group ack notes glossary boxed-text bio fn-group front-stub section").
		with(heading, "title heading h1 h2 h3 h4 h5 h6").
		with(list, "list def-list ul ol").with(item, "list-item li").
		with(term, "term").with(definition, "def").
		with(tableRole, "table").with(rowRole, "tr row").with(cell, "td th entry").
		with(lineBreak, "break br").
		with(superscript, "sup").
		with(footnote, "fn table-wrap-foot/fn").
		with(code, "code preformat pre").
		with(picture, "graphic inline-graphic inline-media private-char").
		with(unread, "ref-list object-id permissions related-article related-object front history custom-meta-group long-desc alt-text milestone-start milestone-end index-term processing-meta floats-index")
}

// article reads a journal article (JATS, and the NLM vocabularies before it).
type article struct{ narrative }

func readArticle(content []byte) (document.Document, error) {
	root, err := parseXML(content, nil)
	if err != nil {
		return document.Document{}, err
	}
	var articles []*node
	if root.name == "article" || root.name == "sub-article" || root.name == "response" {
		articles = []*node{root}
	} else {
		root.each(func(n *node) bool {
			if n.name == "article" {
				articles = append(articles, n)
			}
			return n.name != "article"
		})
	}
	if len(articles) == 0 {
		return document.Document{}, document.Unread("no reader for this XML (root element " + short(root.name) + ")")
	}
	a := article{}
	a.roles = articleRoles()
	a.special = a.element
	for i, n := range articles {
		simplify(n)
		if i == 0 {
			a.metadata(n)
		}
		if err := a.article(n, 0, len(articles) > 1); err != nil {
			return document.Document{}, err
		}
	}
	return a.finish()
}

// article writes an article below a level. A further one begins with its title.
func (a *article) article(n *node, level int, named bool) error {
	a.depth = level
	meta := n.at("front", "article-meta")
	if meta == nil {
		meta = n.child("front-stub")
	}
	if named {
		if title := titleWords(meta.at("title-group", "article-title")); title != "" {
			a.depth = level + 1
			if err := a.label(title, a.depth, meta.line); err != nil {
				return err
			}
		}
	}
	level = a.depth
	abstracts := append(meta.all("abstract"), meta.all("trans-abstract")...)
	if meta == nil {
		n.each(func(c *node) bool { // as publishers have them in vocabularies of their own
			if c.name == "abstract" {
				abstracts = append(abstracts, c)
			}
			return c.name != "abstract" && c.name != "body" && c.name != "back" && c.name != "sub-article"
		})
	}
	for _, abstract := range abstracts {
		if err := a.abstract(abstract); err != nil {
			return err
		}
	}
	for _, name := range []string{"body", "article-body", "floats-group", "floats-wrap", "back"} {
		for _, part := range n.all(name) {
			a.depth = level
			if strings.HasPrefix(name, "floats") && len(part.words()) > 0 { // which belong to no section
				if err := a.label("Figures and tables", level+1, part.line); err != nil {
					return err
				}
			}
			if err := a.inside(part, passage.Paragraph, 0); err != nil {
				return err
			}
		}
	}
	if err := a.frontNotes(meta); err != nil {
		return err
	}
	for _, c := range n.children {
		if c.name == "sub-article" || c.name == "response" {
			if err := a.article(c, level, true); err != nil {
				return err
			}
		}
	}
	a.depth = level
	return nil
}

// frontNotes writes what authors say of their work besides the text: competing interests, funding, where
// the data are.
func (a *article) frontNotes(meta *node) error {
	if meta == nil {
		return nil
	}
	var notes []*node
	for _, c := range meta.all("author-notes") {
		notes = append(append(notes, c.all("fn")...), c.all("p")...)
	}
	for _, c := range meta.all("funding-group") {
		notes = append(notes, c.all("funding-statement")...)
	}
	for _, n := range notes {
		if len(strings.Fields(n.words())) <= maxNoteWords {
			continue // such as "Equal contribution"
		}
		if err := a.end(); err != nil {
			return err
		}
		if err := a.footnote(n); err != nil {
			return err
		}
	}
	for _, c := range meta.child("custom-meta-group").all("custom-meta") {
		if value := c.child("meta-value").words(); len(strings.Fields(value)) > maxNoteWords {
			if err := a.property(c.child("meta-name").words(), value, c.child("meta-value").line); err != nil {
				return err
			}
		}
	}
	return a.end()
}

// maxNoteWords is the length up to which a note of the authors is a label.
const maxNoteWords = 4

// titleWords returns the words of a title without its footnotes.
func titleWords(n *node) string {
	if n == nil {
		return ""
	}
	shown := &node{}
	for _, c := range n.children {
		if c.name != "fn" && c.name != "xref" {
			shown.children = append(shown.children, c)
		}
	}
	return shown.words()
}

// metadata reads what the article says about itself.
func (a *article) metadata(n *node) {
	meta := n.at("front", "article-meta")
	if meta == nil {
		meta = n.child("front-stub")
	}
	if meta == nil {
		a.Title = titleWords(n.at("header", "title-group", "title"))
		return
	}
	group := meta.child("title-group")
	a.Title = titleWords(group.child("article-title"))
	if sub := titleWords(group.child("subtitle")); sub != "" {
		a.Title += ": " + sub
	}
	for _, alt := range group.all("alt-title") {
		if kind := alt.attr("alt-title-type"); !strings.Contains(kind, "running") && !strings.Contains(kind, "runhead") {
			a.Aliases = appendNew(a.Aliases, titleWords(alt))
		}
	}
	for _, translated := range group.all("trans-title-group") {
		a.Aliases = appendNew(a.Aliases, titleWords(translated.child("trans-title")))
	}
	a.Aliases = slices.DeleteFunc(a.Aliases, func(name string) bool { return name == "" || strings.EqualFold(name, a.Title) })
	for _, id := range meta.all("article-id") {
		if kind := id.attr("pub-id-type"); kind == "doi" || kind == "pmid" && a.About.Page == "" {
			a.About.Page = kind + ":" + id.words()
		}
	}
	for _, contribs := range meta.all("contrib-group") {
		for _, c := range contribs.all("contrib") {
			if kind := c.attr("contrib-type"); kind != "" && kind != "author" {
				continue
			}
			name := nameOfContributor(c)
			if name != "" && len(a.About.Authors) < maxAuthors {
				a.About.Authors = append(a.About.Authors, name)
			}
		}
	}
	for _, keywords := range meta.all("kwd-group") {
		for _, k := range keywords.all("kwd") {
			if words := k.words(); words != "" && len(a.About.Tags) < maxAuthors {
				a.About.Tags = append(a.About.Tags, words)
			}
		}
	}
	a.Date = publicationDate(meta)
}

// maxAuthors bounds the authors and the keywords of a document.
const maxAuthors = 64

func nameOfContributor(c *node) string {
	name := c.child("name")
	if name == nil {
		name = c.at("name-alternatives", "name")
	}
	if name == nil {
		if group := c.child("collab"); group != nil {
			for _, part := range group.children {
				if part.name == "" && part != blank {
					return strings.Join(strings.Fields(part.text), " ")
				}
			}
			return group.words()
		}
		return c.child("string-name").words()
	}
	return strings.TrimSpace(name.child("given-names").words() + " " + name.child("surname").words())
}

// publicationDate returns the earliest date of publication, as far as it is known.
func publicationDate(meta *node) string {
	best := ""
	for _, d := range meta.all("pub-date") {
		date := d.child("year").words()
		if month := number(d.child("month").words()); month > 0 && date != "" {
			date += "-" + twoDigits(month)
			if day := number(d.child("day").words()); day > 0 {
				date += "-" + twoDigits(day)
			}
		}
		switch {
		case date == "":
		case best == "", date[:min(4, len(date))] < best[:min(4, len(best))], date[:min(4, len(date))] == best[:min(4, len(best))] && len(date) > len(best):
			best = date
		}
	}
	return best
}

func twoDigits(n int) string { return string([]byte{'0' + byte(n/10%10), '0' + byte(n%10)}) }

func (a *article) abstract(n *node) error {
	a.depth++
	defer func() { a.depth-- }()
	if n.child("title") == nil && n.child("heading") == nil {
		label := "Abstract"
		if kind := n.attr("abstract-type"); kind == "summary" || kind == "executive-summary" {
			label = "Summary"
		}
		if err := a.label(label, a.depth, n.line); err != nil {
			return err
		}
	}
	return a.inside(n, passage.Paragraph, 0)
}

// element handles what an article has besides narrative.
func (a *article) element(n *node) (bool, error) {
	switch n.name {
	case "ref-list":
		n.each(func(c *node) bool {
			if c.name == "ref" {
				a.Omit("references", len(strings.Fields(c.words())))
			}
			return c.name != "ref"
		})
		return true, nil
	case "sec", "app", "ack", "notes", "glossary", "boxed-text", "fn-group", "bio":
		return true, a.section(n)
	case "fig", "table-wrap", "chem-struct-wrap", "array", "supplementary-material":
		return true, a.captioned(n)
	case "list-item", "def-item":
		if label := n.child("label"); label != nil && n.name == "list-item" {
			n.children = slices.DeleteFunc(slices.Clone(n.children), func(c *node) bool { return c == label })
			prefixed(n, label.words(), label.line)
		}
	case "label":
		err := a.node(&node{name: "bold", line: n.line, children: n.children})
		a.Space()
		return true, err
	case "table-wrap-foot":
		for _, c := range n.children {
			if c.name == "fn" || c.name == "p" || c.name == "attrib" || c.name == "fn-group" {
				if err := a.end(); err != nil {
					return true, err
				}
				if err := a.footnote(c); err != nil {
					return true, err
				}
			}
		}
		return true, nil
	case "p":
		if a.inNotes || a.opened == passage.Footnote && a.open {
			a.Space()
			return true, a.children(n)
		}
	}
	return false, nil
}

// prefixed puts words before the first text below n.
func prefixed(n *node, words string, line int) {
	for i, c := range n.children {
		switch {
		case c == blank:
		case c.name == "":
			n.children[i] = &node{text: words + " " + strings.TrimLeft(c.text, " \t\r\n"), line: c.line}
			return
		case c.name == "p" || c.name == "title":
			c.children = append([]*node{{text: words + " ", line: line}}, c.children...)
			return
		default:
			n.children = append([]*node{{text: words + " ", line: line}}, n.children...)
			return
		}
	}
}

// section writes a section with its number and title as heading.
func (a *article) section(n *node) error {
	a.depth++
	defer func() { a.depth-- }()
	title, label := n.child("title"), n.child("label")
	if title == nil {
		title = n.at("caption", "title")
	}
	switch {
	case title.words() != "":
		if label.words() != "" {
			prefixed(title, label.words(), label.line)
			prefixedEmpty(title, label)
		}
		if err := a.narrative.heading(title, a.depth); err != nil {
			return err
		}
	case n.name == "ack":
		if err := a.label("Acknowledgements", a.depth, n.line); err != nil {
			return err
		}
	}
	if err := a.end(); err != nil {
		return err
	}
	kind, level := a.kind, a.level
	a.kind, a.level = passage.Paragraph, 0
	for _, c := range n.children {
		if c == title || c == label && title.words() != "" {
			continue
		}
		if c.name == "caption" && title != nil {
			c = &node{name: "caption", line: c.line, children: slices.DeleteFunc(slices.Clone(c.children), func(t *node) bool { return t == title })}
		}
		if err := a.node(c); err != nil {
			return err
		}
	}
	err := a.end()
	a.kind, a.level = kind, level
	return err
}

// prefixedEmpty does nothing if prefixed found a text.
func prefixedEmpty(title, label *node) {
	if len(title.children) == 0 {
		title.children = []*node{{text: label.words(), line: label.line}}
	}
}

// maxCaptionWords is the length up to which all of a caption is one block. Of a longer one, the title is.
const maxCaptionWords = 30

// captioned writes a figure or table with its caption first.
func (a *article) captioned(n *node) error {
	if err := a.end(); err != nil {
		return err
	}
	label, caption := n.child("label"), n.child("caption")
	title := caption.child("title")
	all := strings.Fields(label.words() + " " + caption.words())
	var rest []*node // of the caption
	if caption != nil {
		for _, c := range caption.children {
			if c != title {
				rest = append(rest, c)
			}
		}
	}
	a.begin(passage.Caption, 0)
	part := func(n *node) error {
		if n == nil {
			return nil
		}
		a.Space()
		return a.flat(n)
	}
	err := part(label)
	if err == nil && label != nil {
		a.Space()
	}
	if err == nil {
		err = part(title)
	}
	if err == nil && len(all) <= maxCaptionWords {
		err = part(&node{children: rest})
		rest = nil
	}
	a.close()
	if err != nil {
		return err
	}
	lead := len(a.Blocks) // 1 plus the index of the caption
	kind, level := a.kind, a.level
	a.kind, a.level = passage.Paragraph, 0
	for _, c := range rest {
		if err := a.node(c); err != nil {
			return err
		}
	}
	if err := a.end(); err != nil {
		return err
	}
	if len(all) > 0 {
		for i := lead; i < len(a.Blocks) && a.Blocks[i].Kind == passage.Paragraph; i++ {
			a.Blocks[i].Lead = lead
		}
	}
	tables := 0
	for _, c := range n.children {
		if c == label || c == caption {
			continue
		}
		if a.roles[c.name] == tableRole {
			tables++
		}
		before := len(a.Blocks)
		if err := a.node(c); err != nil {
			return err
		}
		if before < len(a.Blocks) && lead > 0 && len(all) > 0 && a.Blocks[before].Lead == 0 && (a.Blocks[before].Kind == passage.HeaderRow || a.Blocks[before].Kind == passage.Row) {
			a.Blocks[before].Lead = lead
		}
	}
	if n.name == "table-wrap" && tables == 0 && n.child("graphic") != nil {
		a.Lose("tables that are pictures", 0)
	}
	err = a.end()
	a.kind, a.level = kind, level
	return err
}

// flat writes what is below an element into the open block; its paragraphs do not end it.
func (a *article) flat(n *node) error {
	for _, c := range n.children {
		var err error
		switch {
		case c.name == "", c.name == "sup", a.roles[c.name] == footnote, a.roles[c.name] == picture, a.roles[c.name] == unread:
			err = a.node(c)
		case a.roles[c.name] == inline:
			err = a.flat(c)
		default:
			a.Space()
			err = a.flat(c)
			a.Space()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// simplify replaces formulas with their text, and takes one of several forms of the same thing.
func simplify(n *node) {
	for i, c := range n.children {
		switch c.name {
		case "":
		case "alternatives":
			c.children = oneOf(c)
			simplify(c)
		case "math":
			n.children[i] = &node{text: " " + formula(c) + " ", line: c.line}
		case "tex-math":
			n.children[i] = &node{text: " " + tex(c.raw()) + " ", line: c.line}
		default:
			simplify(c)
		}
	}
}

// oneOf returns the form that can be read: markup before TeX before pictures.
func oneOf(n *node) []*node {
	for _, name := range []string{"table", "math", "tex-math", "textual-form"} {
		if c := n.child(name); c != nil {
			return []*node{c}
		}
	}
	return n.children
}

// tex returns a formula in TeX without the document around it.
func tex(text string) string {
	if _, after, found := strings.Cut(text, `\begin{document}`); found {
		text, _, _ = strings.Cut(after, `\end{document}`)
	}
	return strings.Trim(strings.TrimSpace(text), "$ ")
}

// formula returns MathML on one line: a fraction as (a)/(b), a power as a^b.
func formula(n *node) string {
	var b strings.Builder
	writeFormula(n, &b)
	return strings.Join(strings.Fields(b.String()), " ")
}

func writeFormula(n *node, b *strings.Builder) {
	var parts []*node
	for _, c := range n.children {
		if c.name != "" {
			parts = append(parts, c)
		}
	}
	group := func(n *node) {
		one := formula(n)
		if strings.ContainsAny(one, " +-−*/=") {
			one = "(" + one + ")"
		}
		b.WriteString(one)
	}
	switch {
	case n.name == "mfrac" && len(parts) == 2:
		group(parts[0])
		b.WriteString("/")
		group(parts[1])
	case (n.name == "msup" || n.name == "mover") && len(parts) == 2:
		writeFormula(parts[0], b)
		if n.name == "msup" {
			b.WriteString("^")
		}
		group(parts[1])
	case (n.name == "msub" || n.name == "munder") && len(parts) == 2:
		writeFormula(parts[0], b)
		b.WriteString("_")
		group(parts[1])
	case n.name == "msubsup" && len(parts) == 3:
		writeFormula(parts[0], b)
		b.WriteString("_")
		group(parts[1])
		b.WriteString("^")
		group(parts[2])
	case n.name == "msqrt":
		b.WriteString("√")
		group(&node{children: n.children})
	case n.name == "annotation" || n.name == "annotation-xml":
	case n.name == "mo":
		b.WriteString(" " + n.words() + " ")
	default:
		for _, c := range n.children {
			if c.name == "" {
				b.WriteString(c.text)
			} else {
				writeFormula(c, b)
			}
		}
		if n.name == "mtr" || n.name == "mtd" || n.name == "mtext" {
			b.WriteByte(' ')
		}
	}
}
