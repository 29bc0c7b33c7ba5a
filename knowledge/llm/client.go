package llm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"lacuna/knowledge/sanitise"
)

// Client talks to the endpoints of its configuration. It is safe for concurrent use.
type Client struct {
	config    Config
	roles     map[Role]*endpoint
	embedding *endpoint // nil: none
	rerank    *endpoint // nil: none

	transports map[string]*http.Transport // by proxy
	manners    map[string]*manners        // by model and address
	// pause waits, or returns the error of ctx; tests replace it.
	pause func(ctx context.Context, d time.Duration) error
}

// New checks a configuration and makes its client; it sends nothing. Errors name the setting.
func New(c Config) (*Client, error) {
	client := &Client{config: c, roles: map[Role]*endpoint{}, transports: map[string]*http.Transport{}, pause: pause}
	shared := newShared(c)
	client.manners = shared.manners
	var problems []error
	for _, role := range Roles() {
		configured, has := c.Roles[role]
		if !has {
			continue
		}
		ready, err := client.ready(role, configured, shared)
		client.roles[role] = ready
		problems = append(problems, err)
	}
	for role := range c.Roles {
		if !slices.Contains(Roles(), role) {
			problems = append(problems, fmt.Errorf("no model is asked to be %q; known: %v", role, Roles()))
		}
	}
	var err error
	if c.Embedding != nil {
		client.embedding, err = client.ready(embeddingRole, *c.Embedding, shared)
		problems = append(problems, err)
	}
	if c.Rerank != nil {
		client.rerank, err = client.ready(rerankRole, *c.Rerank, shared)
		problems = append(problems, err)
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return client, nil
}

// Has reports whether a model plays the role.
func (c *Client) Has(role Role) bool { return c.roles[role] != nil }

// CanEmbed reports whether an encoder is configured.
func (c *Client) CanEmbed() bool { return c.embedding != nil }

// CanRerank reports whether a reranker is configured.
func (c *Client) CanRerank() bool { return c.rerank != nil }

// Local reports whether every endpoint of the configuration is on this machine. Only an address that
// says so by itself counts: localhost, 127.0.0.0/8 or ::1, without a proxy elsewhere.
func (c *Client) Local() bool {
	for _, e := range c.endpoints() {
		if !e.local {
			return false
		}
	}
	return true
}

// Hosts are the hosts, with their ports, that are not this machine, each once, in order.
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

// InClear are the settings of addresses to which a key is sent over a connection that is not encrypted,
// and that are not this machine, each once, in order.
func (c *Client) InClear() []string {
	var settings []string
	for _, e := range c.endpoints() {
		key := e.Key != nil || slices.ContainsFunc(slices.Collect(maps.Keys(e.Headers)), sanitise.IsSecretHeader)
		if !e.local && key && strings.HasPrefix(e.base, "http:") {
			settings = append(settings, e.settingOf("base_url"))
		}
	}
	slices.Sort(settings)
	return slices.Compact(settings)
}

// Close ends idle connections. Those in use become idle when their calls end, and end soon after.
func (c *Client) Close() {
	for _, t := range c.transports {
		t.CloseIdleConnections()
	}
}

// Follow puts requests as another client has learnt that the endpoints want them.
func (c *Client) Follow(other *Client) {
	for id, m := range c.manners {
		if known := other.manners[id]; known != nil && known != m {
			m.learn(known.get(), known.took())
		}
	}
}

// endpoints are all endpoints, those of the roles first.
func (c *Client) endpoints() []*endpoint {
	var all []*endpoint
	for _, role := range Roles() {
		all = append(all, c.roles[role])
	}
	all = append(all, c.embedding, c.rerank)
	return slices.DeleteFunc(all, func(e *endpoint) bool { return e == nil })
}

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
