package workspace

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"lacuna/handlers"
	"lacuna/handlers/settings"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/support"
	"lacuna/knowledge/answer/systems"
	"lacuna/knowledge/gate"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/redact"
	"lacuna/prompts"
)

// auto is the system that answers by itself where a model is set up.
const auto = "misknow/merged"

// connect makes the client of the models that the settings name, if they name any and do not
// forbid it, and the environment at which the systems work.
func (w *Workspace) connect() {
	set := w.loaded.Settings
	w.environment = systems.Environment{
		Prompts: w.prompts(),
		Offline: w.offline,
		Gate:    w.decider,
		Options: systems.Options{
			K: set.Answer.Passages, Points: set.Answer.Points, Rounds: set.Answer.Rounds, Budget: set.Answer.Budget,
			Retriever: knowledge.Retriever(set.Answer.Retriever), Endpoint: w.Embeds(),
			Rewrite: set.Answer.Rewrite, Reranked: set.Rerank.Depth, Selectors: set.Rerank.Selectors,
			Opinion: opinion(set), Style: prompts.Style(set.Answer.Style), AsPublished: set.Answer.AsPublished,
		},
	}
	if set.Answer.Language != "question" {
		w.environment.Options.Language = set.Answer.Language
	}
	w.config = endpoints(w.loaded)
	w.config.Permit = w.consent.permit
	w.config.Redact = w.redact
	if set.Privacy.Audit {
		w.config.Record, w.config.Ready = w.audit.record, w.audit.ready
	}
	w.config.Tape = w.tape()
	if set.Privacy.KeepReplies > 0 && w.request.Player == nil {
		w.config.Cache = llm.NewDiskCache(filepath.Join(w.indexDir, "replies"), int64(set.Privacy.KeepReplies)<<20, func(err error) {
			w.request.Log.Warn("models' replies are not kept, so that each question asks them again; make room, or set LACUNA_CACHE_DIR to a folder that can be written", "err", err)
		})
	}
	if set.Offline || len(w.config.Roles) == 0 && w.config.Embedding == nil && w.config.Rerank == nil && w.config.Entailment == nil {
		return
	}
	client, err := llm.New(w.config)
	if err != nil {
		w.problem("model.base_url", err)
		return
	}
	w.client = client
	for _, setting := range client.UnencryptedSettings() {
		w.problem(setting, errors.New("the address begins with http:// and is another machine: the key, and what is asked, can be read on the way; use https://"))
	}
	if client.Has(llm.Reader) {
		w.environment.Model = client
	}
}

// Prompts returns the templates in use: the program's, or the user's own in their place.
func (w *Workspace) Prompts() *prompts.Set { return w.environment.Prompts }

// prompts returns the templates in use: the user's own if they can be read.
func (w *Workspace) prompts() *prompts.Set {
	folder := w.loaded.Settings.Prompts.Folder
	if folder == "" {
		return prompts.Default()
	}
	own, err := prompts.Load(folder)
	if err != nil {
		w.problem("prompts.folder", err)
		return prompts.Default()
	}
	return own
}

// endpoints returns the settings' models by role, and their encoder and reranker.
func endpoints(l settings.Loaded) llm.Config {
	set := l.Settings
	config := llm.Config{Roles: map[llm.Role]llm.Endpoint{}}
	for _, role := range llm.Roles() {
		chat := set.Model.Role(string(role))
		if chat.BaseURL == "" {
			continue
		}
		e := endpoint(l, chat.Endpoint, "model.roles."+string(role), "model")
		e.Sampling = llm.Sampling{Temperature: chat.Temperature, TopP: chat.TopP, MaxTokens: chat.MaxTokens, Seed: chat.Seed}
		e.Window = chat.Window
		if chat.JSON != "auto" {
			e.JSON = llm.JSONMode(chat.JSON)
		}
		config.Roles[role] = e
	}
	if set.Embedding.BaseURL != "" {
		e := endpoint(l, set.Embedding.Endpoint, "embedding")
		config.Embedding = &e
	}
	if set.Rerank.BaseURL != "" {
		e := endpoint(l, set.Rerank.Endpoint, "rerank")
		config.Rerank = &e
	}
	if set.Entailment.BaseURL != "" {
		e := endpoint(l, set.Entailment.Endpoint, "entailment")
		config.Entailment = &e
	}
	return config
}

// opinion returns who is asked about what words leave unchecked. By itself it is only whom the user set up
// for that: nobody pays for a call that they did not choose.
func opinion(set settings.Settings) systems.Opinion {
	own := set.Model.Roles[string(llm.Evaluator)]
	switch chosen := set.Claims.SecondOpinion; {
	case chosen == "evaluator":
		return systems.ByEvaluator
	case chosen == "endpoint" || chosen == "auto" && set.Entailment.BaseURL != "":
		return systems.ByEndpoint
	case chosen == "auto" && (own.BaseURL != "" || own.Model != ""):
		return systems.ByEvaluator
	}
	return systems.NoOpinion
}

