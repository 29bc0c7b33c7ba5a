package office

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

const wordSpace = ` xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"` +
	` xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:wp="wp" xmlns:a="a">`

// word returns a Word document of a body, with other parts by name: styles, numbering, footnotes.
func word(body string, parts ...string) []byte {
	all := map[string]string{"word/document.xml": `<w:document` + wordSpace + "<w:body>" + body + "</w:body></w:document>"}
	for i := 0; i < len(parts); i += 2 {
		root := parts[i]
		all["word/"+parts[i]+".xml"] = "<w:" + root + wordSpace + parts[i+1] + "</w:" + root + ">"
	}
	return packed(all)
}

// par returns a paragraph in a style.
func par(style, text string) string {
	return `<w:p><w:pPr><w:pStyle w:val="` + style + `"/></w:pPr><w:r><w:t xml:space="preserve">` + text + `</w:t></w:r></w:p>`
}

// num returns a paragraph at a level of a list.
func num(list, level int, text string) string {
	return fmt.Sprintf(`<w:p><w:pPr><w:numPr><w:ilvl w:val="%d"/><w:numId w:val="%d"/></w:numPr></w:pPr><w:r><w:t>%s</w:t></w:r></w:p>`, level, list, text)
}

// lvl returns the definition of a level of a list.
func lvl(level int, format, text, more string) string {
	return fmt.Sprintf(`<w:lvl w:ilvl="%d"><w:start w:val="1"/><w:numFmt w:val="%s"/><w:lvlText w:val="%s"/>%s</w:lvl>`, level, format, text, more)
}

func tableOf(look string, rows ...[]string) string {
	var b strings.Builder
	b.WriteString("<w:tbl><w:tblPr>" + look + "</w:tblPr>")
	for _, row := range rows {
		b.WriteString("<w:tr>")
		for _, cell := range row {
			if !strings.HasPrefix(cell, "<") {
				cell = "<w:tc>" + par("", cell) + "</w:tc>"
			}
			b.WriteString(cell)
		}
		b.WriteString("</w:tr>")
	}
	return b.String() + "</w:tbl>"
}

func fieldOf(code, result string) string {
	return `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>` + code + `</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>` +
		result + `</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`
}

const headings = `<w:style w:styleId="H1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>` +
	`<w:style w:styleId="H2"><w:name w:val="heading 2"/><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr></w:pPr></w:style>` +
	`<w:style w:styleId="T"><w:name w:val="Title"/></w:style><w:style w:styleId="Caption"><w:name w:val="caption"/></w:style>` +
	`<w:style w:styleId="Toc1"><w:name w:val="toc 1"/></w:style><w:style w:styleId="Loop"><w:basedOn w:val="Loop"/></w:style>` +
	`<w:style w:styleId="Mine"><w:basedOn w:val="H2"/><w:name w:val="Clause"/></w:style>`

var clauses = `<w:abstractNum w:abstractNumId="7">` + lvl(0, "upperRoman", "Article %1", `<w:pStyle w:val="H1"/>`) +
	lvl(1, "decimal", "%1.%2", `<w:pStyle w:val="H2"/><w:isLgl/>`) + lvl(2, "lowerLetter", "(%3)", "") + `</w:abstractNum>` +
	`<w:abstractNum w:abstractNumId="8">` + lvl(0, "decimal", "%1.", "") + lvl(1, "bullet", "&#xF0B7;", "") + `</w:abstractNum>` +
	`<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="8"/></w:num>` +
	`<w:num w:numId="3"><w:abstractNumId w:val="8"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="4"/></w:lvlOverride></w:num>`

