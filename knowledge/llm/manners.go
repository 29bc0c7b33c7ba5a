package llm

import (
	"slices"
	"strings"
	"sync"

	openai "github.com/sashabaranov/go-openai"
)

// manners are what has been learnt about an endpoint from its refusals and replies. Servers that
// call themselves compatible differ in which fields of a request they know.
type manners struct {
	mu    sync.Mutex
	known habits // guarded by mu
}

// habits are how a request is written for an endpoint.
type habits struct {
	json          JSONMode // never JSONAuto
	fixed         bool     // the user chose json
	newTokenLimit bool     // it wants max_completion_tokens
	noSampling    bool     // it refuses temperature and top_p
	noSeed        bool
	noUsage       bool // it refuses stream_options
	thinks        bool // it thinks before it replies, out of the same number of tokens
}

func newManners(e Endpoint) *manners {
	m := &manners{known: habits{json: e.JSON, fixed: e.JSON != JSONAuto}}
	if !m.known.fixed {
		m.known.json = JSONSchema
	}
	return m
}

func (m *manners) get() habits {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.known
}

// learn remembers habits that the endpoint accepted. What calls at the same time have learnt stays.
func (m *manners) learn(h habits) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := &m.known
	k.newTokenLimit = k.newTokenLimit || h.newTokenLimit
	k.noSampling = k.noSampling || h.noSampling
	k.noSeed = k.noSeed || h.noSeed
	k.noUsage = k.noUsage || h.noUsage
	k.thinks = k.thinks || h.thinks
	if slices.Index(jsonModes, h.json) > slices.Index(jsonModes, k.json) {
		k.json = h.json
	}
}

// jsonModes are from what asks most of an endpoint to what asks nothing.
var jsonModes = []JSONMode{JSONSchema, JSONObject, JSONNone}

// without returns the habits to try after a refusal of a request; false if there is nothing to
// change. A refusal that names no field is taken for one of the way JSON was asked for.
func (h habits) without(said string, r openai.ChatCompletionRequest) (habits, bool) {
	said = strings.ToLower(said)
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(said, w) {
				return true
			}
		}
		return false
	}
	switch {
	case has("context length", "context size", "context window", "maximum context", "too long"):
		return h, false
	case has("stream_options") && !h.noUsage:
		h.noUsage = true
	case has("max_completion_tokens") && r.MaxCompletionTokens == 0:
		h.newTokenLimit = true
	case has("temperature", "top_p") && r.Temperature != 0:
		h.noSampling = true
	case has("seed") && r.Seed != nil:
		h.noSeed = true
	case r.ResponseFormat != nil && !h.fixed && h.json == JSONSchema:
		h.json = JSONObject
	case r.ResponseFormat != nil && !h.fixed && h.json == JSONObject:
		h.json = JSONNone
	default:
		return h, false
	}
	return h, true
}

// longReply is how many tokens a reply may have to come in one piece.
const longReply = 1024

// request writes a chat as the endpoint wants it. A reply is streamed if somebody listens, or if it
// may be long: proxies drop connections on which nothing comes for a minute. Every piece of a stream
// costs as much of our time as a short reply as a whole, so the others come in one piece.
func (h habits) request(model string, c chat, s sampling, listens bool) openai.ChatCompletionRequest {
	r := openai.ChatCompletionRequest{Model: model}
	for _, m := range c.messages {
		r.Messages = append(r.Messages, openai.ChatCompletionMessage{Role: m.Role, Content: m.Text})
	}
	thoughtful, tokens := reasons(model), s.MaxTokens
	if h.thinks || thoughtful {
		tokens += thinkingTokens
	}
	if h.newTokenLimit || thoughtful {
		r.MaxCompletionTokens = tokens
	} else {
		//lint:ignore SA1019 most servers know no other name
		r.MaxTokens = tokens //nolint:staticcheck // the same, for golangci-lint
	}
	if !h.noSampling && !thoughtful {
		r.Temperature, r.TopP = wireTemperature(s.Temperature), float32(s.TopP)
	}
	if !h.noSeed {
		r.Seed = &s.Seed
	}
	if r.Stream = listens || tokens > longReply; r.Stream && !h.noUsage {
		r.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
	}
	if c.schema != nil {
		r.ResponseFormat = h.format(c)
	}
	return r
}

func (h habits) format(c chat) *openai.ChatCompletionResponseFormat {
	switch h.json {
	case JSONSchema:
		return &openai.ChatCompletionResponseFormat{
			Type:       openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: c.template, Schema: c.schema, Strict: true},
		}
	case JSONObject:
		return &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONObject}
	}
	return nil
}