// endpoint is an endpoint whose values come from tables of the settings, the first that has one.
func endpoint(l settings.Loaded, e settings.Endpoint, tables ...string) llm.Endpoint {
	headers := map[string]string{}
	for name, value := range e.Headers {
		headers[name] = string(value)
	}
	return llm.Endpoint{
		BaseURL: e.BaseURL, Model: e.Model, Key: keyOf(e), Headers: headers, Proxy: e.Proxy,
		PlainKey: slices.ContainsFunc(l.Settings.Privacy.PlainHTTP, func(host string) bool { return isHostOf(host, e.BaseURL) }),
		Timeout:  e.Timeout, Parallel: e.Parallel,
		SettingOf: func(key string) string { return settingOf(l, key, tables) },
	}
}

// isHostOf reports whether a host, with or without a port, is that of an address.
func isHostOf(host, address string) bool {
	u, err := url.Parse(address)
	return err == nil && (strings.EqualFold(host, u.Host) || strings.EqualFold(host, u.Hostname()))
}

// settingOf names the setting that a value of an endpoint came from, or where it would be set.
func settingOf(l settings.Loaded, key string, tables []string) string {
	keys := []string{key}
	if key == "api_key" {
		keys = []string{"api_key", "api_key_env", "api_key_command", "api_key_file"}
	}
	for _, table := range tables {
		for _, key := range keys {
			if name := table + "." + key; l.Origins[name].Layer != "" {
				return name
			}
		}
	}
	if key == "api_key" {
		key = "api_key_env"
	}
	return tables[len(tables)-1] + "." + key
}

// Strategy returns the system that answers in that way; an empty name means the one of the
// settings. Before the one that auto means, the gate of the settings decides whether to search. The
// error tells a user what to do.
func (w *Workspace) Strategy(way answer.Request) (answer.Strategy, error) {
	environment := w.environment
	environment.Watch, environment.Fresh = way.Watch, way.Fresh
	environment.Options.Seed = way.Seed
	if environment.Options.AsPublished = environment.Options.AsPublished || way.AsPublished; environment.Options.AsPublished {
		environment.Options.K = 0
	}
	if way.Passages > 0 {
		environment.Options.K = way.Passages
	}
	strategy, err := w.strategy(&environment, way.System)
	if err != nil {
		return nil, err
	}
	strategy = support.WithConflicts(strategy, w.environment.Offline.Stands)
	if way.Beyond && len(w.engines) > 0 && w.request.Player == nil {
		strategy = beyond{strategy, w}
	}
	if w.request.Recorder != nil || w.request.Player != nil {
		strategy = taped{strategy, w.system(way.System), w.request.Recorder, w.request.Player}
	}
	if way.Permit == nil {
		return strategy, nil
	}
	return consentingStrategy{strategy, way.Permit}, nil
}

func (w *Workspace) strategy(environment *systems.Environment, name string) (answer.Strategy, error) {
	id := w.system(name)
	strategy, err := environment.Strategy(id)
	switch {
	case errors.Is(err, systems.ErrNoModel):
		return nil, w.noModel(id)
	case err == nil && id == auto && w.chosen(name) == "auto":
		return w.gated(environment, strategy)
	case err != nil:
		if _, unknown := gate.Find(id, 0); unknown == nil {
			return nil, fmt.Errorf("%q is no answering system but a policy of the gate, which decides before the system auto: set gate.policy = %q in %s; see docs/gate.md", id, id, w.ownFile())
		}
	}
	return strategy, err
}

// chosen returns name or, if it is empty, the settings' system.
func (w *Workspace) chosen(name string) string {
	return cmp.Or(name, w.loaded.Settings.Answer.System)
}

// system returns the ID of the system that a name means.
func (w *Workspace) system(name string) string {
	name = w.chosen(name)
	switch {
	case name == "thorough":
		return w.loaded.Settings.Answer.Thorough
	case name == "auto" && w.environment.Model != nil:
		return auto
	case name == "auto":
		return answer.OfflineID
	}
	return name
}

// noModel says what a user can do to have a system that needs a model.
func (w *Workspace) noModel(id string) error {
	if w.loaded.Settings.Offline {
		return fmt.Errorf("the system %q needs a model, and offline = true (%s) forbids it", id, w.loaded.Origins["offline"])
	}
	for _, p := range w.loaded.Problems {
		if strings.HasPrefix(p.Key, "model.") {
			return fmt.Errorf("the system %q needs a model, and the one that is set cannot be used: %s: %s", id, p.Key, p.Text)
		}
	}
	return fmt.Errorf("the system %q needs a model; set base_url and model under [model] in %s, or ask for the system offline", id, w.ownFile())
}

