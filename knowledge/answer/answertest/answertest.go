// Package answertest has small bases for the tests of answering.
package answertest

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
)

// Library builds a library of files, given by name: .md files are running text, .jsonl stored pairs.
// It also returns the folder of the files.
func Library(t testing.TB, files map[string]string) (*knowledge.Library, string) {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sources := []ingest.Source{
		{Name: "guidelines", Kind: passage.Text, Path: folder, Include: []string{"*.md"}},
		{Name: "history", Kind: passage.QA, Path: folder, Include: []string{"*.jsonl"}},
	}
	read, err := ingest.Read(t.Context(), ingest.DefaultLimits(), sources, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	library, err := knowledge.Build(t.Context(), ingest.Passages(read), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return library, folder
}

// Ward is a small base of our own.
var Ward = map[string]string{
	"spleen.md": "# Splenectomy\n\nAfter removal of the spleen the risk of overwhelming infection stays raised for life. It is highest in the first two years.\n",
	"gout.md":   "# Gout\n\nGout is an arthritis caused by crystals of urate in the joints. An attack of gout is treated with colchicine or naproxen.\n\n## Prevention\n\nAllopurinol taken every day prevents attacks of gout.\n",
	"asthma.md": "# Asthma\n\nAsthma is a narrowing of the airways that comes and goes. Salbutamol opens the airways within minutes.\n",
	"iron.md":   "# Iron deficiency\n\nFerrous sulfate is taken on an empty stomach. Stools turn black with iron.\n",
	"history.jsonl": `{"id":"1","question":"How is scurvy treated?","answer":"Scurvy is treated with vitamin C by mouth. Gums heal in days.","focus":"scurvy","qtype":"treatment","date":"2024-05-01"}
{"id":"2","question":"What are the symptoms of scurvy?","answer":"Scurvy makes the gums bleed.","focus":"scurvy","qtype":"symptoms","date":"2023-01-01"}
`,
}

// Verdict is a judge that always says the same.
type Verdict gap.Verdict

// Judge returns the verdict.
func (v Verdict) Judge(context.Context, *knowledge.Library, string, []string) (gap.Verdict, error) {
	return gap.Verdict(v), nil
}
