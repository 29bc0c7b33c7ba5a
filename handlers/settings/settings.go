// Package settings holds everything a user can set: its names, defaults and layers, and which
// layer may set what.
//
// Later layers override earlier ones: defaults, the user's file, environment, the workspace's
// .lacuna.toml, the editor, command-line flags. A workspace and an editor may only narrow what Lacuna
// does, because the settings in a cloned repository are a stranger's text. The tags of each field say
// what they may set (scope.go); a field without such a tag is the user's alone. A bad value never spoils
// the others: it becomes a [Problem] and the rest applies.
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

// Settings holds the effective settings of one workspace. docs/settings.md is generated from the comments
// of its fields.
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
	OCR         OCR         `toml:"ocr" why:"it starts a program"`
	Index       Index       `toml:"index"`
	Log         Log         `toml:"log" why:"it decides what is written down about your notes, and where"`
	Privacy     Privacy     `toml:"privacy"`
	Gate        Gate        `toml:"gate" why:"it decides which questions are sent, and with what"`
	History     History     `toml:"history"`
	Prompts     Prompts     `toml:"prompts" why:"it decides what a model is told"`
	Model       Model       `toml:"model" why:"it decides where text is sent"`
	Embedding   Embedding   `toml:"embedding" why:"it decides where text is sent"`
	Rerank      Rerank      `toml:"rerank" why:"it decides where text is sent"`
	Claims      Claims      `toml:"claims"`
	Entailment  Entailment  `toml:"entailment" why:"it decides where text is sent"`
}

// Lean is the value of answer.block that has answers written in the lean form.
const Lean = "lean"

// Values of answer.links.
const (
	AutoLinks = "auto"
	WikiLinks = "wiki"
)

// Answer says how questions are answered.
type Answer struct {
	// System chooses how questions are answered: auto takes misknow/merged if a model is set up and
	// offline otherwise; offline quotes the sources without a model; thorough takes the system that
	// answer.thorough names; docs/systems.md lists the others.
	System string `toml:"system" scope:"folder" narrow:"only=offline" list:"systems"`
	// Thorough is the system that "answer thoroughly" takes.
	Thorough string `toml:"thorough" scope:"folder" narrow:"only=offline" list:"thorough"`
	// Language is the language that a model answers in: question follows the question; or a tag such as en
	// or zh, or a name such as German. Quotes are never translated.
	Language string `toml:"language" scope:"folder" narrow:"free" list:"languages"`
	// Sentences is how much an answer without a model quotes: lead is the best sentence, answer up to three
	// that are nearly as good, three always three.
	Sentences string `toml:"sentences" scope:"folder" narrow:"free" accepts:"lead|answer|three"`
	// Style is how a model words its answers: note is two to six sentences, each with the words that it rests on,
	// paragraph one paragraph, short a phrase. An answer without a model quotes the sources in any style.
	Style string `toml:"style" scope:"folder" narrow:"free" accepts:"note|paragraph|short"`
	// Passages is how many passages a model reads for one answer in the systems of Misknow-RAG.
	Passages int `toml:"passages" scope:"folder" narrow:"lower" min:"1" max:"40"`
	// Points is how many pieces of missing knowledge MedRGAG names and writes background for.
	Points int `toml:"points" scope:"folder" narrow:"lower" min:"1" max:"8"`
	// Retriever is how systems with a model search: hybrid combines words and meaning, bm25 uses words
	// alone, dense uses meaning alone, as in the Misknow-RAG paper. vanilla-rag, medrag and i-medrag
	// always search in their own way.
	Retriever string `toml:"retriever" scope:"folder" narrow:"only=bm25" accepts:"hybrid|bm25|dense"`
	// Rewrite has a model extract the question from a long message before the sources are searched, in the
	// systems that search for the question, at the price of one more call. The answer is still to the
	// message itself.
	Rewrite bool `toml:"rewrite" scope:"folder" narrow:"off"`
	// Rounds is how often an answer is searched again for what is missing: until nothing is missing, nothing new is
	// found, or so many times. With a model, each round after the first costs one more call of the judge, in the
	// systems misknow; without one, rounds from the second on search for the gaps that the judge names.
	Rounds int `toml:"rounds" scope:"folder" narrow:"lower" min:"1" max:"5"`
	// AsPublished runs each system as its paper does, whatever the other settings say: its retriever, number of
	// passages, temperatures, token limits, seed and order of prompts. It is for comparisons with published figures;
	// docs/systems.md lists what differs.
	AsPublished bool `toml:"as_published" scope:"user" why:"it decides what is sent, and with what"`
	// Block is how an answer is written into a note: lean writes each quote with a short link to its place, and one
	// hidden line; full also lists the sources with the identities of their passages. Notes may have both.
	Block string `toml:"block" scope:"folder" narrow:"free" accepts:"lean|full"`
	// Links is how a lean answer in Markdown links to its sources: wiki in double brackets, as [[Page#Heading|…]], markdown
	// with the path of the file; auto takes what the note itself has more of, or else what the notes of its folder have.
	Links string `toml:"links" scope:"folder" narrow:"free" accepts:"auto|wiki|markdown"`
	// ShowMissing has an answer in a note name what the sources lack, so that a printed note has it too.
	ShowMissing bool `toml:"show_missing" scope:"folder" narrow:"off"`
	// Budget is how many tokens one answer may cost; once they are spent, no model is called and the best
	// answer so far is shown. 0 means no limit.
	Budget int `toml:"budget" scope:"folder" narrow:"lower" zero:"unlimited" min:"0" max:"10000000"`
}

