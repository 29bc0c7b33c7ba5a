package workspace

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"strings"
	"time"

	"lacuna/handlers/settings"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/llm/recording"
)

// recordedSettings holds the settings that decide what models are sent, without keys. A replay takes them
// from the recording, so that it needs no settings of the user's own.
type recordedSettings struct {
	System       string                       `json:"system"`
	Thorough     string                       `json:"thorough"`
	Language     string                       `json:"language"`
	Sentences    string                       `json:"sentences"`
	Style        string                       `json:"style,omitempty"`
	AsPublished  bool                         `json:"as_published,omitempty"`
	Passages     int                          `json:"passages"`
	Points       int                          `json:"points"`
	Retriever    string                       `json:"retriever"`
	Rewrite      bool                         `json:"rewrite"`
	Rounds       int                          `json:"rounds"`
	Budget       int                          `json:"budget"`
	Gate         string                       `json:"gate"`
	Redact       string                       `json:"redact"`
	Opinion      string                       `json:"second_opinion"`
	Model        recordedEndpoint             `json:"model"`
	Roles        map[string]*recordedEndpoint `json:"roles,omitempty"`
	Embedding    recordedEndpoint             `json:"embedding"`
	QueryPrefix  string                       `json:"query_prefix,omitempty"`
	Passage      string                       `json:"passage_prefix,omitempty"`
	Rerank       recordedEndpoint             `json:"rerank"`
	Depth        int                          `json:"rerank_depth"`
	Selectors    map[string]string            `json:"rerank_selectors,omitempty"`
	Entailment   recordedEndpoint             `json:"entailment"`
	IsRestricted bool                         `json:"offline,omitempty"`
}

// recordedEndpoint is an endpoint of the settings.
type recordedEndpoint struct {
	BaseURL     string   `json:"base_url,omitempty"`
	Model       string   `json:"model,omitempty"`
	Temperature *float64 `json:"temperature,omitempty"`
	TopP        *float64 `json:"top_p,omitempty"`
	MaxTokens   int      `json:"max_tokens,omitempty"`
	Window      int      `json:"window,omitempty"`
	Seed        *int     `json:"seed,omitempty"`
	JSON        string   `json:"json,omitempty"`
}

func recordEndpoint(e settings.Endpoint) recordedEndpoint {
	address := e.BaseURL
	if u, err := url.Parse(address); err == nil && u.User != nil {
		u.User = nil
		address = u.String()
	}
	return recordedEndpoint{BaseURL: address, Model: e.Model}
}

func recordChat(c settings.Chat) recordedEndpoint {
	e := recordEndpoint(c.Endpoint)
	e.Temperature, e.TopP, e.MaxTokens, e.Window, e.Seed, e.JSON = c.Temperature, c.TopP, c.MaxTokens, c.Window, c.Seed, c.JSON
	return e
}

func (e recordedEndpoint) endpoint() settings.Endpoint {
	return settings.Endpoint{BaseURL: e.BaseURL, Model: e.Model}
}

func (e recordedEndpoint) chat() settings.Chat {
	return settings.Chat{
		Endpoint: e.endpoint(), Temperature: e.Temperature, TopP: e.TopP, MaxTokens: e.MaxTokens, Window: e.Window,
		Seed: e.Seed, JSON: e.JSON,
	}
}

func recordSettings(s settings.Settings) recordedSettings {
	r := recordedSettings{
		System: s.Answer.System, Thorough: s.Answer.Thorough, Language: s.Answer.Language, Sentences: s.Answer.Sentences,
		Style: s.Answer.Style, AsPublished: s.Answer.AsPublished,
		Passages: s.Answer.Passages, Points: s.Answer.Points, Retriever: s.Answer.Retriever, Rewrite: s.Answer.Rewrite,
		Rounds: s.Answer.Rounds, Budget: s.Answer.Budget, Gate: s.Gate.Policy, Redact: s.Privacy.Redact,
		Opinion: s.Claims.SecondOpinion, Model: recordChat(s.Model.Chat),
		Embedding: recordEndpoint(s.Embedding.Endpoint), QueryPrefix: s.Embedding.QueryPrefix, Passage: s.Embedding.PassagePrefix,
		Rerank: recordEndpoint(s.Rerank.Endpoint), Depth: s.Rerank.Depth, Selectors: s.Rerank.Selectors,
		Entailment: recordEndpoint(s.Entailment.Endpoint), IsRestricted: s.Offline,
	}
	for role, chat := range s.Model.Roles {
		if r.Roles == nil {
			r.Roles = map[string]*recordedEndpoint{}
		}
		own := recordChat(chat)
		r.Roles[role] = &own
	}
	return r
}

// apply replaces in s what was recorded. Nothing of the user's own endpoints stays, their keys included.
func (r recordedSettings) apply(s *settings.Settings) {
	a := &s.Answer
	a.System, a.Thorough, a.Language, a.Sentences = r.System, r.Thorough, r.Language, r.Sentences
	a.Style, a.AsPublished = r.Style, r.AsPublished
	a.Passages, a.Points, a.Retriever, a.Rewrite, a.Rounds, a.Budget = r.Passages, r.Points, r.Retriever, r.Rewrite, r.Rounds, r.Budget
	s.Gate.Policy, s.Privacy.Redact, s.Claims.SecondOpinion, s.Offline = r.Gate, r.Redact, r.Opinion, r.IsRestricted
	s.Model = settings.Model{Chat: r.Model.chat(), Roles: map[string]settings.Chat{}}
	for role, e := range r.Roles {
		if e != nil {
			s.Model.Roles[role] = e.chat()
		}
	}
	s.Embedding = settings.Embedding{Endpoint: r.Embedding.endpoint(), QueryPrefix: r.QueryPrefix, PassagePrefix: r.Passage}
	s.Rerank = settings.Rerank{Endpoint: r.Rerank.endpoint(), Depth: r.Depth, Selectors: maps.Clone(r.Selectors)}
	s.Entailment = settings.Entailment{Endpoint: r.Entailment.endpoint()}
}

