package question

import (
	"strings"
	"testing"
)

// joined writes options on one line, or says that there are none.
func joined(options []Option) string {
	if options == nil {
		return "none"
	}
	var b strings.Builder
	for _, o := range options {
		b.WriteString(o.Letter + "=" + o.Text + ";")
	}
	return b.String()
}

func TestSplitOptions(t *testing.T) {
	for _, c := range []struct{ text, asked, want string }{
		{"Which oxide is blue?\nA. tin\nB. cobalt", "Which oxide is blue?", "A=tin;B=cobalt;"},
		{"Which oxide is blue?\n\nA) tin\n\nB) cobalt\nC) iron", "Which oxide is blue?", "A=tin;B=cobalt;C=iron;"},
		{"Which?\n(a) tin\n(b) cobalt", "Which?", "A=tin;B=cobalt;"},
		{"Which?\n- a) tin\n- b) cobalt", "Which?", "A=tin;B=cobalt;"},
		{"Which?\n**A.** tin\n**B.** cobalt", "Which?", "A=tin;B=cobalt;"},
		{"哪种氧化物是蓝色的？\nA．锡\nB．钴\nC、铁", "哪种氧化物是蓝色的？", "A=锡;B=钴;C=铁;"},
		{"哪种氧化物是蓝色的？\nA．锡\nB．钴", "哪种氧化物是蓝色的？", "A=锡;B=钴;"},
		{"哪种氧化物是蓝色的？\nA、锡 B、钴 C、铁", "哪种氧化物是蓝色的？", "A=锡;B=钴;C=铁;"},
		{"Which?\nA. tin   B. cobalt\nC. iron   D. zinc", "Which?", "A=tin;B=cobalt;C=iron;D=zinc;"},
		{"Which vitamin?\nA. Vitamin A\nB. Vitamin B", "Which vitamin?", "A=Vitamin A;B=Vitamin B;"},
		{"Which?\nA. Hepatitis B. Severe\nB. Influenza", "Which?", "A=Hepatitis B. Severe;B=Influenza;"},
		{"A 60-year-old potter coughs.\nWhat is it?\nA. asthma\nB. silicosis", "A 60-year-old potter coughs.\nWhat is it?", "A=asthma;B=silicosis;"},
		{"Which?\nA. tin", "", "none"},
		{"Which?\nA. tin\nC. cobalt", "", "none"},
		{"Which?\nB. tin\nC. cobalt", "", "none"},
		{"Which?\nA. tin\nb) cobalt", "", "none"},
		{"Which?\nA. tin\nA. cobalt", "", "none"},
		{"What now?\na) Who pays?\nb) Who asks?", "", "none"},
		{"A. tin\nB. cobalt", "", "none"},
		{"Which?\n1. tin\n2. cobalt", "", "none"},
		{"Which?\n- tin\n- cobalt", "", "none"},
		{"Which?\nAs tin\nBut cobalt", "", "none"},
		{"", "", "none"},
	} {
		asked, options := SplitOptions(c.text)
		want := c.asked
		if c.want == "none" {
			want = c.text
		}
		if got := joined(options); got != c.want || asked != want {
			t.Errorf("%q: %q with %s, want %q with %s", c.text, asked, got, want, c.want)
		}
	}
}

func FuzzSplitOptions(f *testing.F) {
	f.Add("Which?\nA. tin\nB. cobalt")
	f.Add("哪种？\nA、锡 B、钴")
	f.Fuzz(func(t *testing.T, text string) {
		asked, options := SplitOptions(text)
		if options == nil && asked != text {
			t.Errorf("%q became %q", text, asked)
		}
		for i, o := range options {
			if o.Letter != string(rune('A'+i)) || strings.TrimSpace(o.Text) == "" || len(options) < 2 {
				t.Errorf("%q: options %v", text, options)
			}
		}
	})
}
