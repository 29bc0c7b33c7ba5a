package extract_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/extract"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
)

var update = flag.Bool("update", false, "write the golden files again")

// TestClinic keeps the answers to the example base in a file, so that a change of any step shows
// what readers will see, and how many questions of each sort are answered.
func TestClinic(t *testing.T) {
	example := filepath.Join("..", "..", "..", "examples", "clinic", "kb")
	example, err := filepath.Abs(example)
	if err != nil {
		t.Fatal(err)
	}
	index, err := knowledge.Open(knowledge.Options{
		Dir: t.TempDir(),
		Sources: []ingest.Source{
			{Name: "guidelines", Kind: passage.Text, Path: filepath.Join(example, "guidelines")},
			{Name: "history", Kind: passage.QA, Path: filepath.Join(example, "history.jsonl")},
		},
		Companions: []knowledge.Companion{gap.Companion(), extract.QuestionTypes{}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	if err := index.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	questions, err := os.ReadFile(filepath.Join("testdata", "clinic.questions"))
	if err != nil {
		t.Fatal(err)
	}
	strategy := &extract.Offline{Judge: gap.NewJudge()}
	var rendered strings.Builder
	counts := map[string]map[answer.State]int{"+": {}, "-": {}, "0": {}}
	for line := range strings.Lines(string(questions)) {
		mark, question, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || mark == "#" {
			continue
		}
		result, err := strategy.Answer(t.Context(), index.Library(), answer.Question{Text: question})
		if err != nil {
			t.Fatal(err)
		}
		checkResult(t, result)
		counts[mark][result.State]++
		fmt.Fprintf(&rendered, "%s %s\n%s\n\n", mark, question, covered(result))
	}
	var summary strings.Builder
	for _, mark := range []string{"+", "-", "0"} {
		c := counts[mark]
		fmt.Fprintf(&summary, "%s answered %d, nearest %d, nothing %d\n", mark, c[answer.Answered], c[answer.Nearest], c[answer.Nothing])
	}
	golden := filepath.Join("testdata", "clinic.golden")
	got := summary.String() + "\n" + rendered.String()
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("run with -update and read the difference:\n%s", diff)
	}
}
