package gap

import (
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/question"
)

// TestCalibrationSeesWhatTheJudgeSees puts questions to a base as the self-calibration does and as the judge
// does: what the judge was calibrated on is what it is asked about.
func TestCalibrationSeesWhatTheJudgeSees(t *testing.T) {
	library := build(t, leaflets(120)...)
	if library.Collection(passage.Text).Encoder() == nil {
		t.Fatal("no encoder was trained")
	}
	r := &selfCalibration{library: library, kind: passage.Text}
	name := func(i int) string { return library.Passages()[i].Title } // an unknown name would be taken for a slip
	for _, text := range []string{
		"How should " + name(0) + " be stored?", "side effects of " + name(40), "nausea tablet water light", "dose",
	} {
		q := parseQuestion(text, question.IsClinicalTerm)
		calibrated, err := r.measure(t.Context(), library, q)
		if err != nil {
			t.Fatal(err)
		}
		e, err := lookUp(t.Context(), library, passage.Text, parseQuestion(text, (&calibration{}).isAspect), nil)
		if err != nil {
			t.Fatal(err)
		}
		if judged := measure(q, *e); judged != calibrated {
			t.Errorf("%q: judged by %v, calibrated by %v", text, judged, calibrated)
		}
		// What is found is what a search of the library finds, in its order.
		hits := searched(t, library, text)
		for i, hit := range e.candidates {
			if hit.ordinal != hits[i] {
				t.Errorf("%q: place %d has passage %d, the library has %d there", text, i+1, hit.ordinal, hits[i])
			}
		}
	}
}

// TestWhatIsLeftOutIsMissing asks about a subject of which everything is left out.
func TestWhatIsLeftOutIsMissing(t *testing.T) {
	library := build(t, leaflets(120)...)
	r := &selfCalibration{library: library, kind: passage.Text}
	title := library.Passages()[0].Title
	var subject []int
	for ordinal, p := range library.Passages() {
		if p.Title == title {
			subject = append(subject, ordinal)
		}
	}
	q := parseQuestion("How is "+title+" stored?", question.IsClinicalTerm)
	with, err := r.measure(t.Context(), library, q)
	if err != nil {
		t.Fatal(err)
	}
	without, err := r.measure(t.Context(), library.Without(subject), q)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []int{bestBM25, coverage, titleOverlap} {
		if without[k] >= with[k] {
			t.Errorf("feature %d is %.3f with the subject and %.3f without", k, with[k], without[k])
		}
	}
}

// searched returns the ordinals that a search for the words of a text finds.
func searched(t *testing.T, library *knowledge.Library, text string) []int {
	t.Helper()
	hits, err := library.Search(t.Context(), knowledge.Query{Text: text, K: depth, Kind: passage.Text})
	if err != nil {
		t.Fatal(err)
	}
	ordinals := make([]int, len(hits))
	for i, hit := range hits {
		ordinals[i] = hit.Ordinal
	}
	return ordinals
}
