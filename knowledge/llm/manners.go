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
	mu       sync.Mutex
	known    habits // guarded by mu
	accepted spoken // guarded by mu
	vain     string // the last refusal for which every other way was tried in vain; guarded by mu
}

// spoken are the roles that an endpoint took in a request.
type spoken struct{ system, assistant bool }

// habits are how a request is written for an endpoint.
type habits struct {
	json          JSONMode // never JSONAuto
	fixed         bool     // the user chose json
	newTokenLimit bool     // it wants max_completion_tokens
	noSampling    bool     // it refuses temperature and top_p
	noSeed        bool
	noUsage       bool // it refuses stream_options
	thinks        bool // it thinks before it replies, out of the same number of tokens
	noSystem      bool // it has no role for the system
	noAssistant   bool // it takes no replies of the model
	most          int  // tokens of this reply, which with its prompt would not fit; 0: no bound; not remembered
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

// learn remembers habits that the endpoint accepted, and the roles that it took. What calls at the same
// time have learnt stays.
func (m *manners) learn(h habits, took spoken) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.accepted.system = m.accepted.system || took.system
	m.accepted.assistant = m.accepted.assistant || took.assistant
	m.vain = ""
	k := &m.known
	k.newTokenLimit = k.newTokenLimit || h.newTokenLimit
	k.noSampling = k.noSampling || h.noSampling
	k.noSeed = k.noSeed || h.noSeed
	k.noUsage = k.noUsage || h.noUsage
	k.thinks = k.thinks || h.thinks
	k.noSystem = k.noSystem || h.noSystem
	k.noAssistant = k.noAssistant || h.noAssistant
	if slices.Index(jsonModes, h.json) > slices.Index(jsonModes, k.json) {
		k.json = h.json
	}
}

// jsonModes are from what asks most of an endpoint to what asks nothing.
var jsonModes = []JSONMode{JSONSchema, JSONObject, JSONNone}

// took are the roles that the endpoint is known to take.
func (m *manners) took() spoken {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.accepted
}

// inVain reports whether everything was tried already where the endpoint said this.
func (m *manners) inVain(said string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return said != "" && said == m.vain
}

// giveUp remembers a refusal against which nothing helped, so that the next call does not try it all
// again.
func (m *manners) giveUp(said string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.vain = said
}

// refusal is what an endpoint said to a request.
type refusal struct {
	said    string // in lower case
	request openai.ChatCompletionRequest
	chat    chat
	took    spoken // in earlier requests
}

// names reports whether the refusal has one of some words.
func (r refusal) names(words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(r.said, w) })
}

// tooLong reports whether the refusal is about the length of the prompt, whose form is right then.
func (r refusal) tooLong() bool {
	return r.names("context length", "context size", "context window", "maximum context", "too long", "too many tokens")
}

// leastReply is how many tokens are asked for at least where prompt and reply do not fit together.
const leastReply = 512

// noRoom reports whether the refusal is that the prompt leaves too little room for the reply that was
// asked for.
func (r refusal) noRoom() bool {
	return r.names("max_tokens", "max_new_tokens", "max_completion_tokens", "in the completion", "completion tokens") &&
		(r.tooLong() || r.names("too large", "must be <=", "exceed", "at most"))
}

// tokens are those that the request allows a reply.
func (r refusal) tokens() int {
	//lint:ignore SA1019 most servers know no other name
	return max(r.request.MaxTokens, r.request.MaxCompletionTokens) //nolint:staticcheck // the same, for golangci-lint
}

// without returns the habits to try after a refusal; false if it names nothing that can be changed.
func (h habits) without(r refusal) (habits, bool) {
	switch {
	case r.noRoom() && r.tokens() > leastReply:
		h.most = max(leastReply, r.tokens()/4)
	case r.tooLong():
		return h, false
	case r.names("stream_options") && !h.noUsage:
		h.noUsage = true
	case r.names("max_completion_tokens") && r.request.MaxCompletionTokens == 0:
		h.newTokenLimit = true
	case r.names("temperature", "top_p") && r.request.Temperature != 0:
		h.noSampling = true
	case r.names("seed") && r.request.Seed != nil:
		h.noSeed = true
	case aboutForm(r.said) && h.plainer(r):
		h.json = h.lesser()
	case aboutRoles(r.said):
		return h.withoutRole(r)
	default:
		return h, false
	}
	return h, true
}

// guess returns the habits to try after a refusal that names nothing: JSON is asked for in another
// way, and where that was not it, or only the roles may be it, without the role of the system. first
// are the habits that the call began with.
func (h habits) guess(r refusal, first habits, json bool) (habits, bool) {
	switch {
	case r.tooLong() || aboutForm(r.said):
		return h, false
	case json && h.plainer(r):
		h.json = h.lesser()
	case !h.noSystem && !r.took.system && has(r.chat.messages, "system"):
		h.noSystem, h.json = true, first.json
	default:
		return h, false
	}
	return h, true
}

// withoutRole gives up a role that the endpoint is not known to take.
func (h habits) withoutRole(r refusal) (habits, bool) {
	switch {
	case !h.noSystem && !r.took.system && has(r.chat.messages, "system"):
		h.noSystem = true
	case !h.noAssistant && has(r.chat.messages, "assistant"):
		h.noAssistant = true
	case !h.noSystem && has(r.chat.messages, "system"): // behind one address may stand another model by now
		h.noSystem = true
	default:
		return h, false
	}
	return h, true
}

// plainer reports whether there is a plainer way to ask for the JSON that a request asked for.
func (h habits) plainer(r refusal) bool {
	return r.request.ResponseFormat != nil && !h.fixed && h.json != JSONNone
}

// lesser is the next plainer way to ask for JSON.
func (h habits) lesser() JSONMode {
	if h.json == JSONSchema {
		return JSONObject
	}
	return JSONNone
}

// longReply is how many tokens a reply may have to come in one piece.
const longReply = 1024

// request writes a chat as the endpoint wants it. A reply is streamed if somebody listens, or if it
// may be long: proxies drop connections on which nothing comes for a minute. Every piece of a stream
// costs as much of our time as a short reply as a whole, so the others come in one piece.
func (h habits) request(model string, c chat, s sampling, listens bool) openai.ChatCompletionRequest {
	r := openai.ChatCompletionRequest{Model: model}
	for _, m := range turns(c.messages, h.noSystem, h.noAssistant) {
		r.Messages = append(r.Messages, openai.ChatCompletionMessage{Role: m.Role, Content: m.Text})
	}
	thoughtful, tokens := reasons(model), s.MaxTokens
	if h.thinks || thoughtful {
		tokens += thinkingTokens
	}
	if h.most > 0 {
		tokens = min(tokens, h.most)
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
	if c.schema != nil && !c.thinks {
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
