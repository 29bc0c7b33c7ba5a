package cli

import (
	"strconv"
	"strings"
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/passage"
)

func TestTRECScoresDecreaseStrictly(t *testing.T) {
	var hits []knowledge.Hit
	for i, score := range []float64{1, 1, 1 - 1e-12, 0.5, 0.7, 0, 0, -0.25} {
		hits = append(hits, knowledge.Hit{Score: score, Passage: &passage.Passage{Record: "a b\t" + strconv.Itoa(i)}})
	}
	var out strings.Builder
	if err := printTREC(&out, "q 1", "tag", hits); err != nil {
		t.Fatal(err)
	}
	last := float32(2)
	for i, line := range strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n") {
		columns := strings.Fields(line)
		if len(columns) != 6 || columns[0] != "q%201" || columns[1] != "Q0" || columns[2] != "a%20b%20"+strconv.Itoa(i) ||
			columns[3] != strconv.Itoa(i+1) || columns[5] != "tag" {
			t.Errorf("line %q", line)
			continue
		}
		score, err := strconv.ParseFloat(columns[4], 32)
		if err != nil || float32(score) >= last {
			t.Errorf("line %q: score does not decrease from %v (%v)", line, last, err)
		}
		last = float32(score)
	}
}

func TestPrintableTakesOutWhatATerminalActsOn(t *testing.T) {
	for text, want := range map[string]string{
		"two\n\tlines ":          "two lines",
		"red \x1b[31mtext\x07":   "red ⟨U+001B⟩[31mtext⟨U+0007⟩",
		"turned \u202eround":     "turned ⟨U+202E⟩round",
		"bad \xff bytes":         "bad \uFFFD bytes",
		"漢字 and é, as they are.": "漢字 and é, as they are.",
	} {
		if got := printable(text); got != want {
			t.Errorf("printable(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestExcerptsEndAtAWord(t *testing.T) {
	long := strings.Repeat("word ", 100)
	got := excerpt(long)
	if !strings.HasSuffix(got, " word…") || len([]rune(got)) > 301 {
		t.Errorf("excerpt %q", got)
	}
	if got := excerpt(strings.Repeat("字", 400)); len([]rune(got)) != 301 {
		t.Errorf("excerpt of %d characters", len([]rune(got)))
	}
}
