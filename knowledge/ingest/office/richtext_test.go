package office

import (
	"context"
	"strings"
	"testing"
)

// rtf returns a document of the given content.
func rtf(content string) []byte {
	return []byte(`{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fswiss Arial;}{\f1\fcharset204 Cyr;}{\f2\fcharset2 Symbol;}{\f3\fcharset128 MS Mincho;}}` +
		`{\stylesheet{\ql Normal;}{\s1\b{\*\keycode x}heading 1;}{\s2 Title;}{\*\cs10 Default Font;}}` + content + "}")
}

func TestRTF(t *testing.T) {
	testReading(t, RTF, []readingTest{
		{"styles and characters", rtf(`\pard\s2 The \ldblquote Guide\rdblquote\par\pard\s1 Doses\par\pard\plain 2\endash 10\~mg \'e4 \u8805\'3f5 \uc2\u-10179\'3f\'3f\u-8704??\uc1 \f1\'ef\'ee\f0  \f2 m\f0 g \f3\'83\'5c\'83b\par soft\-ly no\_break\line next {\super 2}\par`), `
title: The “Guide”
1 heading 1: The “Guide”
2 heading 1: Doses
3 paragraph: 2–10` + "\u00a0" + `mg ä ≥5 😀по μg ソッ
4 paragraph: softly no-break⏎next ²
`},
		{"lists", rtf(`\pard{\listtext 1.\tab}\ls1\li360 One\par{\listtext 2.\tab}\ls1\li360 Two\par\pard{\listtext\f2\'b7\tab}\ls2\ilvl0\li720 In two\par\pard After.\par`), `
1 list item 1: 1. One
2 list item 1: 2. Two
3 list item 2: - In two
4 paragraph: After.
`},
		{"a table", rtf(`\trowd\trhdr\cellx1\cellx2\pard\intbl Drug\cell Dose\cell\row\trowd\clvmgf\cellx1\cellx2 A\cell 5\par mg\cell\row\trowd\clvmrg\cellx1\cellx2\cell 10 mg\cell\row\pard After.\par`), `
1 table header: | Drug | Dose |
3 table row: | A | 5 mg |
3 table row: | A | 10 mg |
8 paragraph: After.
`},
		{"notes, fields, boxes", rtf(`\pard Dose.\chftn{\footnote\pard\chftn  In adults.\par} See {\field{\*\fldinst REF a}{\fldrslt clause 4}}, {\field{\*\fldinst PAGE}{\fldrslt 7}}.{\shp{\*\shpinst{\sp{\sn a}{\sv b}}{\shptxt\pard Box.\par}}{\shprslt Again.}}\par{\field{\*\fldinst TOC}{\fldrslt Terms 1\par}}`), `
1 paragraph: Dose.[1] See clause 4, .
1 footnote: [1] In adults.
1 paragraph: Box.
2 paragraph (table of contents): Terms 1
`},
		{"what is left out", rtf(`{\info{\title Dose Guide}{\author A. B.}{\upr{\subject ?}{\*\ud{\subject x}}}}{\header Page head\par}{\pict\bin4 }}}} 00}\pard One{\v hidden}{\deleted old words}.{\*\annotation a note}{\*\unknown{\b text}} {\xe index}{\object{\*\objdata 00}{\result Two.}}\par`), `
title: Dose Guide
1 paragraph: One. Two.
left out: 1 running heads and page numbers, 2 words
left out: 1 pictures, 0 words
left out: 1 deleted text, 2 words
left out: 1 comments, 2 words
left out: 1 embedded documents, 0 words
hidden: 1
`},
		{"no end", []byte(`{\rtf1 One\trowd\cellx1 {\b Two`), "1 paragraph: OneTwo\n"},
		{"not RTF", []byte(`{rtf`), "error: not a document in Rich Text Format\n"},
		{"deep", []byte(`{\rtf1 ` + strings.Repeat("{", 10_000_000)), "error: elements nested too deeply\n"},
	})
	d, err := RTF(context.Background(), rtf(`{\info{\keywords clinic; dose}{\doccomm Notes}{\revtim\yr2024\mo5\dy6}}{\*\userprops{\propname Version}\proptype30{\staticval 3}}\pard x\par`))
	if err != nil || d.About.Version != "3" || d.Date != "2024-05-06" || strings.Join(d.About.Tags, ",") != "clinic,dose" || d.About.Description != "Notes" {
		t.Errorf("%+v %s %v", d.About, d.Date, err)
	}
}

func FuzzRTF(f *testing.F) {
	f.Add([]byte(`{\rtf1\pard{\listtext 1.}a\par\trowd\cellx1 b\cell\row}`))
	f.Add([]byte(`{\rtf1{\fonttbl{\f1\fcharset128 x;}}\f1\'83\u9?{\field{\*\fldinst TOC}{\fldrslt c}}{\footnote d}}`))
	f.Fuzz(func(t *testing.T, content []byte) { checkReader(t, RTF, content) })
}
