// Package settings holds everything a user can set: its names, defaults and layers, and which
// layer may set what.
//
// Layers are laid over one another, later ones stronger: defaults, the user's file, environment,
// the workspace's .lacuna.toml, the editor, command-line flags. A workspace and an editor may only
// narrow what Lacuna does, because a cloned repository and the settings inside it are strangers'
// text. Each field says in its tags what they may make of it (scope.go), and what does not say so
// they may not set. A bad value never spoils the others: it becomes a [Problem] and the rest applies.
//
// Begin with [Load].
package settings

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"time"

	"lacuna/knowledge/gate"
	"lacuna/knowledge/ingest"
)

// Settings are the effective settings of one workspace. The comments of the fields are the
// reference that docs/settings.md is made from.
type Settings struct {
	// Offline forbids every network connection: no model, encoder or reranker is asked, whatever
	// else is set.
	Offline bool `toml:"offline" scope:"folder" narrow:"on"`

	// Sources are read in this order; their paths are absolute. See the table of [[source]].
	Sources []ingest.Source `toml:"source"`

	Answer      Answer      `toml:"answer"`
	Diagnostics Diagnostics `toml:"diagnostics"`
	Lens        Lens        `toml:"lens"`
	Hints       Hints       `toml:"hints"`
	Limits      Limits      `toml:"limits"`
	Index       Index       `toml:"index"`
	Log         Log         `toml:"log" why:"it decides what is written down about your notes, and where"`
	Privacy     Privacy     `toml:"privacy"`
	Gate        Gate        `toml:"gate" why:"it decides which questions are sent, and with what"`
	History     History     `toml:"history"`
	Prompts     Prompts     `toml:"prompts" why:"it decides what a model is told"`
	Model       Model       `toml:"model" why:"it decides where text is sent"`
	Embedding   Embedding   `toml:"embedding" why:"it decides where text is sent"`
	Rerank      Rerank      `toml:"rerank" why:"it decides where text is sent"`
}

// Answer says how questions are answered.
type Answer struct {
	// System is the way of answering: auto takes misknow/merged where a model is set up and offline
	// elsewhere; offline quotes the sources without a model; thorough takes the system that
	// answer.thorough names; any other is named in docs/systems.md.
	System string `toml:"system" scope:"folder" narrow:"only=offline" list:"systems"`
	// Thorough is the system that "answer thoroughly" takes.
	Thorough string `toml:"thorough" scope:"folder" narrow:"only=offline" list:"thorough"`
	// Language is what a model answers in: question follows the question, or the language of a tag
	// such as en or zh, or of a name such as German. Quotes are never translated.
	Language string `toml:"language" scope:"folder" narrow:"free" list:"languages"`
	// Sentences is how much of the sources an answer without a model shows: lead is the best
	// sentence, answer up to three that are nearly as good, three always three.
	Sentences string `toml:"sentences" scope:"folder" narrow:"free" accepts:"lead|answer|three"`
	// Passages is how many passages a model reads for one answer in the systems of Misknow-RAG.
	Passages int `toml:"passages" scope:"folder" narrow:"lower" min:"1" max:"40"`
	// Points is how many pieces of missing knowledge MedRGAG names and writes background for.
	Points int `toml:"points" scope:"folder" narrow:"lower" min:"1" max:"8"`
	// Retriever is how systems with a model search: hybrid mixes words and meaning, bm25 is words
	// alone, dense is meaning alone, as in the paper on Misknow-RAG. vanilla-rag, medrag and i-medrag
	// keep to their own way.
	Retriever string `toml:"retriever" scope:"folder" narrow:"only=bm25" accepts:"hybrid|bm25|dense"`
	// Rewrite has a model find the question in a long message before the sources are searched, by the
	// systems that search for it, which takes one call more. The message itself is what they answer.
	Rewrite bool `toml:"rewrite" scope:"folder" narrow:"off"`
	// Budget is how many tokens one answer may cost; no call of a model begins once they are spent,
	// and the best answer so far is shown. 0 means no limit.
	Budget int `toml:"budget" scope:"folder" narrow:"lower" zero:"unlimited" min:"0" max:"10000000"`
}

