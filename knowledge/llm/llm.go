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

// Roles are all roles.
func Roles() []Role {
	return []Role{Reader, Reasoner, Summariser, Explorer, Generator, Integrator, Evaluator}
}

// Endpoint is where a model is reached.
type Endpoint struct {
	BaseURL string // up to and including the version, such as http://127.0.0.1:11434/v1
	Model   string
	Key     func(ctx context.Context) (string, error) // nil: no key
	Headers map[string]string
	Proxy   string // empty: none; the environment's is never used
	// Setting is the key of the settings that this endpoint is from, such as "model.roles.reader";
	// errors name it.
	Setting string
	// Sampling replaces the defaults of the role where it is set.
	Sampling Sampling
	Timeout  time.Duration // of one call; 0 means the role's default
	// Parallel is how many calls the endpoint is sent at once; 0 means 8.
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
	Temperature *float64
	TopP        *float64
	MaxTokens   int
	Seed        *int
}

// Config says what a client may talk to.
type Config struct {
	Roles     map[Role]Endpoint
	Embedding *Endpoint
	Rerank    *Endpoint
	// Permit is asked before anything is sent to a host that is not this machine; nil refuses. An
	// error is the refusal; nothing is sent then. It may ask a person and may be called concurrently.
	Permit func(ctx context.Context, out Outbound) error
	// Redact, if set, replaces what identifies people in the messages of one request before it is sent
	// to a host that is not this machine. An error refuses the request; nothing is sent then.
	Redact func(messages []string) (Redaction, error)
	// Record is told of every request that left, after it ended; it must be quick. May be nil.
	Record func(Sent)
	// Replies keeps replies; nil keeps none.
	Replies Replies
}

// Redaction is what became of the messages of one request.
type Redaction struct {
	Messages []string
	Details  string // what was replaced, by class, for people; empty when nothing was
	// Restore puts back into a reply what was replaced; it may be called with pieces of a reply that
	// do not split a placeholder. Placeholders look like [NAME-1].
	Restore func(reply string) string
}

// Outbound is a request that wants to leave the machine, with its secrets left out.
type Outbound struct {
	Host    string // host and port
	Model   string
	Role    Role   // or "embedding", "rerank"
	Stage   string // of the answering system
	Body    []byte // exactly the bytes of the body
	Details string // what Redact replaced, by class, for people; may be empty
}

// Sent is a request that left.
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

// Request is one call of a model.
type Request struct {
	Role  Role
	Stage string // of the answering system, for the trace and the log
	Chat  prompts.Chat
	// Delta, if set, gets the reply in pieces while it is written, reasoning left out. It is called
	// from one goroutine and not after Chat has returned.
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
	Usage     Usage
	Duration  time.Duration
	First     time.Duration // until the first piece of the reply
	Attempts  int           // 1 without retries, 0 for a kept reply
	Kept      time.Time     // when a kept reply was given; zero for a fresh one
}

// Replies keeps replies by the key of their request: a hash of endpoint, model, sampling and
// messages. It is safe for concurrent use. What it cannot read or write it does without.
type Replies interface {
	Get(key string) (Reply, bool)
	Put(key string, r Reply)
}

// Client talks to the endpoints of its configuration. It is safe for concurrent use.
type Client struct{}

// New checks a configuration and makes its client; it sends nothing.
func New(c Config) (*Client, error) { panic("not built yet") }

// Has reports whether a model plays the role.
func (c *Client) Has(role Role) bool { panic("not built yet") }

// Local reports whether every model of the configuration runs on this machine.
func (c *Client) Local() bool { panic("not built yet") }

// Models names, for people and for keys, the model of each role, in the order of [Roles].
func (c *Client) Models() []string { panic("not built yet") }

// Chat sends a request and waits for the reply. It retries what may pass by itself (twice, after
// .5 s and 2 s or what Retry-After says) and closes the connection when ctx ends. Errors are
// [*Error], or that of ctx.
func (c *Client) Chat(ctx context.Context, r Request) (Reply, error) { panic("not built yet") }

// Preview returns what Chat would send, without sending it.
func (c *Client) Preview(r Request) (Outbound, error) { panic("not built yet") }

// Embed returns one vector for each text, in order, all of one length.
func (c *Client) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	panic("not built yet")
}

// Rerank scores documents for a query; higher is better. Scores are comparable within one call
// only. model replaces the configured one unless it is empty.
func (c *Client) Rerank(ctx context.Context, query, model string, documents []string) ([]float64, error) {
	panic("not built yet")
}

// CanRerank reports whether a reranker is configured.
func (c *Client) CanRerank() bool { panic("not built yet") }

// Close ends idle connections.
func (c *Client) Close() { panic("not built yet") }

// Account is what the calls of one answer may cost and have cost. It is safe for concurrent use.
type Account struct{}

// NewAccount returns an account that refuses further calls once so many tokens are spent; 0 means
// no limit.
func NewAccount(tokens int) *Account { panic("not built yet") }

// Usage is what has been spent, also while calls are running.
func (a *Account) Usage() Usage { panic("not built yet") }
