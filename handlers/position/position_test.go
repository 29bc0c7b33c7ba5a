package position

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

func TestOffset(t *testing.T) {
	const text = "a𝄞é\r\n漢字\rend\n"
	tests := []struct {
		name string
		at   Position
		e    Encoding
		want string // what follows the offset
	}{
		{"start", Position{0, 0}, UTF16, "a𝄞é\r\n漢字\rend\n"},
		{"after a surrogate pair", Position{0, 3}, UTF16, "é\r\n漢字\rend\n"},
		{"inside a surrogate pair rounds down", Position{0, 2}, UTF16, "𝄞é\r\n漢字\rend\n"},
		{"same column in UTF-32", Position{0, 2}, UTF32, "é\r\n漢字\rend\n"},
		{"inside a UTF-8 sequence rounds down", Position{0, 4}, UTF8, "𝄞é\r\n漢字\rend\n"},
		{"column beyond the line stops before CRLF", Position{0, 99}, UTF16, "\r\n漢字\rend\n"},
		{"column beyond the line stops before CR", Position{1, 99}, UTF8, "\rend\n"},
		{"lone CR ends a line", Position{2, 0}, UTF16, "end\n"},
		{"last line is empty", Position{3, 0}, UTF16, ""},
		{"line beyond the text", Position{4, 0}, UTF16, ""},
		{"largest numbers", Position{1<<32 - 1, 1<<32 - 1}, UTF16, ""},
		{"largest column", Position{1, 1<<32 - 1}, UTF32, "\rend\n"},
	}
	lines := NewLines(text)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := text[lines.Offset(tt.at, tt.e):]; got != tt.want {
				t.Errorf("text after %+v in %s = %q, want %q", tt.at, tt.e, got, tt.want)
			}
		})
	}
}

func TestPositionClamps(t *testing.T) {
	lines := NewLines("ab\r\nc")
	for offset, want := range map[int]Position{
		-5: {0, 0}, 2: {0, 2}, 3: {0, 2}, 4: {1, 0}, 5: {1, 1}, 99: {1, 1},
	} {
		if got := lines.Position(offset, UTF16); got != want {
			t.Errorf("Position(%d) = %+v, want %+v", offset, got, want)
		}
	}
}

func TestChoose(t *testing.T) {
	tests := []struct {
		offered []string
		want    Encoding
	}{
		{nil, UTF16},
		{[]string{"utf-16", "utf-8"}, UTF8},
		{[]string{"utf-32", "utf-16"}, UTF32},
		{[]string{"utf-7"}, UTF16},
	}
	for _, tt := range tests {
		if got := Choose(tt.offered); got != tt.want {
			t.Errorf("Choose(%q) = %s, want %s", tt.offered, got, tt.want)
		}
	}
}

// plainLines splits a text the obvious way: line contents and the length of each line's end.
func plainLines(text string) (lines []string, ends []int) {
	line := ""
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\r' && i+1 < len(text) && text[i+1] == '\n':
			lines, ends, line = append(lines, line), append(ends, 2), ""
			i++
		case text[i] == '\r' || text[i] == '\n':
			lines, ends, line = append(lines, line), append(ends, 1), ""
		default:
			line += text[i : i+1]
		}
	}
	return append(lines, line), append(ends, 0)
}

// plainOffset converts a position the obvious way, character by character.
func plainOffset(text string, p Position, e Encoding) int {
	lines, ends := plainLines(text)
	offset := 0
	for i, line := range lines {
		if i == int(p.Line) {
			column := 0
			for at, r := range line {
				_, size := utf8.DecodeRuneInString(line[at:])
				switch e {
				case UTF8:
					column += size
				case UTF16:
					column += len(utf16.Encode([]rune{r}))
				case UTF32:
					column++
				}
				if column > int(p.Column) {
					return offset + at
				}
			}
			return offset + len(line)
		}
		offset += len(line) + ends[i]
	}
	return offset
}

func FuzzPositions(f *testing.F) {
	f.Add("a𝄞é\r\n漢字\rend\n", uint16(1), uint16(1))
	f.Add("\r\r\n\n\r", uint16(2), uint16(0))
	f.Add("\xff\xe6\xbc\n\xf0\x9d", uint16(0), uint16(2))
	f.Add("", uint16(0), uint16(0))
	f.Fuzz(func(t *testing.T, text string, line, column uint16) {
		lines := NewLines(text)
		if plain, _ := plainLines(text); lines.Count() != len(plain) {
			t.Fatalf("Count = %d, want %d", lines.Count(), len(plain))
		}
		for _, e := range []Encoding{UTF8, UTF16, UTF32} {
			p := Position{uint32(line), uint32(column)}
			offset := lines.Offset(p, e)
			if want := plainOffset(text, p, e); offset != want {
				t.Fatalf("%s: Offset(%+v) of %q = %d, want %d", e, p, text, offset, want)
			}
			if back := lines.Offset(lines.Position(offset, e), e); back != offset {
				t.Fatalf("%s: %q: %d became %d on the way back", e, text, offset, back)
			}
		}
		for i := range lines.Count() {
			start, end := lines.Span(i)
			if strings.ContainsAny(text[start:end], "\r\n") {
				t.Fatalf("line %d of %q holds a line end", i, text)
			}
			if lines.LineAt(start) != i || lines.LineAt(end) != i {
				t.Fatalf("line %d of %q is not where its span says", i, text)
			}
		}
	})
}

// TestEditedLines goes through all pairs of short texts, and all that may be said of what they share.
func TestEditedLines(t *testing.T) {
	texts := []string{""}
	for from := 0; len(texts[from]) < 4; from++ {
		for _, letter := range []string{"a", "\r", "\n"} {
			texts = append(texts, texts[from]+letter)
		}
	}
	for _, text := range texts {
		lines := NewLines(text)
		for _, changed := range texts {
			want := NewLines(changed)
			for same := 0; same <= min(len(text), len(changed)) && text[:same] == changed[:same]; same++ {
				for end := 0; same+end <= min(len(text), len(changed)) && strings.HasSuffix(text, changed[len(changed)-end:]); end++ {
					if got := lines.WithText(changed, same, end); !slices.Equal(got.starts, want.starts) || got.text != changed {
						t.Fatalf("%q to %q, of which they share %d and %d: %v, want %v", text, changed, same, end, got.starts, want.starts)
					}
				}
			}
		}
	}
}

func BenchmarkNewLines1MB(b *testing.B) {
	text := strings.Repeat("What is the dose of metformin when the kidneys fail?\r\n", 1<<20/54)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		NewLines(text)
	}
}
