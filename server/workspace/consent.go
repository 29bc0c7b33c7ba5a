package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"lacuna/handlers/messages"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/llm"
	"lacuna/vecmath/regular"
)

// consentFile remembers which hosts the user allowed for this workspace; it lies in the folder of
// its index, mode 0600.
const consentFile = "consent.json"

// Consent is one host that text of the workspace may be sent to.
type Consent struct {
	Host  string    `json:"host"` // with its port
	Since time.Time `json:"since"`
}

// consent guards what leaves the machine: a host is asked about before the first request to it and
// never again once it is allowed. A yes is for the folder that was there then: another one at the same path is
// asked about again, also while the program runs. It is safe for concurrent use.
type consent struct {
	file string
	root string // the workspace's folder, or ""
	log  *slog.Logger
	ask  Permit // if an answer brings none; nil: the user cannot be asked

	mu    sync.Mutex
	hosts map[string]*host // guarded by mu
}

// host holds what is known about a host in addition to the file. Read and write allowed only while holding
// asking's token.
type host struct {
	asking  chan struct{} // holds a token while the user is asked
	allowed *string       // the folder it is allowed for though the file does not say so; nil: none
}

// Permit asks the user whether a request may leave this machine. It takes as long as the user does.
type Permit = func(ctx context.Context, out llm.Outbound) (send bool, err error)

// permitKey finds the permit of an answer in its context. The library and the clients of models know nothing
// of consent and pass on a context only; nothing outside this file reads the key.
type permitKey struct{}

// consentingStrategy is a strategy that asks for consent with the permit of its request.
type consentingStrategy struct {
	answer.Strategy
	permit Permit
}

// Answer implements answer.Strategy.
func (p consentingStrategy) Answer(ctx context.Context, library *knowledge.Library, q answer.Question) (answer.Result, error) {
	return p.Strategy.Answer(context.WithValue(ctx, permitKey{}, p.permit), library, q)
}

func newConsent(dir, root string, ask Permit, log *slog.Logger) *consent {
	return &consent{file: filepath.Join(dir, consentFile), root: root, log: log, ask: ask, hosts: map[string]*host{}}
}

// permit returns nil if a request may leave. It asks about a host once at a time: requests that wait for the
// reply leave when the host is allowed.
func (c *consent) permit(ctx context.Context, out llm.Outbound) error {
	if c.has(out.Host) {
		return nil
	}
	h := c.host(out.Host)
	select {
	case h.asking <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-h.asking }()
	folder, err := c.folder()
	if h.allowed != nil && *h.allowed == folder || c.has(out.Host) {
		return nil
	}
	if err != nil {
		c.log.Warn("which folder this is cannot be told, so that a consent to it is not kept", "err", err)
	}
	ask := c.ask
	if permit, given := ctx.Value(permitKey{}).(Permit); given {
		ask = permit
	}
	if ask == nil {
		return messages.ErrNotAllowed
	}
	send, err := ask(ctx, out)
	switch {
	case err != nil:
		return err
	case !send: // the permit remembers that for as long as the user means it
		return messages.ErrNotAllowed
	}
	if now, _ := c.folder(); now != folder {
		return messages.ErrNotAllowed // it was replaced while the user was asked
	}
	if err := c.allow(ctx, out.Host); err != nil {
		if folder != "" { // else the next one cannot be told from this one
			h.allowed = &folder
		}
		c.log.Warn("consent not kept, it will be asked for again", "err", err)
	}
	return nil
}

func (c *consent) host(name string) *host {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hosts[name] == nil {
		c.hosts[name] = &host{asking: make(chan struct{}, 1)}
	}
	return c.hosts[name]
}

func (c *consent) has(host string) bool {
	_, allowed := c.read()[host]
	return allowed
}

// consents is what the file holds.
type consents struct {
	// Folder is the workspace's folder as [identify] names it; the hosts are allowed for this one alone.
	Folder string               `json:"folder"`
	Hosts  map[string]time.Time `json:"hosts"`
}

// noFolder stands for the folder if none is open.
const noFolder = "none"

// folder returns what the workspace's folder is, apart from its path.
func (c *consent) folder() (string, error) {
	if c.root == "" {
		return noFolder, nil
	}
	return identify(c.root)
}

// read returns the allowed hosts with the time since when. A file that cannot be read, or is of another folder,
// allows none.
func (c *consent) read() map[string]time.Time {
	folder, err := c.folder()
	if err != nil {
		return nil
	}
	content, err := regular.ReadFile(c.file)
	if err != nil {
		return nil
	}
	return decodeConsent(content, folder)
}

func decodeConsent(content []byte, folder string) map[string]time.Time {
	var stored consents
	if err := json.Unmarshal(content, &stored); err != nil || stored.Folder != folder {
		return nil
	}
	return stored.Hosts
}

func (c *consent) allow(ctx context.Context, host string) error {
	folder, err := c.folder()
	if err != nil {
		return fmt.Errorf("remember that %s is allowed: which folder this is cannot be told: %w", host, err)
	}
	err = knowledge.UpdateFile(ctx, c.file, func(content []byte) ([]byte, error) {
		hosts := decodeConsent(content, folder)
		if hosts == nil {
			hosts = map[string]time.Time{}
		}
		if _, allowed := hosts[host]; !allowed {
			hosts[host] = time.Now().UTC().Truncate(time.Second)
		}
		return json.Marshal(consents{folder, hosts})
	})
	if err != nil {
		return fmt.Errorf("remember that %s is allowed: %w", host, err)
	}
	return nil
}

// forget forgets a host, or with "" all.
func (c *consent) forget(ctx context.Context, name string) error {
	c.mu.Lock()
	if name == "" {
		c.hosts = map[string]*host{}
	} else {
		delete(c.hosts, name)
	}
	c.mu.Unlock()
	if _, err := os.Stat(c.file); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return knowledge.UpdateFile(ctx, c.file, func(content []byte) ([]byte, error) {
		var stored consents
		if err := json.Unmarshal(content, &stored); err != nil || name == "" {
			stored = consents{}
		}
		maps.DeleteFunc(stored.Hosts, func(host string, _ time.Time) bool { return host == name })
		return json.Marshal(stored)
	})
}
