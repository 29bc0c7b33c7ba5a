package document

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge/passage"
)

// write describes the text, the blocks and the sections of a document.
func write(d Document) string {
	d.Link()
	var b strings.Builder
	for i, block := range d.Blocks {
		fmt.Fprintf(&b, "%d %s %d", i+1, block.Kind, block.Level)
		if block.Lead > 0 {
			fmt.Fprintf(&b, " below %d", block.Lead)
		}
		if block.Chrome != Content {
			fmt.Fprintf(&b, " (%s)", block.Chrome)
		}
		fmt.Fprintf(&b, ": %q\n", d.Text[block.Start:block.End])
	}
	for _, s := range d.Sections() {
		fmt.Fprintf(&b, "%q %v\n", s.Headings, s.Blocks)
	}
	return b.String()
}

func TestStructure(t *testing.T) {
	words := func(b *Builder, kind passage.BlockKind, level int, text string) {
		b.Begin(kind, level)
		if err := b.Words(text, 1); err != nil {
			t.Fatal(err)
		}
	}
	rows := func(b *Builder, header bool, cells ...string) {
		if err := b.Row(cells, header, 1); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name  string
		build func(b *Builder)
		want  string
	}{
		{"items below what introduces them", func(b *Builder) {
			words(b, passage.Paragraph, 0, "Do not give it to people:")
			words(b, passage.Item, 1, "with asthma")
			words(b, passage.Item, 2, "even if mild")
			words(b, passage.Paragraph, 1, "Ask first.")
			words(b, passage.Item, 1, "who smoke")
			words(b, passage.Paragraph, 0, "End.")
		}, `1 paragraph 0: "Do not give it to people:"
2 list item 1 below 1: "with asthma"
3 list item 2 below 2: "even if mild"
4 paragraph 1 below 2: "Ask first."
5 list item 1 below 1: "who smoke"
6 paragraph 0: "End."
[] [0 1 2 3 4 5]
`},
		{"headings with nothing below", func(b *Builder) {
			words(b, passage.Heading, 1, "Fire")
			words(b, passage.Heading, 2, "Call 112")
			words(b, passage.Heading, 2, "Where")
			words(b, passage.Paragraph, 0, "Here.")
		}, `1 heading 1: "Fire"
2 heading 2: "Call 112"
3 heading 2: "Where"
4 paragraph 0: "Here."
["Fire"] [1]
["Fire" "Where"] [3]
`},
		{"clauses set as headings", func(b *Builder) {
			clause := strings.Repeat("a ", maxLabelWords) + "b"
			words(b, passage.Heading, 1, "Terms")
			words(b, passage.Heading, 2, clause)
			words(b, passage.Heading, 2, clause)
			words(b, passage.Paragraph, 0, "Below.")
		}, `1 heading 1: "Terms"
2 heading 2: "a a a a a a a a a a a a a a a a b"
3 heading 2: "a a a a a a a a a a a a a a a a b"
4 paragraph 0: "Below."
["Terms"] [1 2]
["Terms" "a a a a a a a a …"] [3]
`},
		{"rows below their header and caption", func(b *Builder) {
			words(b, passage.Caption, 0, "Table 1")
			rows(b, true, "drug", "dose")
			rows(b, false, "a", "")
			rows(b, false, "b", "2 mg")
		}, `1 caption 0: "Table 1"
2 table header 0 below 1: "| drug | dose |"
3 table row 0 below 2: "| a | |"
4 table row 0 below 2: "| b | 2 mg |"
[] [0 1 2 3]
`},
		{"a long table repeats its header", func(b *Builder) {
			rows(b, true, "drug", "dose")
			rows(b, false, strings.Repeat("a ", 100), "1")
			rows(b, false, strings.Repeat("b ", 60), "2")
		}, fmt.Sprintf(`1 table header 0: "| drug | dose |"
2 table row 0 below 1: "| %s| 1 |"
3 table header 0: "| drug | dose |"
4 table row 0 below 3: "| %s| 2 |"
[] [0 1 2 3]
`, strings.Repeat("a ", 100), strings.Repeat("b ", 60))},
		{"chrome is in no section", func(b *Builder) {
			words(b, passage.Paragraph, 0, "Home > Menu")
			b.Chrome(Navigation)
			words(b, passage.Paragraph, 0, "Text.")
		}, `1 paragraph 0 (navigation): "Home > Menu"
2 paragraph 0: "Text."
[] [1]
`},
		{"code and definitions", func(b *Builder) {
			words(b, passage.Paragraph, 0, "Restart it with")
			b.Begin(passage.Code, 0)
			if err := b.Verbatim("stop\n  start", 3); err != nil {
				t.Fatal(err)
			}
			words(b, passage.Term, 0, "TTL")
			words(b, passage.Definition, 0, "time to live")
		}, `1 paragraph 0: "Restart it with"
2 code 0 below 1: "stop\n  start"
3 term 0: "TTL"
4 definition 0 below 3: "time to live"
[] [0 1 2 3]
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var b Builder
			test.build(&b)
			if diff := cmp.Diff(test.want, write(b.Finish())); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestMarksOfLines(t *testing.T) {
	var b Builder
	if err := b.Words("one\ntwo", 4); err != nil {
		t.Fatal(err)
	}
	b.Begin(passage.Paragraph, 0)
	if err := b.Words("three", 9); err != nil {
		t.Fatal(err)
	}
	d := b.Finish()
	var got []string
	for _, word := range []string{"one", "two", "three"} {
		got = append(got, fmt.Sprintf("%s %d", word, d.LineAt(strings.Index(d.Text, word))))
	}
	if diff := cmp.Diff([]string{"one 4", "two 5", "three 9"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
