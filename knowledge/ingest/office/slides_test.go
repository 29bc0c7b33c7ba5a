package office

import (
	"strings"
	"testing"
)

const slideSpace = ` xmlns:p="p" xmlns:a="a" xmlns:r="r" xmlns:mc="mc">`

// pptx returns a presentation of two slides, the second part shown first, and of notes on that.
func pptx(first, second, notes string) []byte {
	tree := func(root, shapes string) string {
		return "<p:" + root + slideSpace + "<p:cSld><p:spTree>" + shapes + "</p:spTree></p:cSld></p:" + root + ">"
	}
	return packed(map[string]string{
		"ppt/presentation.xml":             `<p:presentation` + slideSpace + `<p:sldIdLst><p:sldId id="256" r:id="r2"/><p:sldId id="257" r:id="r1"/></p:sldIdLst></p:presentation>`,
		"ppt/_rels/presentation.xml.rels":  `<R><Relationship Id="r1" Type="x/slide" Target="slides/slide1.xml"/><Relationship Id="r2" Type="x/slide" Target="slides/slide2.xml"/></R>`,
		"ppt/slides/slide1.xml":            tree("sld", second),
		"ppt/slides/slide2.xml":            tree("sld", first),
		"ppt/slides/_rels/slide2.xml.rels": `<R><Relationship Id="n" Type="x/notesSlide" Target="../notesSlides/n.xml"/><Relationship Id="d" Type="x/diagramData" Target="../d.xml"/></R>`,
		"ppt/notesSlides/n.xml":            tree("notes", notes),
		"ppt/d.xml":                        `<d xmlns:a="a"><a:p><a:r><a:t>Step</a:t></a:r></a:p></d>`,
	})
}

// sp returns a shape with a placeholder, if kind is one, and paragraphs.
func sp(kind string, paragraphs ...string) string {
	ph := ""
	if kind != "" {
		ph = `<p:nvPr><p:ph type="` + strings.TrimPrefix(kind, "content") + `"/></p:nvPr>`
	}
	return "<p:sp>" + ph + "<p:txBody>" + strings.Join(paragraphs, "") + "</p:txBody></p:sp>"
}

// ap returns a paragraph with properties.
func ap(properties, text string) string {
	return "<a:p>" + properties + "<a:r><a:t>" + text + "</a:t></a:r></a:p>"
}

func TestSlides(t *testing.T) {
	testReading(t, Slides, []readingTest{
		{"slides", pptx(
			sp("content", ap("", "One")+ap(`<a:pPr lvl="1"/>`, "in one")+ap(`<a:pPr><a:buAutoNum type="arabicPeriod"/></a:pPr>`, "first")+ap(`<a:pPr><a:buAutoNum type="arabicPeriod"/></a:pPr>`, "second"))+
				sp("title", ap("", "Doses"))+sp("sldNum", `<a:p><a:fld type="slidenum"><a:t>1</a:t></a:fld></a:p>`)+sp("ftr", ap("", "Draft"))+`<p:graphicFrame><r:relIds r:dm="d"/></p:graphicFrame>`,
			`<p:grpSp>`+sp("", ap("", "No title here"))+sp("", `<a:p><a:r><a:t>Two</a:t></a:r><a:br/><a:r><a:t>lines.</a:t></a:r></a:p>`)+`</p:grpSp><mc:AlternateContent><mc:Fallback>`+sp("", ap("", "twice"))+`</mc:Fallback></mc:AlternateContent>`+
				`<p:graphicFrame><a:tbl><a:tblPr firstRow="1"/><a:tr><a:tc><a:txBody>`+ap("", "Drug")+`</a:txBody></a:tc><a:tc><a:txBody>`+ap("", "Dose")+`</a:txBody></a:tc></a:tr><a:tr><a:tc><a:txBody>`+ap("", "A")+`</a:txBody></a:tc><a:tc><a:txBody>`+ap("", "5 mg")+`</a:txBody></a:tc></a:tr></a:tbl></p:graphicFrame>`,
			sp("sldImg", ap("", "no"))+sp("body", ap("", "Say this."))), `
title: Doses
1 heading 1: Doses
1 list item 1: - One
1 list item 2: - in one
1 list item 1: 1. first
1 list item 1: 2. second
1 paragraph (running heads and page numbers): Draft
1 list item 1: Step
1 paragraph: Say this.
2 heading 1: No title here
2 paragraph: Two⏎lines.
2 table header: | Drug | Dose |
2 table row: | A | 5 mg |
`},
		{"another archive", packed(map[string]string{"a": "x"}), "error: not a PowerPoint presentation\n"},
		{"deep", pptx(strings.Repeat("<p:grpSp>", 600), "", ""), "error: ppt/slides/slide2.xml: elements nested too deeply\n"},
		{"bomb", pptx(strings.Repeat(" ", 8<<20), "", ""), "error: unpacks to more than the limit\n"},
	})
}

func FuzzSlides(f *testing.F) {
	f.Add(`<p:sp><p:ph type="title"/><a:p><a:r><a:t>a</a:t></a:r></a:p></p:sp>`, "")
	f.Add(`<a:tbl><a:tr><a:tc><a:p><a:t>b</a:t></a:p></a:tc></a:tr></a:tbl>`, `<p:sp><p:ph type="body"/><a:p><a:t>c</a:t></a:p></p:sp>`)
	f.Fuzz(func(t *testing.T, slide, notes string) { checkReader(t, Slides, pptx(slide, slide, notes)) })
}