// Diagnostics says which gaps are shown while typing.
type Diagnostics struct {
	// Enabled turns the diagnostics on questions on.
	Enabled bool `toml:"enabled" scope:"folder" narrow:"off"`
	// Severity is the lowest severity to show: warning shows only what is almost certainly missing.
	Severity string `toml:"severity" scope:"folder" narrow:"stricter" accepts:"information|warning"`
	// Questions says which sentences with a question mark count as questions: sure only those that surely ask for
	// something to be looked up, likely also those that probably do, which get hints, and all every one.
	Questions string `toml:"questions" scope:"folder" narrow:"stricter" accepts:"all|likely|sure"`
	// Levels overrides how marks are shown, by their code: off, hint, information, warning or error.
	Levels map[string]string `toml:"levels" scope:"folder" narrow:"free" names:"missing-topic|missing-aspect|missing-knowledge|contradicted-claim|unstated-claim|unsupported-claim|generated-background|broken-citation|stale-citation|superseded-source|now-answered|early-answer|conflicting-sources|skipped-file|hidden-text|unclear-private" values:"off|hint|information|warning|error"`
	// Debounce is how long typing must pause before a note is judged: "400ms", or a number of milliseconds.
	Debounce time.Duration `toml:"debounce" scope:"folder" narrow:"higher" min:"0" max:"60000"`
	// Max is how many diagnostics one note shows at most.
	Max int `toml:"max" scope:"folder" narrow:"lower" min:"0" max:"10000"`
}

// Lens says whether code lenses are shown.
type Lens struct {
	// Enabled shows a line above each question with its state.
	Enabled bool `toml:"enabled" scope:"folder" narrow:"free"`
}

// Hints says what is shown in grey behind a question.
type Hints struct {
	// Enabled shows behind each question how likely your sources cover it, and how much of its answer
	// cites them.
	Enabled bool `toml:"enabled" scope:"folder" narrow:"free"`
	// Inline shows, while you type and behind a finished question, the answer that your sources give outright, in
	// editors with inline completion; Tab takes it with its citations.
	Inline bool `toml:"inline" scope:"folder" narrow:"free"`
}

// Limits bounds what all sources of a workspace may cost together. One file gets at most seven eighths of
// what is left. When a limit is reached, the rest is left out, and a message and lacuna sources say so.
type Limits struct {
	// Passages is the greatest number of passages; a record that gives none counts as one.
	Passages int `toml:"passages" scope:"folder" narrow:"lower" min:"1" max:"100000000"`
	// Unpacked is how many megabytes are read, after unpacking. Documents with markup count eight times,
	// because they take longer to read: all formats but plain text, PDF, JSON Lines and CSV.
	Unpacked int `toml:"unpacked" scope:"folder" narrow:"lower" min:"1" max:"1000000"`
	// Memory is how many megabytes of memory building the index may take, estimated from the number of
	// passages and the length of their texts.
	Memory int `toml:"memory" scope:"folder" narrow:"lower" min:"1" max:"1000000"`
	// GiveUp is how much time may be spent on PDF files that cannot be read in the end.
	GiveUp time.Duration `toml:"give_up" scope:"folder" narrow:"lower" min:"0" max:"86400000"`
}