func TestWord(t *testing.T) {
	testReading(t, Word, []readingTest{
		{"numbers as shown", word(par("T", "Supply")+par("H1", "Terms")+par("H2", "Price")+num(1, 2, "one;")+num(1, 2, "two.")+par("Mine", "Payment is due.")+par("H1", "Law")+par("H2", "Courts")+
			num(2, 0, "First.")+num(2, 1, "Dot.")+num(2, 0, "Second.")+num(3, 0, "Fourth."), "styles", headings, "numbering", clauses), `
title: Supply
1 heading 1: Supply
2 heading 1: Article I Terms
3 heading 2: 1.1 Price
4 list item 3: (a) one;
5 list item 3: (b) two.
6 heading 2: 1.2 Payment is due.
7 heading 1: Article II Law
8 heading 2: 2.1 Courts
9 list item 1: 1. First.
10 list item 2: - Dot.
11 list item 1: 2. Second.
12 list item 1: 4. Fourth.
`},
		{"a table", word(tableOf(`<w:tblLook w:val="0020"/>`, []string{"Drug", "Dose"}, []string{`<w:tc><w:tcPr><w:vMerge w:val="restart"/></w:tcPr>` + par("", "A") + `</w:tc>`, "5 mg"},
			[]string{`<w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc>`, "10 mg"}, []string{`<w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>` + par("", "both") + "</w:tc>"})), `
1 table header: | Drug | Dose |
3 table row: | A | 5 mg |
3 table row: | A | 10 mg |
7 table row: | both | |
`},
		{"tables that arrange", word(tableOf("", []string{"Alone."}, []string{"Below."}) + tableOf("", []string{"<w:tc>" + tableOf("", []string{"a", "b"}, []string{"c", "d"}) + "<w:p/></w:tc>", "Beside."})), `
1 paragraph: Alone.
2 paragraph: Below.
3 table row: | a | b |
5 table row: | c | d |
8 paragraph: Beside.
`},
		{"notes", word(`<w:p><w:r><w:t>Dose.</w:t><w:footnoteReference w:id="2"/></w:r></w:p><w:p><w:r><w:t>End.</w:t><w:endnoteReference w:id="1"/></w:r></w:p>`,
			"footnotes", `<w:footnote w:type="separator" w:id="0">`+par("", "no")+`</w:footnote><w:footnote w:id="2">`+par("", " In adults.")+par("", "Not in children.")+`</w:footnote>`,
			"endnotes", `<w:endnote w:id="1">`+par("", "Later.")+`</w:endnote>`), `
1 paragraph: Dose.[1]
1 footnote: [1] In adults.
1 footnote: Not in children.
2 paragraph: End.[i]
2 footnote: [i] Later.
`},
		{"fields", word("<w:p>"+fieldOf(` TOC \o "1-3" `, "Terms 1")+"</w:p>"+par("Toc1", "Law 2")+"<w:p><w:r><w:t>See </w:t></w:r>"+fieldOf("REF a", "clause 4")+"<w:r><w:t> on </w:t></w:r>"+fieldOf(" PAGE ", "7")+fieldOf("IF "+strings.Repeat(`</w:instrText></w:r>`+fieldOf("REF x", "no")+`<w:r><w:instrText>`, 3), "")+"</w:p>"+
			"<w:p><w:r><w:t>Table </w:t></w:r>"+fieldOf("SEQ Table", "1")+`<w:r><w:t>. Doses</w:t></w:r></w:p><w:p><w:r><w:fldChar w:fldCharType="begin"/><w:instrText>never ends</w:instrText></w:r></w:p>`+par("", "Goes on."),
			"styles", headings), `
1 paragraph (table of contents): Terms 1
2 paragraph (table of contents): Law 2
3 paragraph: See clause 4 on
4 caption: Table 1. Doses
6 paragraph: Goes on.
`},
		{"changes", word(`<w:p><w:r><w:t>One </w:t></w:r><w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:del><w:r><w:delText>old words</w:delText></w:r></w:del><w:r><w:rPr><w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange></w:rPr><w:t> word.</w:t></w:r></w:p>` +
			`<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:r><w:t>Two and </w:t></w:r></w:p>` + par("", "three.") +
			`<w:tbl><w:tr><w:trPr><w:del/></w:trPr><w:tc>` + par("", "gone") + `</w:tc></w:tr></w:tbl>`), `
1 paragraph: One new word.
2 paragraph: Two and three.
left out: 1 deleted text, 2 words
`},
		{"what is hidden", word(`<w:p><w:r><w:t>One.</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>No.</w:t></w:r><w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t xml:space="preserve"> Two.</w:t></w:r></w:p>`), `
1 paragraph: One. Two.
hidden: 1
`},
		{"a text box stands once, below its paragraph", word(`<w:p><w:r><w:t>Before.</w:t></w:r><w:r><mc:AlternateContent><mc:Choice><w:txbxContent>` + par("", "Box.") + `</w:txbxContent></mc:Choice><mc:Fallback><w:txbxContent>` +
			par("", "Box.") + `</w:txbxContent></mc:Fallback></mc:AlternateContent></w:r><w:r><w:t> After.</w:t></w:r></w:p>` + par("", "Next.")), `
1 paragraph: Before. After.
2 paragraph: Box.
4 paragraph: Next.
`},
		{"characters", word(`<w:p><w:r><w:t>2</w:t><w:noBreakHyphen/><w:t>10 soft` + "\u00ad" + `ly</w:t><w:softHyphen/><w:tab/><w:t>a</w:t><w:br/><w:t>b </w:t><w:sym w:font="Symbol" w:char="F0B3"/><w:t> 5 </w:t></w:r><w:r><w:rPr><w:rFonts w:ascii="Symbol"/></w:rPr><w:t>m</w:t></w:r><w:r><w:t>g, 10</w:t></w:r><w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>9</w:t></w:r></w:p>`), `
1 paragraph: 2-10 softly a⏎b ≥ 5 μg, 10⁹
`},
		{"a dropped capital", word(`<w:p><w:pPr><w:framePr w:dropCap="drop"/></w:pPr><w:r><w:t>O</w:t></w:r></w:p>` + par("", "nce upon.")), "1 paragraph: Once upon.\n"},
		{"a formula", word(`<w:p><m:oMath><m:r><m:t>x=</m:t></m:r><m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:sSup><m:e><m:r><m:t>c</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:den></m:f></m:oMath></w:p>`), `
1 paragraph: x=(a+b)/(c^2)
`},
		{"check boxes and controls", word(`<w:p><w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox></w:ffData></w:fldChar></w:r><w:r><w:instrText>FORMCHECKBOX</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r><w:r><w:t xml:space="preserve"> Yes</w:t></w:r></w:p>` +
			`<w:sdt><w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj></w:sdtPr><w:sdtContent>` + par("", "Contents") + `</w:sdtContent></w:sdt><w:sdt><w:sdtContent>` + par("", "Filled in.") + `</w:sdtContent></w:sdt>`), `
1 paragraph: ☒ Yes
2 paragraph (table of contents): Contents
3 paragraph: Filled in.
`},
		{"a loop of styles", word(par("Loop", "One."), "styles", headings), "1 paragraph: One.\n"},
	})
}

