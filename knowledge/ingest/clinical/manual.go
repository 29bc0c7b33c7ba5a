package clinical

import (
	"slices"
	"strings"

	"lacuna/knowledge/document"
	"lacuna/knowledge/passage"
)

// manuals maps root elements to the readers of DocBook, DITA and TEI.
var manuals = map[string]func([]byte) (document.Document, error){}

func init() {
	for name := range strings.FieldsSeq("article book chapter part set section sect1 sect2 refentry reference preface appendix glossary qandaset simplesect") {
		manuals[name] = readDocBook
	}
	for name := range strings.FieldsSeq("topic concept task dita troubleshooting glossentry glossgroup learningContent learningOverview") {
		manuals[name] = readDITA
	}
	for name := range strings.FieldsSeq("TEI TEI.2 teiCorpus") {
		manuals[name] = readTEI
	}
}

// docBookRoles are the elements of DocBook.
func docBookRoles() vocabulary {
	return vocabulary{}.
		with(section, "article book chapter part set section sect1 sect2 sect3 sect4 sect5 simplesect preface appendix refentry refsect1 refsect2 refsect3 refsection refsynopsisdiv glossary glossdiv bibliography reference partintro dedication colophon acknowledgements qandaset qandadiv topic").
		with(heading, "title refname bridgehead").
		with(block, "para simpara formalpara subtitle blockquote epigraph attribution abstract figure informalfigure mediaobject textobject example informalexample procedure substeps task sidebar qandaentry question answer refnamediv refpurpose cmdsynopsis funcsynopsis synopsis segmentedlist calloutlist equation informalequation literallayout address revhistory legalnotice screenshot screenco programlistingco personblurb highlights msgset").
		with(list, "itemizedlist orderedlist simplelist variablelist glosslist").
		with(item, "listitem step member callout seg").
		with(term, "term glossterm").with(definition, "glossdef").
		with(admonition, "note warning caution important tip danger").
		with(tableRole, "table informaltable").with(rowRole, "row tr").with(cell, "entry td th").
		with(caption, "caption").
		with(code, "programlisting screen synopsis literallayout").
		with(footnote, "footnote").
		with(superscript, "superscript").
		with(picture, "imageobject inlinemediaobject videoobject audioobject graphic").
		with(unread, "info articleinfo bookinfo chapterinfo sectioninfo sect1info refentryinfo refmeta indexterm index toc lot biblioentry bibliomixed remark titleabbrev")
}

// ditaRoles are the elements of DITA topics.
func ditaRoles() vocabulary {
	return vocabulary{}.
		with(section, "topic concept task reference troubleshooting section example refsyn result prereq context postreq steps-informal glossentry cause remedy condition troubleSolution learningContentbody").
		with(heading, "title glossterm").
		with(block, "p shortdesc abstract body conbody taskbody refbody fig lq info stepresult stepxmp tutorialinfo choicetable properties div bodydiv sectiondiv steps steps-unordered substeps choices dl glossdef glossBody linkpool cmd itemgroup responsibleParty").
		with(list, "ul ol sl steps steps-unordered substeps choices").
		with(item, "li sli step substep choice stepsection").
		with(term, "dt pt").with(definition, "dd pd").
		with(admonition, "note hazardstatement").
		with(tableRole, "table simpletable choicetable properties").with(rowRole, "row strow sthead chrow chhead property prophead").with(cell, "entry stentry choption chdesc choptionhd chdeschd proptype propvalue propdesc proptypehd propvaluehd propdeschd").
		with(caption, "caption").
		with(code, "codeblock screen msgblock pre lines").
		with(footnote, "fn").
		with(superscript, "sup").
		with(picture, "image object").
		with(unread, "prolog titlealts related-links indexterm draft-comment data foreign unknown keywords metadata map")
}

// teiRoles are the elements of TEI.
func teiRoles() vocabulary {
	return vocabulary{}.
		with(section, "div div1 div2 div3 div4 div5").
		with(heading, "head").
		with(block, "p ab lg l sp speaker stage quote q epigraph opener closer salute signed dateline trailer argument titlePart byline docTitle docAuthor docDate cit").
		with(list, "list").with(item, "item").
		with(tableRole, "table").with(rowRole, "row").with(cell, "cell").
		with(lineBreak, "lb").
		with(footnote, "note").
		with(picture, "graphic figure").
		with(unread, "teiHeader fw pb gb milestone index listBibl facsimile sourceDoc standOff")
}

func readDocBook(content []byte) (document.Document, error) {
	return readManual(content, docBookRoles(), func(m *manual, root *node) {
		info := root
		for _, c := range root.children {
			if strings.HasSuffix(c.name, "info") {
				info = c
				break
			}
		}
		for _, at := range []*node{root.child("title"), info.child("title"), root.at("refnamediv", "refname")} {
			if m.Title == "" {
				m.Title = at.words()
			}
		}
		m.Date = info.child("pubdate").words()
		if m.Date == "" {
			m.Date = info.child("date").words()
		}
		m.About.Version = info.child("releaseinfo").words()
		for _, group := range append(info.all("authorgroup"), info) {
			for _, author := range group.all("author") {
				name := author.child("personname")
				if name == nil {
					name = author
				}
				written := strings.TrimSpace(name.child("firstname").words() + " " + name.child("surname").words())
				if written == "" {
					written = author.child("orgname").words()
				}
				m.author(written)
			}
		}
		for _, c := range info.all("abstract") {
			root.children = append([]*node{{name: "abstract", line: c.line, children: c.children}}, root.children...)
		}
	})
}

