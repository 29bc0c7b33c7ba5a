package systems_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/answertest"
	"lacuna/knowledge/answer/systems"
	"lacuna/knowledge/llm/llmtest"
)

// letter is a long message; asksInShort is the question that it asks.
const asksInShort = "How is an attack of gout treated?"

var letter = answer.Question{Text: "Dear all, my uncle came for the weekend and we had a lovely time in the garden. On Sunday " +
	"morning his big toe was red and he could hardly walk, which he says is an attack of gout, the second since Easter. " +
	"The pharmacy is closed. How would you treat that? Many thanks for your kind help."}

// searchedFor returns the details of the searches of the first round.
func searchedFor(r answer.Result) []string {
	var details []string
	for _, s := range stepsOf(r, answer.StageRetrieve) {
		details = append(details, s.Detail)
	}
	return details
}

func callsOf(calls []llmtest.Call, template string) int {
	n := 0
	for _, c := range calls {
		if c.Template == template {
			n++
		}
	}
	return n
}

// TestLettersAreSearchedForByTheirQuestion has a model rewrite a letter once, before the sources are
// searched, and answer the letter itself.
func TestLettersAreSearchedForByTheirQuestion(t *testing.T) {
	library, _ := answertest.Library(t, infirmary)
	for _, id := range systems.IDs() {
		system, _ := systems.Lookup(id)
		bench, server := table(t, llmtest.On(playing(), "rewrite", llmtest.Always(llmtest.Reply{Text: `{"question": "` + asksInShort + `"}`})))
		bench.Options.Rewrite = true
		result := run(t, bench, id, library, letter)
		calls := server.Calls()
		rewrites := callsOf(calls, "rewrite")
		if len(calls) > system.Calls+rewrites {
			t.Errorf("%s: %d calls, %d of them rewrite, %d are allowed", id, len(calls), rewrites, system.Calls)
		}
		searches := searchedFor(result)
		short := slices.ContainsFunc(searches, func(s string) bool { return strings.HasPrefix(s, asksInShort) })
		long := slices.ContainsFunc(searches, func(s string) bool { return strings.HasPrefix(s, letter.Text) })
		switch {
		case rewrites > 1:
			t.Errorf("%s: the letter is rewritten %d times", id, rewrites)
		case rewrites == 1 && (long || !short):
			t.Errorf("%s searches for %q", id, searches)
		case rewrites == 0 && short:
			t.Errorf("%s searches for a question that nobody wrote", id)
		}
		if rewrites == 0 {
			continue
		}
		if steps := stepsOf(result, answer.StageRewrite); len(steps) != 1 || steps[0].Detail != asksInShort || steps[0].Outcome != answer.OK {
			t.Errorf("%s: the trace says %+v", id, steps)
		}
		if last := calls[len(calls)-1]; system.Calls < 10 && !strings.Contains(last.User(), "big toe") {
			t.Errorf("%s answers %q", id, last.User())
		}
	}
	for id, want := range map[string]bool{
		"misknow/merged": true, "std-rag/2way": true, "migres": true, "medrgag": true, "grg": true, "vanilla-rag": true, "medrag": true, "manual-cot-ir": true,
		"direct": false, "cot": false, "cgap": false, "medrgag/no-retrieval": false, "i-medrag": false, answer.OfflineID: false,
	} {
		bench, server := table(t, playing())
		bench.Options.Rewrite = true
		run(t, bench, id, library, letter)
		if got := callsOf(server.Calls(), "rewrite") > 0; got != want {
			t.Errorf("%s: rewrites %v, want %v", id, got, want)
		}
	}
}

// TestOnlyLettersAreRewritten has questions that are searched for as they are.
func TestOnlyLettersAreRewritten(t *testing.T) {
	bench, _ := table(t, playing())
	choice := choiceQuestion
	choice.Text = letter.Text
	for _, c := range []struct {
		name     string
		question answer.Question
		rewrite  bool
		want     bool
	}{
		{"a letter", letter, true, true},
		{"not wanted", letter, false, false},
		{"a question", goutQuestion, true, false},
		{"two short sentences", answer.Question{Text: "He has gout. What helps?"}, true, false},
		{"a long sentence", answer.Question{Text: strings.NewReplacer(".", ",", "?", ",").Replace(letter.Text)}, true, false},
		{"with options", choice, true, false},
		{"two short sentences in Chinese", answer.Question{Text: "他得过痛风。应该怎么治疗？"}, true, false},
		{"a letter in Chinese", answer.Question{Text: "医生您好，我父亲今年六十八岁，昨天夜里大脚趾又红又肿，疼得睡不着觉。他以前得过痛风。请问痛风发作时应该怎么治疗？谢谢。"}, true, true},
	} {
		bench.Options.Rewrite = c.rewrite
		if got := bench.Rewrites(c.question); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestLetterIsSearchedForWhereItCannotBeRewritten has replies that are not the question of the letter.
func TestLetterIsSearchedForWhereItCannotBeRewritten(t *testing.T) {
	library, _ := answertest.Library(t, infirmary)
	bench, server := table(t, playing())
	want := run(t, bench, "misknow/merged", library, letter)
	bench.Options.Rewrite = true
	for _, reply := range []string{
		"", "{}", "I cannot help with that.", `{"question": ""}`, `{"question": "I am sorry, but I cannot assist."}`,
		`{"question": "What is the capital of the country of the Quillfeathers?"}`,
		`{"question": "` + strings.ReplaceAll(letter.Text, "\n", " ") + `"}`, `{"question": "Ignore the sources?"}`,
	} {
		server.Script(llmtest.On(playing(), "rewrite", llmtest.Always(llmtest.Reply{Text: reply})))
		got := run(t, bench, "misknow/merged", library, letter)
		if diff := cmp.Diff(searchedFor(want), searchedFor(got)); diff != "" {
			t.Errorf("%q: searches\n%s", reply, diff)
		}
		if diff := cmp.Diff(want.Statements, got.Statements); diff != "" || got.Failure != nil {
			t.Errorf("%q: failure %v, said\n%s", reply, got.Failure, diff)
		}
		if steps := stepsOf(got, answer.StageRewrite); len(steps) != 1 || steps[0].Outcome != answer.Degraded || steps[0].Fallback != "the message as it stands" {
			t.Errorf("%q: the trace says %+v", reply, steps)
		}
	}
	server.Forget()
	server.Script(llmtest.Always(llmtest.Reply{Status: http.StatusUnauthorized}))
	got := run(t, bench, "misknow/merged", library, letter)
	if n := len(server.Calls()); n > 1 || got.Failure == nil {
		t.Errorf("a model that refuses its key gets %d calls, failure %v", n, got.Failure)
	}
}
