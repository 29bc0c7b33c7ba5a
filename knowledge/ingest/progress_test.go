package ingest

import (
	"testing"
	"time"

	"lacuna/knowledge/passage"
)

// TestPaceLearns holds that the time left follows the files: PDFs that take five times as long as
// expected count five times, and text files what they take.
func TestPaceLearns(t *testing.T) {
	var found []candidate
	for range 100 {
		found = append(found, candidate{record: "a.md", size: 10_000})
	}
	for range 100 {
		found = append(found, candidate{record: "b.pdf", size: 1_000_000})
	}
	found = append(found, candidate{record: "c.png", reason: "no reader for .png", state: Skipped})
	p := newPace(found, make([]*File, len(found)))
	expected := found[150].expected()
	slow := 5 * expected.time
	for i := range found[:150] {
		took, passages := found[i].expected().time, 10
		if i >= 100 {
			took, passages = slow, 50
		}
		p.end(&found[i], false, took, passages)
	}
	now := p.begin(&found[150], false, nil)
	if now.Files != 150 || now.TotalFiles != 200 || now.Passages != 3500 || now.File != "b.pdf" {
		t.Errorf("progress %+v", now)
	}
	if want := 50 * slow; now.Left < want*9/10 || now.Left > want*11/10 {
		t.Errorf("%v left of %v", now.Left, want)
	}
	if now.Current < slow*9/10 || now.Current > slow*11/10 {
		t.Errorf("%v for a file of %v", now.Current, slow)
	}
	if now.Expected < 5500 || now.Expected > 6500 || now.New != now.Expected {
		t.Errorf("%d passages expected, %d new", now.Expected, now.New)
	}
}

// TestPaceOfUnchangedFiles holds that files which are not read again cost nothing.
func TestPaceOfUnchangedFiles(t *testing.T) {
	found := []candidate{{record: "a.md", size: 1 << 20}, {record: "b.md", size: 1000}}
	p := newPace(found, []*File{{Passages: make([]*passage.Passage, 700)}, nil})
	now := p.begin(&found[0], true, nil)
	if now.Current != 0 || now.Left > 10*time.Millisecond || now.Expected != 700 || now.New != 0 {
		t.Errorf("before: %+v", now)
	}
	p.end(&found[0], true, 0, 700)
	p.end(&found[1], false, time.Millisecond, 3)
	if now = p.finished(nil); now.Files != 2 || now.Passages != 703 || now.Expected != 703 || now.Left != 0 || now.New != 3 {
		t.Errorf("after: %+v", now)
	}
}
