package extract

import (
	"math"
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/passage"
)

// pair is a stored question with its topic, kind and the topic's other names.
func pair(question, topic, kind string, also ...string) *passage.Passage {
	return &passage.Passage{
		Kind: passage.QA, Question: question, Title: topic, Section: kind, Also: also,
		Source: "history", Document: topic, Text: "See the doctor.",
	}
}

func TestSameContent(t *testing.T) {
	stored := pair("What are the treatments for Wilson disease ?", "Wilson disease", "treatment", "hepatolenticular degeneration")
	for _, c := range []struct {
		question string
		want     bool
	}{
		{"treatments for Wilson disease", true},
		{"Tell me about the treatment of Wilson's disease, please", true},
		{"What are the treatments for hepatolenticular degeneration?", true},
		{"What are the symptoms of Wilson disease?", false},
		{"What are the treatments for Wilson disease in children?", false},
		{"What are the treatments for Menkes disease?", false},
		{"Why are there no treatments for Wilson disease?", false},
		{"What is it?", false},
		{"", false},
	} {
		if got := sameContent(c.question, stored); got != c.want {
			t.Errorf("%q: %v, want %v", c.question, got, c.want)
		}
	}
}

func TestContentWordsKeepWhatToDo(t *testing.T) {
	if equalSets(contentWords("What to do about fever?"), contentWords("What about fever?")) {
		t.Error("“what to do about fever” says no more than “fever”")
	}
	if !equalSets(contentWords("What should I do about fever?"), contentWords("fever")) {
		t.Errorf("content: %q", contentWords("What should I do about fever?"))
	}
}

// learnt counts the words of a few pairs.
func learnt() *questionTypes {
	k := newQuestionTypes()
	for _, topic := range []string{"gout", "asthma", "rickets", "scurvy", "mumps"} {
		treatment := pair("What are the treatments for "+topic+" ?", topic, "treatment")
		treatment.Text = "Drugs are given by mouth."
		symptoms := pair("What are the symptoms of "+topic+" ?", topic, "symptoms")
		symptoms.Text = "Patients complain of pain and fever."
		k.add(treatment, even)
		k.add(symptoms, even)
	}
	return k
}

func TestKindsTellTreatmentFromSymptoms(t *testing.T) {
	k := learnt()
	own, gap := k.fit("treatment", []string{"treatment", "drug"})
	if own <= 0 || gap != 0 {
		t.Errorf("treatment words in kind treatment: %v, %v; want more than 0, and 0", own, gap)
	}
	own, gap = k.fit("symptoms", []string{"treatment", "drug"})
	if own >= 0 || gap >= 0 {
		t.Errorf("treatment words in kind symptoms: %v, %v; want less than 0", own, gap)
	}
	// By hand: 5 of the 5 words counted in the questions of the kind, of 10 in all.
	if got, want := k.Questions.logOdds("treatment", []string{"treatment"}), math.Log((5.+2)/(2.5+2)); math.Abs(got-want) > 1e-9 {
		t.Errorf("log odds %v, want %v", got, want)
	}
	if k.knows("prevention") || k.knows("") || (*questionTypes)(nil).knows("treatment") {
		t.Error("kinds nobody asked about are known")
	}
}

func TestServeOnlyTheSameTopicAndKind(t *testing.T) {
	stored := pair("What are the treatments for scurvy ?", "scurvy", "treatment", "scorbutus")
	for _, c := range []struct {
		question string
		serves   bool
	}{
		{"What are the treatments for scurvy?", true},
		{"treatment of scorbutus", true},
		{"What are the symptoms of scurvy?", false},
		{"What are the treatments for mumps?", false},
	} {
		m := compare(c.question, knowledge.Hit{Passage: stored}, even, learnt())
		if m.serves() != c.serves {
			t.Errorf("%q: served %v (%+v, confidence %v)", c.question, m.serves(), m, m.confidence())
		}
	}
}

func TestInASmallBaseAStrangeWordAsksSomethingElse(t *testing.T) {
	small := collection{n: 45, often: map[string]int{"deep": 0, "buri": 0}}
	stored := pair("What are the treatments for scurvy ?", "scurvy", "treatment")
	m := compare("What treatments for scurvy are buried deep?", knowledge.Hit{Passage: stored}, small, learnt())
	if m.unknown != 2 || m.serves() {
		t.Errorf("a question with words nobody stored is served: %+v, confidence %v", m, m.confidence())
	}
}

func TestQuestionWordsMentionNoTopic(t *testing.T) {
	stored := pair("What are the treatments for scurvy ?", "scurvy", "treatment", "ME")
	m := compare("Please tell me: What are the treatments for mumps?", knowledge.Hit{Passage: stored}, even, learnt())
	if m.name > 0 || m.wholeName || m.serves() {
		t.Errorf("“tell me” mentions ME: %+v", m)
	}
}

func TestWithoutKindsOnlyEqualWordsServe(t *testing.T) {
	stored := pair("How is scurvy treated?", "", "")
	if m := compare("how is scurvy treated", knowledge.Hit{Passage: stored}, even, nil); !m.serves() {
		t.Errorf("the same question is not served: %+v", m)
	}
	if m := compare("how is infantile scurvy treated", knowledge.Hit{Passage: stored}, even, nil); m.serves() {
		t.Errorf("another question is served: %+v", m)
	}
}

func TestDamagedKindsCountAsNone(t *testing.T) {
	for _, blob := range []string{"", "{", "null", "{}", `{"questions":{"":null},"answers":{"":{"n":1}}}`, `{"questions":{"":{"n":0}},"answers":{}}`} {
		if k := parseQuestionTypes([]byte(blob)); k != nil {
			t.Errorf("%q: read as %+v", blob, k)
		}
	}
}
