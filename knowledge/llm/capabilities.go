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

// chat is a conversation as sent, redacted if necessary.
type chat struct {
	template string
	version  string // of the template
	messages []prompts.Message
	schema   json.RawMessage
	thinks   bool // in text, before the object that schema describes
	details  string
	restore  func(string) string // nil if nothing was replaced
	also     []string            // other texts that were redacted with the messages
}

// capabilityMemory remembers what an endpoint's refusals and replies taught us about it. Servers that
// call themselves compatible differ in the request fields they know.
type capabilityMemory struct {
	mu         sync.Mutex
	known      capabilities // guarded by mu
	accepted   rolesTaken   // guarded by mu
	lastFutile string       // the last refusal that no other form of the request avoided; guarded by mu
	window     int          // tokens of prompt and reply together; 0: not known; guarded by mu
	asked      bool         // whether the server was asked for its window; guarded by mu
}

// rolesTaken records the roles that an endpoint accepted in a request.
type rolesTaken struct{ system, assistant bool }

// capabilities decide how a request to an endpoint is written.
type capabilities struct {
	json          JSONMode // never JSONAuto
	fixed         bool     // the user chose json
	newTokenLimit bool     // it wants max_completion_tokens
	noSampling    bool     // it refuses temperature and top_p
	noPresence    bool     // it refuses presence_penalty
	noSeed        bool
	noUsage       bool // it refuses stream_options
	thinks        bool // it reasons before it replies, within the same token limit
	noSystem      bool // it has no system role
	noAssistant   bool // it takes no assistant messages
	maxTokens     int  // of this reply, whose prompt leaves no room for more; 0: no limit; not remembered
}

func newCapabilityMemory(e Endpoint) *capabilityMemory {
	m := &capabilityMemory{known: capabilities{json: e.JSON, fixed: e.JSON != JSONAuto}, window: e.Window, asked: e.Window > 0}
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

// learn remembers capabilities and roles that the endpoint accepted, and keeps what concurrent calls
// have learned.
func (m *capabilityMemory) learn(h capabilities, took rolesTaken) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.accepted.system = m.accepted.system || took.system
	m.accepted.assistant = m.accepted.assistant || took.assistant
	m.lastFutile = ""
	k := &m.known
	k.newTokenLimit = k.newTokenLimit || h.newTokenLimit
	k.noSampling = k.noSampling || h.noSampling
	k.noPresence = k.noPresence || h.noPresence
	k.noSeed = k.noSeed || h.noSeed
	k.noUsage = k.noUsage || h.noUsage
	k.thinks = k.thinks || h.thinks
	k.noSystem = k.noSystem || h.noSystem
	k.noAssistant = k.noAssistant || h.noAssistant
	if slices.Index(jsonModes, h.json) > slices.Index(jsonModes, k.json) {
		k.json = h.json
	}
}

// jsonModes go from the most demanding to the least.
var jsonModes = []JSONMode{JSONSchema, JSONObject, JSONNone}

// rolesTaken returns the roles that the endpoint is known to take.
func (m *capabilityMemory) rolesTaken() rolesTaken {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.accepted
}

// isFutile reports whether every other form was already tried after the same refusal.
func (m *capabilityMemory) isFutile(said string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return said != "" && said == m.lastFutile
}

// markFutile remembers a refusal that nothing avoided, so that the next call does not try everything
// again.
func (m *capabilityMemory) markFutile(said string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lastFutile = said
}

// refusal is the endpoint's refusal of a request.
type refusal struct {
	said    string // in lower case
	request openai.ChatCompletionRequest
	chat    chat
	took    rolesTaken // in earlier requests
}

// names reports whether the refusal contains one of some words.
func (r refusal) names(words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(r.said, w) })
}

// tooLong reports whether the refusal concerns the length of the prompt; then its form is right.
func (r refusal) tooLong() bool {
	return r.names("context length", "context size", "context window", "maximum context", "too long", "too many tokens")
}

