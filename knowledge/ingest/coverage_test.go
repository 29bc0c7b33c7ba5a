package ingest

import (
	"slices"
	"testing"

	"lacuna/knowledge/document"
	"lacuna/knowledge/passage"
)

// TestCoverageCountsWhatStandsOutsideBlocks holds that every word of a text file is accounted for.
func TestCoverageCountsWhatStandsOutsideBlocks(t *testing.T) {
	text := "---\ntitle: Peas\n---\nPeas are sown in March.\n<!-- ask Anna --> {{ tag }}\nMenu Home\n"
	d := &fileDocument{Document: document.Document{Text: text, Blocks: []document.Block{
		{Kind: passage.Paragraph, Span: passage.Span{Start: 20, End: 43}},
		{Kind: passage.Paragraph, Span: passage.Span{Start: 72, End: 81}, Chrome: document.Navigation},
	}}}
	d.Omit("template tags", 1)
	p := &passage.Passage{Text: text[20:43], Place: passage.Place{Span: passage.Span{Start: 20, End: 43}}}
	c := coverageOf(d, []*passage.Passage{p})
	if c.Words != 5 || c.Kept != 5 {
		t.Errorf("%d of %d words", c.Kept, c.Words)
	}
	got := map[string]int{}
	for _, o := range c.Omitted {
		got[o.What] = o.Words
	}
	if len(got) != 3 || got["template tags"] != 1 || got["navigation"] != 2 || got["markup, front matter and comments"] != 4 {
		t.Errorf("left out: %v", got)
	}
	if d.Omitted[0].Words != 1 || len(d.Omitted) != 1 {
		t.Error("the document was changed")
	}

	// Passages of pairs come before the others and may stand behind them.
	d = &fileDocument{Document: document.Document{Text: text, Blocks: []document.Block{
		{Kind: passage.Paragraph, Span: passage.Span{Start: 20, End: 43}}, {Kind: passage.Paragraph, Span: passage.Span{Start: 72, End: 81}}}}}
	last := &passage.Passage{Text: text[72:81], Place: passage.Place{Span: passage.Span{Start: 72, End: 81}}}
	if c := coverageOf(d, []*passage.Passage{last, p}); c.Kept != 7 {
		t.Errorf("%d of %d words with passages in another order", c.Kept, c.Words)
	}

	// What was lost counts as content; a file of which nine tenths are lost is partly read.
	d = &fileDocument{Document: document.Document{Text: "one two\n", Blocks: []document.Block{{Kind: passage.Paragraph, Span: passage.Span{Start: 0, End: 7}}}}}
	d.Lose("scanned pages", 18)
	f := FileReport{State: Indexed, Coverage: coverageOf(d, []*passage.Passage{{Text: "one two", Place: passage.Place{Span: passage.Span{Start: 0, End: 7}}}})}
	if f.Words != 20 || f.Kept != 2 || !f.Partly() {
		t.Errorf("%d of %d words, partly %t", f.Kept, f.Words, f.Partly())
	}
}

// TestTotalsNameNoAttachments holds that the sum over a mailbox does not grow with the names of its attachments.
func TestTotalsNameNoAttachments(t *testing.T) {
	var totals Totals
	for _, name := range []string{"attachment plan.pdf", "attachment smime.p7s", "attachments", "pictures"} {
		totals.Add(&FileReport{State: Indexed, Coverage: Coverage{Omitted: []document.Omission{{What: name, Count: 1}}}})
	}
	want := []document.Omission{{What: "attachments", Count: 3}, {What: "pictures", Count: 1}}
	if !slices.Equal(totals.Omitted, want) {
		t.Errorf("left out: %v", totals.Omitted)
	}
}
