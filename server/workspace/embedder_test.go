package workspace

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/llm/llmtest"
)

// embeds returns the settings of an encoder at an address.
func embeds(url string) string {
	return "[embedding]\nbase_url = \"" + url + "\"\nmodel = \"e\"\nquery_prefix = \"query: \"\npassage_prefix = \"passage: \"\n"
}

// inputs returns the texts that a server was sent to encode, with its calls forgotten.
func inputs(server *llmtest.Server) []string {
	var texts []string
	for _, call := range server.Calls() {
		texts = append(texts, call.Input...)
	}
	server.Forget()
	return texts
}

func found(t *testing.T, w *Workspace, q knowledge.Query) []string {
	t.Helper()
	hits, err := w.Library().Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, hit := range hits {
		texts = append(texts, hit.Passage.Text)
	}
	return texts
}

func TestEndpointEncodesPassagesAndChosenQueries(t *testing.T) {
	server := llmtest.New(t, llmtest.Obliging())
	w := opened(t, embeds(server.URL()), func(r *Request) {
		private := "---\nlacuna: private\n---\n\n# Director\n\nThe director has a fever.\n"
		if err := os.WriteFile(filepath.Join(r.Root, "kb", "private.md"), []byte(private), 0o600); err != nil {
			t.Fatal(err)
		}
	})
	sent := inputs(server)
	if len(sent) == 0 {
		t.Fatal("nothing was sent")
	}
	for _, text := range sent {
		if !strings.HasPrefix(text, "passage: ") || strings.Contains(text, "director") {
			t.Errorf("sent %q", text)
		}
	}
	ask(t, w, answer.Request{System: answer.OfflineID}, "What lowers a fever?")
	found(t, w, knowledge.Query{Text: "fever"})
	if sent := inputs(server); len(sent) > 0 {
		t.Errorf("the offline system sent %q", sent)
	}
	for range 2 {
		if texts := found(t, w, knowledge.Query{Text: "the hour", Remote: true}); len(texts) == 0 || !strings.Contains(texts[0], "within the hour") {
			t.Errorf("found %q", texts)
		}
	}
	if sent := inputs(server); !slices.Equal(sent, []string{"query: the hour"}) {
		t.Errorf("for two equal queries %q were sent", sent)
	}
	if err := w.Refresh(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if sent := inputs(server); len(sent) > 0 {
		t.Errorf("sent again: %q", sent)
	}
}

// TestBuiltInEncoderServesWhileAnotherModelEncodes changes the model, which fails for a while, and then
// the address.
func TestBuiltInEncoderServesWhileAnotherModelEncodes(t *testing.T) {
	server := llmtest.New(t, llmtest.Obliging())
	var request *Request // the first one; its folder and settings serve for all
	reopened := func(userFile string) *Workspace {
		return opened(t, userFile, func(r *Request) {
			if request == nil {
				request = new(*r)
			}
			*r = *request
			if err := os.WriteFile(r.UserFile, []byte(userFile), 0o600); err != nil {
				t.Fatal(err)
			}
		})
	}
	asked := func(w *Workspace, want string) {
		t.Helper()
		server.Forget()
		found(t, w, knowledge.Query{Text: "the hour", Remote: true})
		var sent []string
		for _, call := range server.Calls() {
			for _, text := range call.Input {
				sent = append(sent, call.Model+" "+text)
			}
		}
		if got := strings.Join(sent, ", "); got != want {
			t.Errorf("sent %q, want %q", got, want)
		}
	}
	first := reopened(embeds(server.URL()))
	asked(first, "e query: the hour")
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	server.Script(llmtest.Always(llmtest.Reply{Status: http.StatusUnauthorized}))
	other := strings.NewReplacer(`"e"`, `"f"`, "query: ", "ask: ").Replace(embeds(server.URL()))
	second := reopened(other)
	server.Script(llmtest.Obliging())
	asked(second, "") // the built-in encoder serves
	if err := second.Refresh(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	asked(second, "f ask: the hour")
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	moved := llmtest.New(t, llmtest.Always(llmtest.Reply{Status: http.StatusUnauthorized}))
	asked(reopened(embeds(moved.URL())), "")
}

func TestSystemsWithAModelSearchWithTheEndpoint(t *testing.T) {
	server := llmtest.New(t, llmtest.Obliging())
	w := opened(t, "[model]\nbase_url = \""+server.URL()+"\"\nmodel = \"m\"\n"+embeds(server.URL()), nil)
	server.Forget()
	ask(t, w, answer.Request{System: "std-rag/merged"}, "What lowers a fever?")
	if sent := inputs(server); !slices.Contains(sent, "query: What lowers a fever?") {
		t.Errorf("sent %q", sent)
	}
}

func TestEndpointThatFailsIsReplacedByTheBuiltInEncoder(t *testing.T) {
	server := llmtest.New(t, llmtest.Always(llmtest.Reply{Status: http.StatusUnauthorized}))
	w := opened(t, embeds(server.URL()), nil)
	var notes []string
	err := w.Refresh(t.Context(), func(e knowledge.Event) {
		if e.Stage == knowledge.Unembedded {
			notes = append(notes, e.Note)
		}
	})
	if err != nil || len(notes) != 1 || !strings.Contains(notes[0], "embedding") {
		t.Errorf("%v, notes %q", err, notes)
	}
	if texts := found(t, w, knowledge.Query{Text: "fever", Remote: true}); len(texts) == 0 {
		t.Error("nothing is found without the endpoint")
	}
	server.Script(llmtest.Obliging())
	if err := w.Refresh(t.Context(), nil); err != nil || len(inputs(server)) == 0 {
		t.Errorf("not tried again: %v", err)
	}
}

// TestSourcesLeaveOnlyWithConsent has an encoder on another machine: it is asked about first, with
// what identifies people replaced, and a workspace that forbids sending sends nothing.
func TestSourcesLeaveOnlyWithConsent(t *testing.T) {
	far := embeds("https://models.example:8443/v1")
	var asked []string
	refuse := func(_ context.Context, out llm.Outbound) (bool, error) {
		asked = append(asked, out.Host+" "+string(out.Body))
		return false, nil
	}
	opened(t, far, func(r *Request) {
		r.Consent = refuse
		note := "# Ward\n\nPatient: Walter Quist had a fever.\n"
		if err := os.WriteFile(filepath.Join(r.Root, "kb", "ward.md"), []byte(note), 0o600); err != nil {
			t.Fatal(err)
		}
	})
	if len(asked) != 1 || !strings.HasPrefix(asked[0], "models.example:8443 ") || strings.Contains(asked[0], "Quist") || !strings.Contains(asked[0], "[NAME-1]") {
		t.Errorf("asked %q", asked)
	}
	asked = nil
	opened(t, "offline = true\n"+far, func(r *Request) { r.Consent = refuse })
	if len(asked) > 0 {
		t.Errorf("asked although offline: %q", asked)
	}
}
