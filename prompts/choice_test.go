package prompts

import (
	"strings"
	"testing"
)

func TestParseChoice(t *testing.T) {
	tumours := []Option{{"A", "Glioma"}, {"B", "Meningioma"}, {"C", "Hepatitis B"}, {"D", "A low dose of vitamin A"}, {"E", "Option C and option D"}}
	yesNo := []Option{{"A", "yes"}, {"B", "no"}, {"C", "maybe"}}
	field := func(value string) string { return `{"reasoning": "…", "answer_choice": ` + quoted(value) + `}` }
	for _, test := range []struct {
		name, reply string
		options     []Option
		letter      string // empty: no answer
		path        Path
	}{
		{"letter", field("B"), tumours, "B", Bare},
		{"lower case", field("b"), tumours, "B", Bare},
		{"full-width", field("Ｂ．"), tumours, "B", Bare},
		{"letter and text", field("B. Meningioma"), tumours, "B", Bare},
		{"letter, bracket and text", field("(B) Meningioma"), tumours, "B", Bare},
		{"letter and text without a mark", field("B Meningioma"), tumours, "B", Bare},
		{"bold", field("**B**"), tumours, "B", Bare},
		{"with a comment", field("B. Meningioma, as the image shows a dural tail"), tumours, "B", Bare},
		{"text names a letter", field("C. Hepatitis B."), tumours, "C", Bare},
		{"text alone", field("meningioma."), tumours, "B", Bare},
		{"text begins with an article", field("A low dose of vitamin A"), tumours, "D", Bare},
		{"text names options", field("Option C and option D"), tumours, "E", Bare},
		{"after option", field("Option B"), tumours, "B", Bare},
		{"after option in a sentence", field("It must be option B, I think"), tumours, "B", Bare},
		{"in brackets in a sentence", field("I choose meningioma (B)"), tumours, "B", Bare},
		{"yes", field("Yes"), yesNo, "A", Bare},
		{"a list of one", `{"answer": ["B"]}`, tumours, "B", Bare},
		{"an object", `{"answer": {"letter": "B"}}`, tumours, "B", Bare},
		{"Chinese", `{"推理": "…", "答案": "选B"}`, tumours, "B", Bare},
		{"no options known", field("C"), nil, "C", Bare},

		{"two", field("A/D"), tumours, "", Unparsed},
		{"two without space", field("AD"), tumours, "", Unparsed},
		{"two with or", field("A or D"), tumours, "", Unparsed},
		{"two with their texts", field("A. Glioma or B. Meningioma"), tumours, "", Unparsed},
		{"two with commas", field("A, B"), tumours, "", Unparsed},
		{"two after option", field("option A or option B"), tumours, "", Unparsed},
		{"two in Chinese", field("A和B"), tumours, "", Unparsed},
		{"two in brackets", field("(A) (B)"), tumours, "", Unparsed},
		{"a list of two", `{"answer": ["A", "B"]}`, tumours, "", Unparsed},
		{"no such option", field("F"), tumours, "", Unparsed},
		{"no such option of few", field("D"), yesNo, "", Unparsed},
		{"none", field("None of these"), tumours, "", Unparsed},
		{"an article", field("A tumour of the meninges"), tumours, "", Unparsed},
		{"empty", field(""), tumours, "", Unparsed},
		{"field missing", `{"reasoning": "It is B."}`, tumours, "", Unparsed},
		{"zeros", field(zeros), tumours, "", Unparsed},
		{"zeros cut off", `Dict{"reasoning": "First, ` + zeros, tumours, "", Unparsed},

		{"prose", "The mass is extra-axial with a dural tail.\nThe answer is B.", tumours, "B", Lines},
		{"announced, then explained", "It is extra-axial.\nThe correct answer is **B**. This answer explains the dural tail.", tumours, "B", Lines},
		{"not an option", "It is extra-axial.\nThe answer is not B.", tumours, "", Unparsed},
		{"letter and text at the end", "It is extra-axial. Option A is a tumour of glia. The diagnosis is most likely B. Meningioma, then.", tumours, "B", Lines},
		{"an argument for several", "A. Glioma: grows in the brain. B. Meningioma: grows on the meninges, which fits the image that was shown, and the age of the patient, which is typical, does too.", tumours, "", Unparsed},
		{"boxed", "It is extra-axial.\nThe answer is \\boxed{\\text{B}}.", tumours, "B", Lines},
		{"tagged", "It is extra-axial.\n<answer>B</answer>", tumours, "B", Lines},
		{"boxed in the object", field(`\boxed{B}`), tumours, "B", Bare},
		{"last line", "It is extra-axial.\n\n**B. Meningioma**", tumours, "B", Lines},
		{"last line names an option", "It is extra-axial.\nSo I choose option B.", tumours, "B", Lines},
		{"last line is about something else", "It is a rod.\nC. difficile causes it.", tumours, "", Unparsed},
		{"an option that is none", "Waiting is no option a surgeon would take.\nSo be it.", tumours, "", Unparsed},
		{"last announcement counts", "The answer is A? No, it is extra-axial.\n**Answer:** B. Meningioma", tumours, "B", Lines},
		{"prose without an answer", "The mass is extra-axial.\nA dural tail is seen.", tumours, "", Unparsed},
		{"prose with two", "Think.\nThe answer is A or B.", tumours, "", Unparsed},
		{"Chinese prose", "肿块位于脑外。\n答案：B", tumours, "B", Lines},
		{"letter alone", "B", tumours, "B", Bare},
		{"one line", "B) Meningioma", tumours, "B", Bare},
		{"the object decides", "The answer is B.\n{\"answer_choice\": \"A/D\"}", tumours, "", Unparsed},
		{"after thinking", "<think>A? No.</think>B", tumours, "B", Bare},
		{"still thinking", "<think>The answer is B.", tumours, "", Unparsed},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, path, err := ParseChoice(test.reply, test.options)
			if c.Letter != test.letter || path != test.path || (err == nil) != (test.letter != "") {
				t.Errorf("%q by %s (%v), want %q by %s", c.Letter, path, err, test.letter, test.path)
			}
		})
	}
}

func TestChoiceKeepsReasoning(t *testing.T) {
	c, _, err := ParseChoice(`{"step_by_step_thinking": ["First.", "Second."], "answer": "A"}`, letters)
	if err != nil || c.Reasoning != "First. Second." {
		t.Errorf("reasoning %q, %v", c.Reasoning, err)
	}
	c, _, err = ParseChoice("First.\nAnswer: A", letters)
	if err != nil || !strings.HasPrefix(c.Reasoning, "First.") {
		t.Errorf("reasoning %q, %v", c.Reasoning, err)
	}
}