// Reading converts the limits for package ingest.
func (l Limits) Reading() ingest.Limits {
	return ingest.Limits{Passages: l.Passages, Unpacked: int64(l.Unpacked) << 20, Memory: int64(l.Memory) << 20, GiveUp: l.GiveUp}
}

// defaultLimits returns the defaults of package ingest.
func defaultLimits() Limits {
	d := ingest.DefaultLimits()
	return Limits{Passages: d.Passages, Unpacked: int(d.Unpacked >> 20), Memory: int(d.Memory >> 20), GiveUp: d.GiveUp}
}

// OCR says which program makes scanned PDF files readable. There is none by default.
type OCR struct {
	// Command is a program and its arguments, run without a shell for each PDF file with pages that are
	// only pictures. It gets the file on standard input, or in place of {in}, and writes a PDF file with
	// text to standard output, or in place of {out}: ["ocrmypdf", "--skip-text", "-", "-"]. The text is
	// cached, so each file is recognised once.
	Command []string `toml:"command" scope:"user" why:"it starts a program"`
	// Timeout is how long it may take for one file.
	Timeout time.Duration `toml:"timeout" scope:"user" min:"1000" max:"86400000"`
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
	// Level is the lowest level that is logged.
	Level string `toml:"level" scope:"user" accepts:"debug|info|warn|error"`
}

// Privacy says what happens to text that is sent to models, and what is stored of it.
type Privacy struct {
	// Redact says what is replaced before text leaves this machine: auto replaces the identifiers of
	// people that it recognises, strict refuses to send text with names, record numbers or social security
	// numbers, and text with words or numbers that are neither public vocabulary nor allowed, off sends text
	// unchanged.
	Redact string `toml:"redact" scope:"folder" narrow:"stricter" accepts:"off|auto|strict"`
	// Listed adds texts of your own, such as names, to replace. The lists of all layers are combined.
	Listed Secrets `toml:"listed" scope:"folder" narrow:"add"`
	// Allowed are words and numbers that may leave this machine although strict knows them from no list.
	Allowed []string `toml:"allowed" scope:"user" why:"it decides what may leave this machine"`
	// Dates says what stands for a whole date, such as 14 March 2024: placeholder, or shift, which moves all dates of
	// a request by the same number of weeks, so that their distance and their weekdays stay. A request with shifted
	// dates tells more than one without.
	Dates string `toml:"dates" scope:"user" why:"it decides what may leave this machine" accepts:"placeholder|shift"`
	// PlainHTTP names hosts that may get a key although their address begins with http://, so that everybody on the
	// way can read the key and the texts. This machine needs no such permission.
	PlainHTTP []string `toml:"plain_http" scope:"user" why:"it decides what leaves this machine unencrypted"`
	// Audit writes a line for every request to a model into audit.jsonl: when, where, how much, and
	// a hash of what was sent.
	Audit bool `toml:"audit" scope:"folder" narrow:"on"`
	// AuditBodies also writes the text that was sent into the audit, unchanged.
	AuditBodies bool `toml:"audit_bodies" scope:"user" why:"it decides what is written down about your notes"`
	// AuditDir is the folder of audit.jsonl; empty means the folder of the workspace's index.
	AuditDir string `toml:"audit_dir" scope:"user" why:"it writes outside the workspace" path:"yes"`
	// KeepReplies is how many megabytes of models' replies are cached next to the index, so that the same
	// question is answered again immediately; 0 caches none.
	KeepReplies int `toml:"keep_replies" scope:"folder" narrow:"lower" min:"0" max:"10000"`
}

