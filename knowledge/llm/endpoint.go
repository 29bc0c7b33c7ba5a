package llm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"lacuna/knowledge/sanitise"
)

const (
	defaultParallel = 8
	defaultTimeout  = 60 * time.Second
	reasonerTimeout = 180 * time.Second
	rerankTimeout   = 20 * time.Second // what waits for it has an order already
)

// endpoint is a checked [Endpoint] ready for use.
type endpoint struct {
	Endpoint
	role     Role
	base     string // BaseURL without a slash at its end
	host     string // host and port
	local    bool   // the host is this machine
	http     *http.Client
	slots    slots
	memory   *capabilityMemory
	keys     *keyring
	reranker reranker
}

// shared holds what the endpoints of one client share.
type shared struct {
	slots      map[string]slots           // by host
	transports map[string]*http.Transport // by proxy
	memories   map[string]*capabilityMemory
}

// memoryOf returns the capabilities of one model at one address, which all its roles share.
func (s *shared) memoryOf(e Endpoint) *capabilityMemory {
	id := e.BaseURL + "\n" + e.Model + "\n" + string(e.JSON)
	if s.memories[id] == nil {
		s.memories[id] = newCapabilityMemory(e)
	}
	return s.memories[id]
}

func newShared(c Config) *shared {
	s := &shared{slots: map[string]slots{}, transports: map[string]*http.Transport{}, memories: map[string]*capabilityMemory{}}
	smallest := map[string]int{}
	add := func(e Endpoint) {
		host := hostOf(e.BaseURL)
		if known := smallest[host]; e.Parallel > 0 && (known == 0 || e.Parallel < known) {
			smallest[host] = e.Parallel
		}
		s.slots[host] = nil
	}
	for _, e := range c.Roles {
		add(e)
	}
	for _, e := range []*Endpoint{c.Embedding, c.Rerank, c.Entailment} {
		if e != nil {
			add(*e)
		}
	}
	for host := range s.slots {
		size := smallest[host]
		if size == 0 {
			size = defaultParallel
		}
		s.slots[host] = make(slots, size)
	}
	return s
}

// reranker holds what is known about a scoring endpoint.
type reranker struct {
	known       atomic.Int32               // index of the shape that it understood, counting from 1; 0: none yet
	pausedUntil atomic.Pointer[pauseState] // nil if it may be called
}

// paused returns why the endpoint is not called now, or nil.
func (r *reranker) paused() error {
	if rest := r.pausedUntil.Load(); rest != nil && time.Now().Before(rest.until) {
		return rest.why
	}
	return nil
}

// pauseAfter stops calls to the endpoint for a while after an error that is likely to recur.
func (r *reranker) pauseAfter(err error) {
	var failed *Error
	if errors.As(err, &failed) && (failed.Fault == Unreachable || failed.Fault == TimedOut) {
		r.pausedUntil.Store(&pauseState{time.Now().Add(rerankPause), failed})
	}
}

// pauseState says until when an endpoint is not called, and why.
type pauseState struct {
	until time.Time
	why   *Error
}

// rerankPause is the time without calls after a reranker was unreachable or too slow, so that not every
// question waits for it.
const rerankPause = 30 * time.Second

// transport returns the connections that all endpoints with the same proxy share.
func (s *shared) transport(e Endpoint) (t *http.Transport, proxied bool, err error) {
	if t, has := s.transports[e.Proxy]; has {
		return t, e.Proxy != "", nil
	}
	t = &http.Transport{
		DialContext:            dial,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    dialTimeout,
		MaxIdleConnsPerHost:    2 * defaultParallel,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxHeaderBytes,
		DisableCompression:     true, // it would hold back the pieces of a stream
	}
	if e.Proxy != "" {
		proxy, err := url.Parse(e.Proxy)
		if err != nil || proxy.Hostname() == "" {
			return nil, false, errors.New("not a proxy address")
		}
		t.Proxy = http.ProxyURL(proxy)
	}
	s.transports[e.Proxy] = t
	return t, e.Proxy != "", nil
}