// TestWordPackage finds the parts by their relations, and what the document says of itself.
func TestWordPackage(t *testing.T) {
	const rels = `<Relationships xmlns="r">`
	content := packed(map[string]string{
		"_rels/.rels":                   `<Relationships><Relationship Id="a" Type="x/officeDocument" Target="/word/document2.xml"/></Relationships>`,
		"word/_rels/document2.xml.rels": rels + `<Relationship Id="h" Type="x/header" Target="header1.xml"/><Relationship Id="c" Type="x/comments" Target="comments.xml"/><Relationship Id="t" Type="x/aFChunk" Target="chunk.txt"/><Relationship Id="p" Type="x/aFChunk" Target="chunk.htm"/></Relationships>`,
		"word/document2.xml":            `<w:document xmlns:w="http://purl.oclc.org/ooxml/wordprocessingml/main" xmlns:r="r"><w:body>` + par("", "One.") + `<w:altChunk r:id="t"/><w:altChunk r:id="p"/><w:altChunk r:id="none"/></w:body></w:document>`,
		"word/header1.xml":              `<w:hdr` + wordSpace + par("", "Page head") + "</w:hdr>",
		"word/comments.xml":             `<w:comments` + wordSpace + `<w:comment>` + par("", "Is this right") + "</w:comment></w:comments>",
		"word/chunk.txt":                "Two.\nThree.\n",
		"word/chunk.htm":                "<p>Four.</p>",
		"docProps/core.xml":             `<p xmlns:dc="d"><dc:title>Dose Guide</dc:title><dc:creator>A. B.; C.</dc:creator><cp:keywords xmlns:cp="c">x; y</cp:keywords><modified>2024-05-06T07:08:09Z</modified></p>`,
		"docProps/custom.xml":           `<p><property name="Version"><lpwstr>3.1</lpwstr></property><property name="Review due"><lpwstr>2027-01-01</lpwstr></property></p>`,
	})
	testReading(t, Word, []readingTest{{"package", content, `
title: Dose Guide
1 paragraph: One.
1 paragraph: Two.
1 paragraph: Three.
1 paragraph: Four.
left out: 1 embedded documents, 0 words
left out: 1 running heads and page numbers, 2 words
left out: 1 comments, 3 words
`}})
	d, err := Word(context.Background(), content)
	if got := fmt.Sprintf("%v %v %s %s %s %v %v", d.About.Tags, d.About.Authors, d.About.Version, d.About.ReviewDue, d.Date, d.Keywords, err); got !=
		"[x y] [A. B. C.] 3.1 2027-01-01 2024-05-06 [x; y Version: 3.1 Review due: 2027-01-01] <nil>" {
		t.Error(got)
	}
}