func readDITA(content []byte) (document.Document, error) {
	return readManual(content, ditaRoles(), func(m *manual, root *node) {
		m.Title = root.child("title").words()
		prolog := root.child("prolog")
		for _, a := range prolog.all("author") {
			m.author(a.words())
		}
		m.Date = prolog.at("critdates", "revised").attrOr("modified")
		if m.Date == "" {
			m.Date = prolog.at("critdates", "created").attrOr("date")
		}
		for _, k := range prolog.at("metadata", "keywords").all("keyword") {
			m.About.Tags = append(m.About.Tags, k.words())
		}
	})
}

func readTEI(content []byte) (document.Document, error) {
	return readManual(content, teiRoles(), func(m *manual, root *node) {
		file := root.at("teiHeader", "fileDesc")
		m.Title = file.at("titleStmt", "title").words()
		for _, a := range file.at("titleStmt").all("author") {
			m.author(a.words())
		}
		m.Date = file.at("publicationStmt", "date").words()
	})
}

// manual reads a document of sections.
type manual struct {
	narrative
	title *node // which labels no section
}

func (m *manual) author(name string) {
	if name != "" && len(m.About.Authors) < maxAuthors {
		m.About.Authors = append(m.About.Authors, name)
	}
}

// readManual reads a document whose elements have roles; about reads what it says about itself.
func readManual(content []byte, roles vocabulary, about func(*manual, *node)) (document.Document, error) {
	root, err := parseXML(content, nil)
	if err != nil {
		return document.Document{}, err
	}
	m := manual{}
	m.roles = roles
	simplify(root)
	about(&m, root)
	if title := root.child("title"); title.words() == m.Title {
		m.title = title
	}
	m.special = m.element
	if err := m.inside(root, passage.Paragraph, 0); err != nil {
		return document.Document{}, err
	}
	return m.finish()
}

// labels are what readers see before the text of an admonition.
var labels = map[string]string{"note": "Note", "warning": "Warning", "caution": "Caution", "important": "Important", "tip": "Tip", "danger": "Danger", "hazardstatement": "Warning"}

// element handles what manuals have besides narrative.
func (m *manual) element(n *node) (bool, error) {
	switch {
	case n == m.title:
		return true, nil
	case m.roles[n.name] == admonition:
		return true, m.admonition(n)
	case m.roles[n.name] == heading && n.name == "title" && m.depth == 0 && m.title != nil:
		m.depth = 1 // of a table or figure outside any section
		err := m.inside(n, passage.Caption, 0)
		m.depth = 0
		return true, err
	case n.name == "varlistentry" || n.name == "dlentry" || n.name == "glossentry" && n.child("glossdef") != nil:
		return true, m.entry(n)
	case captioned[n.name]:
		return true, m.captioned(n)
	case n.name == "trademark", n.name == "xref" && n.words() == "":
		return false, nil
	case m.inNotes && m.roles[n.name] == block:
		m.Space()
		return true, m.children(n)
	}
	return false, nil
}

// captioned have a title that is no heading of the section.
var captioned = setOf("figure example procedure fig equation sidebar formalpara abstract itemizedlist orderedlist variablelist segmentedlist blockquote task qandaset")

// captioned writes an element with a title of its own.
func (m *manual) captioned(n *node) error {
	title := n.child("title")
	if title == nil || m.roles[n.name] == section {
		handled := m.special
		defer func() { m.special = handled }()
		m.special = func(c *node) (bool, error) {
			if c == n {
				return false, nil
			}
			return handled(c)
		}
		return m.node(n)
	}
	if err := m.inside(title, passage.Caption, 0); err != nil {
		return err
	}
	rest := *n
	rest.children = slices.DeleteFunc(slices.Clone(n.children), func(c *node) bool { return c == title })
	return m.node(&rest)
}

// entry writes a term with its definition.
func (m *manual) entry(n *node) error {
	for _, c := range n.children {
		if c.name == "" {
			continue
		}
		kind := passage.Definition
		if m.roles[c.name] == term || c.name == "glossterm" {
			kind = passage.Term
		}
		if err := m.inside(c, kind, 0); err != nil {
			return err
		}
	}
	return nil
}

// admonition writes a note or warning with its name.
func (m *manual) admonition(n *node) error {
	if err := m.end(); err != nil {
		return err
	}
	label := labels[n.name]
	if kind := n.attr("type"); n.name == "note" && kind != "" {
		label = strings.ToUpper(kind[:1]) + kind[1:]
	}
	rest := n
	if title := n.child("title"); title.words() != "" {
		label = title.words()
		with := *n
		with.children = slices.DeleteFunc(slices.Clone(n.children), func(c *node) bool { return c == title })
		rest = &with
	}
	m.begin(passage.Admonition, 0)
	if err := m.Words(label, n.line); err != nil {
		return err
	}
	m.close()
	lead, kind, level := len(m.Blocks), m.kind, m.level
	if m.kind == passage.Item {
		m.kind = passage.Paragraph
	}
	err := m.children(rest)
	if err == nil {
		err = m.end()
	}
	m.kind, m.level = kind, level
	for i := lead; i < len(m.Blocks) && m.Blocks[i].Kind == passage.Paragraph; i++ {
		m.Blocks[i].Lead = lead
	}
	return err
}
