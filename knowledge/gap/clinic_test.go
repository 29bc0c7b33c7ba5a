package gap

import (
	"context"
	"path/filepath"
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
)

// example builds the library of one of the repository's example workspaces and calibrates it.
func example_(t *testing.T, sources ...ingest.Source) *knowledge.Library {
	t.Helper()
	files, err := ingest.Read(context.Background(), sources, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	library, err := knowledge.Build(context.Background(), ingest.Distinct(files), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return library
}

func TestClinic(t *testing.T) {
	root, err := filepath.Abs("../../examples/clinic/kb")
	if err != nil {
		t.Fatal(err)
	}
	library := example_(t,
		ingest.Source{Name: "guidelines", Kind: passage.Text, Path: filepath.Join(root, "guidelines")},
		ingest.Source{Name: "history", Kind: passage.QA, Path: filepath.Join(root, "history.jsonl")},
	)
	blob, err := Companion().Fit(context.Background(), library)
	if err != nil {
		t.Fatal(err)
	}
	c := decode(blob)
	t.Log(library.Status(), c.Text, c.Pairs, c.Aspects != nil)
	if c.Aspects != nil {
		t.Log(c.Aspects.Classes, c.Aspects.Stage, c.Aspects.Words)
	}
	j := &Judge{calibrated: c, key: ""}
	for _, q := range []string{
		"What is the usual dose of apixaban in atrial fibrillation?",
		"Which medicines make lisinopril raise potassium?",
		"When should metformin be avoided in kidney disease?",
		"Is metformin safe during breastfeeding?",
		"What is the starting dose of tirzepatide for weight loss?",
		"What are the side effects of amlodipine?",
		"How can gout attacks be prevented?",
		"How is gout treated with pegloticase?",
		"Does ibuprofen interact with apixaban",
		"Can St John's wort be taken with apixaban?",
		"How should salbutamol be stored in hot weather?",
		"How often kidney function should be checked while she takes apixaban.",
		"Which film won the award for best picture in 1998?",
		"Should a patient on warfarin eat a lot of spinach?",
		"What should be monitored when starting levothyroxine?",
		"Can I drive after taking sertraline?",
		"What causes migraine attacks?",
		"How is anaphylaxis treated?",
		"How much paracetamol can an adult take in a day?",
		"What are the symptoms of coeliac disease?",
		"What is the dose of lamotrigine in epilepsy?",
		"How is tuberculosis treated?",
		"What are the storage conditions of insulin?",
		"Does pneumonia need a chest x-ray?",
		"How common is coeliac disease?",
		"Is gout hereditary?",
		"What is the overdose treatment of digoxin?",
	} {
		v, err := j.Judge(context.Background(), library, q, nil)
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, g := range v.Gaps {
			text = string(g.Code) + " " + g.Text + " | " + g.Query
		}
		t.Logf("%.2f %.2f %v %s  => %s", v.Topic, v.Aspect, v.OffTopic, q, text)
	}
}
