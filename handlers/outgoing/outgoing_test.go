package outgoing

import (
	"encoding/json"
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
		"<summary>What the model is told, the same for every question</summary>", "```json\n{\n  \"messages\": [",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("lacks %q:\n%s", want, page)
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
				if strings.Contains(strings.ReplaceAll(line, `\<`, ""), "<s") {
					t.Errorf("HTML in %q", line)
				}
			case line == "", line == "<details>", line == "</details>", strings.HasPrefix(line, "<summary>"), strings.HasPrefix(line, "## "), strings.HasPrefix(line, "**To h"), line == "Nothing was replaced before sending.":
			default:
				t.Errorf("a line that is not ours: %q", line)
			}
		}
		Summary(llm.Outbound{Body: body})
	})
}