// Diagnostics says which gaps are shown while typing.
type Diagnostics struct {
	// Enabled turns the diagnostics on questions on.
	Enabled bool `toml:"enabled" scope:"folder" narrow:"off"`
	// Severity is the floor: warning shows only what is almost certainly missing.
	Severity string `toml:"severity" scope:"folder" narrow:"stricter" accepts:"information|warning"`
	// Levels says for some marks how they are shown, whatever Lacuna makes of them: off, hint,
	// information, warning or error, by the code of the mark.
	Levels map[string]string `toml:"levels" scope:"folder" narrow:"free" names:"missing-topic|missing-aspect|missing-knowledge|unsupported-claim|generated-background|broken-citation|stale-citation|skipped-file|hidden-text|unclear-private" values:"off|hint|information|warning|error"`
	// Debounce is how long the typing must rest before a note is judged: "400ms", or a number of
	// milliseconds.
	Debounce time.Duration `toml:"debounce" scope:"folder" narrow:"higher" min:"0" max:"60000"`
	// Max is how many diagnostics one note shows at most.
	Max int `toml:"max" scope:"folder" narrow:"lower" min:"0" max:"10000"`
}

// Lens says whether code lenses are shown.
type Lens struct {
	// Enabled shows a line above each question with its state.
	Enabled bool `toml:"enabled" scope:"folder" narrow:"free"`
}

// Hints says whether inlay hints are shown.
type Hints struct {
	// Enabled shows behind each question how far your sources cover it, and how much of its answer
	// cites them.
	Enabled bool `toml:"enabled" scope:"folder" narrow:"free"`
}

// Limits say what all sources of a workspace may cost together. One file gets at most seven eighths of
// what is left. Where a limit is met, the rest is left out, and a message and lacuna sources say so.
type Limits struct {
	// Passages is the greatest number of passages; a record that gives none counts as one.
	Passages int `toml:"passages" scope:"folder" narrow:"lower" min:"1" max:"100000000"`
	// Unpacked is how many megabytes are read, after unpacking. Those of documents with markup (Markdown,
	// Org, reStructuredText, HTML, Word) count eight times, because they take longer to read.
	Unpacked int `toml:"unpacked" scope:"folder" narrow:"lower" min:"1" max:"1000000"`
	// Memory is how many megabytes of memory building the index may take, by an estimate from the number
	// of passages and the length of their texts.
	Memory int `toml:"memory" scope:"folder" narrow:"lower" min:"1" max:"1000000"`
	// GiveUp is how long may be spent on PDF files that are given up in the end.
	GiveUp time.Duration `toml:"give_up" scope:"folder" narrow:"lower" min:"0" max:"86400000"`
}

// Reading are the limits as the sources are read with them.
func (l Limits) Reading() ingest.Limits {
	return ingest.Limits{Passages: l.Passages, Unpacked: int64(l.Unpacked) << 20, Memory: int64(l.Memory) << 20, GiveUp: l.GiveUp}
}

// defaultLimits are those of package ingest.
func defaultLimits() Limits {
	d := ingest.DefaultLimits()
	return Limits{Passages: d.Passages, Unpacked: int(d.Unpacked >> 20), Memory: int(d.Memory >> 20), GiveUp: d.GiveUp}
}

// Index says where the index lives.
type Index struct {
	// Dir is the folder that holds the indexes of all workspaces; empty means lacuna in the
	// user's cache folder. It is made with mode 0700.
	Dir string `toml:"dir" scope:"user" why:"it writes outside the workspace" path:"yes"`
}

// Log says what is logged, and where.
type Log struct {
	// File receives the log. Without one it goes to standard error, from the server only if a
	// level is set, because editors show standard error as errors.
	File string `toml:"file" scope:"user" path:"yes"`
	// Level is the least level that is logged.
	Level string `toml:"level" scope:"user" accepts:"debug|info|warn|error"`
}

