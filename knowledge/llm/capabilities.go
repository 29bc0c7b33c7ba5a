package llm

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/sashabaranov/go-openai"

	"lacuna/knowledge/plaintext"
	"lacuna/prompts"
)

// chat is a conversation as it goes out: redacted if it must be.
type chat struct {
	template string
	messages []prompts.Message
	schema   json.RawMessage
	thinks   bool // in text, before what the schema describes
	details  string
	restore  func(string) string // nil: nothing was replaced
}

// memories are what has been learnt about an endpoint from its refusals and replies. Servers that
// call themselves compatible differ in which fields of a request they know.
type capabilityMemory struct {
	mu         sync.Mutex
	known      capabilities // guarded by mu
	accepted   rolesTaken   // guarded by mu
	lastFutile string       // the last refusal for which every other way was tried in vain; guarded by mu
}

// rolesTaken are the roles that an endpoint took in a request.
type rolesTaken struct{ system, assistant bool }

// capabilities are how a request is written for an endpoint.
type capabilities struct {
	json          JSONMode // never JSONAuto
	fixed         bool     // the user chose json
	newTokenLimit bool     // it wants max_completion_tokens
	noSampling    bool     // it refuses temperature and top_p
	noSeed        bool
	noUsage       bool // it refuses stream_options
	thinks        bool // it thinks before it replies, out of the same number of tokens
	noSystem      bool // it has no role for the system
	noAssistant   bool // it takes no replies of the model
	maxTokens     int  // tokens of this reply, which with its prompt would not fit; 0: no bound; not remembered
}

func newCapabilityMemory(e Endpoint) *capabilityMemory {
	m := &capabilityMemory{known: capabilities{json: e.JSON, fixed: e.JSON != JSONAuto}}
	if !m.known.fixed {
		m.known.json = JSONSchema
	}
	return m
}

func (m *capabilityMemory) get() capabilities {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.known
}

// learn remembers habits that the endpoint accepted, and the roles that it took. What calls at the same
// time have learnt stays.
func (m *capabilityMemory) learn(h capabilities, took rolesTaken) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.accepted.system = m.accepted.system || took.system
	m.accepted.assistant = m.accepted.assistant || took.assistant
	m.lastFutile = ""
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

// rolesTaken are the roles that the endpoint is known to take.
func (m *capabilityMemory) rolesTaken() rolesTaken {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.accepted
}

// isFutile reports whether everything was tried already where the endpoint said this.
func (m *capabilityMemory) isFutile(said string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return said != "" && said == m.lastFutile
}

// markFutile remembers a refusal against which nothing helped, so that the next call does not try it all
// again.
func (m *capabilityMemory) markFutile(said string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lastFutile = said
}

