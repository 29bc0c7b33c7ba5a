// Package llm talks to the language models, encoders and rerankers that the user has configured,
// and to nothing else. It is the only package that opens a connection.
//
// It sends what it is given, counts what that costs, and says in [Error] what failed and which
// setting could mend it. What a reply means is the business of package prompts.
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

// Role is a job that a model does; the configuration maps it to an endpoint and a model.
type Role string

const (
	Reader     Role = "reader"     // drafts and final answers
	Reasoner   Role = "reasoner"   // judges what is missing, with a trace of its reasoning
	Summariser Role = "summariser" // what one document says
	Explorer   Role = "explorer"   // what knowledge is missing
	Generator  Role = "generator"  // background from the model's own knowledge
	Integrator Role = "integrator" // chooses documents
	Evaluator  Role = "evaluator"  // measurements only
)

// What is no job of a language model has a name like a role's in errors and records.
const (
	embeddingRole Role = "embedding"
	rerankRole    Role = "rerank"
)

// Roles are all roles.
func Roles() []Role {
	return []Role{Reader, Reasoner, Summariser, Explorer, Generator, Integrator, Evaluator}
}

// Endpoint is where a model is reached.
type Endpoint struct {
	BaseURL string // up to and including the version, such as http://127.0.0.1:11434/v1
	Model   string
	// Key has the key of the endpoint; nil: none. What it returns is remembered until the endpoint
	// refuses it. It is called by one goroutine at a time.
	Key     func(ctx context.Context) (string, error)
	Headers map[string]string
	Proxy   string // empty: none; the environment's is never used
	// Setting is the table of the settings that this endpoint is from, such as "model.roles.reader";
	// errors name a key in it.
	Setting string
	// SettingOf names the setting that holds one of the keys base_url, model, api_key, headers, proxy,
	// timeout, max_tokens and parallel, where that is not in the table Setting. Nil: all are in it.
	SettingOf func(key string) string
	// Sampling replaces the defaults of the role where it is set.
	Sampling Sampling
	// Timeout is how long one attempt at a call may take, once it is its turn; 0 means 180 s for the
	// reasoner, 20 s for the reranker and 60 s for all others.
	Timeout time.Duration
	// Parallel is how many calls the host is sent at once; 0 means 8. Where endpoints of one host
	// differ, the smallest counts for all of them.
	Parallel int
	JSON     JSONMode
}

// JSONMode is how an endpoint is asked for JSON.
type JSONMode string

const (
	JSONAuto   JSONMode = ""       // a schema; where the endpoint refuses, an object; then nothing; remembered
	JSONSchema JSONMode = "schema" // response_format json_schema
	JSONObject JSONMode = "object" // response_format json_object
	JSONNone   JSONMode = "none"
)

// Sampling is how a model chooses its words; nil and 0 mean the role's default.
type Sampling struct {
	Temperature *float64 // 0 means greedy, and is sent as the smallest number above it
	TopP        *float64
	MaxTokens   int // of the reply; what a model thinks beside it is allowed for
	Seed        *int
}

// Config says what a client may talk to.
type Config struct {
	Roles     map[Role]Endpoint
	Embedding *Endpoint
	Rerank    *Endpoint // its address may lack the version; its model may be empty
	// Permit is asked before anything is sent to a host that is not this machine; nil refuses. An
	// error is the refusal; nothing is sent then. It may ask a person and may be called concurrently.
	// No deadline runs meanwhile.
	Permit func(ctx context.Context, out Outbound) error
	// Ready, if set, is asked before every request, also to this machine; an error refuses it, and nothing
	// is sent. It must be quick and may be called concurrently.
	Ready func(out Outbound) error
	// Redact, if set, replaces what identifies people in the messages of one request before it is sent
	// to a host that is not this machine. An error refuses the request; nothing is sent then.
	Redact func(messages []string) (Redaction, error)
	// Record is told of every request that was sent, also to this machine, after it ended; it must be
	// quick and may be called concurrently. May be nil.
	Record func(Sent)
	// Cache keeps replies; nil keeps none.
	Cache Cache
}

// Redaction is what became of the messages of one request.
type Redaction struct {
	Messages []string
	Details  string // what was replaced, by class, for people; empty when nothing was
	// Restore puts back into a reply what was replaced; it may be called with pieces of a reply that
	// do not split a placeholder. Placeholders look like [NAME-1].
	Restore func(reply string) string
}

