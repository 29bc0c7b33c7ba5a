package systems_test

import (
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
	"lacuna/prompts"
)

// exam is a question of the multiple-choice data.
type exam struct {
	ID       string
	Question string
	Options  map[string]string
}

func (e exam) asked() answer.Question {
	q := answer.Question{ID: e.ID, Text: e.Question}
	for _, letter := range slices.Sorted(maps.Keys(e.Options)) {
		q.Options = append(q.Options, prompts.Option{Letter: letter, Text: e.Options[letter]})
	}
	return q
}

// TestEverySystemReadsExams gives every system that takes options twenty real questions, with a model
// that always chooses the first one: every reply must be read.
func TestEverySystemReadsExams(t *testing.T) {
	all := rows[exam](t, "mcq/mcq.dev.jsonl.gz")
	var exams []exam
	for i := 0; i < len(all); i += len(all) / 20 {
		exams = append(exams, all[i])
	}
	index, err := knowledge.Open(knowledge.Options{
		Dir: filepath.Join(cacheDir(t), "exams"),
		Sources: []ingest.Source{
			{Name: "explanations", Kind: passage.Text, Path: dataFile(t, "kb/passages-medmcqa-explanations.jsonl.gz")},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	if err := index.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, c := range medrgagCalls {
		bench, _ := table(t, playing())
		for _, e := range exams {
			result := run(t, bench, c.system, index.Library(), e.asked())
			if result.Choice != "A" || result.Failure != nil {
				t.Errorf("%s, %s: choice %q, failure %v", c.system, e.ID, result.Choice, result.Failure)
			}
		}
	}
}
