package messages

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge/document"
	"lacuna/knowledge/ingest"
)

func TestNumber(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 20112: "20,112", 1234567: "1,234,567", -1000: "-1,000", -100: "-100"} {
		if got := Number(n); got != want {
			t.Errorf("Number(%d) = %s, want %s", n, got, want)
		}
	}
}

// TestOtherFiles holds that many files without text take one line, whatever they are called.
func TestOtherFiles(t *testing.T) {
	var totals ingest.Totals
	add := func(n int, reason string) {
		for range n {
			totals.Add(&ingest.FileReport{State: ingest.Skipped, Reason: reason})
		}
	}
	add(120, "no reader for .png")
	add(15, "no reader for .jpg")
	add(3, "no reader for .go")
	add(1, "no reader for .2 final (draft)")
	add(2, "no reader for files without an extension")
	add(2, "no reader for this XML (root element linkbase)")
	add(2, "no reader for this XML (root element xbrl)")
	add(1, "no reader for this JSON (neither FHIR nor CSL)")
	add(1000, "excluded by drafts/**")
	add(1, "no text")
	want := []string{
		"135 files without text: 120 .png, 15 .jpg",
		"11 files in formats that Lacuna does not read: 4 other XML, 3 without an ending, 3 .go, 1 other JSON",
		"1,000 files excluded by drafts/**",
	}
	if diff := cmp.Diff(want, OtherFiles(&totals)); diff != "" {
		t.Error(diff)
	}
	if got := totals.Ignored(); got != 1146 {
		t.Errorf("%d files are ignored", got)
	}
}

func TestPartlyReadFilesSayWhyAndWhatHelps(t *testing.T) {
	for _, tt := range []struct {
		name        string
		file        ingest.FileReport
		why, advice string
	}{
		{"whole", ingest.FileReport{Coverage: ingest.Coverage{Words: 10, Kept: 9}}, "", ""},
		{"scanned", ingest.FileReport{Coverage: ingest.Coverage{Words: 1000, Kept: 710, Omitted: []document.Omission{
			{What: "scanned pages", Count: 4, Words: 290, Lost: true}, {What: "navigation", Count: 2, Words: 120}}}},
			"71 % of 1,000 words are searched; not read: scanned pages (4; 290 words)", adviceOCR},
		{"limit", ingest.FileReport{Reason: "the limit of your sources (limits.passages) is met; the rest is left out"},
			"the limit of your sources (limits.passages) is met; the rest is left out", "leave other files out with exclude, or raise the limit in your own settings"},
		{"unknown", ingest.FileReport{Coverage: ingest.Coverage{Words: 1000, Kept: 899}},
			"89 % of 1,000 words are searched; the other words are in no passage", "save it in another format, and compare: lacuna doctor --reading"},
	} {
		tt.file.State = ingest.Indexed
		if got := WhyPartly(&tt.file); got != tt.why {
			t.Errorf("%s: %s", tt.name, got)
		}
		if got := Advice(&tt.file); got != tt.advice {
			t.Errorf("%s: %s", tt.name, got)
		}
	}
}