// Outbound is a request that wants to be sent, with its secrets left out.
type Outbound struct {
	Host    string // host and port
	Local   bool   // the host is this machine
	Model   string
	Role    Role   // or "embedding", "rerank"
	Stage   string // of the answering system
	Body    []byte // exactly the bytes of the body; not to be changed
	Details string // what Redact replaced, by class, for people; may be empty
	// Unencrypted says that whoever is on the way to the host can read it.
	Unencrypted bool
}

// Sent is a request that was sent.
type Sent struct {
	Outbound
	Time     time.Time
	Duration time.Duration
	Status   int // of HTTP; 0 when no response came
	Usage    Usage
	Err      error
}

// Usage counts tokens.
type Usage struct {
	Calls      int
	Prompt     int
	Completion int  // with the reasoning
	Reasoning  int  // where the endpoint says it
	Estimated  bool // the endpoint did not count; a token is taken for four bytes, or one Han character
}

// Plus adds two counts.
func (u Usage) Plus(v Usage) Usage {
	return Usage{
		Calls: u.Calls + v.Calls, Prompt: u.Prompt + v.Prompt, Completion: u.Completion + v.Completion,
		Reasoning: u.Reasoning + v.Reasoning, Estimated: u.Estimated || v.Estimated,
	}
}

// Request is one call of a model. Of two equal requests an endpoint that honours seeds gives equal
// replies, and only one is kept: who wants several replies to one prompt varies Seed.
type Request struct {
	Role  Role
	Stage string // of the answering system, for the trace and the log
	Chat  prompts.Chat
	// Delta, if set, gets the reply in pieces while it is written, reasoning left out. It is called
	// from the goroutine that called Chat. The pieces together are the beginning of Reply.Text, and
	// all of it but for space at the end, with one exception: when the stream broke and the second
	// attempt says something else than the first, nothing more comes. A kept reply comes in one piece.
	Delta   func(text string)
	Account *Account // nil: no limit
	Fresh   bool     // do not take a kept reply; the new one is kept
	Sampling
}

// Reply is what a model said.
type Reply struct {
	Text      string // without reasoning
	Reasoning string // from its own field or from <think>
	Model     string // as the endpoint names it
	Finish    string // "stop", "length", …
	Seed      int    // that was asked for
	Usage     Usage  // zero for a kept reply, which costs nothing
	Duration  time.Duration
	First     time.Duration // until the first piece of the reply
	Attempts  int           // requests that were sent: 1 without retries, 0 for a kept reply
	CachedAt  time.Time     `json:"Kept"` // when a cached reply was given; zero for a fresh one
}

// RanOut reports whether the tokens of a reply were spent before it ended by itself. Servers have
// several words for that.
func (r Reply) RanOut() bool {
	switch strings.ToLower(r.Finish) {
	case "length", "max_tokens", "model_length", "max_length":
		return true
	}
	return false
}

// Cache keeps replies by the key of their request: a hash of endpoint, model, sampling, schema and
// messages. It is safe for concurrent use. What it cannot read or write it does without.
type Cache interface {
	Get(key string) (Reply, bool)
	Put(key string, r Reply)
}

// Fault is what went wrong with a call, as far as a user can do something about it.
type Fault string

const (
	Unreachable  Fault = "unreachable"  // nothing listens there, or the name does not resolve
	Untrusted    Fault = "untrusted"    // it cannot prove who it is, or does not speak TLS
	Unauthorised Fault = "unauthorised" // 401, 403, or a key that cannot be had
	NotFound     Fault = "not-found"    // the address or the model is wrong
	RateLimited  Fault = "rate-limited" // 429 after all retries
	ServerFault  Fault = "server-fault" // 5xx after all retries
	Refused      Fault = "refused"      // other 4xx
	Malformed    Fault = "malformed"    // not the answer of such an endpoint
	CutOff       Fault = "cut-off"      // the connection broke before the reply was whole
	TimedOut     Fault = "timed-out"    // slower than the deadline of the call
	TooLong      Fault = "too-long"     // the reply went on beyond every limit
	NotPermitted Fault = "not-permitted"
	OverBudget   Fault = "over-budget"
	Unset        Fault = "unset" // no model plays the role
)

// Error is a call that failed.
type Error struct {
	Fault   Fault
	Role    Role   // or "embedding", "rerank"
	Host    string // host and port; empty for OverBudget and Unset
	Model   string
	Status  int    // of HTTP; 0 when no response came
	Setting string // the key of the setting to change; empty for NotPermitted and OverBudget
	Err     error  // in words, of one line; may be nil
	said    string // what the endpoint said, whole; text of a stranger
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
