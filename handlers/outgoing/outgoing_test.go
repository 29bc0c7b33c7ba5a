package outgoing

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"lacuna/knowledge/llm"
	"lacuna/prompts"
)

// chat is a request with the messages of a rendered prompt.
func chat(t testing.TB, in prompts.Input) llm.Outbound {
	t.Helper()
	rendered, err := prompts.Default().Render(in)
	if err != nil {
		t.Fatal(err)
	}
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	var all []message
	for _, m := range rendered.Messages {
		all = append(all, message{m.Role, m.Text})
	}
	body, err := json.Marshal(map[string]any{"model": "m", "messages": all})
	if err != nil {
		t.Fatal(err)
	}
	return llm.Outbound{Host: "model.test", Model: "m", Body: body}
}

func TestSummary(t *testing.T) {
	const question = "When is forsythia pruned?"
	tests := map[string]struct {
		request llm.Outbound
		want    string
	}{
		"passages of two pages": {
			chat(t, prompts.AnswerContext{Question: question, Contexts: []prompts.Context{
				{N: 1, Title: "Pruning (shrubs)", Text: "After it has flowered."}, {N: 2, Title: "Pruning (shrubs)", Text: "Not in winter."}, {N: 3, Title: "Roses", Text: "In spring."}}}),
			"Question: When is forsythia pruned?\nFrom your sources: 3 passages (Pruning (shrubs); Roses).",
		},
		"passages without titles": {
			chat(t, prompts.JudgeGaps{Question: question, Contexts: []prompts.Context{{N: 1, Text: "After it has flowered."}}}),
			"Question: When is forsythia pruned?\nFrom your sources: 1 passage.",
		},
		"a draft": {
			chat(t, prompts.AnswerDirect{Question: question}),
			"Question: When is forsythia pruned?\nFrom your sources: nothing in this first request. Those that follow hold passages that fit the question.",
		},
		"an embedding": {
			llm.Outbound{Body: []byte(`{"input":["When is forsythia pruned?"]}`)},
			"Question: When is forsythia pruned?\nFrom your sources: nothing in this first request. Those that follow hold passages that fit the question.",
		},
		"a reranker": {
			llm.Outbound{Body: []byte(`{"query":"When is forsythia pruned?","documents":["After it has flowered."]}`)},
			"Question: When is forsythia pruned?\nFrom your sources: text that is not numbered; read it before you send it.",
		},
		"pairs": {
			llm.Outbound{Body: []byte(`{"inputs":[["After it has flowered.","In spring."]]}`)},
			"From your sources: text that is not numbered; read it before you send it.",
		},
		"no JSON": {llm.Outbound{Body: []byte("\xff")}, "From your sources: nothing in this first request. Those that follow hold passages that fit the question."},
	}
	for name, tt := range tests {
		if got := strings.Join(Summary(tt.request), "\n"); got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, tt.want)
		}
	}
}

func TestPage(t *testing.T) {
	r := chat(t, prompts.AnswerContext{Question: "When is forsythia pruned?", Contexts: []prompts.Context{{N: 1, Title: "Pruning", Text: "After <b>it</b> [has](command:x) flowered.\nSee https://example.org."}}})
	r.Details = "1 name"
	page := Page([]llm.Outbound{r})
	for _, want := range []string{
		"Replaced before sending: 1 name\n", "\n## What is asked\n\n> Question:  \n> When is forsythia pruned?  \n",
		"\n## What goes along from your sources\n", `\[has\](command:x) flowered. See https\://example.org`,
		"\n## What the model is told, the same for every question\n", "\n```json\n" + string(r.Body) + "\n```\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("lacks %q:\n%s", want, page)
		}
	}
}

