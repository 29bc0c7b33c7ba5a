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
