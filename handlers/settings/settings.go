// Package settings holds everything a user can set: its names, defaults and layers, and which
// layer may set what.
//
// Layers are laid over one another, later ones stronger: defaults, the user's file, environment,
// the workspace's .lacuna.toml, the editor, command-line flags. A workspace and an editor may only
// narrow what Lacuna does, because a cloned repository and the settings inside it are strangers'
// text; what widens it (rules.go) is refused from them by name. A bad value never spoils the
// others: it becomes a [Problem] and the rest applies.
//
// Begin with [Load].
package settings

import (
	"time"

	"lacuna/knowledge/ingest"
)

// Settings are the effective settings of one workspace. The comments of the fields are the
// reference that docs/settings.md is made from.
type Settings struct {
	// Offline forbids every network connection. A workspace or an editor can turn it on, not off.
	// This version makes no connection in any case.
	Offline bool `toml:"offline"`

	// Sources are read in this order; their paths are absolute. See the table of [[source]].
	Sources []ingest.Source `toml:"source"`

	Answer      Answer      `toml:"answer"`
	Diagnostics Diagnostics `toml:"diagnostics"`
	Lens        Lens        `toml:"lens"`
	Index       Index       `toml:"index"`
	Log         Log         `toml:"log"`
	Prompts     Prompts     `toml:"prompts"`
	Model       Model       `toml:"model"`

	// Embedding is a model that turns texts into vectors, in place of the built-in encoder; its
	// keys are those of [model] but for the roles. None runs in this version; the values are kept.
	Embedding Endpoint `toml:"embedding"`
	// Rerank is a model that orders passages, with the same keys as [embedding]. None runs in this
	// version; the values are kept.
	Rerank Endpoint `toml:"rerank"`
}

// Answer says how questions are answered.
type Answer struct {
	// System is the way of answering: auto takes the best that is set up, offline quotes the
	// sources without a model. Other names need a model, which this version does not run yet.
	System string `toml:"system"`
	// Language is what a model answers in: question follows the question, or a language tag such
	// as en or zh. Quotes are never translated. No model runs in this version; the value is kept.
	Language string `toml:"language"`
	// Sentences is how much of the sources an answer shows: lead is the best sentence, answer up
	// to three that are nearly as good, three always three.
	Sentences string `toml:"sentences" accepts:"lead|answer|three"`
}

// Diagnostics says which gaps are shown while typing.
type Diagnostics struct {
	// Enabled turns the diagnostics on questions on.
	Enabled bool `toml:"enabled"`
	// Severity is the floor: warning shows only what is almost certainly missing.
	Severity string `toml:"severity" accepts:"information|warning"`
	// Debounce is how long the typing must rest before a note is judged: "400ms", or a number of
	// milliseconds.
	Debounce time.Duration `toml:"debounce" min:"0" max:"60000"`
	// Max is how many diagnostics one note shows at most.
	Max int `toml:"max" min:"0" max:"10000"`
}

// Lens says whether code lenses are shown.
type Lens struct {
	// Enabled shows a line above each question with its state.
	Enabled bool `toml:"enabled"`
}

// Index says where the index lives.
type Index struct {
	// Dir is the folder that holds the indexes of all workspaces; empty means lacuna in the
	// user's cache folder. It is made with mode 0700.
	Dir string `toml:"dir"`
}

// Log says what is logged, and where.
type Log struct {
	// File receives the log. Without one it goes to standard error, from the server only if a
	// level is set, because editors show standard error as errors.
	File string `toml:"file"`
	// Level is the least level that is logged.
	Level string `toml:"level" accepts:"debug|info|warn|error"`
}

// Prompts says where prompt texts come from. No model runs in this version; the value is kept.
type Prompts struct {
	// Folder holds files that replace prompt texts of the same name.
	Folder string `toml:"folder"`
}

// Model is a language model behind an OpenAI-compatible endpoint. No model runs in this version
// and nothing is sent anywhere; the values are kept.
type Model struct {
	Endpoint
	// Roles are endpoints for single roles, such as [model.roles.reasoner]; what a role leaves
	// out it takes from [model].
	Roles map[string]Endpoint `toml:"roles"`
}

// Endpoint is where a model is reached.
type Endpoint struct {
	// BaseURL is the address up to and including the version, such as http://127.0.0.1:11434/v1.
	BaseURL string `toml:"base_url"`
	// Model is the name of the model at the endpoint.
	Model string `toml:"model"`
	// APIKey can be set only through the environment.
	APIKey Secret `toml:"api_key"`
	// APIKeyEnv names the environment variable that holds the key.
	APIKeyEnv string `toml:"api_key_env"`
	// APIKeyCommand is a command that prints the key.
	APIKeyCommand Secret `toml:"api_key_command"`
	// APIKeyFile is a file that holds the key; its mode must be 0600.
	APIKeyFile string `toml:"api_key_file"`
	// Headers are added to every request.
	Headers map[string]Secret `toml:"headers"`
	// Proxy is the proxy requests go through.
	Proxy string `toml:"proxy"`
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

// MarshalText hides the value from JSON as well.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Default returns the settings of somebody who set nothing.
func Default() Settings {
	return Settings{
		Answer:      Answer{System: "auto", Language: "question", Sentences: "answer"},
		Diagnostics: Diagnostics{Enabled: true, Severity: "information", Debounce: 400 * time.Millisecond, Max: 100},
		Lens:        Lens{Enabled: true},
		Log:         Log{Level: "warn"},
	}
}
