// Package llm talks to the language models, encoders and rerankers that the user has configured,
// and to nothing else.
//
// It sends requests, counts their cost, and says in [Error] what failed and which setting could fix it.
// Package prompts reads the replies.
//
// Begin with [New] and [Client.Chat].
package llm

import (
	"context"
	"fmt"
	"strings"
	"time"

	"lacuna/prompts"
)

// Role is a job for a model. The configuration maps it to an endpoint and a model.
type Role string

const (
	Reader     Role = "reader"     // drafts and final answers
	Reasoner   Role = "reasoner"   // judges what is missing, with a trace of its reasoning
	Summariser Role = "summariser" // what one document says
	Explorer   Role = "explorer"   // what knowledge is missing
	Generator  Role = "generator"  // background from the model's own knowledge
	Integrator Role = "integrator" // chooses documents
	Evaluator  Role = "evaluator"  // whether passages state what is said
)

// Jobs of other models have names like roles in errors and records.
const (
	embeddingRole  Role = "embedding"
	rerankRole     Role = "rerank"
	entailmentRole Role = "entailment"
)

// Roles returns all roles.
func Roles() []Role {
	return []Role{Reader, Reasoner, Summariser, Explorer, Generator, Integrator, Evaluator}
}

// Endpoint is the address of a model.
type Endpoint struct {
	BaseURL string // up to and including the version, such as http://127.0.0.1:11434/v1
	Model   string
	// Key returns the key of the endpoint; nil if it has none. The result is remembered until the
	// endpoint refuses it. It is called by one goroutine at a time.
	Key     func(ctx context.Context) (string, error)
	Headers map[string]string
	// PlainKey allows a key, or a header that holds one, over http:// to another machine, where everybody on the way
	// can read it.
	PlainKey bool
	Proxy    string // empty: none; the environment's is never used
	// Setting is the settings table of this endpoint, such as "model.roles.reader"; errors name a key
	// in it.
	Setting string
	// SettingOf returns the setting that holds one of the keys base_url, model, api_key, headers,
	// proxy, timeout, max_tokens and parallel, if it is not in the table Setting. Nil: all are in it.
	SettingOf func(key string) string
	// Sampling overrides the role's defaults where it is set.
	Sampling Sampling
	// Timeout limits one attempt at a call, once it starts; 0 means 180 s for the reasoner, 20 s for
	// the reranker and 60 s for all others.
	Timeout time.Duration
	// Window is how many tokens the model reads and writes in one call; 0 asks the server if it is on this
	// machine, and learns it from refusals.
	Window int
	// Parallel is the number of concurrent calls to the host; 0 means 8. If endpoints of one host
	// differ, the smallest applies to all.
	Parallel int
	JSON     JSONMode
}

// JSONMode selects the way of requesting JSON from an endpoint.
type JSONMode string

const (
	JSONAuto   JSONMode = ""       // a schema; if refused an object; then nothing; remembered
	JSONSchema JSONMode = "schema" // response_format json_schema
	JSONObject JSONMode = "object" // response_format json_object
	JSONNone   JSONMode = "none"
)

// Sampling controls how a model chooses words; nil and 0 mean the role's default.
type Sampling struct {
	Temperature *float64 // 0 means greedy, and is sent as the smallest number above it
	TopP        *float64
	MaxTokens   int // of the reply; reasoning tokens are added
	Seed        *int
	Presence    *float64 // penalty on words that were written before; 0 means none
}

// Config configures a client.
type Config struct {
	Roles     map[Role]Endpoint
	Embedding *Endpoint
	Rerank    *Endpoint // its address may lack the version; its model may be empty
	// Entailment is a cross-encoder of natural language inference; its model may be empty.
	Entailment *Endpoint
	// Permit is asked before anything is sent to another machine; nil refuses. If it returns an error,
	// nothing is sent. It may ask the user, so no deadline runs during the call. It may be called
	// concurrently.
	Permit func(ctx context.Context, out Outbound) error
	// Ready, if set, is asked before every request, also to this machine. If it returns an error,
	// nothing is sent. It must be quick and may be called concurrently.
	Ready func(out Outbound) error
	// Redact, if set, replaces what identifies people in the messages of one request to another
	// machine; parts of them were copied from the origins, see [prompts.Chat]. If it returns an error, nothing is sent.
	Redact func(messages, origins []string) (Redaction, error)
	// Record, if set, is called after each request that was sent, also to this machine. It must be
	// quick and may be called concurrently.
	Record func(Sent)
	// Cache stores replies; nil stores none.
	Cache Cache
	// Tape, if set, records the calls or stands in for the endpoints.
	Tape Tape
}

// Redaction is the redacted form of the messages of one request.
type Redaction struct {
	Messages []string
	Details  string // what was replaced, by class, for the user; empty if nothing was
	// Restore puts the replaced texts back into a reply. It may be called with pieces of a reply that
	// do not split a placeholder. Placeholders look like [NAME-1].
	Restore func(reply string) string
}

