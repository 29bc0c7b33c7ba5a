package office

import (
	"strings"
	"testing"
)

const odfSpace = ` xmlns:office="o" xmlns:text="text" xmlns:table="t" xmlns:draw="d" xmlns:style="s" xmlns:xlink="x" xmlns:presentation="p" xmlns:svg="svg">`

// odt returns an OpenDocument file of a body and of styles.
func odt(body, styles string) []byte {
	return packed(map[string]string{
		"content.xml": `<office:document-content` + odfSpace + `<office:automatic-styles><style:style style:name="P1" style:family="paragraph" style:parent-style-name="Title"/>` +
			`<style:style style:name="H" style:family="text"><style:text-properties text:display="none"/></style:style></office:automatic-styles><office:body>` + body + `</office:body></office:document-content>`,
		"styles.xml": `<office:document-styles` + odfSpace + styles + `</office:document-styles>`,
		"meta.xml":   `<m xmlns:dc="d"><dc:title>Dose Guide</dc:title><user-defined name="Version">2</user-defined></m>`,
	})
}

const odfLists = `<text:outline-style><text:outline-level-style text:level="1" style:num-format="I" style:num-prefix="Article "/><text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/></text:outline-style>` +
	`<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/><text:list-level-style-number text:level="2" style:num-format="a" style:num-prefix="(" style:num-suffix=")"/>` +
	`<text:list-level-style-bullet text:level="3"/></text:list-style><style:style style:name="Loop" style:family="paragraph" style:parent-style-name="Loop"/>` +
	`<style:master-page><style:header><text:p>Page head</text:p></style:header></style:master-page>`

func TestOpenText(t *testing.T) {
	testReading(t, OpenText, []readingTest{
		{"headings and lists", odt(`<text:p text:style-name="P1">The Title</text:p><text:h text:outline-level="1">Terms</text:h><text:h text:outline-level="2">Price</text:h>`+
			`<text:list text:style-name="L"><text:list-item><text:p>One</text:p><text:list><text:list-item><text:p>in one</text:p></text:list-item></text:list></text:list-item><text:list-item text:start-value="5"><text:p>Five</text:p><text:p>goes on</text:p></text:list-item></text:list>`+
			`<text:list text:style-name="L" text:continue-numbering="true"><text:list-item><text:p>Six</text:p></text:list-item></text:list>`, odfLists), `
title: The Title
1 heading 1: The Title
2 heading 1: Article I Terms
3 heading 2: I.1 Price
4 list item 1: 1. One
5 list item 2: (a) in one
6 list item 1: 5. Five
7 paragraph 1: goes on
8 list item 1: 6. Six
left out: 1 running heads and page numbers, 2 words
`},
		{"tables and notes", odt(`<table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>Drug</text:p></table:table-cell><table:table-cell><text:p>Dose</text:p></table:table-cell></table:table-row></table:table-header-rows>`+
			`<table:table-row><table:table-cell table:number-rows-spanned="2"><text:p>A</text:p></table:table-cell><table:table-cell><text:p>5<text:s/>mg<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>In adults.</text:p></text:note-body></text:note></text:p></table:table-cell></table:table-row>`+
			`<table:table-row><table:covered-table-cell/><table:table-cell><text:p>10 mg</text:p></table:table-cell></table:table-row></table:table><text:p>End<text:line-break/>of<text:tab/>it.</text:p>`, ""), `
title: Dose Guide
1 table header: | Drug | Dose |
3 table row: | A | 5 mg[1] |
3 table row: | A | 10 mg |
5 footnote: [1] In adults.
7 paragraph: End⏎of it.
`},
		{"what is left out", odt(`<text:tracked-changes><text:changed-region><text:deletion><text:p>old words</text:p></text:deletion></text:changed-region></text:tracked-changes><text:table-of-content><text:table-of-content-source>x</text:table-of-content-source><text:index-body><text:p>Terms 1</text:p></text:index-body></text:table-of-content>`+
			`<text:p text:style-name="Loop">One<text:span text:style-name="H">no</text:span><office:annotation><text:p>a note</text:p></office:annotation>, page <text:page-number>3</text:page-number>.<draw:frame><draw:text-box><text:p>Box.</text:p></draw:text-box><svg:desc>A box</svg:desc></draw:frame></text:p>`, odfLists), `
title: Dose Guide
2 paragraph (table of contents): Terms 1
3 paragraph: One, page .
5 paragraph: Box.
left out: 1 deleted text, 2 words
left out: 1 comments, 2 words
left out: 1 running heads and page numbers, 2 words
hidden: 1
`},
		{"one XML text", []byte(`<?xml version="1.0"?><office:document` + odfSpace + `<office:body><text:p>One.</text:p></office:body></office:document>`), "1 paragraph: One.\n"},
		{"protected", packed(map[string]string{"content.xml": "x", "META-INF/manifest.xml": "<encryption-data/>"}), "error: protected with a password; save it again without\n"},
		{"another archive", packed(map[string]string{"a": "x"}), "error: not an OpenDocument file\n"},
		{"deep", odt(strings.Repeat("<text:list><text:list-item>", 400), ""), "error: content.xml: elements nested too deeply\n"},
		{"repeated", odt(`<table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell table:number-columns-repeated="2000000000"/><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table>`, ""), "title: Dose Guide\n1 table row: | a | | b |\n"},
	})
}

func TestOpenSlides(t *testing.T) {
	testReading(t, OpenSlides, []readingTest{{"slides", odt(`<draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>Doses</text:p></draw:text-box></draw:frame></draw:page>`+
		`<draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>Adults</text:p></draw:text-box></draw:frame><draw:frame presentation:class="page-number"><draw:text-box><text:p>2</text:p></draw:text-box></draw:frame><draw:custom-shape><text:p>5 mg</text:p></draw:custom-shape></draw:page>`, ""), `
title: Doses
1 heading 1: Doses
2 heading 1: Adults
2 paragraph (running heads and page numbers): 2
2 paragraph: 5 mg
`}})
}

func FuzzODF(f *testing.F) {
	f.Add(`<text:list text:style-name="L"><text:list-item><text:p>a</text:p></text:list-item></text:list>`, `<text:list-style style:name="L"/>`)
	f.Add(`<table:table><table:table-row><table:table-cell><text:p>b<text:s/></text:p></table:table-cell></table:table-row></table:table>`, "")
	f.Add(`<draw:page><draw:frame presentation:class="title"><draw:text-box><text:h/></draw:text-box></draw:frame></draw:page>`, "")
	f.Fuzz(func(t *testing.T, body, styles string) {
		checkReader(t, OpenText, odt(body, styles))
		checkReader(t, OpenSlides, odt(body, styles))
	})
}