// Gate says which questions the model answers alone. It applies only if the system is auto, and never to
// what Lacuna looks up by itself.
type Gate struct {
	// Policy decides whether the sources are searched: always searches them for every question; never,
	// refusal and fallback are rules without training; manual-cot and manual-cot-ir (never and always,
	// thinking step by step), think-then-act and self-dc (by how sure the model says it is) answer as the
	// systems of these names do; any other policy has to be trained by lacuna gate train. Until it is
	// trained, the sources are searched.
	Policy string `toml:"policy" scope:"user" list:"policies"`
	// Price is by how much searching must raise the share of right answers to be worth it. The next lacuna
	// gate train uses it.
	Price float64 `toml:"price" scope:"user" min:"0" max:"1"`
}

// History says what is stored of the answers that you accept.
type History struct {
	// Harvest saves an answer that you leave unchanged as a stored question, which answers the same
	// question the next time, and records which answers you keep, change and remove for lacuna gate train.
	// All of it is stored next to the index.
	Harvest bool `toml:"harvest" scope:"folder" narrow:"off"`
}

// Prompts says where prompt texts come from.
type Prompts struct {
	// Folder holds templates that replace the built-in ones of the same name, such as judge_gaps.tmpl. If
	// one of them cannot be read, none is used, and a message says why.
	Folder string `toml:"folder" scope:"user" path:"yes"`
}

// Values of [Claims.Check].
const (
	CheckAll   = "all"
	CheckCited = "cited"
)

// AlwaysSearch is the policy of a gate that searches the sources for every question.
const AlwaysSearch = "always"

// Default returns the settings of a user who set nothing.
func Default() Settings {
	return Settings{
		Answer: Answer{
			System: "auto", Thorough: "medrgag", Language: "question", Sentences: "answer", Style: "note", Block: Lean, Links: AutoLinks,
			Passages: 4, Points: 3, Retriever: "hybrid", Rewrite: true, Rounds: 1,
		},
		Diagnostics: Diagnostics{Enabled: true, Severity: "information", Questions: "likely", Debounce: 400 * time.Millisecond, Max: 100},
		Hints:       Hints{Inline: true},
		Lens:        Lens{Enabled: true},
		Limits:      defaultLimits(),
		OCR:         OCR{Timeout: 10 * time.Minute},
		Log:         Log{Level: "warn"},
		Privacy:     Privacy{Redact: "auto", Dates: "placeholder", Audit: true, KeepReplies: 64},
		Gate:        Gate{Policy: AlwaysSearch, Price: gate.DefaultPrice},
		Rerank:      Rerank{Depth: 32},
		Claims:      Claims{Check: CheckCited, SecondOpinion: "auto"},
	}
}

// Source is a table of [[source]]: one folder or file that questions are answered from.
type Source struct {
	// Name is what citations and --source call it; it must be unique. It defaults to the path's
	// last part.
	Name string `toml:"name" scope:"folder" narrow:"free"`
	// Kind is passages for running text, qa for questions with stored answers.
	Kind string `toml:"kind" scope:"folder" narrow:"free" accepts:"passages|qa"`
	// Path is a folder or a file, relative to the settings file. A workspace's file can name only paths
	// inside the workspace, with links followed.
	Path string `toml:"path" scope:"folder" narrow:"inside"`
	// Include lists patterns of the files to read, such as "**/*.md"; empty means every format
	// that Lacuna reads.
	Include []string `toml:"include" scope:"folder" narrow:"free"`
	// Exclude lists patterns of files to leave out; it wins over include.
	Exclude []string `toml:"exclude" scope:"folder" narrow:"free"`
	// Chunks says how running text is divided into passages: sentences, the default, groups whole sentences
	// into passages of fewer than 300 words, or 400 tokens of Chinese; chars-1000-200 makes pieces of 1,000 characters that
	// overlap by up to 200, as in the MedRGAG paper.
	Chunks string `toml:"chunks" scope:"folder" narrow:"free" accepts:"sentences|chars-1000-200"`
	// Notes says whether the texts of this source are notes as well, as in a vault: their questions are looked up in
	// all other notes and sources, never in the note itself. By default they are if the source is the workspace's
	// own folder, or a folder around it.
	Notes string `toml:"notes" scope:"folder" narrow:"free" accepts:"auto|yes|no"`
	// Fields names the columns of JSON Lines and CSV records.
	Fields Fields `toml:"fields"`
	// Engine has the source asked where lacuna push put it instead of read from a path: weaviate is the one engine. It is
	// asked by commands alone, never while you type; see docs/teams.md.
	Engine string `toml:"engine" scope:"user" why:"it decides where questions are sent" accepts:"weaviate"`
	// Address lists the REST interfaces of the engine's nodes, such as "https://engine.example.org:8080"; one suffices,
	// others are asked when it is away.
	Address []string `toml:"address" scope:"user" why:"it decides where questions are sent"`
	// GRPC lists the gRPC interfaces of the same nodes in the same order, such as "engine.example.org:50051".
	GRPC []string `toml:"grpc" scope:"user" why:"it decides where questions are sent"`
	// Publisher is the public key that signed the source, as lacuna push prints it; no other counts.
	Publisher string `toml:"publisher" scope:"user" why:"it decides whose texts are believed"`
	// EngineKeyEnv names the environment variable that holds the engine's API key.
	EngineKeyEnv string `toml:"engine_key_env" scope:"user" why:"it decides which keys are sent"`
	// EngineKeyFile is a file that holds the engine's API key; its mode must be 0600.
	EngineKeyFile string `toml:"engine_key_file" scope:"user" why:"it decides which keys are sent" path:"yes"`
}