// endpoint checks an endpoint and makes it ready for use.
func (s *shared) endpoint(role Role, e Endpoint) (*endpoint, error) {
	base, err := url.Parse(e.BaseURL)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: not an address: %q", e.settingOf("base_url"), e.BaseURL)
	case base.Scheme != "http" && base.Scheme != "https" || base.Hostname() == "":
		return nil, fmt.Errorf("%s: an address begins with http:// or https:// and a host: %q", e.settingOf("base_url"), e.BaseURL)
	case base.User != nil:
		return nil, fmt.Errorf("%s: an address must not contain a user name or password", e.settingOf("base_url"))
	case base.RawQuery != "" || base.Fragment != "":
		return nil, fmt.Errorf("%s: an address must not contain ? or #: %q", e.settingOf("base_url"), e.BaseURL)
	case base.Scheme == "http" && !OnThisMachine(base.Hostname()) && !e.PlainKey && e.holdsKey():
		return nil, fmt.Errorf("%s: over http:// everybody on the way to %s can read the key and the texts; use https://, or name the host in privacy.plain_http of your own settings as well", e.settingOf("base_url"), base.Host)
	case e.Model == "" && role != rerankRole && role != entailmentRole:
		return nil, fmt.Errorf("%s: no model is named", e.settingOf("model"))
	}
	for key, value := range map[string]int64{"timeout": int64(e.Timeout), "parallel": int64(e.Parallel), "max_tokens": int64(e.Sampling.MaxTokens)} {
		if value < 0 {
			return nil, fmt.Errorf("%s: must not be negative", e.settingOf(key))
		}
	}
	for name, value := range e.Headers {
		if name == "" || strings.ContainsAny(name, " :\r\n") || strings.ContainsAny(value, "\r\n") {
			return nil, fmt.Errorf("%s: not a header: %q", e.settingOf("headers"), name)
		}
	}
	for name, value := range e.Headers {
		sanitise.SecretHeader(name, value)
	}
	if proxy, err := url.Parse(e.Proxy); err == nil {
		password, _ := proxy.User.Password()
		sanitise.Secret(password)
	}
	transport, proxied, err := s.transport(e)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.settingOf("proxy"), err)
	}
	if e.Timeout == 0 {
		switch role {
		case Reasoner:
			e.Timeout = reasonerTimeout
		case rerankRole, entailmentRole:
			e.Timeout = rerankTimeout
		default:
			e.Timeout = defaultTimeout
		}
	}
	host := hostOf(e.BaseURL)
	return &endpoint{
		Endpoint: e, role: role, base: strings.TrimRight(e.BaseURL, "/"), host: host,
		local: OnThisMachine(base.Hostname()) && (!proxied || OnThisMachine(hostname(e.Proxy))),
		http:  guardedClient(base, transport), slots: s.slots[host],
		memory: s.memoryOf(e), keys: newKeyring(e.Key),
	}, nil
}

// holdsKey reports whether requests carry a key.
func (e Endpoint) holdsKey() bool {
	return e.Key != nil || slices.ContainsFunc(slices.Collect(maps.Keys(e.Headers)), sanitise.IsSecretHeader)
}

// settingOf returns the setting that holds a key of the endpoint.
func (e Endpoint) settingOf(key string) string {
	if e.SettingOf != nil {
		return e.SettingOf(key)
	}
	if e.Setting == "" {
		return key
	}
	return e.Setting + "." + key
}

// newError returns an error of a call to the endpoint. key is the key of the setting to change.
func (e *endpoint) newError(fault Fault, key string, err error) *Error {
	if err != nil {
		if said := sanitise.Line(err.Error()); said != err.Error() { // an endpoint may repeat what it was sent
			err = sanitisedError{said, err}
		}
	}
	failed := &Error{Fault: fault, Role: e.role, Host: e.host, Model: e.Model, Err: err}
	if key != "" {
		failed.Setting = e.settingOf(key)
	}
	return failed
}

// sanitisedError is an error with a text that may be shown.
type sanitisedError struct {
	words string
	error
}

func (w sanitisedError) Error() string { return w.words }

func (w sanitisedError) Unwrap() error { return w.error }

// hostOf returns host and port of an address; the address itself if it is invalid.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return net.JoinHostPort(strings.ToLower(u.Hostname()), portOf(u))
}

func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

func hostname(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// OnThisMachine reports whether a host name itself says that it is this machine. Names are not
// resolved, because the answer comes from elsewhere.
func OnThisMachine(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}

// keyring remembers the key of an endpoint.
type keyring struct {
	fetch func(ctx context.Context) (string, error)
	turn  slots // of size one; it guards the fields below
	key   string
	has   bool
}

func newKeyring(fetch func(ctx context.Context) (string, error)) *keyring {
	return &keyring{fetch: fetch, turn: make(slots, 1)}
}

// get returns the key. refused is a key that the endpoint did not accept and that must be fetched
// again.
func (k *keyring) get(ctx context.Context, refused string) (string, error) {
	if k.fetch == nil {
		return "", nil
	}
	if err := k.turn.acquire(ctx); err != nil {
		return "", err
	}
	defer k.turn.release()
	if k.has && (refused == "" || k.key != refused) {
		return k.key, nil
	}
	key, err := k.fetch(ctx)
	if err != nil {
		return "", err
	}
	if key = strings.TrimSpace(key); strings.ContainsAny(key, "\r\n") {
		return "", errors.New("the key has more than one line")
	}
	sanitise.Secret(key)
	k.key, k.has = key, true
	return key, nil
}
