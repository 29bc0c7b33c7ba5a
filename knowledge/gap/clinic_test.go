package gap

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
)

// TestClinicExample asks the example workspace what a clinician might: what its pages answer
// carries no gap, and what they lack is named.
func TestClinicExample(t *testing.T) {
	root, err := filepath.Abs("../../examples/clinic/kb")
	if err != nil {
		t.Fatal(err)
	}
	files, err := ingest.Read(context.Background(), ingest.DefaultLimits(), []ingest.Source{
		{Name: "guidelines", Kind: passage.Text, Path: filepath.Join(root, "guidelines")},
		{Name: "history", Kind: passage.QA, Path: filepath.Join(root, "history.jsonl")},
	}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	library, err := knowledge.Build(context.Background(), ingest.Passages(files), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	judge := calibrate(t, library)
	for _, c := range []struct {
		question string
		code     Code   // empty for no gap
		label    string // what the label must hold
		off      bool
	}{
		{question: "What is the usual dose of apixaban in atrial fibrillation?"},
		{question: "Which medicines make lisinopril raise potassium?"},
		{question: "When should metformin be avoided in kidney disease?"},
		{question: "What are the side effects of amlodipine?"},
		{question: "How can gout attacks be prevented?"},
		{question: "Does ibuprofen interact with apixaban"},
		{question: "Can St John's wort be taken with apixaban?"},
		{question: "How often kidney function should be checked while she takes apixaban."},
		{question: "Should a patient on warfarin eat a lot of spinach?"},
		{question: "What should be monitored when starting levothyroxine?"},
		{question: "Can I drive after taking sertraline?"},
		{question: "What causes migraine attacks?"},
		{question: "How is anaphylaxis treated?"},
		{question: "How much paracetamol can an adult take in a day?"},
		{question: "What are the symptoms of coeliac disease?"},
		{question: "Does pneumonia need a chest x-ray?"},
		{"What is the starting dose of tirzepatide for weight loss?", MissingTopic, "Nothing on “tirzepatide”: no passage mentions it", false},
		{"How is gout treated with pegloticase?", MissingTopic, "Nothing on “pegloticase”: no passage mentions it", false},
		{"Is metformin safe during breastfeeding?", MissingAspect, "Nothing on pregnancy and breastfeeding of “Metformin”; you have: ", false},
		// Everyday words beside a subject that is covered are not taken for a missing one.
		{question: "Can amlodipine cause hair loss?"},
		{question: "How should salbutamol be stored in hot weather?"},
		{"What is the dose of lamotrigine in epilepsy?", MissingTopic, "Nothing on “lamotrigine”", true},
		{"Is gout hereditary?", MissingAspect, "Nothing on inheritance of “Gout”; you have: ", false},
		{"Which film won the award for best picture in 1998?", MissingTopic, "Nothing on “", true},
	} {
		v, err := judge.Judge(context.Background(), library, c.question, nil)
		if err != nil {
			t.Fatal(err)
		}
		if v.OffTopic != c.off {
			t.Errorf("%q: off topic %v, want %v", c.question, v.OffTopic, c.off)
		}
		switch {
		case c.code == "" && len(v.Gaps) > 0:
			t.Errorf("%q: gap %q at %.2f, want none", c.question, v.Gaps[0].Text, v.Gaps[0].Probability)
		case c.code != "" && (len(v.Gaps) != 1 || v.Gaps[0].Code != c.code || !strings.Contains(v.Gaps[0].Text, c.label)):
			t.Errorf("%q: gaps %+v at %.2f, want one %s with %q", c.question, v.Gaps, v.Probability, c.code, c.label)
		}
	}
}

// TestCalibrationIsDeterministic fits the same base twice.
func TestCalibrationIsDeterministic(t *testing.T) {
	library := build(t, leaflets(60)...)
	fit := func() []byte {
		blob, err := Companion().Fit(context.Background(), library)
		if err != nil {
			t.Fatal(err)
		}
		return blob
	}
	first := fit()
	if decode(first).Aspects == nil {
		t.Fatal("leaflets with headings taught no aspects")
	}
	if string(first) != string(fit()) {
		t.Error("the same library was fitted to different calibrations")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Companion().Fit(ctx, library); err == nil {
		t.Error("a cancelled fit reports no error")
	}
}

// TestSelfCalibrationIsDeterministic calibrates the same collection twice and keeps the signs of the weights.
func TestSelfCalibrationIsDeterministic(t *testing.T) {
	library := build(t, leaflets(120)...)
	shelf := library.Collection(passage.Text)
	if shelf.Encoder() == nil {
		t.Fatalf("no encoder was trained on %d passages", shelf.N())
	}
	learn := func() model {
		m, err := selfCalibrate(context.Background(), library, passage.Text, func(string) bool { return false })
		if err != nil || m == nil {
			t.Fatalf("calibrated to %v, %v", m, err)
		}
		return *m
	}
	first := learn()
	if second := learn(); first != second {
		t.Errorf("the same collection was calibrated to\n%+v and\n%+v", first, second)
	}
	if !first.sound() {
		t.Errorf("a weight rose above 0: %+v", first)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := selfCalibrate(ctx, library, passage.Text, func(string) bool { return false }); err == nil {
		t.Error("a cancelled self-calibration reports no error")
	}
}

// TestFewDocumentsAreAskedInRounds calibrates a base of ten books, of which one round hides two.
func TestFewDocumentsAreAskedInRounds(t *testing.T) {
	passages := leaflets(120)
	for i, p := range passages {
		p.Document = "book " + string(rune('a'+i/36))
	}
	r, err := newSelfCalibration(build(t, passages...), passage.Text, func(string) bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	examples, _, err := r.askInRounds(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if most := 2 * 2 * questionsPerDoc; len(examples) <= 4*most {
		t.Errorf("%d questions were asked, one round asks at most %d", len(examples), most)
	}
}

// leaflets returns n invented medicines, each with the same three headings.
func leaflets(n int) []*passage.Passage {
	name := func(i int) string {
		return string([]byte{'k' + byte(i%7), 'a' + byte(i/7%5), 'r' + byte(i%3), 'o'}) + "zine" + string(rune('a'+i%26))
	}
	var passages []*passage.Passage
	for i := range n {
		passages = append(passages,
			text(name(i)+"/Dose", "One tablet of "+name(i)+" is swallowed twice daily with water."),
			text(name(i)+"/Side effects", "Nausea and dizziness trouble some people on "+name(i)+"."),
			text(name(i)+"/Storage", "Keep "+name(i)+" dry and below 25 degrees, away from light."),
		)
	}
	return passages
}
