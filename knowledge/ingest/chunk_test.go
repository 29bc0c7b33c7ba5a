package ingest

import (
	"strings"
	"testing"
	"unicode/utf8"

	"lacuna/knowledge/passage"
)

func TestChars(t *testing.T) {
	word := func(n int, letter string) string { return strings.Repeat(letter, n) }
	for _, test := range []struct {
		name, text string
		want       []int // lengths in characters
	}{
		{"short", "One. Two.", []int{9}},
		{"paragraphs are kept whole", word(600, "a") + "\n\n" + word(300, "b") + "\n\n" + word(300, "c"), []int{902, 300}},
		{"short paragraphs overlap", word(600, "a") + "\n\n" + word(150, "b") + "\n\n" + word(300, "c"), []int{752, 452}},
		{"a long paragraph is cut at lines", word(700, "a") + "\n" + word(700, "b"), []int{700, 700}},
		{"a long line is cut at words", strings.TrimSpace(strings.Repeat("nine char ", 150)), []int{999, 699}},
		{"a long word is cut anywhere", word(1900, "é"), []int{1000, 1000, 300}},
		{"characters, not bytes", word(1000, "高"), []int{1000}},
		{"what is long stands alone", "ab\n\n" + word(1001, "x") + "\n\ncd", []int{2, 1000, 201, 2}},
	} {
		t.Run(test.name, func(t *testing.T) {
			pieces := chunkChars(test.text, []unit{{Span: passage.Span{Start: 0, End: len(test.text)}}})
			var got []int
			for _, s := range pieces {
				got = append(got, utf8.RuneCountInString(test.text[s.Start:s.End]))
			}
			if len(got) != len(test.want) {
				t.Fatalf("got %v, want %v", got, test.want)
			}
			for i := range got {
				if got[i] != test.want[i] {
					t.Fatalf("got %v, want %v", got, test.want)
				}
			}
		})
	}
}

func TestCharsNeverCrossWhatIsHidden(t *testing.T) {
	dir := folder(t, map[string]string{"a.md": "One. <!-- hidden --> Two. Three."})
	files := read(t, Source{Name: "s", Kind: passage.Text, Path: dir, Chunker: Chars1000})
	if got := listing(dir, files); !strings.Contains(got, `"One."`) || !strings.Contains(got, `"Two. Three."`) {
		t.Errorf("got\n%s", got)
	}
}

// FuzzChars checks that every word stands in a piece, and no piece is too long.
func FuzzChars(f *testing.F) {
	f.Add("One two.\n\nThree", 50)
	f.Fuzz(func(t *testing.T, text string, times int) {
		text = strings.TrimSpace(strings.Repeat(text, 1+min(max(0, times), 100)))
		if text == "" || !utf8.ValidString(text) {
			t.Skip()
		}
		covered := 0
		for _, s := range splitChars(text, passage.Span{Start: 0, End: len(text)}, separators) {
			if n := utf8.RuneCountInString(text[s.Start:s.End]); n == 0 || n > maxChunkChars {
				t.Fatalf("a piece of %d characters", n)
			}
			if s.Start > covered && strings.TrimSpace(text[covered:s.Start]) != "" {
				t.Fatalf("%q is in no piece", text[covered:s.Start])
			}
			covered = s.End
		}
		if covered != len(text) {
			t.Fatalf("the pieces end at %d of %d bytes", covered, len(text))
		}
	})
}