// useRecording takes the settings that decide what is sent from the recording that stands in for the
// endpoints. Of several runs in it, the last one counts that had the same flags, or else the last one.
func (w *Workspace) useRecording() error {
	if w.request.Player == nil {
		return nil
	}
	runs := w.request.Player.Runs()
	chosen, flags := runs[len(runs)-1], decisiveFlags(w.request.Flags)
	for _, run := range runs {
		if maps.Equal(run.Flags, flags) {
			chosen = run
		}
	}
	var recorded recordedSettings
	if err := json.Unmarshal(chosen.Settings, &recorded); err != nil {
		return fmt.Errorf("the settings in the recording: %w", err)
	}
	recorded.apply(&w.loaded.Settings)
	return nil
}

// Decisive returns the settings that decide what models are sent, without addresses and keys, for the provenance of
// figures.
func (w *Workspace) Decisive() any {
	r := recordSettings(w.loaded.Settings)
	all := []*recordedEndpoint{&r.Model, &r.Embedding, &r.Rerank, &r.Entailment}
	for _, role := range r.Roles {
		all = append(all, role)
	}
	for _, e := range all {
		e.BaseURL = ""
	}
	return r
}

// decisiveFlags returns the flags that decide what models are sent; a plan of several models has them.
func decisiveFlags(flags map[string]string) map[string]string {
	some := map[string]string{}
	for key, value := range flags {
		switch table, _, _ := strings.Cut(key, "."); table {
		case "answer", "gate", "model", "embedding", "rerank", "claims", "entailment":
			if !strings.Contains(key, "api_key") {
				some[key] = value
			}
		}
	}
	return some
}

// record writes the first line of a run to the recording, if there is one.
func (w *Workspace) record() {
	if w.request.Recorder == nil {
		return
	}
	templates := map[string]string{}
	for _, name := range w.environment.Prompts.Names() {
		templates[name] = w.environment.Prompts.Version(name)
	}
	text, err := json.Marshal(recordSettings(w.loaded.Settings))
	if err != nil { // a temperature that is no number
		text = nil
	}
	w.request.Recorder.Begin(recording.Run{Templates: templates, Settings: text, Flags: decisiveFlags(w.request.Flags)})
}

// tape returns what records the calls or stands in for the endpoints, or nil.
func (w *Workspace) tape() llm.Tape {
	switch {
	case w.request.Player != nil:
		return w.request.Player
	case w.request.Recorder != nil:
		return w.request.Recorder
	}
	return nil
}

// recordedTimes is what is recorded of an answer beside its calls: how long it took, which a replay repeats.
type recordedTimes struct {
	Retrieve, Judge, Read, Total time.Duration
	Steps                        [][2]time.Duration // when each began, and how long it took
}

// taped is a strategy whose calls are recorded or replayed, under the name of the question.
type taped struct {
	answer.Strategy
	system   string
	recorder *recording.Recorder
	player   *recording.Player
}

// Answer implements [answer.Strategy]. In a replay, a question of which a call was not recorded is an error.
func (t taped) Answer(ctx context.Context, library *knowledge.Library, q answer.Question) (answer.Result, error) {
	name := llm.QuestionOf(ctx)
	if name == "" {
		name = t.system + " " + cmp.Or(q.ID, q.Text)
		ctx = llm.WithQuestion(ctx, name)
	}
	t.sources(library.Digest())
	r, err := t.Strategy.Answer(ctx, library, q)
	if t.player != nil {
		if misses := t.player.Misses(name); len(misses) > 0 {
			return answer.Result{}, misses[0] // the others may follow from it
		}
	}
	switch {
	case err != nil:
	case t.player != nil:
		var times recordedTimes
		if json.Unmarshal(t.player.Remark(name), &times) == nil {
			times.apply(&r)
		}
	default:
		t.recorder.Remark(name, timesOf(r))
	}
	return r, err
}

// sources records which passages were searched, or notes that a replay searches others.
func (t taped) sources(digest string) {
	if t.player == nil {
		t.recorder.Searched(digest)
	} else {
		t.player.Searched(digest)
	}
}

func timesOf(r answer.Result) recordedTimes {
	t := recordedTimes{Retrieve: r.Timings.Retrieve, Judge: r.Timings.Judge, Read: r.Timings.Read, Total: r.Timings.Total}
	for _, s := range r.Trace {
		t.Steps = append(t.Steps, [2]time.Duration{s.Started, s.Took})
	}
	return t
}

func (t recordedTimes) apply(r *answer.Result) {
	r.Timings = answer.Timings{Retrieve: t.Retrieve, Judge: t.Judge, Read: t.Read, Total: t.Total}
	if len(t.Steps) != len(r.Trace) {
		return
	}
	for i, s := range t.Steps {
		r.Trace[i].Started, r.Trace[i].Took = s[0], s[1]
	}
}
