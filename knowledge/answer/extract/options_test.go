package extract_test

import (
	"testing"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/answertest"
	"lacuna/knowledge/answer/extract"
	"lacuna/knowledge/question"
)

// TestOptions holds that the option which the sources bear out is chosen, with the sentence that does so, and none
// where they do not decide.
func TestOptions(t *testing.T) {
	library, _ := answertest.Library(t, map[string]string{
		"glaze.md": "# Glazes\n\nCobalt oxide turns a glaze blue. Copper oxide turns a glaze green in oxidation.\n\n" +
			"A glaze is fired at 1280 degrees in the large kiln, and at 1060 degrees in the small one.\n",
		"clay.md": "# Clay\n\nClay is dried for three days before it is fired. It is never fired wet.\n",
		"medicines.md": "# Medicines\n\n## Paracetamol\n\nParacetamol relieves mild to moderate pain and lowers fever.\n\n## Allopurinol\n\nAllopurinol prevents attacks of gout, and naproxen treats them.\n\n" +
			"## Cold\n\nZink is taken for colds, sore throats and coughs. Honey soothes the throat or the cough of children, while codeine makes them drowsy.\n",
		"zh.md": "# 釉料\n\n氧化钴使釉变成蓝色。氧化铜使釉变成绿色。\n",
	})
	for _, c := range []struct{ asked, letter, quote string }{
		{"Which oxide turns a glaze blue?\nA. Copper\nB. Cobalt\nC. Tin", "B", "Cobalt oxide turns a glaze blue."},
		{"Which oxide turns a glaze green?\nA. Copper\nB. Cobalt\nC. Tin", "A", "Copper oxide turns a glaze green in oxidation."},
		{"At what temperature is a glaze fired in the small kiln?\nA) 1280 degrees\nB) 1060 degrees", "", ""}, // one sentence has both
		{"哪种氧化物使釉变成蓝色？\nA. 氧化铜\nB. 氧化钴", "B", "氧化钴使釉变成蓝色。"},
		{"Which oxide turns a glaze red?\nA. Iron\nB. Lead", "", ""},
		{"Which oxide does not turn a glaze blue?\nA. Copper\nB. Cobalt", "", ""},
		{"Is clay fired wet?\nA. yes\nB. no", "", ""},
		{"Which medicine is given for pain and fever?\nA. Allopurinol\nB. Paracetamol\nC. Naproxen", "B", "Paracetamol relieves mild to moderate pain and lowers fever."},
		{"What is taken for sore throats and coughs?\nA. Paracetamol\nB. Zink", "B", "Zink is taken for colds, sore throats and coughs."},
		{"What soothes the cough of children?\nA. Honey\nB. Codeine", "A", "Honey soothes the throat or the cough of children, while codeine makes them drowsy."},
		{"What makes children drowsy?\nA. Honey\nB. Codeine", "", ""}, // the children are Honey's
		{"Which planet is the largest?\nA. Mars\nB. Jupiter", "", ""},
	} {
		text, options := question.SplitOptions(c.asked)
		if len(options) == 0 {
			t.Fatalf("%q has no options", c.asked)
		}
		r, err := new(extract.Offline).Answer(t.Context(), library, answer.Question{Text: text, Options: options})
		if err != nil {
			t.Fatal(err)
		}
		if r.Choice != c.letter {
			t.Errorf("%s: chose %q, want %q", text, r.Choice, c.letter)
			continue
		}
		if c.letter == "" {
			if r.State == answer.Answered {
				t.Errorf("%s: answered by %+v without a choice", text, r.Statements)
			}
			continue
		}
		if r.State != answer.Answered || len(r.Statements) != 1 || r.Statements[0].Text != c.quote || r.Citations[0].Quote != c.quote {
			t.Errorf("%s: %s by %+v", text, r.State, r.Statements)
		}
	}
}
