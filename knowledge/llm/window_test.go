package llm

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"lacuna/prompts"
)

// longChat is a chat of about so many tokens.
func longChat(tokens int) prompts.Chat {
	return prompts.Chat{Room: 1000, Messages: []prompts.Message{{Role: "user", Text: strings.Repeat("gout ", tokens*4/5)}}}
}

// TestWindowIsAsked asks servers as they answer, written after their documentation.
func TestWindowIsAsked(t *testing.T) {
	for _, c := range []struct {
		name    string
		answers map[string]string // by path
		window  int
		asked   int
	}{
		{"vLLM", map[string]string{"/v1/models": `{"object":"list","data":[{"id":"other","max_model_len":900},{"id":"m","object":"model","owned_by":"vllm","max_model_len":8192}]}`}, 8192, 1},
		{"llama.cpp", map[string]string{
			"/v1/models": `{"object":"list","data":[{"id":"m.gguf","meta":{"n_vocab":32000,"n_ctx_train":131072}}]}`,
			"/props":     `{"default_generation_settings":{"n_ctx":6144,"temperature":0.8},"total_slots":1}`,
		}, 6144, 2},
		{"LM Studio", map[string]string{"/v1/models": `{"data":[{"id":"m"}]}`, "/api/v0/models": `{"data":[{"id":"m","state":"loaded","max_context_length":131072,"loaded_context_length":4096}]}`}, 4096, 3},
		{"Ollama, loaded", map[string]string{
			"/v1/models": `{"data":[{"id":"m:latest","owned_by":"library"}]}`, "/api/show": `{"parameters":"stop \"x\"","model_info":{"llama.context_length":131072}}`,
			"/api/ps": `{"models":[{"name":"m:latest","context_length":16384}]}`,
		}, 16384, 5},
		{"Ollama, told otherwise", map[string]string{"/api/show": "{\"parameters\":\"temperature 1\\nnum_ctx   12288\",\"model_info\":{\"llama.context_length\":131072}}", "/api/ps": `{"models":[]}`}, 12288, 5},
		{"Ollama by itself", map[string]string{"/api/show": `{"model_info":{"general.architecture":"qwen2","qwen2.context_length":131072}}`}, 4096, 5},
		{"Ollama with an old model", map[string]string{"/api/show": `{"model_info":{"phi2.context_length":2048}}`}, 2048, 5},
		{"says nothing", nil, 0, 4},
		{"says nonsense", map[string]string{"/v1/models": `{"data":[{"id":"m","max_model_len":"large"}]}`, "/props": `<html>`, "/api/show": `[]`}, 0, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked++
				said, known := c.answers[r.URL.Path]
				if !known || (r.Method == http.MethodPost) != (r.URL.Path == "/api/show") {
					http.NotFound(w, r)
					return
				}
				_, _ = io.WriteString(w, said)
			}))
			defer server.Close()
			client, err := New(Config{Roles: map[Role]Endpoint{Reader: {BaseURL: server.URL + "/v1", Model: "m"}}})
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			if n := client.Excess(t.Context(), Reader, longChat(1000)); n != 0 || asked != 0 {
				t.Errorf("a short chat: %d too many, %d questions", n, asked)
			}
			long := longChat(20000)
			got := client.Excess(t.Context(), Reader, long)
			again := client.Excess(t.Context(), Reader, long)
			want := 0
			if c.window > 0 {
				want = 20000 + 20000/8 + 32 + min(1000, c.window/3) - c.window
			}
			if got != want || again != got || asked != c.asked {
				t.Errorf("%d and %d too many, want %d; %d questions, want %d", got, again, want, asked, c.asked)
			}
		})
	}
}

// TestWindowElsewhere: no other machine is asked; the window is set, or learned from a refusal.
func TestWindowElsewhere(t *testing.T) {
	client, err := New(Config{Roles: map[Role]Endpoint{
		Reader:   {BaseURL: "https://far.example/v1", Model: "m"},
		Reasoner: {BaseURL: "https://far.example/v1", Model: "n", Window: 5000},
	}, Permit: func(context.Context, Outbound) error { t.Error("something was to be sent"); return nil }})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	long := longChat(20000)
	if n := client.Excess(t.Context(), Reader, long); n != 0 {
		t.Errorf("%d too many for a window that nobody knows", n)
	}
	if n := client.Excess(t.Context(), Reasoner, long); n != 20000+2500+32+1000-5000 {
		t.Errorf("%d too many for the window that is set", n)
	}
	for said, want := range map[string]int{
		"this model's maximum context length is 4096 tokens. however, you requested 5000 tokens":                                                4096,
		"the request exceeds the available context size (8192 tokens), try increasing it":                                                       8192,
		"request (9000 tokens) exceeds the available context size, n_ctx = 2048":                                                                2048,
		"`inputs` tokens + `max_new_tokens` must be <= 4096. given: 5000 `inputs` tokens and 1024 `max_new_tokens`":                             4096,
		"the model is overloaded, try again in 3000 ms":                                                                                         0,
		"trying to keep the first 6000 tokens when context the overflows. however, the model is loaded with context length of only 4096 tokens": 4096,
	} {
		m := newCapabilityMemory(Endpoint{})
		m.learnWindow(said)
		if got := m.windowKnown(); got != want {
			t.Errorf("%q: %d, want %d", said, got, want)
		}
	}
}
