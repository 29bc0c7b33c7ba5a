package extract

import (
	"testing"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/question"
)

func TestDiffer(t *testing.T) {
	passages := plain("a", "b")
	citations := []answer.Citation{{N: 1, Passage: passages[0]}, {N: 2, Passage: passages[1]}, {N: 3, Passage: passages[0]}}
	yes, no := "Metformin is safe in pregnancy.", "Metformin should not be given in pregnancy."
	for _, c := range []struct {
		name       string
		question   string
		statements []answer.Statement
		want       bool
	}{
		{"two documents", "Is metformin safe in pregnancy?", []answer.Statement{{Text: yes, Citations: []int{1}}, {Text: no, Citations: []int{2}}}, true},
		{"one document", "Is metformin safe in pregnancy?", []answer.Statement{{Text: yes, Citations: []int{1}}, {Text: no, Citations: []int{3}}}, false},
		{"agreeing", "Is metformin safe in pregnancy?", []answer.Statement{{Text: no, Citations: []int{1}}, {Text: no, Citations: []int{2}}}, false},
		{"not a yes or no", "What is metformin?", []answer.Statement{{Text: yes, Citations: []int{1}}, {Text: no, Citations: []int{2}}}, false},
		{"Chinese", "二甲双胍在孕期安全吗？", []answer.Statement{{Text: "孕期可以使用。", Citations: []int{1}}, {Text: "孕期不宜使用。", Citations: []int{2}}}, true},
		{"nothing said", "Is metformin safe in pregnancy?", nil, false},
	} {
		if got := Disagree(question.Read(c.question), c.statements, citations); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