// TestThePageAndItsPlainFormAreTheSame reads two requests in both forms: first all that reads well, then all bytes.
func TestThePageAndItsPlainFormAreTheSame(t *testing.T) {
	first := chat(t, prompts.AnswerContext{Question: "When is forsythia pruned?", Contexts: []prompts.Context{{N: 1, Title: "Pruning", Text: "After it has flowered."}}})
	second := llm.Outbound{Host: "rank.test", Model: "r", Unencrypted: true, Body: []byte(`{"query":"Pruned when?","documents":["In spring."]}`)}
	requests := []llm.Outbound{first, second}
	inOrder := []string{
		"To model.test", "Nothing was replaced", "What is asked", "When is forsythia pruned?", "What goes along from your sources", "After it has flowered.",
		"To rank.test", "not encrypted", "What is asked", "Pruned when?", "What goes along from your sources", "In spring.",
		"byte by byte", "To model.test", "What the model is told", "The JSON that would be sent", string(first.Body),
		"To rank.test", "The JSON that would be sent", string(second.Body),
	}
	for name, page := range map[string]string{"page": Page(requests), "plain": Plain(requests)} {
		rest := strings.ReplaceAll(page, "BYTE BY BYTE", "byte by byte")
		for _, want := range inOrder {
			_, after, found := strings.Cut(rest, want)
			if !found {
				t.Fatalf("%s: no %q in the rest:\n%s\nof\n%s", name, want, rest, page)
			}
			rest = after
		}
	}
}

// TestTheBytesAreExact: what is shown means the bytes, and is the bytes wherever all of them can be seen.
func TestTheBytesAreExact(t *testing.T) {
	for _, test := range []struct{ body, want string }{
		{`{"q":"Wie groß? <b> & 日本 👩‍⚕️"}`, `{"q":"Wie groß? <b> & 日本 👩‍⚕️"}`},
		{"{\"q\":\"a\u202eb\u200bc\U000e0041\"}", `{"q":"a\u202eb\u200bc\udb40\udc41"}`},
		{"no JSON\u202e\xff", "no JSON⟨U+202E⟩\ufffd"},
	} {
		got := exact([]byte(test.body))
		if got != test.want {
			t.Errorf("%q: %q, want %q", test.body, got, test.want)
		}
		var sent, shown any
		if json.Unmarshal([]byte(test.body), &sent) == nil && (json.Unmarshal([]byte(got), &shown) != nil || fmt.Sprint(sent) != fmt.Sprint(shown)) {
			t.Errorf("%q reads %v, want %v", test.body, shown, sent)
		}
	}
}

// FuzzPage holds that every text on the page is quoted, escaped or fenced: a line is ours, or begins with the sign of a
// quotation, or stands inside the fence of the bytes.
func FuzzPage(f *testing.F) {
	f.Add("When?", "A passage.\n</details>\n# A heading\n```\n<script>")
	f.Add("<<<data x\n</summary>", "\r\n> \u2028<img src=x>\x00")
	f.Fuzz(func(t *testing.T, asked, evidence string) {
		body, err := json.Marshal(map[string]any{"messages": []map[string]string{{"role": "system", "content": evidence}, {"role": "user", "content": asked}, {"role": "assistant", "content": evidence}}, "documents": []string{evidence}})
		if err != nil {
			t.Skip()
		}
		fence := ""
		for line := range strings.Lines(Page([]llm.Outbound{{Host: "h", Model: "m", Body: body}})) {
			line = strings.TrimRight(line, "\n")
			switch {
			case fence != "":
				if line == fence {
					fence = ""
				}
			case strings.HasPrefix(line, "```"):
				fence = strings.TrimSuffix(line, "json")
			case strings.HasPrefix(line, ">"):
				if strings.Contains(strings.ReplaceAll(line, `\<`, "."), "<s") {
					t.Errorf("HTML in %q", line)
				}
			case line == "", line == "# All of it, byte by byte", strings.HasPrefix(line, "## "), strings.HasPrefix(line, "**To h"), line == "Nothing was replaced before sending.":
			default:
				t.Errorf("a line that is not ours: %q", line)
			}
		}
		Summary(llm.Outbound{Body: body})
		for _, r := range Plain([]llm.Outbound{{Host: "h", Model: "m", Body: body}}) {
			if r == 0x1b || r == '\r' || r == 0x202e || r == 0xe0041 {
				t.Errorf("%U acts on a terminal", r)
			}
		}
	})
}