// EngineSource is a source that an engine keeps.
type EngineSource struct {
	Name, Engine, Publisher string
	Address, GRPC           []string // of its nodes, in the same order
	KeyEnv, KeyFile         string
}

// Fields names columns; the default is in brackets.
type Fields struct {
	// ID identifies the record in its source (id).
	ID string `toml:"id" scope:"folder" narrow:"free"`
	// Question is the stored question (question).
	Question string `toml:"question" scope:"folder" narrow:"free"`
	// Answer is the stored answer (answer).
	Answer string `toml:"answer" scope:"folder" narrow:"free"`
	// Also lists other names of what the question is about (synonyms).
	Also string `toml:"also" scope:"folder" narrow:"free"`
	// Title is the title of a passage (title).
	Title string `toml:"title" scope:"folder" narrow:"free"`
	// Section labels what a passage is about (section).
	Section string `toml:"section" scope:"folder" narrow:"free"`
	// Text is the text of a passage (text).
	Text string `toml:"text" scope:"folder" narrow:"free"`
	// Document groups the records that were written as one piece (ref).
	Document string `toml:"document" scope:"folder" narrow:"free"`
	// Date is when a stored answer was given (date).
	Date string `toml:"date" scope:"folder" narrow:"free"`
	// Topic is what a stored question is about (focus).
	Topic string `toml:"topic" scope:"folder" narrow:"free"`
	// Kind is the sort of a stored question, such as treatment (qtype).
	Kind string `toml:"kind" scope:"folder" narrow:"free"`
	// URL is where a record was published (url).
	URL string `toml:"url" scope:"folder" narrow:"free"`
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
	// Proxy is the address of the proxy that requests go through; a proxy set in the environment is never
	// used.
	Proxy string `toml:"proxy" scope:"user"`
	// Timeout is how long one call may take; 0 means 3 minutes for the reasoner, 20 seconds for the
	// reranker and 1 minute for others.
	Timeout time.Duration `toml:"timeout" scope:"user" min:"0" max:"3600000"`
	// Parallel is how many calls the endpoint gets concurrently; 0 means 8.
	Parallel int `toml:"parallel" scope:"user" min:"0" max:"256"`
}

// Chat is a language model behind an OpenAI-compatible endpoint, and how it samples. A key that is not set
// has the default of its role.
type Chat struct {
	Endpoint
	// Temperature is the sampling temperature, from 0.
	Temperature *float64 `toml:"temperature" scope:"user" min:"0" max:"2"`
	// TopP limits sampling to the most probable words that together have this probability.
	TopP *float64 `toml:"top_p" scope:"user" min:"0" max:"1"`
	// MaxTokens is the longest reply, reasoning included.
	MaxTokens int `toml:"max_tokens" scope:"user" min:"0" max:"1000000"`
	// Window is how many tokens the model reads and writes in one call; prompts are cut to it. 0 asks a
	// server on this machine, and learns it from what a server refuses.
	Window int `toml:"window" scope:"user" min:"0" max:"100000000"`
	// Seed makes replies repeatable if the endpoint supports that.
	Seed *int `toml:"seed" scope:"user" min:"0" max:"2147483647"`
	// JSON is how the endpoint is asked for JSON: auto finds out what it supports; schema, object and none
	// name it.
	JSON string `toml:"json" scope:"user" accepts:"auto|schema|object|none"`
}

