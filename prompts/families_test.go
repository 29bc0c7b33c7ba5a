package prompts

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFamilies reads the replies that models of six families give to each prompt of this package: the same
// content in their manners. The replies are written for this test, after the habits of these models.
func TestFamilies(t *testing.T) {
	readers := map[string]func(reply string) (string, error){
		"judge_gaps": func(r string) (string, error) {
			j, _, err := ParseJudgement(r)
			return fmt.Sprintf("%t %q <- %q", j.Missing, strings.Join(j.Gaps, "; "), strings.Join(j.Queries, "; ")), err
		},
		"explore_gaps": func(r string) (string, error) {
			e, _, err := ParseExploration(r, 3)
			return strings.Join(e.Points, " | "), err
		},
		"summarise_doc": func(r string) (string, error) { s, _, _, err := ParseSummary(r); return s, err },
		"generate_doc":  func(r string) (string, error) { s, _, err := ParseDocument(r); return strings.TrimSpace(s), err },
		"select_docs": func(r string) (string, error) {
			s, _, err := ParseSelection(r, 10, 5)
			return fmt.Sprint(s.Selected), err
		},
		"migres_extract": func(r string) (string, error) {
			facts, _, err := ParseFacts(r, 4)
			var all []string
			for _, f := range facts {
				all = append(all, fmt.Sprint(f.Text, " ", f.Support))
			}
			return strings.Join(all, " | "), err
		},
		"migres_solve": func(r string) (string, error) {
			s, _, err := ParseSolution(r)
			return fmt.Sprintf("%s (%d), missing %s", s.Answer, s.Confidence, s.Missing), err
		},
		"migres_query": queriesIn, "followup_ask": queriesIn, "decompose": queriesIn,
		"verify_facts": func(r string) (string, error) {
			findings, _, err := ParseFindings(r, []string{"a", "b", "c"})
			var all []string
			for _, f := range findings {
				all = append(all, fmt.Sprintf("%d %s %q", f.Passage, f.Verdict, f.Quote))
			}
			return strings.Join(all, " | "), err
		},
		"eval_contexts": func(r string) (string, error) {
			statements, _, err := ParseStatements(r)
			return strings.Join(statements, " | "), err
		},
		"query_check": func(r string) (string, error) {
			c, _, err := ParseCheck(r)
			return fmt.Sprint(c.Class, " ", c.Queries), err
		},
		"rewrite":           func(r string) (string, error) { q, _, err := ParseRewrite(r); return q, err },
		"confidence":        func(r string) (string, error) { c, _, err := ParseConfidence(r); return fmt.Sprint(c), err },
		"answer_choice":     func(r string) (string, error) { c, _, err := ParseChoice(r, letters); return c.Letter, err },
		"answer_context":    func(r string) (string, error) { a, _, err := ParseAnswer(r, Note); return a, err },
		"answer_direct":     func(r string) (string, error) { a, _, err := ParseAnswer(r, Note); return a, err },
		"combine":           func(r string) (string, error) { a, _, err := ParseAnswer(r, Note); return a, err },
		"answer_cot":        func(r string) (string, error) { _, a, _, err := ParseLastAnswer(r); return a, err },
		"answer_manual_cot": func(r string) (string, error) { _, a, _, err := ParseLastAnswer(r); return a, err },
	}
	for _, name := range Default().Names() {
		file, err := os.ReadFile(filepath.Join("testdata", "families", name+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		head, replies, _ := strings.Cut(strings.ReplaceAll(string(file), "\r\n", "\n"), "\n=== ")
		want := strings.TrimPrefix(head, "reads as: ")
		all := strings.Split(replies, "\n=== ")
		if len(all) != 6 {
			t.Errorf("%s: replies of %d families", name, len(all))
		}
		for _, one := range all {
			family, reply, _ := strings.Cut(one, "\n")
			if got, err := readers[name](reply); err != nil || got != want {
				t.Errorf("%s of %s: %v\n got %s\nwant %s", name, family, err, got, want)
			}
		}
	}
}

func queriesIn(reply string) (string, error) {
	_, queries, _, err := ParseQueries(reply, 3)
	return strings.Join(queries, " | "), err
}
