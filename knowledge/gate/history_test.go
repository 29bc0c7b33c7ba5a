package gate

import (
	"testing"

	"lacuna/knowledge/passage"
)

func TestSplitOff(t *testing.T) {
	passages := []*passage.Passage{
		{Record: "mx-b944ada9"},
		{Record: "pm21645374-0", Title: "Do mitochondria matter in lace plants?"},
		{Record: "faq-1", Question: "How is a spacer cleaned?", Kind: passage.QA},
		{Record: "face.md", Title: "Face"},
	}
	for _, test := range []struct {
		id, text string
		dropped  bool
	}{
		{"medmcqa-b944ada9-b587-47c8-99ff-c8967f481322", "Which?", true},
		{"21645374", "Is it so?", true},
		{"x1", "Do mitochondria matter in lace plants", true},
		{"x2", "How is the spacer cleaned?", true}, // articles do not count
		{"FAQ-1", "How often?", true},
		{"medmcqa-c0ffee00-b587-47c8-99ff-c8967f481322", "Which?", false},
		{"medqa-0000", "Which of these?", false},
		{"faceless", "Face?", false},
		{"", "How is an inhaler cleaned?", false},
	} {
		kept, dropped := SplitLeaked([]Item{item(test.id, test.text, 0, 1)}, passages)
		if len(dropped) == 1 != test.dropped || len(kept)+len(dropped) != 1 {
			t.Errorf("%s %s: %d dropped", test.id, test.text, len(dropped))
		}
	}
}
