package note

import (
	"strings"
	"testing"
)

func TestAround(t *testing.T) {
	const text = `# Gout

Attacks last a week. They
come back; **often**.

- Is it the ¦kidneys?

  <!-- lacuna 12345678 -->
  - "Gout is caused by urate." [Gout, line 3](kb/gout.md#L3)

## Diet

No beer.

# Asthma
`
	tests := []struct {
		name, at string
		want     []string // beginning and end of each span, "…" between
	}{
		{"running text", "come", []string{"come", "They\ncome back; **often**.", "Attacks last…**often**.", "# Gout…No beer."}},
		{"question", "kidneys", []string{"kidneys", "Is it the ¦kidneys?", "- Is it the ¦kidneys?", "- Is it…#L3)", "# Gout…No beer."}},
		{"quote", "caused", []string{"caused", `"Gout is caused by urate."`, `- "Gout…#L3)`, "<!--…#L3)", "- Is it…#L3)", "# Gout…No beer."}},
		{"section", "beer", []string{"beer", "No beer.", "## Diet…No beer.", "# Gout…No beer."}},
		{"heading", "Asthma", []string{"Asthma", "# Asthma"}},
	}
	n := Parse(text, Markdown)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			around := n.Around(strings.Index(text, test.at))
			var got []string
			for _, s := range around[:len(around)-1] {
				got = append(got, text[s.Start:s.End])
			}
			if len(got) != len(test.want) {
				t.Fatalf("got %q, want %q", got, test.want)
			}
			for i, want := range test.want {
				first, last, long := strings.Cut(want, "…")
				if got[i] != want && !(long && strings.HasPrefix(got[i], first) && strings.HasSuffix(got[i], last)) {
					t.Errorf("%d: got %q, want %q", i, got[i], want)
				}
			}
		})
	}
}

// FuzzAround checks that the spans around any offset of any text lie in each other and hold the offset.
func FuzzAround(f *testing.F) {
	f.Add("# A\n\n- b c? d\n\n  <!-- lacuna 12345678 -->\n  - \"e\" [x](y#L1)\n", 8)
	f.Add("a\r\n===\r\nb\xff?", 3)
	f.Fuzz(func(t *testing.T, text string, offset int) {
		around := Parse(text, Markdown).Around(offset)
		if last := around[len(around)-1]; last.Start != 0 || last.End != len(text) {
			t.Fatalf("the last of %v is not the note", around)
		}
		offset = min(max(offset, 0), len(text))
		for i, s := range around {
			if !contains(s, offset) || i > 0 && (!within(around[i-1], s) || s.Len() <= around[i-1].Len()) {
				t.Fatalf("%d: %v of %v", i, s, around)
			}
		}
	})
}
