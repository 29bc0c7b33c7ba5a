package ingest

import (
	"archive/zip"
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"
)

// packed returns an archive with files of the given contents.
func packed(files map[string]string) string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(files[name]))
		}
		if err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

// word returns a Word document of a body and of styles.
func word(body, styles string) string {
	const space = ` xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">`
	return packed(map[string]string{
		"[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
		"word/document.xml":   `<?xml version="1.0" encoding="UTF-8"?>` + "\n<w:document" + space + "<w:body>" + body + "</w:body></w:document>",
		"word/styles.xml":     "<w:styles" + space + styles + "</w:styles>",
	})
}

// styled returns a paragraph in a style.
func styled(style, text string) string {
	return `<w:p><w:pPr><w:pStyle w:val="` + style + `"/></w:pPr><w:r><w:t>` + text + `</w:t></w:r></w:p>`
}

func TestDOCX(t *testing.T) {
	cell := func(text string) string { return "<w:tc>" + styled("", text) + "</w:tc>" }
	item := func(text string) string {
		return `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>` + text + `</w:t></w:r></w:p>`
	}
	testDocuments(t, []documentTest{
		{"headings", "a.docx", word(styled("Titel", "The &amp; Title")+styled("", "Before.")+styled("berschrift1", "Dose")+
			`<w:p><w:r><w:t>Fi</w:t></w:r><w:r><w:t xml:space="preserve">ve. </w:t></w:r><w:r><w:t>Six.</w:t></w:r></w:p>`+
			styled("Heading2", "Renal")+styled("", "Two."),
			`<w:style w:styleId="Titel"><w:name w:val="Title"/></w:style><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>`),
			`a.docx indexed
  2 a.docx|The & Title|: "Before."
  4 a.docx|The & Title|Dose: "Five. Six."
  6 a.docx|The & Title|Dose/Renal: "Two."
`},
		{"lists and tables", "a.docx", word(item("One.")+item("Two.")+"<w:tbl><w:tr>"+cell("Drug")+cell("Dose")+"</w:tr><w:tr>"+cell("A")+cell("5 mg")+"</w:tr></w:tbl>"+
			`<w:p><w:r><w:t>End</w:t><w:br/><w:t>of</w:t><w:tab/><w:t>it.</w:t></w:r></w:p>`, ""),
			"a.docx indexed\n  1 a.docx|a|: \"- One.\\n- Two.\\n\\n| Drug | Dose |\\n| A | 5 mg |\\n\\nEnd\\nof it.\"\n"},
		{"what nobody sees", "a.docx", word(`<w:p><w:r><w:t>One.</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>No.</w:t></w:r><w:del><w:r><w:t>No.</w:t></w:r></w:del>`+
			`<mc:Fallback><w:r><w:t>No.</w:t></w:r></mc:Fallback><w:r><w:instrText>NO</w:instrText></w:r></w:p>`, ""),
			"a.docx indexed hidden 1\n  1 a.docx|a|: \"One.\"\n"},
		{"not an archive", "a.docx", "\xd0\xcf\x11\xe0 old", "a.docx failed 0: in an old format, or protected with a password; save it again in the new one, without\n"},
		{"no archive", "a.docx", "text", "a.docx failed 0: not a Word document\n"},
		{"another archive", "a.docx", packed(map[string]string{"a.txt": "x"}), "a.docx failed 0: not a Word document\n"},
		{"broken", "a.docx", packed(map[string]string{"word/document.xml": "<w:p>"}), "a.docx failed 0: word/document.xml: XML syntax error on line 1: unexpected EOF\n"},
		{"bomb", "a.docx", packed(map[string]string{"word/document.xml": strings.Repeat(" ", 8<<20)}), "a.docx failed 0: unpacks to more than the limit\n"},
		{"deep", "a.docx", word(strings.Repeat("<w:p>", 600), ""), "a.docx failed 0: word/document.xml: elements nested too deeply\n"},
		{"entities", "a.docx", packed(map[string]string{"word/document.xml": `<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>`}), "a.docx failed 0: word/document.xml: XML syntax error on line 1: invalid character entity &b;\n"},
		{"no text", "a.docx", word("", ""), "a.docx skipped 0: no text\n"},
	})
}