// Model is the language model that plays every role for which [model.roles] has no other.
type Model struct {
	Chat
	// Roles sets models for single roles, such as [model.roles.reasoner], with the keys of [model]. A role
	// inherits what it leaves out; the key, the headers and the proxy of [model] only if the host is the
	// same.
	Roles map[string]Chat `toml:"roles" names:"reader|reasoner|summariser|explorer|generator|integrator|evaluator"`
}

// Embedding is an encoder that turns texts into vectors. Every passage that is not private is sent to
// it once, and so is each question that a model is asked or that a command searches for. It replaces the
// built-in encoder, which is trained on the sources and is still used until everything is encoded,
// whenever this one fails, and for the offline system and the marks in notes.
type Embedding struct {
	Endpoint
	// QueryPrefix is put before a query, as some models require, such as "query: ".
	QueryPrefix string `toml:"query_prefix" scope:"user"`
	// PassagePrefix is put before a passage, such as "passage: ".
	PassagePrefix string `toml:"passage_prefix" scope:"user"`
}

// Rerank is a model that reorders search results: for the systems with a model that search with the
// retriever hybrid, for MedRGAG, GRG and MIGRES, which choose what to read by it, and for lacuna search.
// It is sent the question and the texts of the passages, never private ones. Without one, whenever it
// fails, and for the offline system and the marks in notes, the built-in order is used.
type Rerank struct {
	Endpoint
	// Depth is how many of the passages that a search found are reranked; 0 uses the reranker only in
	// systems that choose by it.
	Depth int `toml:"depth" scope:"user" min:"0" max:"200"`
	// Selectors names the models at this endpoint that the selection strategies bge and medcpt use.
	Selectors map[string]string `toml:"selectors" scope:"user" names:"bge|medcpt"`
}

// Claims says how sentences are compared with the sources: those of answers, and those that you write.
type Claims struct {
	// Check chooses the sentences of notes that are compared while you write, without a model: cited takes those
	// that cite a passage or a file of the sources, in your own text and in answers; all also searches the
	// sources for every other sentence of your text; off takes none. Private notes are never compared.
	Check string `toml:"check" scope:"folder" narrow:"stricter" accepts:"all|cited|off"`
	// SecondOpinion is who judges the sentences of which words cannot tell whether the sources say them:
	// auto takes the endpoint of [entailment] if there is one, else the evaluator if [model.roles.evaluator]
	// sets its address or model, else nobody; evaluator also takes the model of [model], at the price of one
	// more call for an answer that has such sentences; endpoint takes the one of [entailment]; off asks
	// nobody.
	SecondOpinion string `toml:"second_opinion" scope:"folder" narrow:"only=off" accepts:"auto|evaluator|endpoint|off"`
}

// Entailment is a cross-encoder trained on natural language inference, behind the interface /predict of
// text-embeddings-inference. It is sent sentences of answers with the passages to compare them with, never
// private ones.
type Entailment struct {
	Endpoint
}

// Role returns the model for a role: what its own table sets, and the rest from [model].
func (m Model) Role(name string) Chat {
	own, base := m.Roles[name], m.Chat
	if own.BaseURL != "" && host(own.BaseURL) != host(base.BaseURL) {
		// A key is bound to the host that it was set with.
		base.APIKey, base.APIKeyEnv, base.APIKeyCommand, base.APIKeyFile = "", "", "", ""
		base.Headers, base.Proxy = nil, ""
	}
	return own.withDefaults(base)
}

// withDefaults returns base, overridden by what is set in c.
func (c Chat) withDefaults(base Chat) Chat {
	base.Endpoint = c.Endpoint.withDefaults(base.Endpoint)
	base.Temperature = cmp.Or(c.Temperature, base.Temperature)
	base.TopP = cmp.Or(c.TopP, base.TopP)
	base.MaxTokens = cmp.Or(c.MaxTokens, base.MaxTokens)
	base.Window = cmp.Or(c.Window, base.Window)
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

// host returns the scheme, name and port of an address.
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

// Secrets holds texts that must not be shown; only their number is.
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
