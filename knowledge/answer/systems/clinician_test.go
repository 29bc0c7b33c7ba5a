package systems_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
					if s.Basis != answer.Quote && s.Basis != answer.Background && s.Support.Verdict == "" {
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

// TestClinicianNotes keeps notes of the clinician in a file, as a person would read them, and holds how many
// of its sentences are judged rightly.
func TestClinicianNotes(t *testing.T) {
	library := exampleBase(t)
	server := llmtest.New(t, llmtest.Clinician(llmtest.Obliging()))
	e := environment(t, server)
	var notes strings.Builder
	counts := map[string]map[string]int{"faithful": {}, "wrong": {}}
	for _, text := range clinicQuestions(t) {
		server.Forget()
		result := run(t, e, "std-rag/merged", library, answer.Question{Text: text})
		paraphrases := paraphrasesIn(server.Calls())
		fmt.Fprintf(&notes, "## %s\n\n", text)
		for _, s := range result.Statements {
			slip, known := slipIn(s.Text, paraphrases)
			kind := "faithful"
			if slip != llmtest.Faithful {
				kind = "wrong"
			}
			verdict := string(s.Support.Verdict)
			if verdict == "" {
				verdict = string(s.Basis)
			}
			if known {
				counts[kind][verdict]++
			}
			fmt.Fprintf(&notes, "- %s\n  %s", s.Text, verdict)
			if slip != llmtest.Faithful {
				fmt.Fprintf(&notes, " (wrong: %s)", slip)
			}
			for _, unstated := range s.Support.Unstated {
				fmt.Fprintf(&notes, "; not stated: %s", unstated)
			}
			for _, d := range s.Support.Differences {
				fmt.Fprintf(&notes, "; %s: said %q, stated %q", d.Kind, d.Said, d.Stated)
			}
			for _, n := range s.Citations {
				c := result.Citations[n-1]
				fmt.Fprintf(&notes, "\n  [%s] %s", c.Passage.Title, c.Shown())
			}
			notes.WriteString("\n")
		}
		notes.WriteString("\n")
	}
	fmt.Fprintf(&notes, "## Counts\n\n")
	for _, kind := range []string{"faithful", "wrong"} {
		var verdicts []string
		total := 0
		for v, n := range counts[kind] {
			verdicts = append(verdicts, fmt.Sprintf("%s %d", v, n))
			total += n
		}
		slices.Sort(verdicts)
		fmt.Fprintf(&notes, "%s, %d: %s\n", kind, total, strings.Join(verdicts, ", "))
	}
	golden(t, "clinician.golden", notes.String())
}
