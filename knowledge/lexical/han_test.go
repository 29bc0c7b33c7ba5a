package lexical

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "write the tables that are made of other people's data")

// TestHanTable makes han.txt of OpenCC's table of traditional characters, TSCharacters.txt, whose path
// LACUNA_OPENCC has.
func TestHanTable(t *testing.T) {
	path := os.Getenv("LACUNA_OPENCC")
	if path == "" {
		t.Skip("LACUNA_OPENCC does not name OpenCC's TSCharacters.txt")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var from, to []rune
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if strings.HasPrefix(line, "#") || len(fields) < 2 || fields[0] == fields[1] {
			continue
		}
		a, _ := utf8.DecodeRuneInString(fields[0])
		b, _ := utf8.DecodeRuneInString(fields[1])
		if firstHan <= a && a <= lastHan && firstHan <= b && b <= lastHan && !slices.Contains(from, a) {
			from, to = append(from, a), append(to, b)
		}
	}
	made := string(from) + "\n" + string(to)
	if *update {
		if err := os.WriteFile("han.txt", []byte(made), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if made != hanTable {
		t.Error("han.txt is made of another table; run with -update")
	}
}

func TestSimplify(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "metformin": "metformin", "電動自行車": "电动自行车", "勞動 contract 合約": "劳动 contract 合约", "电瓶车": "电瓶车",
	} {
		if got := Simplify(text); got != want || len(got) != len(text) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestSpellings holds that one word written in several ways is one term.
func TestSpellings(t *testing.T) {
	for _, same := range [][2]string{
		{"電動自行車", "电动自行车"}, {"Straße", "Strasse"}, {"Fußnote", "FUSSNOTE"}, {"Maß", "Mass"},
	} {
		if a, b := Terms(same[0]), Terms(same[1]); !slices.Equal(a, b) {
			t.Errorf("%v: %q and %q", same, a, b)
		}
	}
	if got := Content("請問電動自行車怎麼辦？"); len(got) != 4 {
		t.Errorf("the words of asking stay: %v", got)
	}
}