// TestHostileWord reads what claims, nests or repeats too much.
func TestHostileWord(t *testing.T) {
	deep := func(n int, start, end string) string { return strings.Repeat(start, n) + strings.Repeat(end, n) }
	for name, test := range map[string]struct {
		content []byte
		fails   string
	}{
		"deep paragraphs": {word(deep(600, "<w:p>", "</w:p>")), "nested too deeply"},
		"deep tables":     {word(deep(150, "<w:tbl><w:tr><w:tc>", "<w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc></w:tr></w:tbl>")), ""},
		"wide table":      {word("<w:tbl><w:tr>" + strings.Repeat("<w:tc/>", maxHeld+2) + "</w:tr></w:tbl>"), "unpacks to more"},
		"open elements":   {word("<w:tbl><w:tr><w:tc><w:p><w:r><w:t>x</w:tc>"), "syntax error"},
		"fields":          {word("<w:p>" + strings.Repeat(`<w:r><w:fldChar w:fldCharType="begin"/></w:r>`, 5000) + "</w:p>" + par("", "One.")), ""},
		"spans":           {word(tableOf("", []string{`<w:tc><w:tcPr><w:gridSpan w:val="2000000000"/></w:tcPr>` + par("", "a") + "</w:tc>", "b"})), ""},
		"numbers":         {word(num(1, 8, "a")+num(1, 99, "b")+num(1, -1, "c"), "numbering", `<w:abstractNum w:abstractNumId="1"><w:numStyleLink w:val="L"/></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>`, "styles", `<w:style w:styleId="L"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>`), ""},
	} {
		d, err := Word(context.Background(), test.content)
		if test.fails == "" && (err != nil || len(d.Text) == 0) || test.fails != "" && (err == nil || !strings.Contains(err.Error(), test.fails)) {
			t.Errorf("%s: %v, %d bytes", name, err, len(d.Text))
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Word(ctx, word(strings.Repeat("<w:p/>", 5000)+par("", "x"))); err == nil {
		t.Error("goes on without its context")
	}
}

// FuzzWordXML reads any XML as the parts of a Word document. Blocks must be in order, apart and inside
// the text, and the same bytes must give the same document.
func FuzzWordXML(f *testing.F) {
	// Short ones: the fuzzer shortens what it finds byte by byte before it goes on.
	f.Add(`<w:p><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>a</w:t></w:r></w:p>`, `<w:num w:numId="1"/>`)
	f.Add(`<w:tbl><w:tr><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr></w:tbl>`, "")
	f.Add(`<w:p><w:r><w:footnoteReference w:id="1"/></w:r></w:p>`, `<w:footnote w:id="1"><w:p/></w:footnote>`)
	f.Add(`<w:p><w:fldSimple w:instr="TOC"><w:r><w:t>c</w:t></w:r></w:fldSimple></w:p>`, `<w:style w:styleId="a"/>`)
	f.Fuzz(func(t *testing.T, body, other string) {
		checkReader(t, Word, word(body, "styles", other, "numbering", other, "footnotes", other))
	})
}

// checkReader checks what must hold of any document that can be read.
func checkReader(t *testing.T, read reader, content []byte) {
	t.Helper()
	d, err := read(context.Background(), content)
	if err != nil {
		return
	}
	end := 0
	for _, b := range d.Blocks {
		if b.Start < end || b.End <= b.Start || b.End > len(d.Text) {
			t.Fatalf("block %v behind %d in %d bytes", b.Span, end, len(d.Text))
		}
		end = b.End
	}
	if strings.ContainsFunc(d.Text, func(r rune) bool { return unseen(r) && r != '\n' && r != '�' }) {
		t.Fatalf("control characters in %q", d.Text)
	}
	again, err := read(context.Background(), content)
	if err != nil || again.Text != d.Text || len(again.Blocks) != len(d.Blocks) {
		t.Fatalf("read twice: %v", err)
	}
	d.Link()
	d.Sections()
	for _, m := range d.Marks {
		if m.Line < 1 {
			t.Fatalf("place %d", m.Line)
		}
	}
}