// refusal is what an endpoint said to a request.
type refusal struct {
	said    string // in lower case
	request openai.ChatCompletionRequest
	chat    chat
	took    rolesTaken // in earlier requests
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
func (h capabilities) without(r refusal) (capabilities, bool) {
	switch {
	case r.noRoom() && r.tokens() > leastReply:
		h.maxTokens = max(leastReply, r.tokens()/4)
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
	case aboutForm(r.said) && h.canAskPlainer(r):
		h.json = h.plainerJSON()
	case aboutRoles(r.said):
		return h.withoutRole(r)
	default:
		return h, false
	}
	return h, true
}

// guessWithout returns the habits to try after a refusal that names nothing: JSON is asked for in another
// way, and where that was not it, or only the roles may be it, without the role of the system. first
// are the habits that the call began with.
func (h capabilities) guessWithout(r refusal, first capabilities, json bool) (capabilities, bool) {
	switch {
	case r.tooLong() || aboutForm(r.said):
		return h, false
	case json && h.canAskPlainer(r):
		h.json = h.plainerJSON()
	case !h.noSystem && !r.took.system && hasRole(r.chat.messages, "system"):
		h.noSystem, h.json = true, first.json
	default:
		return h, false
	}
	return h, true
}

// withoutRole gives up a role that the endpoint is not known to take.
func (h capabilities) withoutRole(r refusal) (capabilities, bool) {
	switch {
	case !h.noSystem && !r.took.system && hasRole(r.chat.messages, "system"):
		h.noSystem = true
	case !h.noAssistant && hasRole(r.chat.messages, "assistant"):
		h.noAssistant = true
	case !h.noSystem && hasRole(r.chat.messages, "system"): // behind one address may stand another model by now
		h.noSystem = true
	default:
		return h, false
	}
	return h, true
}

// canAskPlainer reports whether there is a plainer way to ask for the JSON that a request asked for.
func (h capabilities) canAskPlainer(r refusal) bool {
	return r.request.ResponseFormat != nil && !h.fixed && h.json != JSONNone
}

// plainerJSON is the next plainer way to ask for JSON.
func (h capabilities) plainerJSON() JSONMode {
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
func (h capabilities) request(model string, c chat, s resolvedSampling, listens bool) openai.ChatCompletionRequest {
	r := openai.ChatCompletionRequest{Model: model}
	for _, m := range mergeTurns(c.messages, h.noSystem, h.noAssistant) {
		r.Messages = append(r.Messages, openai.ChatCompletionMessage{Role: m.Role, Content: m.Text})
	}
	thoughtful, tokens := isReasoningModel(model), s.MaxTokens
	if h.thinks || thoughtful {
		tokens += thinkingTokens
	}
	if h.maxTokens > 0 {
		tokens = min(tokens, h.maxTokens)
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

func (h capabilities) format(c chat) *openai.ChatCompletionResponseFormat {
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

// mergeTurns puts the messages of a chat as an endpoint takes them: no role twice in a row, and without the
// roles that it refuses. What the system says then begins the message of the user; what a model said
// before is told to it in words.
func mergeTurns(messages []prompts.Message, noSystem, noAssistant bool) []prompts.Message {
	var out []prompts.Message
	add := func(role, text string) {
		if last := len(out) - 1; last >= 0 && out[last].Role == role {
			out[last].Text += "\n\n" + text
			return
		}
		out = append(out, prompts.Message{Role: role, Text: text})
	}
	asks := hasRole(messages, "user")
	for _, m := range messages {
		switch {
		case m.Text == "":
		case m.Role == "system" && (noSystem || !asks):
			add("user", m.Text)
		case m.Role == "assistant" && noAssistant:
			add("user", "Your reply was:\n\n"+m.Text)
		default:
			add(m.Role, m.Text)
		}
	}
	return out
}

// hasRole reports whether a role speaks in a chat.
func hasRole(messages []prompts.Message, role string) bool {
	return slices.ContainsFunc(messages, func(m prompts.Message) bool { return m.Role == role && m.Text != "" })
}

// How servers say that the roles of the messages are not as the chat template of the model wants them:
// by the templates' own sentences, which most servers pass on, and by words of their own. In all of them
// something about roles is denied, or demanded.
var (
	rolesRefused = []*regexp.Regexp{
		regexp.MustCompile(`\b(?:system|developer)\b['"’”` + "`" + `]?\s*(?:role|message|prompt|instruction|content)s?\b.{0,80}` + denied),
		regexp.MustCompile(denied + `.{0,60}\b(?:system|developer)\b['"’”` + "`" + `]?\s*(?:role|message|prompt|instruction)s?\b`),
		regexp.MustCompile(`\broles?\b.{0,60}` + denied),
		regexp.MustCompile(denied + `.{0,60}\broles?\b`),
		regexp.MustCompile(`\bvalid roles?\b|messages?(?:\[\d+\]|\.\d+)\.role`),
		regexp.MustCompile(`\b(?:first|last|second|next) (?:message|turn)\b.{0,60}` + denied),
		regexp.MustCompile(`\b(?:start|begin|end)s? with (?:an? |the )?['"` + "`" + `]?(?:user|assistant|system)\b`),
		regexp.MustCompile(`\bonly\b.{0,40}\b(?:user|assistant)\b`),
		regexp.MustCompile(`\bjinja|raise_exception|chat[ _-]?template|template[ _]?error`),
		regexp.MustCompile(`(?:角色|系统(?:消息|提示|指令)|system|role).{0,30}(?:不支持|不能|不允许|必须|交替|无效|非法|错误)|(?:不支持|无效|非法).{0,20}(?:角色|系统(?:消息|提示|指令)|system|role)`),
	}
	takesTurns = regexp.MustCompile(`\b(?:alternat(?:e[sd]?|ing|ion)|interleav\w*|successive|consecutive|in a row|back[- ]to[- ]back)\b`)
	speakers   = regexp.MustCompile(`\b(?:role|message|turn|user|assistant|conversation)s?\b`)
)

// denied is how a refusal or a demand is worded.
const denied = `(?:\b(?:not|never|no|without|cannot|must|should|has to|needs to|only|expected|invalid|illegal|wrong|unsupported|unknown|unexpected|unrecogni[sz]ed|unavailable)\b|n['’]t\b)`

// aboutRoles reports whether a refusal is about the roles of the messages.
func aboutRoles(said string) bool {
	said = strings.ToLower(plaintext.OneLine(said))
	return takesTurns.MatchString(said) && speakers.MatchString(said) ||
		slices.ContainsFunc(rolesRefused, func(r *regexp.Regexp) bool { return r.MatchString(said) })
}

// aboutForm reports whether a message is about the form that the reply was to have. Some servers
// report a schema that they cannot follow as a fault of their own.
func aboutForm(said string) bool {
	said = strings.ToLower(said)
	for _, word := range []string{"grammar", "schema", "response_format"} {
		if strings.Contains(said, word) {
			return true
		}
	}
	return false
}
