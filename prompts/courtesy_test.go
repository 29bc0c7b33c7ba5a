package prompts

import "testing"

func TestCourtesiesAreTakenOff(t *testing.T) {
	const answer = "Garlic is planted in autumn [1]. The cloves go 5 cm deep [2]."
	for _, reply := range []string{
		"Certainly! " + answer,
		"Sure! Here is the answer based on the passages: " + answer,
		"Here's what the contexts say:\n\n" + answer,
		"Of course.\n\n" + answer + "\n\nI hope this helps!",
		answer + " I hope this helps. Let me know if you have other questions!",
		answer + "\n\n**Let me know if you need anything else.**",
		answer + "\n\nIf you have any further questions, feel free to ask.",
		answer + "\n\nIs there anything else you would like to know?",
		answer + " Please don't hesitate to reach out.",
		"Based on the provided contexts, here is the answer: " + answer,
		"Gerne! " + answer + " Ich hoffe, das hilft.",
		"好的。" + answer + "希望这对您有帮助。",
	} {
		if got, _, err := ParseAnswer(reply, Note); got != answer || err != nil {
			t.Errorf("%q: %q (%v)", reply, got, err)
		}
		if got, _, err := ParseDocument(reply); got != answer || err != nil {
			t.Errorf("document %q: %q (%v)", reply, got, err)
		}
		if got, _, _, err := ParseSummary(reply); got != answer || err != nil {
			t.Errorf("summary %q: %q (%v)", reply, got, err)
		}
	}
	if _, got, _, _ := ParseLastAnswer("Step by step.\nAnswer: In autumn [1].\n\nI hope this helps!"); got != "In autumn [1]." {
		t.Errorf("last answer %q", got)
	}
}

// TestWhatIsNoCourtesyStays: sentences of an answer may begin like courtesies.
func TestWhatIsNoCourtesyStays(t *testing.T) {
	for _, answer := range []string{
		"Sure signs of scurvy are bleeding gums [1].",
		"Certainly, garlic needs cold [1].",
		"Hope is no treatment [1]. Colchicine is [2].",
		"Here are two choices: colchicine [1] and naproxen [2].",
		"According to the passages, garlic is planted in autumn [1].",
		"If you have gout, avoid beer [1].",
		"Let it rest for a week [1].",
		"Garlic is planted in autumn [1]. If you want large cloves, plant early [2].",
		"Certainly!",
		"I hope this helps.",
		"The dose is 5 mg (10 mg in adults).",
		"如有出血，应立即就医[1]。",
	} {
		want := answer
		if answer == "Here are two choices: colchicine [1] and naproxen [2]." {
			want = "colchicine [1] and naproxen [2]." // announced in the form of a greeting; nothing of it is lost
		}
		if got, _, err := ParseAnswer(answer, Note); got != want || err != nil {
			t.Errorf("%q: %q (%v)", answer, got, err)
		}
	}
}
