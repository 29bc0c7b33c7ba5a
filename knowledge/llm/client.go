package llm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"lacuna/knowledge/sanitise"
	"lacuna/prompts"
)

// Client talks to the endpoints of its configuration. It is safe for concurrent use.
type Client struct {
	config    Config
	roles     map[Role]*endpoint
	embedding *endpoint // nil if none is configured
	rerank    *endpoint // nil if none is configured
	// entailment is nil if none is configured.
	entailment *endpoint

	transports map[string]*http.Transport   // by proxy
	memories   map[string]*capabilityMemory // by model and address
	// pause waits, or returns the error of ctx; tests replace it.
	pause func(ctx context.Context, d time.Duration) error
}

// New checks a configuration and returns its client; it sends nothing. Errors name the setting.
func New(c Config) (*Client, error) {
	client := &Client{config: c, roles: map[Role]*endpoint{}, pause: pause}
	shared := newShared(c)
	client.memories, client.transports = shared.memories, shared.transports
	var problems []error
	for _, role := range Roles() {
		configured, has := c.Roles[role]
		if !has {
			continue
		}
		ready, err := shared.endpoint(role, configured)
		client.roles[role] = ready
		problems = append(problems, err)
	}
	for role := range c.Roles {
		if !slices.Contains(Roles(), role) {
			problems = append(problems, fmt.Errorf("unknown role %q; known: %v", role, Roles()))
		}
	}
	var err error
	if c.Embedding != nil {
		client.embedding, err = shared.endpoint(embeddingRole, *c.Embedding)
		problems = append(problems, err)
	}
	if c.Rerank != nil {
		client.rerank, err = shared.endpoint(rerankRole, *c.Rerank)
		problems = append(problems, err)
	}
	if c.Entailment != nil {
		client.entailment, err = shared.endpoint(entailmentRole, *c.Entailment)
		problems = append(problems, err)
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return client, nil
}

// wire begins a call to an endpoint.
func (c *Client) wire(to *endpoint, stage string) *wire {
	return &wire{config: &c.config, pause: c.pause, to: to, stage: stage, model: to.Model, retries: len(retryDelays)}
}

// cachedReply returns the cached reply to a request.
func (c *Client) cachedReply(key string, r Request) (Reply, bool) {
	if r.Fresh {
		return Reply{}, false
	}
	reply, has := c.config.Cache.Get(key)
	if !has || reply.CachedAt.IsZero() {
		return Reply{}, false
	}
	reply.Text, reply.Reasoning = sanitise.Redact(reply.Text), sanitise.Redact(reply.Reasoning) // it may be of an older version
	reply.Spared, reply.Usage, reply.Attempts, reply.Duration, reply.First = reply.Usage, Usage{}, 0, 0, 0
	if r.Delta != nil && reply.Text != "" {
		r.Delta(reply.Text)
	}
	return reply, true
}

// Chat sends a request and waits for the reply, which it streams if Delta is set or the reply may be
// long. Endpoints need not stream.
//
// Chat retries what may pass by itself: a refused or broken connection, 429 and 5xx twice, after 0.5 s
// and 2 s or what Retry-After says, unless that exceeds 30 s; a stream that breaks once, immediately.
// If an endpoint refuses a part of the form, such as a way to ask for JSON or the system role, Chat
// changes the form and remembers the change for the model at that address. A model that had no tokens
// left after reasoning gets more, once.
//
// The connection is closed when ctx ends. Errors are [*Error], or ctx's.
func (c *Client) Chat(ctx context.Context, r Request) (Reply, error) {
	to := c.roles[r.Role]
	if to == nil {
		return Reply{}, &Error{Fault: Unset, Role: r.Role, Setting: "model.base_url"}
	}
	if err := ctx.Err(); err != nil {
		return Reply{}, err
	}
	chosen := samplingOf(to.role, to.Sampling, r)
	key := replyKey(to, r, chosen)
	if key == "" {
		return c.chat(ctx, to, r, chosen, key)
	}
	reply, again, err := keep(ctx, func(ctx context.Context) (Reply, error) { return c.chat(ctx, to, r, chosen, key) }, key, r.Stage)
	if again {
		r.repeat(to, reply, err)
	}
	return reply, err
}

// chat makes a call of [Client.Chat], unless its reply is cached.
func (c *Client) chat(ctx context.Context, to *endpoint, r Request, chosen resolvedSampling, key string) (Reply, error) {
	if c.config.Cache != nil {
		if reply, has := c.cachedReply(key, r); has {
			return reply, c.tapeCached(ctx, to, r, chosen, reply)
		}
	}
	redacted, err := c.redactChat(to, r.Chat)
	if err != nil {
		return Reply{}, err
	}
	x, sent := c.chatExchange(ctx, to, r.Stage, redacted, chosen), false
	var reply Reply
	err = c.taped(x, func() (err error) {
		sent = true
		reply, err = c.send(ctx, to, r, redacted, chosen, x)
		return err
	})
	switch {
	case !sent:
		return replayed(r, redacted, x)
	case err != nil:
		return Reply{}, err
	}
	if c.config.Cache != nil && isCacheable(reply) {
		reply.CachedAt = time.Now()
		c.config.Cache.Put(key, reply)
		reply.CachedAt = time.Time{}
	}
	return reply, nil
}

// send makes the call of a request; x gets the reply as it came, and what it cost.
func (c *Client) send(ctx context.Context, to *endpoint, r Request, redacted chat, chosen resolvedSampling, x *Exchange) (Reply, error) {
	entry, ok := r.Account.open()
	if !ok {
		return Reply{}, &Error{Fault: OverBudget, Role: r.Role, Model: to.Model, Err: fmt.Errorf("the answer's budget of %d tokens is spent", r.Account.limit)}
	}
	w := c.wire(to, r.Stage)
	w.details = redacted.details
	t := &call{wire: w, chat: redacted, sampling: chosen, entry: entry, filter: streamFilter{delta: r.Delta, restore: redacted.restore}}
	reply, err := t.run(ctx)
	x.Reply = reply
	x.Reply.Text, x.Reply.Reasoning, x.Reply.Usage = t.text, t.reasoning, entry.spent()
	return reply, err
}

// redactChat returns the chat that the endpoint may see. It drops empty messages: go-openai would send
// them without their content, which endpoints refuse. Texts of also are redacted with it.
func (c *Client) redactChat(to *endpoint, from prompts.Chat, also ...string) (chat, error) {
	out := chat{template: from.Template, version: from.Version, schema: from.Schema, thinks: from.Thinks}
	var texts []string
	for _, m := range from.Messages {
		if m.Text != "" {
			out.messages = append(out.messages, m)
			texts = append(texts, m.Text)
		}
	}
	redaction, err := c.redact(to, append(texts, also...), from.Origins...)
	if err != nil {
		return chat{}, err
	}
	for i := range out.messages {
		out.messages[i].Text = redaction.Messages[i]
	}
	out.also = redaction.Messages[len(out.messages):]
	out.details, out.restore = redaction.Details, redaction.Restore
	return out, nil
}

// Has reports whether a model has the role.
func (c *Client) Has(role Role) bool { return c.roles[role] != nil }

// CanEmbed reports whether an encoder is configured.
func (c *Client) CanEmbed() bool { return c.embedding != nil }

// CanRerank reports whether a reranker is configured.
func (c *Client) CanRerank() bool { return c.rerank != nil }

// CanInfer reports whether an entailment endpoint is configured.
func (c *Client) CanInfer() bool { return c.entailment != nil }

// Local reports whether every endpoint of the configuration is on this machine. Only addresses that say
// so themselves count: localhost, 127.0.0.0/8 or ::1, without a remote proxy.
func (c *Client) Local() bool {
	for _, e := range c.endpoints() {
		if !e.local {
			return false
		}
	}
	return true
}

// Hosts returns the remote hosts with their ports, each once, sorted.
func (c *Client) Hosts() []string {
	var hosts []string
	for _, e := range c.endpoints() {
		if !e.local {
			hosts = append(hosts, e.host)
		}
	}
	slices.Sort(hosts)
	return slices.Compact(hosts)
}

// UnencryptedSettings returns the settings of remote addresses that get a key over an unencrypted
// connection, each once, sorted.
func (c *Client) UnencryptedSettings() []string {
	var settings []string
	for _, e := range c.endpoints() {
		if !e.local && e.holdsKey() && strings.HasPrefix(e.base, "http:") {
			settings = append(settings, e.settingOf("base_url"))
		}
	}
	slices.Sort(settings)
	return slices.Compact(settings)
}

// Close closes idle connections. Connections in use become idle when their calls end, and close soon
// after.
func (c *Client) Close() {
	for _, t := range c.transports {
		t.CloseIdleConnections()
	}
}

// AdoptCapabilities writes requests as another client has learned that the endpoints want them.
func (c *Client) AdoptCapabilities(other *Client) {
	for id, m := range c.memories {
		if known := other.memories[id]; known != nil && known != m {
			m.learn(known.get(), known.rolesTaken())
		}
	}
}

// endpoints returns all endpoints, the roles' first.
func (c *Client) endpoints() []*endpoint {
	var all []*endpoint
	for _, role := range Roles() {
		all = append(all, c.roles[role])
	}
	all = append(all, c.embedding, c.rerank, c.entailment)
	return slices.DeleteFunc(all, func(e *endpoint) bool { return e == nil })
}

// redact returns the texts that the endpoint may see: on this machine, all of them. Parts of them were copied from the origins.
func (c *Client) redact(to *endpoint, texts []string, origins ...string) (Redaction, error) {
	if to.local || c.config.Redact == nil {
		return Redaction{Messages: texts}, nil
	}
	redaction, err := c.config.Redact(texts, origins)
	if err == nil && len(redaction.Messages) != len(texts) {
		err = errors.New("the redaction lost a message") // better nothing than the wrong thing
	}
	if err != nil {
		return Redaction{}, to.newError(NotPermitted, "", err)
	}
	return redaction, nil
}

// Try sends one small request in a role, without retries. Like [Client.Chat] it changes the form if the
// endpoint refuses it. The request contains nothing of a note or a source.
func (c *Client) Try(ctx context.Context, role Role) (TrialResult, error) {
	to := c.roles[role]
	if to == nil {
		return TrialResult{}, &Error{Fault: Unset, Role: role, Setting: "model.base_url"}
	}
	w := c.wire(to, "try")
	w.retries = 0
	entry, _ := NewAccount(0).open() // without a limit it is always open
	chosen := samplingOf(to.role, to.Sampling, Request{Sampling: Sampling{MaxTokens: trialTokens}})
	trial := prompts.Trial()
	t := &call{wire: w, chat: chat{template: trial.Template, messages: trial.Messages}, sampling: chosen, entry: entry}
	reply, err := t.run(ctx)
	tried := TrialResult{Duration: reply.Duration, SystemMerged: t.capabilities.noSystem}
	tried.ObeysSystem, tried.ReadsData = prompts.ParseTrial(reply.Text)
	return tried, err
}

// isCacheable reports whether a reply ended by itself and is not empty.
func isCacheable(r Reply) bool {
	return !r.RanOut() && r.Finish != "content_filter" && r.Text != ""
}

// TrialResult reports how a model handled a small prompt of the usual shape.
type TrialResult struct {
	Duration     time.Duration
	SystemMerged bool // the endpoint has no system role; its text begins the user's message
	ObeysSystem  bool // the model follows the system message
	ReadsData    bool // the model reads the data in the user's message
}

// trialTokens limits the reply to [prompts.Trial].
const trialTokens = 32

// pause waits, or returns the error of ctx.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