// leastReply is the smallest token limit we ask for if prompt and reply do not fit together.
const leastReply = 512

// noRoom reports whether the prompt leaves too little room for the reply that was asked for.
func (r refusal) noRoom() bool {
	return r.names("max_tokens", "max_new_tokens", "max_completion_tokens", "in the completion", "completion tokens") &&
		(r.tooLong() || r.names("too large", "must be <=", "exceed", "at most"))
}

// tokens returns the token limit of the request.
func (r refusal) tokens() int {
	//lint:ignore SA1019 most servers know no other name
	return max(r.request.MaxTokens, r.request.MaxCompletionTokens) //nolint:staticcheck // the same, for golangci-lint
}

// without returns the capabilities to try after a refusal; false if it names nothing that can change.
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
	case r.names("presence_penalty") && r.request.PresencePenalty != 0:
		h.noPresence = true
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

// guessWithout returns the capabilities to try after a refusal that names nothing: another way to ask
// for JSON, then no system role. initial are the capabilities at the first attempt.
func (h capabilities) guessWithout(r refusal, initial capabilities, json bool) (capabilities, bool) {
	switch {
	case r.tooLong() || aboutForm(r.said):
		return h, false
	case json && h.canAskPlainer(r):
		h.json = h.plainerJSON()
	case !h.noSystem && !r.took.system && hasRole(r.chat.messages, "system"):
		h.noSystem, h.json = true, initial.json
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

// canAskPlainer reports whether there is a less demanding way to ask for the JSON that a request asked
// for.
func (h capabilities) canAskPlainer(r refusal) bool {
	return r.request.ResponseFormat != nil && !h.fixed && h.json != JSONNone
}

// plainerJSON returns the next less demanding way to ask for JSON.
func (h capabilities) plainerJSON() JSONMode {
	if h.json == JSONSchema {
		return JSONObject
	}
	return JSONNone
}

// longReply is the token limit up to which a reply may come in one piece.
const longReply = 1024

// request writes a chat for the endpoint. It streams the reply if the caller listens or the reply may
// be long: proxies drop connections that are silent for a minute. Otherwise it does not, because each
// piece of a stream costs as much time as a short reply.
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
		if !h.noPresence {
			r.PresencePenalty = float32(s.Presence)
		}
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

// mergeTurns adapts the messages of a chat to an endpoint: no role twice in a row, and no role that it
// refuses. A system message then begins the user's message; an assistant message is quoted to it.
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

// hasRole reports whether a chat has a message of a role.
func hasRole(messages []prompts.Message, role string) bool {
	return slices.ContainsFunc(messages, func(m prompts.Message) bool { return m.Role == role && m.Text != "" })
}

// How servers say that the roles of the messages do not fit the model's chat template: the templates'
// own sentences, which most servers pass on, and words of their own. All deny or demand something about
// roles.
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

// denied matches a refusal or a demand.
const denied = `(?:\b(?:not|never|no|without|cannot|must|should|has to|needs to|only|expected|invalid|illegal|wrong|unsupported|unknown|unexpected|unrecogni[sz]ed|unavailable)\b|n['’]t\b)`

// aboutRoles reports whether a refusal concerns the roles of the messages.
func aboutRoles(said string) bool {
	said = strings.ToLower(plaintext.OneLine(said))
	return takesTurns.MatchString(said) && speakers.MatchString(said) ||
		slices.ContainsFunc(rolesRefused, func(r *regexp.Regexp) bool { return r.MatchString(said) })
}

// aboutForm reports whether a message concerns the form of the reply. Some servers report a schema that
// they cannot follow as an internal error.
func aboutForm(said string) bool {
	said = strings.ToLower(said)
	for _, word := range []string{"grammar", "schema", "response_format"} {
		if strings.Contains(said, word) {
			return true
		}
	}
	return false
}