// ownFile names the user's own settings file for people.
func (w *Workspace) ownFile() string {
	return cmp.Or(w.UserFile(), filepath.Join("lacuna", "config.toml"))
}

// Client talks to what the settings name; nil where there is nothing or they forbid it.
func (w *Workspace) Client() *llm.Client { return w.client }

// Models says which language models may be asked.
func (w *Workspace) Models() handlers.Models {
	if w.environment.Model == nil {
		return handlers.Models{}
	}
	return handlers.Models{
		Configured: true,
		Reader:     w.config.Roles[llm.Reader].Model,
		Host:       hostOf(w.config.Roles[llm.Reader].BaseURL),
		Remote:     !w.environment.Model.Local(),
	}
}

// hostOf is the host and port of an address, for people.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// Preview returns what answering a question in that way would send to other machines first, exactly
// and without sending it. What a system sends after the first replies depends on these and is not
// among it. Models on this machine are asked where the system asks them first.
func (w *Workspace) Preview(ctx context.Context, library *knowledge.Library, q answer.Question, way answer.Request) ([]llm.Outbound, error) {
	if w.environment.Model == nil || w.environment.Model.Local() {
		return nil, nil
	}
	looking, done := context.WithCancel(ctx)
	defer done()
	seen := outbox{enough: done}
	config := w.config
	config.Permit, config.Record, config.Ready, config.Cache, config.Tape = seen.refuse, nil, nil, nil, nil
	client, err := llm.New(config)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	client.AdoptCapabilities(w.client) // what is shown is written as what would be sent
	if !w.environment.Rewrites(q) {    // otherwise what is searched for is not known yet
		w.previewQuery(ctx, client, q.Text)
	}
	environment := w.environment
	environment.Model, environment.Options.Endpoint = client, false
	strategy, err := w.strategy(&environment, way.System)
	if err != nil {
		return nil, err
	}
	if _, err := strategy.Answer(looking, library, q); err != nil && ctx.Err() != nil {
		return nil, err
	}
	return seen.all(), nil
}

// redact replaces what identifies people in the messages of one request, parts of which were copied from the origins, as the
// settings say.
func (w *Workspace) redact(messages, origins []string) (llm.Redaction, error) {
	privacy := w.loaded.Settings.Privacy
	if privacy.Redact == "off" {
		return llm.Redaction{Messages: messages, Restore: func(reply string) string { return reply }}, nil
	}
	found := redact.Messages(messages, w.redaction(messages, origins))
	if privacy.Redact == "strict" {
		if err := w.strictly(found, w.Prompts()); err != nil {
			return llm.Redaction{}, err
		}
	}
	return llm.Redaction{Messages: found.Messages, Details: found.Details(), Restore: found.Restore}, nil
}

// redaction returns how identifiers are sought in the messages of one request.
func (w *Workspace) redaction(messages, origins []string) redact.Options {
	privacy := w.loaded.Settings.Privacy
	o := redact.Options{Listed: privacy.Listed, Allowed: privacy.Allowed, Origins: origins}
	for _, m := range messages {
		o.Allowed = append(slices.Clip(o.Allowed), prompts.Delimiters(m)...)
	}
	if privacy.Dates == "shift" {
		o.Shift = shiftOf(messages)
	}
	return o
}

// shiftKey makes the shifts of this process unlike those of others.
var shiftKey = sync.OnceValue(func() []byte {
	key := make([]byte, 32)
	rand.Read(key) // never fails
	return key
})

// shiftOf returns by how many days the dates of a request move: by one to eight years, in whole weeks, back or forth.
// The same request moves by the same, so that a preview shows what is sent; nothing else says by how much.
func shiftOf(messages []string) int {
	mac := hmac.New(sha256.New, shiftKey())
	for _, m := range messages {
		fmt.Fprintf(mac, "%d ", len(m))
		mac.Write([]byte(m))
	}
	n := binary.LittleEndian.Uint32(mac.Sum(nil))
	weeks := 52 + int(n>>1%365)
	if n&1 == 1 {
		weeks = -weeks
	}
	return 7 * weeks
}

// errPreview refuses a request that only wanted to be seen.
var errPreview = errors.New("this is a preview; nothing is sent")

// outbox collects requests that want to leave and refuses all of them. It is safe for
// concurrent use.
type outbox struct {
	enough func() // is called when whatever comes next depends on a reply; more than once, perhaps

	mu   sync.Mutex
	seen []llm.Outbound // guarded by mu
}

func (o *outbox) refuse(_ context.Context, out llm.Outbound) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seen = append(o.seen, out)
	if out.Role == "rerank" { // what is read next is up to its order
		o.enough()
	}
	return errPreview
}

func (o *outbox) all() []llm.Outbound {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.seen)
}
