package support

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/answertest"
)

// medicines is a base of pages on medicines, large enough for names to be told from other words.
var medicines = map[string]string{
	"infliximab.md": "Infliximab lowers joint pain within weeks. Antinuclear antibodies (ANA) are common with it.",
	"adalimumab.md": "Adalimumab lowers joint pain. It is given every two weeks.",
	"both.md":       "Joint pain is treated with etanercept in hospital. Patients with golimumab weigh more than patients with etanercept.",
	"pain.md":       "Joint pain has many causes. Pain is treated in weeks.",
	"rest.md":       "Rest lowers pain in a joint within days.",
	"heat.md":       "Heat is a treatment of joint pain in the morning.",
	"cold.md":       "Cold is a treatment of joint pain in the evening.",
	"walks.md":      "Walks of an hour are good for joint pain.",
	"water.md":      "Water gymnastics is good for joint pain in the morning.",
	"weight.md":     "Less weight is good for joint pain of the knee.",
	"zh-1.md":       "患有糖尿病的人应当每天检查血糖。",
	"zh-2.md":       "患有高血压的人应当每天测量血压。",
	"zh-3.md":       "发热时可以口服布洛芬，多喝水，注意休息。",
	"zh-4.md":       "咳嗽时应当多喝水，注意休息，避免受凉。",
	"zh-5.md":       "腹泻的人应当多喝水，注意饮食。",
	"zh-6.md":       "失眠的人应当注意休息，每天散步。",
}

// supportedBy returns the pages of the ward that support a claim by themselves.
func supportedBy(library *knowledge.Library, sentence string) []string {
	var pages []string
	for ordinal, p := range library.Passages() {
		if supports(library, sentence, ordinal) {
			pages = append(pages, p.Record)
		}
	}
	slices.Sort(pages)
	return pages
}

func TestAnotherNameIsNotSupported(t *testing.T) {
	pages := maps.Clone(medicines)
	for i := range minPassages {
		pages[fmt.Sprintf("more-%d.md", i)] = fmt.Sprintf("Note %d is about people who rapidly walk. 应该每日散步。", i)
	}
	library, _ := answertest.Library(t, pages)
	for _, c := range []struct {
		name, claim string
		want        []string
	}{
		{"as it is", "Infliximab lowers joint pain within weeks.", []string{"infliximab.md"}},
		{"after a verdict", "Yes, infliximab lowers joint pain within weeks.", []string{"infliximab.md"}},
		{"in other words", "Joint pain is rapidly lowered within weeks by infliximab.", []string{"infliximab.md"}},
		{"of another page", "Adalimumab lowers joint pain within weeks.", nil},
		{"of no page", "Tocilizumab lowers joint pain within weeks.", nil},
		{"initials for what is in full", "Antibodies (ANA) are common with infliximab.", []string{"infliximab.md"}},
		{"two letters that some words begin with", "Infliximab lowers PW joint pain within weeks.", nil},
		{"another form of the name", "Adalimumabs lower joint pain.", []string{"adalimumab.md"}},
		{"of the same page", "Patients with etanercept weigh more than patients with golimumab.", []string{"both.md"}},
		{"in the place of another of the same page", "Joint pain is treated with golimumab in hospital.", nil},
		{"Chinese, as it is", "患有糖尿病的人应当每天检查血糖。", []string{"zh-1.md"}},
		{"Chinese, in other words", "患有糖尿病的人应该每日检查血糖。", []string{"zh-1.md"}},
		{"Chinese, another illness", "患有高血压的人应当每天检查血糖。", nil},
		{"Chinese, a medicine of no page", "发热时可以口服阿司匹林，多喝水，注意休息。", nil},
		{"Chinese, without a clause", "发热时可以口服布洛芬，注意休息。", []string{"zh-3.md"}},
	} {
		if diff := cmp.Diff(c.want, supportedBy(library, c.claim)); diff != "" {
			t.Errorf("%s: %q:\n%s", c.name, c.claim, diff)
		}
	}
}

// TestASmallBaseKnowsFewWords puts things in words that the base lacks.
func TestASmallBaseKnowsFewWords(t *testing.T) {
	library, _ := answertest.Library(t, medicines)
	for claim, want := range map[string][]string{
		"Infliximab relieves joint pain within weeks.": {"infliximab.md"},
		"Joint pain lessens within weeks of Humira.":   nil,
		"患有糖尿病的人应该每日检查血糖。":                             {"zh-1.md"},
		"患有高血压的人应该每天检查血糖。":                             nil,
	} {
		if diff := cmp.Diff(want, supportedBy(library, claim)); diff != "" {
			t.Errorf("%q:\n%s", claim, diff)
		}
	}
}

// supports reports whether a passage supports a sentence, without looking at the disk.
func supports(library *knowledge.Library, sentence string, ordinal int) bool {
	document := answer.Evidence{Hit: &knowledge.Hit{Passage: library.Passages()[ordinal], Ordinal: ordinal}}
	return NewChecker(library, "", nil).Supports(sentence, document)
}
