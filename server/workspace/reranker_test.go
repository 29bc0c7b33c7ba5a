package workspace

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/llm/llmtest"
)

// rerankCalls counts the requests of a reranker, with the calls of the server forgotten.
func rerankCalls(server *llmtest.Server) int {
	calls := slices.DeleteFunc(server.Calls(), func(c llmtest.Call) bool { return c.Kind != llmtest.Rerank })
	server.Forget()
	return len(calls)
}

// feverTwice puts a second note about fever into a workspace, so that there is something to order.
func feverTwice(t *testing.T) func(*Request) {
	return func(r *Request) {
		if err := os.WriteFile(filepath.Join(r.Root, "kb", "night.md"), []byte("# Night\n\nA fever is highest in the evening.\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRerankerServesSystemsWithAModel asks the system that answers by itself, with the depth that is
// set, and without a model.
func TestRerankerServesSystemsWithAModel(t *testing.T) {
	server := llmtest.New(t, llmtest.Obliging())
	model := "[model]\nbase_url = \"" + server.URL() + "\"\nmodel = \"m\"\n"
	reranker := "[rerank]\nbase_url = \"" + server.URL() + "\"\n"
	for _, test := range []struct {
		name, userFile, system string
		asked                  bool
	}{
		{"by itself", model + reranker, "", true},
		{"not wanted", model + reranker + "depth = 0\n", "", false},
		{"offline", model + reranker, answer.OfflineID, false},
		{"no model", reranker, "", false},
		{"forbidden", "offline = true\n" + model + reranker, "", false},
	} {
		w := opened(t, test.userFile, feverTwice(t))
		ask(t, w, answer.Request{System: test.system}, "What lowers a fever?")
		if asked := rerankCalls(server) > 0; asked != test.asked {
			t.Errorf("%s: asked %v", test.name, asked)
		}
	}
}

// TestRerankerElsewhereNeedsConsent has a reranker on another machine, which is shown in the preview
// first and asked about before anything is sent; a no leaves the answer as it is without one.
func TestRerankerElsewhereNeedsConsent(t *testing.T) {
	server := llmtest.New(t, llmtest.Obliging())
	model := "[model]\nbase_url = \"" + server.URL() + "\"\nmodel = \"m\"\n"
	var asked []string
	w := opened(t, model+"[rerank]\nbase_url = \"https://ranks.example/v1\"\n", func(r *Request) {
		feverTwice(t)(r)
		r.Consent = func(_ context.Context, out llm.Outbound) (bool, error) {
			asked = append(asked, out.Host+" "+string(out.Body))
			return false, nil
		}
	})
	const question = "What lowers the fever of Mr. Walter Quist?"
	out, err := w.Preview(t.Context(), w.Library(), answer.Question{Text: question}, answer.Request{})
	if err != nil || len(out) != 1 || out[0].Role != "rerank" || !strings.Contains(string(out[0].Body), "within the hour") {
		t.Fatalf("preview %v, %v", out, err)
	}
	result := ask(t, w, answer.Request{}, question)
	if len(asked) == 0 || !strings.HasPrefix(asked[0], "ranks.example:443 ") || strings.Contains(asked[0], "Quist") {
		t.Errorf("asked %q", asked)
	}
	without := ask(t, opened(t, model, feverTwice(t)), answer.Request{}, question)
	if result.Failure == nil || without.Failure != nil || len(result.Statements) != len(without.Statements) {
		t.Errorf("failure %v, %d statements, %d without a reranker", result.Failure, len(result.Statements), len(without.Statements))
	}
}

// TestPreviewEndsWhereAReplyDecides has models elsewhere whose first replies decide what is searched
// for, and what is read: of what would be sent after them nothing is shown.
func TestPreviewEndsWhereAReplyDecides(t *testing.T) {
	const letter = "Dear all, my uncle came for the weekend and we had a lovely time in the garden. On Sunday morning he had a high fever, " +
		"and was hot and tired all day. The pharmacy is closed. What would lower it? Many thanks for your kind help."
	encoder := "[embedding]\nbase_url = \"https://vectors.example/v1\"\nmodel = \"e\"\n"
	reranker := "[rerank]\nbase_url = \"https://ranks.example/v1\"\n"
	for _, test := range []struct {
		name, userFile, question string
		want                     []string // role and stage
	}{
		{"a question", elsewhere, "What lowers a fever?", []string{"reader draft"}},
		{"a letter", elsewhere + reranker + encoder, letter, []string{"reader rewrite"}},
		{"a letter as it stands", elsewhere + "[answer]\nrewrite = false\n", letter, []string{"reader draft"}},
		{"a reranker", elsewhere + reranker, "What lowers a fever?", []string{"rerank "}},
	} {
		w := opened(t, test.userFile, feverTwice(t))
		out, err := w.Preview(t.Context(), w.Library(), answer.Question{Text: test.question}, answer.Request{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, o := range out {
			got = append(got, string(o.Role)+" "+o.Stage)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
