package handlers

import "testing"

func TestEscapeMarkdown(t *testing.T) {
	for in, want := range map[string]string{
		"eGFR < 30, dose: 5 mg":   "eGFR < 30, dose: 5 mg",
		"- item":                  `\- item`,
		"2.5 mg":                  "2.5 mg",
		"2. second":               `2\. second`,
		"---":                     `--\-`,
		"a [x](http://evil.test)": `a \[x\](http\://evil.test)`,
		"<img src=x>":             `\<img src=x>`,
		"![x](y)":                 `!\[x\](y)`,
		"&lt;b&gt;":               `\&lt;b\&gt;`,
		"www.evil.test a@b.c":     `www\.evil.test a\@b.c`,
		"a\u202eb":                "a⟨U+202E⟩b",
		"> quote":                 `\> quote`,
		"## head":                 `#\# head`,
		"``code`` *x* _y_ \\*":    "\\`\\`code\\`\\` \\*x\\* \\_y\\_ \\\\\\*",
	} {
		if got := escapeMarkdown(in); got != want {
			t.Errorf("escapeMarkdown(%q) = %q, want %q", in, got, want)
		}
	}
}
