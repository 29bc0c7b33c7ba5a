package prompts

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// seeds are replies in all the states that the other tests know.
func seeds(f *testing.F) {
	for _, r := range readers {
		for _, reply := range []string{
			r.good, "```json\n" + r.good + "\n```", "Dict" + r.good, strings.TrimRight(r.good, " }]"), pythonic(r.good), curly(r.good), quoted(r.good),
			"<think>so</think>" + r.good,
		} {
			f.Add(reply)
		}
	}
	for _, reply := range []string{
		"", zeros[:200], "<think>", "Answer: B", "A/D", "**Answer:** (B) or (C)", "思考：好\n判断：是\n缺失知识：\n1、剂量", "- Knowledge 1: a\n- Knowledge 2: b",
		"Final Selection: [2] [5]", "No useful information.", "# Background Document\nx. The answer is B.", `{"a": "\ud83d\ude00\u00e9\x"`, "{{[[", "\xff\xfe{",
	} {
		f.Add(reply)
	}
}

// FuzzParsers holds what every parser promises: no panic, an error exactly where the path says that
// the reply was not understood, and nothing out of bounds.
func FuzzParsers(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, reply string) {
		for name, read := range everyReader() {
			if path, err := read(reply); (path == Unparsed) != (err != nil) || path == "" {
				t.Errorf("%s: path %q with %v", name, path, err)
			}
		}
		if j, _, err := ParseJudgement(reply); err == nil {
			if len(j.Gaps) > 4 || len(j.Queries) != len(j.Gaps) || len(j.Queries)+len(j.Extra) > 4 {
				t.Errorf("%+v", j)
			}
			for _, item := range append(append(j.Gaps[:len(j.Gaps):len(j.Gaps)], j.Queries...), j.Extra...) {
				if item == "" || utf8.RuneCountInString(item) > maxItem || strings.ContainsAny(item, "\n\r") || !utf8.ValidString(item) {
					t.Errorf("item %q", item)
				}
			}
		}
		if s, _, err := ParseSelection(reply, 10, 5); err == nil {
			if len(s.Selected) == 0 || len(s.Selected) > 5 || len(uniqueUpTo(s.Selected, 10)) != len(s.Selected) {
				t.Errorf("%v", s.Selected)
			}
		}
		if v, _, err := ParseVerdicts(reply, verified); err == nil && len(v) != len(verified) {
			t.Errorf("%v", v)
		}
		if c, _, err := ParseChoice(reply, letters); err == nil && c.Letter != "A" && c.Letter != "B" && c.Letter != "C" {
			t.Errorf("%q", c.Letter)
		}
		if _, useful, _, err := ParseSummary(reply); err != nil && useful {
			t.Error("what was not understood is useful")
		}
	})
}

// FuzzLenient holds that the lenient reader reads JSON as encoding/json does.
func FuzzLenient(f *testing.F) {
	seeds(f)
	f.Add(`{"a": [1, -2.5e3, true, null, "“x”, \"y\": \\", {"b": []}], "": "\ud83d\ude00 \ud800 \u0041"}`)
	f.Fuzz(func(t *testing.T, text string) {
		_, read, path := readLenient(text)
		if read < 0 || read > len(text) || path != Unparsed && path != Closed && path != Repaired {
			t.Fatalf("read %d of %d by %s", read, len(text), path)
		}
		var want any
		text = strings.TrimSpace(text)
		if !utf8.ValidString(text) || json.Unmarshal([]byte(text), &want) != nil || !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") ||
			depth(text) > maxDepth {
			return
		}
		if value, _, path := readLenient(text); path == Unparsed || !cmp.Equal(want, value) {
			t.Errorf("%s by %s:\n%s", text, path, cmp.Diff(want, value))
		}
	})
}

// depth is at least how deep the brackets of a text are nested.
func depth(text string) int { return strings.Count(text, "{") + strings.Count(text, "[") }

// FuzzRender holds that a prompt is made of any texts, that evidence stays inside of its fence, and
// that a reply made of the same texts is read back.
func FuzzRender(f *testing.F) {
	for _, attack := range attacks {
		f.Add("When?", "", attack)
		f.Add(attack, attack, "text")
	}
	f.Fuzz(func(t *testing.T, question, title, text string) {
		in := AnswerContext{
			Question: question, Contexts: []Context{{N: 1, Title: title, Text: text}, {N: 2, Question: title, Text: text, Generated: true}},
			Gaps: []string{title}, Thought: text, Style: Note,
		}
		chat, err := Default().Render(in)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Default().Render(in)
		if err != nil || !cmp.Equal(chat, again) {
			t.Error("equal inputs made different prompts")
		}
		if len(chat.Messages) != 2 || chat.Messages[0] != mustRender(t, AnswerContext{}).Messages[0] {
			t.Fatalf("messages:\n%s", transcript(chat))
		}
		outside, inside := unfence(t, chat.Messages[1])
		if plain, _ := unfence(t, mustRender(t, AnswerContext{Question: question, Thought: "a", Style: Note}).Messages[1]); outside != plain || strings.Count(inside, "\n") > 7 {
			t.Errorf("evidence begins lines of its own:\n%s", chat.Messages[1].Text)
		}
		if found := token.FindString(inside); found != "" {
			t.Errorf("%q is left in:\n%s", found, inside)
		}
		for _, m := range chat.Messages {
			if !utf8.ValidString(m.Text) {
				t.Errorf("not UTF-8: %q", m.Text)
			}
		}

		reply, err := json.Marshal(map[string]any{"thought": text, "judge": true, "missing_knowledge": []string{title, text}, "query": []string{question}})
		if err != nil {
			t.Fatal(err)
		}
		j, path, err := ParseJudgement(string(reply))
		if runaway(strings.TrimSpace(string(reply))) {
			return
		}
		if err != nil || path != Bare || !j.Missing {
			t.Errorf("%s: %+v by %s (%v)", reply, j, path, err)
		}
	})
}

func mustRender(t *testing.T, in Input) Chat {
	t.Helper()
	chat, err := Default().Render(in)
	if err != nil {
		t.Fatal(err)
	}
	return chat
}
