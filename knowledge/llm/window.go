package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"lacuna/prompts"
)

const (
	// smallWindow is a window that every server has; shorter calls ask for none.
	smallWindow = 3500
	// leastWindow is the smallest number that is taken for a window.
	leastWindow = 512
	// ollamaWindow is what Ollama gives a model unless it was told otherwise.
	ollamaWindow = 4096
	windowTime   = 3 * time.Second // for all questions to a server together
)

// Excess returns by how many tokens a chat, with the reply to it, exceeds the window of the model that has
// the role, by the estimate of [prompts.Tokens]; 0 if it fits or nobody knows. A server that cuts prompts
// by itself cuts off their beginning, which is our instructions. It asks a server on this machine, once.
func (c *Client) Excess(ctx context.Context, role Role, chat prompts.Chat) int {
	to := c.roles[role]
	if to == nil {
		return 0
	}
	x := c.exchange(ctx, to, WindowStage)
	x.Template, x.Messages = chat.Template, chat.Messages
	_ = c.taped(x, func() error {
		x.Excess = c.excess(ctx, to, chat)
		return nil
	})
	return x.Excess
}

func (c *Client) excess(ctx context.Context, to *endpoint, chat prompts.Chat) int {
	reply := samplingOf(to.role, to.Sampling, Request{Chat: chat}).MaxTokens
	needs := 0
	for _, m := range chat.Messages {
		needs += prompts.Tokens(m.Text)
	}
	needs += needs/8 + 32 // tokenizers differ, and templates add their own
	if to.memory.get().thinks {
		reply += thinkingTokens
	}
	if needs+min(reply, smallWindow/3) <= smallWindow && to.memory.windowKnown() == 0 {
		return 0
	}
	window := c.window(ctx, to)
	if window == 0 {
		return 0
	}
	return max(0, needs+min(reply, window/3)-window)
}

// window returns the window of an endpoint's model; 0 if it is not known.
func (c *Client) window(ctx context.Context, to *endpoint) int {
	m := to.memory
	m.mu.Lock()
	known, ask := m.window, to.local && !m.asked && m.window == 0
	m.asked = m.asked || ask
	m.mu.Unlock()
	if !ask {
		return known
	}
	ctx, cancel := context.WithTimeout(ctx, windowTime)
	defer cancel()
	asked := c.askWindow(ctx, to)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.window == 0 {
		m.window = asked
	}
	return m.window
}

func (m *capabilityMemory) windowKnown() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.window
}

// windowRefusals match the window in the sentences by which servers refuse a prompt that is too long.
var windowRefusals = []*regexp.Regexp{
	regexp.MustCompile(`maximum context length (?:is|of) (\d{3,7})`),
	regexp.MustCompile(`context (?:size|length|window)[^0-9]{0,40}?\(?(?:n_ctx\s*=?\s*)?(\d{3,7})`),
	regexp.MustCompile(`n_ctx[^0-9]{0,8}(\d{3,7})`),
	regexp.MustCompile("`inputs` tokens \\+ `max_new_tokens` must be <= (\\d{3,7})"),
}

// learnWindow remembers the window that a refusal names.
func (m *capabilityMemory) learnWindow(said string) {
	for _, refusal := range windowRefusals {
		found := refusal.FindStringSubmatch(said)
		if found == nil {
			continue
		}
		if n, err := strconv.Atoi(found[1]); err == nil && n >= leastWindow {
			m.mu.Lock()
			defer m.mu.Unlock()
			if m.window == 0 || n < m.window {
				m.window = n
			}
			return
		}
	}
}

// askWindow asks a server for the window of its model in the ways of the servers in use: vLLM and hosts of
// many models, llama.cpp, LM Studio, Ollama.
func (c *Client) askWindow(ctx context.Context, to *endpoint) int {
	root := version.ReplaceAllString(to.base, "")
	var models struct {
		Data []map[string]any `json:"data"`
	}
	if c.ask(ctx, to, to.base+"/models", nil, &models) {
		if n := windowOf(models.Data, to.Model, "max_model_len", "context_length", "context_window", "max_context_length", "n_ctx"); n > 0 {
			return n
		}
	}
	var props struct {
		Settings map[string]any `json:"default_generation_settings"`
	}
	if c.ask(ctx, to, root+"/props", nil, &props) {
		if n := firstNumber(props.Settings, "n_ctx"); n > 0 {
			return n
		}
	}
	models.Data = nil
	if c.ask(ctx, to, root+"/api/v0/models", nil, &models) {
		if n := windowOf(models.Data, to.Model, "loaded_context_length"); n > 0 {
			return n
		}
	}
	return c.askOllama(ctx, to, root)
}

// askOllama returns the window that Ollama has loaded a model with, or would.
func (c *Client) askOllama(ctx context.Context, to *endpoint, root string) int {
	var shown struct {
		Parameters string         `json:"parameters"`
		Info       map[string]any `json:"model_info"`
	}
	if !c.ask(ctx, to, root+"/api/show", map[string]string{"model": to.Model}, &shown) || len(shown.Info) == 0 {
		return 0
	}
	var loaded struct {
		Models []map[string]any `json:"models"`
	}
	if c.ask(ctx, to, root+"/api/ps", nil, &loaded) {
		for _, m := range loaded.Models {
			name, _ := m["name"].(string)
			if n := firstNumber(m, "context_length"); n > 0 && (name == to.Model || strings.TrimSuffix(name, ":latest") == to.Model) {
				return n
			}
		}
	}
	for line := range strings.Lines(shown.Parameters) {
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] == "num_ctx" {
			if n, err := strconv.Atoi(fields[1]); err == nil && n >= leastWindow {
				return n
			}
		}
	}
	for key, value := range shown.Info {
		if n, is := value.(float64); is && strings.HasSuffix(key, ".context_length") && n >= leastWindow && n < ollamaWindow {
			return int(n)
		}
	}
	return ollamaWindow
}

// windowOf returns the first of some fields of the model with an ID, or of the only model.
func windowOf(models []map[string]any, id string, fields ...string) int {
	for _, m := range models {
		if m["id"] == id || len(models) == 1 {
			if n := firstNumber(m, fields...); n > 0 {
				return n
			}
			if meta, is := m["meta"].(map[string]any); is { // of llama.cpp
				return firstNumber(meta, fields...)
			}
		}
	}
	return 0
}

func firstNumber(of map[string]any, fields ...string) int {
	for _, field := range fields {
		if n, is := of[field].(float64); is && n >= leastWindow && n < 1<<30 {
			return int(n)
		}
	}
	return 0
}

// maxAnswer limits what is read of a server's answer about its models, in bytes.
const maxAnswer = 4 << 20

// ask gets an object from a server, by POST where there is a body. It reports false for whatever goes
// wrong: servers know few of the questions.
func (c *Client) ask(ctx context.Context, to *endpoint, url string, body, into any) bool {
	w := c.wire(to, "window")
	w.retries = 0
	method, text := http.MethodGet, []byte(nil)
	if body != nil {
		method = http.MethodPost
		text, _ = json.Marshal(body) // strings
	}
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(text))
	if err != nil {
		return false
	}
	request.Header.Set("Accept", "application/json")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := w.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	said, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	w.record(Usage{}, err)
	return err == nil && json.Unmarshal(said, into) == nil
}