// Outbound is a request about to be sent, without its secrets.
type Outbound struct {
	Host    string // host and port
	Local   bool   // the host is this machine
	Model   string
	Role    Role   // or "embedding", "rerank", "entailment"
	Stage   string // of the answering system
	Body    []byte // exactly the bytes of the body; must not be modified
	Details string // what Redact replaced, by class, for the user; may be empty
	// Unencrypted says that the connection is not encrypted.
	Unencrypted bool
}

// Sent is a request that was sent.
type Sent struct {
	Outbound
	Time     time.Time
	Duration time.Duration
	Status   int // of HTTP; 0 without a response
	Usage    Usage
	Err      error
}

// Usage counts tokens.
type Usage struct {
	Calls      int
	Prompt     int
	Completion int  // with the reasoning
	Reasoning  int  // if the endpoint reports it
	Estimated  bool // the endpoint did not count: four bytes or one Han character count as a token
}

// Plus returns the sum of two counts.
func (u Usage) Plus(v Usage) Usage {
	return Usage{
		Calls: u.Calls + v.Calls, Prompt: u.Prompt + v.Prompt, Completion: u.Completion + v.Completion,
		Reasoning: u.Reasoning + v.Reasoning, Estimated: u.Estimated || v.Estimated,
	}
}

// Request is one call of a model. Of equal requests only one reply is cached, and an endpoint that
// honours seeds gives equal replies: vary Seed to get several replies to one prompt.
type Request struct {
	Role  Role
	Stage string // of the answering system, for the trace and the log
	Chat  prompts.Chat
	// Delta, if set, receives the reply in pieces while it is written, without reasoning. It is called
	// from the goroutine that called Chat. The pieces together are the beginning of Reply.Text, and all
	// of it except space at the end. One exception: if the stream broke and the second attempt differs
	// from the first, nothing more comes. A cached reply comes in one piece.
	Delta   func(text string)
	Account *Account // nil: no limit
	Fresh   bool     // ignore a cached reply; the new one is cached
	Sampling
}

// Reply is the reply of a model.
type Reply struct {
	Text      string // without reasoning
	Reasoning string // from its own field or from <think>
	Model     string // as the endpoint names it
	Finish    string // "stop", "length", …
	Seed      int    // that was sent
	Usage     Usage  // zero for a cached reply, which costs nothing
	Spared    Usage  `json:"-"` // what a cached reply cost when it was given
	Duration  time.Duration
	First     time.Duration // time until the first piece of the reply
	Attempts  int           // requests sent: 1 without retries, 0 for a cached reply
	CachedAt  time.Time     `json:"Kept"` // when a cached reply was given; zero for a fresh one
}

// RanOut reports whether the token limit ended the reply. Servers have several words for that.
func (r Reply) RanOut() bool {
	switch strings.ToLower(r.Finish) {
	case "length", "max_tokens", "model_length", "max_length":
		return true
	}
	return false
}

// Cache stores replies by the key of their request: a hash of endpoint, model, sampling, schema and
// messages. It must be safe for concurrent use, and do without what it cannot read or write.
type Cache interface {
	Get(key string) (Reply, bool)
	Put(key string, r Reply)
}

// Fault classifies a failed call by what the user can do about it.
type Fault string

const (
	Unreachable  Fault = "unreachable"  // nothing listens there, or the name does not resolve
	Untrusted    Fault = "untrusted"    // its certificate is not valid, or it does not speak TLS
	Unauthorised Fault = "unauthorised" // 401, 403, or the key is not available
	NotFound     Fault = "not-found"    // the address or the model is wrong
	RateLimited  Fault = "rate-limited" // 429 after all retries
	ServerFault  Fault = "server-fault" // 5xx after all retries
	Refused      Fault = "refused"      // other 4xx
	Malformed    Fault = "malformed"    // not the reply of such an endpoint
	CutOff       Fault = "cut-off"      // the connection broke in the middle of the reply
	TimedOut     Fault = "timed-out"    // slower than the deadline of the call
	TooLong      Fault = "too-long"     // the reply exceeded every limit
	NotPermitted Fault = "not-permitted"
	OverBudget   Fault = "over-budget"
	Unset        Fault = "unset"        // no model has the role
	NotRecorded  Fault = "not-recorded" // the recording that stands in for the endpoint does not hold the call
)

// Error is a failed call.
type Error struct {
	Fault   Fault
	Role    Role   // or "embedding", "rerank", "entailment"
	Host    string // host and port; empty for OverBudget and Unset
	Model   string
	Status  int    // of HTTP; 0 when no response came
	Setting string // the setting to change; empty for NotPermitted and OverBudget
	Err     error  // one line for the user; may be nil
	said    string // the whole message of the endpoint, untrusted
}

func (e *Error) Error() string {
	s := fmt.Sprintf("%s: %s", e.Role, e.Fault)
	if e.Host != "" {
		s += " (" + e.Host + ")"
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }
