package extract_test

import (
	"strings"
	"testing"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/answertest"
	"lacuna/knowledge/answer/extract"
)

// A section under a heading that asks is the answer to the same question, and to no other.
func TestSectionsUnderQuestionsAnswerThem(t *testing.T) {
	library, _ := answertest.Library(t, map[string]string{
		"faq.md": "# Lamps\n\n## Why us?\n\nBecause light matters.\n\n## How do I cancel an order?\n\nWrite to the shop before noon. Paid money comes back in a week.\n\n## Can I cancel an order by phone?\n\nNo, the shop has no phone.\n",
		"de.md":  "# Häufige Fragen\n\n## Kann ich die Lieferadresse ändern?\n\nBis zum Versand ändern wir sie gern.\n",
		"zh.md":  "# 常见问题\n\n## 如何申请发票？\n\n在“我的订单”中选择“申请发票”。\n",
		"car.md": "# Cars\n\n## What does it cost?\n\nA car costs 30 euros a day.\n",
		"van.md": "# Vans\n\n## What does it cost?\n\nA van costs 50 euros a day.\n",
	})
	for _, c := range []struct {
		question string
		state    answer.State
		first    string
	}{
		{"how can I cancel orders?", answer.Answered, "Write to the shop"},
		{"Hello, I ordered two lamps for my mother last week and she has bought some herself by now. How do I cancel an order? Regards, Pat", answer.Answered, "Write to the shop"},
		{"Why do lamps flicker?", "", "Because light matters."},
		{"What does a van cost?", answer.Answered, "A van costs"},
		{"Kann ich die Lieferadresse ändern?", answer.Answered, "Bis zum Versand"},
		{"请问如何申请发票？", answer.Answered, "在“我的订单”中"},
	} {
		r, err := new(extract.Offline).Answer(t.Context(), library, answer.Question{Text: c.question})
		if err != nil {
			t.Fatal(err)
		}
		first := ""
		if shown := r.Shown(); len(shown) > 0 {
			first = shown[0].Text
		}
		if c.state == "" && r.State == answer.Answered && strings.HasPrefix(first, c.first) || c.state != "" && (r.State != c.state || !strings.HasPrefix(first, c.first)) {
			t.Errorf("%s\n%s %v", c.question, r.State, r.Shown())
		}
		for _, s := range r.Shown() {
			for _, n := range s.Citations {
				if n < 1 || n > len(r.Citations) || r.Citations[n-1].N != n {
					t.Errorf("%s: cites %d", c.question, n)
				}
			}
		}
	}
}
