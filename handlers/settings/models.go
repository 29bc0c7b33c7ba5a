package settings

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"time"
)

// Endpoint is where a model, an encoder or a reranker is reached.
type Endpoint struct {
	// BaseURL is the address up to and including the version, such as http://127.0.0.1:11434/v1.
	BaseURL string `toml:"base_url" scope:"user"`
	// Model is the name of the model at the endpoint.
	Model string `toml:"model" scope:"user"`
	// APIKey can be set only through the environment.
	APIKey Secret `toml:"api_key" scope:"environment" why:"a key does not belong in a settings file; name it with api_key_env, api_key_command or api_key_file"`
	// APIKeyEnv names the environment variable that holds the key.
	APIKeyEnv string `toml:"api_key_env" scope:"user"`
	// APIKeyCommand is a command that prints the key as its first line. It is run without a shell,
	// at most once while the program runs and for at most 20 seconds; words with spaces in them
	// stand in quotes.
	APIKeyCommand Secret `toml:"api_key_command" scope:"user"`
	// APIKeyFile is a file that holds the key; its mode must be 0600.
	APIKeyFile string `toml:"api_key_file" scope:"user" path:"yes"`
	// Headers are added to every request.
	Headers map[string]Secret `toml:"headers" scope:"user"`
	// Proxy is the address of the proxy that requests go through; that of the environment is never
	// used.
	Proxy string `toml:"proxy" scope:"user"`
	// Timeout is how long one call may take; 0 means 3 minutes for the reasoner, 20 seconds for the
	// reranker and 1 minute for others.
	Timeout time.Duration `toml:"timeout" scope:"user" min:"0" max:"3600000"`
	// Parallel is how many calls the endpoint gets at once; 0 means 8.
	Parallel int `toml:"parallel" scope:"user" min:"0" max:"256"`
}

// Chat is a language model behind an OpenAI-compatible endpoint, and how it chooses its words.
// What is not set is as its role has it.
type Chat struct {
	Endpoint
	// Temperature is how freely words are chosen, from 0.
	Temperature *float64 `toml:"temperature" scope:"user" min:"0" max:"2"`
	// TopP keeps to the most probable words that together have this probability.
	TopP *float64 `toml:"top_p" scope:"user" min:"0" max:"1"`
	// MaxTokens is the longest reply, reasoning included.
	MaxTokens int `toml:"max_tokens" scope:"user" min:"0" max:"1000000"`
	// Seed makes replies repeatable where the endpoint can do that.
	Seed *int `toml:"seed" scope:"user" min:"0" max:"2147483647"`
	// JSON is how the endpoint is asked for JSON: auto finds out what it can do; schema, object and
	// none say so.
	JSON string `toml:"json" scope:"user" accepts:"auto|schema|object|none"`
}

// Model is the language model that plays every role for which [model.roles] has no other.
type Model struct {
	Chat
	// Roles are models for single roles, such as [model.roles.reasoner], with the keys of [model];
	// what a role leaves out it takes from there. The key, the headers and the proxy of [model] go
	// along only where the host is the same.
	Roles map[string]Chat `toml:"roles" names:"reader|reasoner|summariser|explorer|generator|integrator|evaluator"`
}

// Embedding is an encoder that turns texts into vectors. Every passage that is not private is sent to
// it once, and so is each question that a model is asked or that a command searches for. It then takes
// the place of the built-in encoder, which trains on the sources and serves until all is encoded,
// whenever this one fails, and for the offline system and the marks in notes.
type Embedding struct {
	Endpoint
	// QueryPrefix is put before what is searched for, as some models want it, such as "query: ".
	QueryPrefix string `toml:"query_prefix" scope:"user"`
	// PassagePrefix is put before what is to be found, such as "passage: ".
	PassagePrefix string `toml:"passage_prefix" scope:"user"`
}

// Rerank is a model that orders what was found: for the systems with a model that search with the
// retriever hybrid, for MedRGAG, GRG and MIGRES, which choose what to read by it, and for lacuna search.
// It is sent the question and the texts of the passages, never private ones. Without one, and whenever
// it fails, the built-in order stands; so it does for the offline system and the marks in notes.
type Rerank struct {
	Endpoint
	// Depth is how many of the passages that a search found are put in another order; 0 asks it only
	// where a system chooses by it.
	Depth int `toml:"depth" scope:"user" min:"0" max:"200"`
	// Selectors are the models at this endpoint that the selection strategies bge and medcpt ask.
	Selectors map[string]string `toml:"selectors" scope:"user" names:"bge|medcpt"`
}

// Role returns the model that plays a role: what its own table sets, and the rest from [model].
func (m Model) Role(name string) Chat {
	own, base := m.Roles[name], m.Chat
	if own.BaseURL != "" && host(own.BaseURL) != host(base.BaseURL) {
		// A key is bound to the host that it was set with.
		base.APIKey, base.APIKeyEnv, base.APIKeyCommand, base.APIKeyFile = "", "", "", ""
		base.Headers, base.Proxy = nil, ""
	}
	return own.over(base)
}

// over lays what is set in c over a base.
func (c Chat) over(base Chat) Chat {
	base.Endpoint = c.Endpoint.over(base.Endpoint)
	base.Temperature = cmp.Or(c.Temperature, base.Temperature)
	base.TopP = cmp.Or(c.TopP, base.TopP)
	base.MaxTokens = cmp.Or(c.MaxTokens, base.MaxTokens)
	base.Seed = cmp.Or(c.Seed, base.Seed)
	base.JSON = cmp.Or(c.JSON, base.JSON)
	return base
}

func (e Endpoint) over(base Endpoint) Endpoint {
	base.BaseURL = cmp.Or(e.BaseURL, base.BaseURL)
	base.Model = cmp.Or(e.Model, base.Model)
	if e.APIKey != "" || e.APIKeyEnv != "" || e.APIKeyCommand != "" || e.APIKeyFile != "" {
		base.APIKey, base.APIKeyEnv, base.APIKeyCommand, base.APIKeyFile = e.APIKey, e.APIKeyEnv, e.APIKeyCommand, e.APIKeyFile
	}
	if len(e.Headers) > 0 {
		headers := maps.Clone(base.Headers)
		if headers == nil {
			headers = map[string]Secret{}
		}
		maps.Copy(headers, e.Headers)
		base.Headers = headers
	}
	base.Proxy = cmp.Or(e.Proxy, base.Proxy)
	base.Timeout = cmp.Or(e.Timeout, base.Timeout)
	base.Parallel = cmp.Or(e.Parallel, base.Parallel)
	return base
}

// host is the scheme, name and port of an address.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// Secret is a value that must not be shown: it prints as "(set)" or as nothing.
type Secret string

// String hides the value.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "(set)"
}

// GoString hides the value from %#v.
func (s Secret) GoString() string { return s.String() }

// MarshalText hides the value from JSON as well.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Secrets are texts that must not be shown; only how many there are is.
type Secrets []string

func (s Secrets) String() string {
	if len(s) == 0 {
		return ""
	}
	return fmt.Sprintf("(%d set)", len(s))
}

// GoString hides the values from %#v.
func (s Secrets) GoString() string { return s.String() }

// MarshalText hides the values from JSON as well.
func (s Secrets) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
