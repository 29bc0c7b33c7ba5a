package pdf

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"lacuna/knowledge/ingest/pdf/pdftest"
)

// TestTables holds which rows name columns, and which lines are one row.
func TestTables(t *testing.T) {
	at := func(x, y float64, lines ...string) string { return pdftest.Lines(x, y, 10, lines...) }
	rule := func(x, y, width float64) string { return fmt.Sprintf("%g %g %g 0.5 re f ", x, y, width) }
	for _, test := range []struct{ name, page, want string }{
		{"a header of several lines, one of them over two columns",
			at(72, 688, "Drug") + at(263, 700, "Dose in mg") + at(250, 688, "morning") + at(310, 688, "evening") +
				at(72, 670, "Apixaban") + at(250, 670, "5") + at(310, 670, "5") +
				at(72, 655, "Edoxaban") + at(250, 655, "60") + at(310, 655, "0") +
				at(72, 640, "Dabigatran") + at(250, 640, "150") + at(310, 640, "150"),
			"H  | Dose in mg | \nH Drug | morning | evening\nApixaban | 5 | 5\nEdoxaban | 60 | 0\nDabigatran | 150 | 150\n"},
		{"words of a header below each other",
			at(72, 688, "Drug") + at(200, 700, "Half-life", "in hours") + at(300, 700, "Share that", "is excreted") +
				at(72, 660, "Apixaban") + at(200, 660, "12") + at(300, 660, "27 %") +
				at(72, 645, "Edoxaban") + at(200, 645, "10") + at(300, 645, "50 %") +
				at(72, 630, "Dabigatran") + at(200, 630, "13") + at(300, 630, "80 %"),
			"H Drug | Half-life in hours | Share that is excreted\nApixaban | 12 | 27 %\nEdoxaban | 10 | 50 %\nDabigatran | 13 | 80 %\n"},
		{"doses with their units are no header",
			at(72, 700, "Drug", "Apixaban", "Edoxaban") + at(200, 700, "Dose", "5 mg", "60 mg"),
			"H Drug | Dose\nApixaban | 5 mg\nEdoxaban | 60 mg\n"},
		{"figures centred beside a label of two lines",
			at(72, 700, "Measure") + at(250, 700, "First") + at(320, 700, "Second") +
				at(72, 680, "Bleeding that needs a", "transfusion") + at(250, 674, "3.1") + at(320, 674, "2.4") +
				at(72, 645, "Stroke") + at(250, 645, "1.6") + at(320, 645, "1.3"),
			"H Measure | First | Second\nBleeding that needs a transfusion | 3.1 | 2.4\nStroke | 1.6 | 1.3\n"},
		{"a label between rows does not end the table",
			at(72, 700, "Group") + at(250, 700, "2023") + at(320, 700, "2024") +
				at(72, 685, "Men") + at(250, 685, "51") + at(320, 685, "49") + at(72, 670, "Women") + at(250, 670, "62") + at(320, 670, "60") +
				at(72, 650, "By age") +
				at(72, 635, "Below 60") + at(250, 635, "12") + at(320, 635, "11") + at(72, 620, "Above 60") + at(250, 620, "43") + at(320, 620, "41"),
			"H Group | 2023 | 2024\nMen | 51 | 49\nWomen | 62 | 60\nBy age |  | \nBelow 60 | 12 | 11\nAbove 60 | 43 | 41\n"},
		{"borders that are drawn above the header only",
			rule(70, 712, 300) + rule(70, 695, 300) + rule(70, 660, 300) + "70 695 0.5 17 re f 200 695 0.5 17 re f 280 695 0.5 17 re f 369 660 0.5 52 re f " +
				at(75, 700, "Drug") + at(205, 700, "Dose") + at(285, 700, "Interval") +
				at(75, 682, "Apixaban") + at(205, 682, "5 mg") + at(285, 682, "12 h") +
				at(75, 667, "Edoxaban") + at(205, 667, "60 mg") + at(285, 667, "24 h"),
			"H Drug | Dose | Interval\nApixaban | 5 mg | 12 h\nEdoxaban | 60 mg | 24 h\n"},
		{"a rule inside one cell does not divide the row",
			rule(70, 712, 300) + rule(70, 695, 300) + rule(200, 670, 170) + rule(70, 645, 300) + "70 645 0.5 67 re f 140 645 0.5 67 re f 200 645 0.5 67 re f 369 645 0.5 67 re f " +
				at(75, 700, "Field") + at(145, 700, "Length") + at(205, 700, "Rule") +
				at(75, 667, "Sex") + at(145, 667, "1") + at(205, 680, "As in the register") + at(205, 655, "F, M or X"),
			"H Field | Length | Rule\nSex | 1 | As in the register F, M or X\n"},
		{"two rows of figures beside one label inside a border",
			rule(70, 712, 300) + rule(70, 695, 300) + rule(70, 660, 300) + "70 660 0.5 52 re f 140 660 0.5 52 re f 230 660 0.5 52 re f 369 660 0.5 52 re f " +
				at(75, 700, "Layers") + at(145, 700, "Language") + at(235, 700, "Score") +
				at(75, 674, "6") + at(145, 680, "OTSL", "HTML") + at(235, 680, "0.965", "0.969"),
			"H Layers | Language | Score\n6 | OTSL | 0.965\n | HTML | 0.969\n"},
		{"dots that lead to several figures, and a typed rule",
			at(72, 700, "Share") + at(200, 700, "1.0") + at(250, 700, "1.5") + at(300, 700, "2.0") + at(72, 688, strings.Repeat("-", 50)) +
				at(72, 676, "0.9 ......", "0.8 ......", "0.7 ......", "0.6 ......", "0.5 ......") + at(200, 676, "80", "70", "60", "50", "40") +
				at(250, 676, "81", "71", "61", "51", "41") + at(300, 676, "82", "72", "62", "52", "42"),
			"H Share | 1.0 | 1.5 | 2.0\n0.9 ..... | 80 | 81 | 82\n0.8 ..... | 70 | 71 | 72\n0.7 ..... | 60 | 61 | 62\n0.6 ..... | 50 | 51 | 52\n0.5 ..... | 40 | 41 | 42\n"},
		{"letters drawn twice are one",
			at(72, 700, "10 mg") + at(72.4, 700, "10 mg") + "BT /F1 10 Tf 72 650 Td (5) Tj 0.3 0 Td ( ) Tj ET BT /F1 10 Tf 72.3 650 Td (5 mg) Tj ET",
			"text: 10 mg\ntext: 5 mg\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			document, err := Read(context.Background(), []byte(pdftest.File("", test.page)), MaxTime)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			for _, block := range document.Pages[0].Blocks {
				if block.Header {
					b.WriteString("H ")
				}
				if block.Kind != Row {
					fmt.Fprintf(&b, "%s: %s\n", block.Kind, block.Lines[0].Text)
					continue
				}
				b.WriteString(strings.Join(block.Cells, " | ") + "\n")
			}
			if got := b.String(); got != test.want {
				t.Errorf("got\n%swant\n%s", got, test.want)
			}
		})
	}
}
