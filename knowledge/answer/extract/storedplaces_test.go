package extract_test

import (
	"strings"
	"testing"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/answertest"
	"lacuna/knowledge/answer/extract"
	"lacuna/knowledge/gap"
)

// A stored answer is found through a letter around the question, in words of the writer's own; only if subject
// and aspect agree and nothing else is asked is it *the* answer.
func TestLettersFindStoredAnswers(t *testing.T) {
	library, _ := answertest.Library(t, map[string]string{"history.jsonl": `{"id":"a","question":"What are the treatments for barn fever ?","answer":"Barn fever is treated with rest and willow tea.","focus":"Barn fever","qtype":"treatment","synonyms":["stable cough"]}
{"id":"b","question":"What are the symptoms of barn fever ?","answer":"Barn fever makes the eyes yellow. The cough is dry.","focus":"Barn fever","qtype":"symptoms"}
{"id":"c","question":"What are the symptoms of mill lung ?","answer":"Mill lung makes people wheeze.","focus":"Mill lung","qtype":"symptoms"}
{"id":"d","question":"What are the treatments for mill lung ?","focus":"Mill lung","qtype":"treatment"}
`})
	offline := &extract.Offline{Judge: gap.NewJudge()}
	for _, c := range []struct {
		letter string
		state  answer.State
		first  string
	}{
		{"Dear doctor,\n\nmy brother has worked with horses since he was a boy and now he coughs all night, nobody at home can sleep any more. They call it stable cough. What is it treated with? Thank you so much!\n\nYours, Ann", answer.Nearest, "Barn fever is treated"},
		{"Hi all, my neighbour told me about his illness and I worry about my kids, who are there every day after school. How do I recognise if it is barn fever? Cheers, Tom", answer.Answered, "Barn fever makes the eyes yellow"},
		{"How does mill lung show itself?", answer.Answered, "Mill lung makes people wheeze"},
		{"Which tea helps children with barn fever?", answer.Nearest, "Barn fever"},
	} {
		r, err := offline.Answer(t.Context(), library, answer.Question{Text: c.letter})
		if err != nil {
			t.Fatal(err)
		}
		shown := r.Shown()
		if r.State != c.state || len(shown) == 0 || !strings.HasPrefix(shown[0].Text, c.first) {
			t.Errorf("%s\n%s %v", c.letter, r.State, shown)
		}
		for _, s := range shown {
			for _, n := range s.Citations {
				if n < 1 || n > len(r.Citations) || r.Citations[n-1].Passage.Record == "d" {
					t.Errorf("%s\ncites %d of %v", c.letter, n, r.Citations)
				}
			}
		}
	}
}
