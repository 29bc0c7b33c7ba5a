package systems_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/extract"
	"lacuna/knowledge/answer/support"
	"lacuna/knowledge/entail"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/llm/llmtest"
	"lacuna/knowledge/passage"
)

// exampleBase opens the example base of the repository.
func exampleBase(t *testing.T) *knowledge.Library {
	t.Helper()
	folder, err := filepath.Abs(filepath.Join("..", "..", "..", "examples", "clinic", "kb"))
	if err != nil {
		t.Fatal(err)
	}
	index, err := knowledge.Open(knowledge.Options{
		Dir: t.TempDir(),
		Sources: []ingest.Source{
			{Name: "guidelines", Kind: passage.Text, Path: filepath.Join(folder, "guidelines")},
			{Name: "history", Kind: passage.QA, Path: filepath.Join(folder, "history.jsonl")},
		},
		Companions: []knowledge.Companion{gap.Companion(), extract.QuestionTypes{}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { index.Close() })
	if err := index.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	return index.Library()
}

// clinicQuestions returns the questions that the example base answers.
func clinicQuestions(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "extract", "testdata", "clinic.questions"))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for line := range strings.Lines(string(text)) {
		if question, ok := strings.CutPrefix(strings.TrimSpace(line), "+ "); ok {
			all = append(all, question)
		}
	}
	return all
}

// paraphrasesIn returns what the clinician wrote in answer to these calls.
func paraphrasesIn(calls []llmtest.Call) []llmtest.Paraphrase {
	var all []llmtest.Paraphrase
	for _, c := range calls {
		if strings.HasPrefix(c.Template, "answer_") || strings.HasPrefix(c.Template, "migres_") {
			all = append(all, llmtest.Paraphrases(c.User())...)
		}
	}
	return all
}

// slipIn returns what is wrong in a statement; a merged one has two parts.
func slipIn(statement string, paraphrases []llmtest.Paraphrase) (slip llmtest.Slip, known bool) {
	for _, p := range paraphrases {
		text := support.PlainText(strings.TrimRight(p.Text, ".。"))
		if text == "" || !strings.Contains(strings.ToLower(statement), strings.ToLower(text)) {
			continue
		}
		known = true
		if p.Slip != llmtest.Faithful {
			return p.Slip, true
		}
	}
	return llmtest.Faithful, known
}

// TestClinicianThroughEverySystem has a model that rewords, merges, abbreviates and sometimes errs answer by
// every system. Every sentence of it that is shown has a verdict, its citations stand in the sources (run
// checks that), and of the sentences with a slip hardly any passes as stated.
func TestClinicianThroughEverySystem(t *testing.T) {
	library := exampleBase(t)
	questions := clinicQuestions(t)
	var wrong, passed atomic.Int32
	t.Cleanup(func() {
		if 10*passed.Load() > wrong.Load() || wrong.Load() < 50 {
			t.Errorf("%d of %d sentences with a slip pass as stated", passed.Load(), wrong.Load())
		}
	})
	for i, id := range modelSystems() {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			server := llmtest.New(t, llmtest.Clinician(playing()))
			e := environment(t, server)
			for _, text := range []string{questions[i%len(questions)], questions[(i+7)%len(questions)], questions[(i+13)%len(questions)]} {
				server.Forget()
				result := run(t, e, id, library, answer.Question{Text: text})
				var failed *llm.Error
				if errors.As(result.Failure, &failed) {
					t.Errorf("%s: %v", text, failed)
				}
				paraphrases := paraphrasesIn(server.Calls())
				for _, s := range result.Statements {
					if s.Basis == answer.Unchecked && s.Support.Verdict == "" {
						t.Errorf("%s: no verdict on %q (%s)", text, s.Text, s.Basis)
					}
					if slip, _ := slipIn(s.Text, paraphrases); slip != llmtest.Faithful && s.Basis != answer.Background {
						wrong.Add(1)
						if passes(s) {
							passed.Add(1)
							t.Logf("%s: %s passes as %s: %q", text, slip, s.Support.Verdict, s.Text)
						}
					}
				}
			}
		})
	}
}

// passes reports whether a reader is told that the sources say a statement.
func passes(s answer.Statement) bool {
	return s.Basis == answer.Claim && (s.Support.Verdict == "" || s.Support.Verdict == entail.States || s.Support.Verdict == entail.Partly)
}