// Privacy says what is done to, and kept of, what is sent to models.
type Privacy struct {
	// Redact says what is replaced before text leaves this machine: auto replaces the identifiers
	// of people that are recognised, strict refuses to send where names, record numbers or social
	// security numbers are among them, off sends as it is.
	Redact string `toml:"redact" scope:"folder" narrow:"stricter" accepts:"off|auto|strict"`
	// Listed are texts of your own, such as names, that are replaced too. The lists of all layers
	// are put together.
	Listed Secrets `toml:"listed" scope:"folder" narrow:"add"`
	// Audit writes a line for every request to a model into audit.jsonl: when, where, how much, and
	// a hash of what was sent.
	Audit bool `toml:"audit" scope:"folder" narrow:"on"`
	// AuditBodies writes what was sent into the audit as well, as it was sent.
	AuditBodies bool `toml:"audit_bodies" scope:"user" why:"it decides what is written down about your notes"`
	// AuditDir is the folder of audit.jsonl; empty means that of the workspace's index.
	AuditDir string `toml:"audit_dir" scope:"user" why:"it writes outside the workspace" path:"yes"`
	// KeepReplies is how many megabytes of models' replies are kept beside the index, so that the
	// same question is answered again at once; 0 keeps none.
	KeepReplies int `toml:"keep_replies" scope:"folder" narrow:"lower" min:"0" max:"10000"`
}

// Gate says which questions are answered by the model alone. It decides only where the system is
// auto, and never about what is looked up without being asked.
type Gate struct {
	// Policy decides whether the sources are searched: always searches them for every question;
	// never, refusal and fallback are rules that need no training; manual-cot and manual-cot-ir
	// (never and always, thinking step by step), think-then-act and self-dc (by how sure the model
	// says it is) answer as the systems of these names do; any other is what lacuna gate train has
	// made. Where that has not been trained, the sources are searched.
	Policy string `toml:"policy" scope:"user" list:"policies"`
	// Price is by how much searching must raise the share of right answers to be worth it; the next
	// lacuna gate train goes by it.
	Price float64 `toml:"price" scope:"user" min:"0" max:"1"`
}

// History says what is kept of the answers that you accept.
type History struct {
	// Harvest keeps an answer that you leave as it is as a stored question, which answers the same
	// question the next time, and notes which answers you keep, change and remove for lacuna gate
	// train. All of it stays beside the index.
	Harvest bool `toml:"harvest" scope:"folder" narrow:"off"`
}

// Prompts says where prompt texts come from.
type Prompts struct {
	// Folder holds templates that replace those of the program, by the same name, such as
	// judge_gaps.tmpl. Where one of them cannot be read, none is used, and a message says why.
	Folder string `toml:"folder" scope:"user" path:"yes"`
}

// AlwaysSearch is the policy of a gate that searches the sources for every question.
const AlwaysSearch = "always"

// Default returns the settings of somebody who set nothing.
func Default() Settings {
	return Settings{
		Answer: Answer{
			System: "auto", Thorough: "medrgag", Language: "question", Sentences: "answer",
			Passages: 4, Points: 3, Retriever: "hybrid", Rewrite: true,
		},
		Diagnostics: Diagnostics{Enabled: true, Severity: "information", Debounce: 400 * time.Millisecond, Max: 100},
		Lens:        Lens{Enabled: true},
		Limits:      defaultLimits(),
		Log:         Log{Level: "warn"},
		Privacy:     Privacy{Redact: "auto", Audit: true, KeepReplies: 64},
		Gate:        Gate{Policy: AlwaysSearch, Price: gate.DefaultPrice},
		Rerank:      Rerank{Depth: 32},
	}
}

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
	return own.withDefaults(base)
}

// withDefaults lays what is set in c over a base.
func (c Chat) withDefaults(base Chat) Chat {
	base.Endpoint = c.Endpoint.withDefaults(base.Endpoint)
	base.Temperature = cmp.Or(c.Temperature, base.Temperature)
	base.TopP = cmp.Or(c.TopP, base.TopP)
	base.MaxTokens = cmp.Or(c.MaxTokens, base.MaxTokens)
	base.Seed = cmp.Or(c.Seed, base.Seed)
	base.JSON = cmp.Or(c.JSON, base.JSON)
	return base
}

func (e Endpoint) withDefaults(base Endpoint) Endpoint {
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
