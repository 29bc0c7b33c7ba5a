package workspace

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"lacuna/handlers/settings"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/engine"
	"lacuna/knowledge/engine/weaviate"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/redact"
	"lacuna/knowledge/remote"
)

// engineRole stands in the audit where a request to a model has its role.
const engineRole llm.Role = "engine"

const (
	// cardAge is how long a card counts as current before the engine is asked for a newer one.
	cardAge = 10 * time.Minute
	// awayFor is how long an engine that did not answer is left alone.
	awayFor = 30 * time.Second
)

// engineSource is a source that an engine keeps, as this workspace asks it. It is safe for concurrent use.
type engineSource struct {
	setting settings.EngineSource
	host    string // of its first node, which consent is for
	folder  string // of its card

	mu         sync.Mutex // guards what follows; held while the card is fetched
	engine     engine.Engine
	generation *remote.Generation
	looked     time.Time // when the engine was asked for the card last
	away       time.Time // until when it is left alone
	why        error     // of that
}

// openEngines prepares the sources that engines keep; nothing is connected before one is asked.
func (w *Workspace) openEngines() {
	for _, s := range w.loaded.Engines {
		w.engines = append(w.engines, &engineSource{
			setting: s, host: s.GRPC[0], folder: filepath.Join(w.indexDir, "cards", pageName(s.Name)),
		})
	}
}

// Engines returns the names of the sources that engines keep, in order.
func (w *Workspace) Engines() []string {
	var names []string
	for _, e := range w.engines {
		names = append(names, e.setting.Name)
	}
	return names
}

// Cluster connects to the engine of a setting. Nothing is sent yet.
func Cluster(ctx context.Context, s settings.EngineSource) (engine.Engine, error) {
	key, err := engineKey(ctx, s)
	if err != nil {
		return nil, err
	}
	o := weaviate.Options{TLS: true, APIKey: key}
	for i, address := range s.Address {
		u, err := url.Parse(address)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || strings.Trim(u.Path, "/") != "" || u.User != nil {
			return nil, fmt.Errorf("%q is no address such as https://engine.example.org:8080", address)
		}
		o.TLS = o.TLS && u.Scheme == "https"
		o.Nodes = append(o.Nodes, weaviate.Address{GRPC: s.GRPC[i], REST: u.Host})
	}
	return weaviate.New(o)
}

func engineKey(ctx context.Context, s settings.EngineSource) (string, error) {
	key := keyOf(settings.Endpoint{APIKeyEnv: s.KeyEnv, APIKeyFile: s.KeyFile})
	if key == nil {
		return "", nil
	}
	return key(ctx)
}

// beyond is a strategy that asks the sources of engines if those on this machine do not answer.
type beyond struct {
	answer.Strategy
	workspace *Workspace
}

// Answer implements [answer.Strategy].
func (b beyond) Answer(ctx context.Context, library *knowledge.Library, q answer.Question) (answer.Result, error) {
	best, err := b.Strategy.Answer(ctx, library, q)
	if err != nil || best.State == answer.Answered {
		return best, err
	}
	var away []answer.Away
	for _, e := range b.workspace.engines {
		name := e.setting.Name
		if len(q.Sources) > 0 && !slices.Contains(q.Sources, name) {
			continue
		}
		r, err := b.workspace.askEngine(ctx, e, b.Strategy, q)
		switch {
		case ctx.Err() != nil:
			return answer.Result{}, ctx.Err()
		case err != nil:
			away = append(away, answer.Away{Source: name, Err: err})
		default:
			best = better(best, r)
		}
	}
	best.Question = q
	if best.Away = away; len(away) > 0 {
		best.Gaps, best.MissingProbability = nil, 0 // what is away may have it
	}
	return best, nil
}

// better returns the result that goes further; of two that say as much, the one whose sources lack less.
func better(a, b answer.Result) answer.Result {
	order := []answer.State{answer.Nothing, answer.Nearest, answer.Answered}
	switch c := cmp.Compare(slices.Index(order, b.State), slices.Index(order, a.State)); {
	case c > 0:
		return b
	case c == 0 && (a.Reason == answer.NoSources || b.MissingProbability < a.MissingProbability):
		return b
	}
	if len(a.Gaps) > 0 && b.MissingProbability < a.MissingProbability { // one of both has it
		a.Gaps, a.MissingProbability = b.Gaps, b.MissingProbability
	}
	return a
}

// askEngine answers a question from a source that an engine keeps. What identifies people is cut out of the question
// before anything is made of it; what the answer cites is kept on this machine.
func (w *Workspace) askEngine(ctx context.Context, e *engineSource, strategy answer.Strategy, q answer.Question) (answer.Result, error) {
	if w.loaded.Settings.Offline {
		return answer.Result{}, errors.New("the setting offline forbids connections")
	}
	asked, cut, err := w.withoutIdentifiers(q)
	if err != nil {
		return answer.Result{}, err
	}
	asked.Sources = nil
	for again := false; ; again = true {
		g, err := w.current(ctx, e)
		if err != nil {
			return answer.Result{}, err
		}
		r, _, err := g.With(guarded{e.engine, w, e, cut}).Answer(ctx, strategy, asked)
		switch {
		case err == nil:
			return w.keepCited(e.setting.Name, r), nil
		case again || !errors.Is(err, engine.ErrNotFound):
			e.leave(err)
			return answer.Result{}, err
		}
		e.forget(g) // newer ones have taken its place, and the engine keeps it no more
	}
}

// withoutIdentifiers returns the question without what identifies people, and what was cut out, for the audit.
func (w *Workspace) withoutIdentifiers(q answer.Question) (asked answer.Question, cut string, err error) {
	privacy := w.loaded.Settings.Privacy
	if privacy.Redact == "off" {
		return q, "", nil
	}
	texts := append([]string{q.Text}, q.Queries...)
	found := redact.Messages(texts, redact.Options{Listed: privacy.Listed, Allowed: privacy.Allowed, Origins: []string{q.Note}})
	if privacy.Redact == "strict" {
		if err := w.strictly(found, w.Prompts()); err != nil {
			return q, "", err
		}
	}
	for i, text := range texts {
		var kept strings.Builder
		from := 0
		for _, span := range found.Spans[i] {
			kept.WriteString(text[from:max(from, span.Start)])
			from = max(from, span.End)
		}
		kept.WriteString(text[from:])
		texts[i] = kept.String()
	}
	q.Text, q.Queries, q.Note = texts[0], texts[1:], ""
	return q, found.Details(), nil
}

// current returns the generation that is current, as far as is known without asking too often.
func (w *Workspace) current(ctx context.Context, e *engineSource) (*remote.Generation, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := time.Now()
	if now.Before(e.away) {
		return nil, e.why
	}
	if e.generation != nil && now.Sub(e.looked) < cardAge {
		return e.generation, nil
	}
	if e.engine == nil {
		connect := w.request.Connect
		if connect == nil {
			connect = Cluster
		}
		cluster, err := connect(ctx, e.setting)
		if err != nil {
			return nil, err
		}
		e.engine = cluster
	}
	asking := guarded{e.engine, w, e, ""}
	g, err := remote.Open(ctx, asking, e.setting.Name, e.setting.Publisher, e.folder, w.pages(e.setting.Name))
	if errors.Is(err, engine.ErrAway) {
		if last, lastErr := remote.Last(asking, e.setting.Name, e.setting.Publisher, e.folder, w.pages(e.setting.Name)); lastErr == nil {
			g, err = last, nil // its searches find out whether it is still away
		}
	}
	if err != nil {
		e.postpone(err)
		return nil, err
	}
	e.generation, e.looked = g, now
	return g, nil
}

// forget has the next question look for a newer generation.
func (e *engineSource) forget(g *remote.Generation) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.generation == g {
		e.generation = nil
	}
}

// leave notes that the engine did not answer, so that the next questions do not wait for it.
func (e *engineSource) leave(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.postpone(err)
}

func (e *engineSource) postpone(err error) {
	if errors.Is(err, engine.ErrAway) || errors.Is(err, context.DeadlineExceeded) {
		e.away, e.why = time.Now().Add(awayFor), err
	}
}

// guarded is an engine that asks for consent and writes into the audit what is sent to it.
type guarded struct {
	engine.Engine
	workspace *Workspace
	source    *engineSource
	cut       string // of the question, by class
}

// sentQuery is what a search sends, for the preview and the audit.
type sentQuery struct {
	Collection string    `json:"collection"`
	Terms      []string  `json:"terms,omitempty"`
	Vector     []float32 `json:"vector,omitempty"`
	Document   string    `json:"document,omitempty"`
	Limit      int       `json:"limit,omitempty"`
	Object     string    `json:"object,omitempty"`
}

// Search implements [engine.Engine].
func (g guarded) Search(ctx context.Context, collection string, q engine.Query) (objects []engine.Object, err error) {
	err = g.send(ctx, sentQuery{collection, q.Terms, q.Vector, q.Document, q.Limit, ""}, func() error {
		objects, err = g.Engine.Search(ctx, collection, q)
		return err
	})
	return objects, err
}

// Get implements [engine.Engine].
func (g guarded) Get(ctx context.Context, collection string, id engine.ID) (o engine.Object, err error) {
	err = g.send(ctx, sentQuery{Collection: collection, Object: fmt.Sprintf("%x", id)}, func() error {
		o, err = g.Engine.Get(ctx, collection, id)
		return err
	})
	return o, err
}

// Count implements [engine.Engine].
func (g guarded) Count(ctx context.Context, collection string) (count engine.Count, err error) {
	err = g.send(ctx, sentQuery{Collection: collection}, func() error {
		count, err = g.Engine.Count(ctx, collection)
		return err
	})
	return count, err
}

func (g guarded) send(ctx context.Context, what sentQuery, call func() error) error {
	body, err := json.Marshal(what)
	if err != nil {
		return err
	}
	out := llm.Outbound{
		Host: g.source.host, Local: llm.OnThisMachine(g.source.host[:strings.LastIndexByte(g.source.host, ':')]), Model: g.source.setting.Name, Role: engineRole, Body: body, Details: g.cut,
		Unencrypted: strings.HasPrefix(g.source.setting.Address[0], "http://"),
	}
	w := g.workspace
	if !out.Local {
		if err := w.consent.permit(ctx, out); err != nil {
			return err
		}
	}
	if w.loaded.Settings.Privacy.Audit {
		if err := w.audit.ready(out); err != nil {
			return err
		}
	}
	begin := time.Now()
	err = call()
	if w.loaded.Settings.Privacy.Audit {
		w.audit.record(llm.Sent{Outbound: out, Time: begin, Duration: time.Since(begin), Err: err})
	}
	return err
}

// EngineState is what an administrator wants to know of a source that an engine keeps.
type EngineState struct {
	Source string
	Host   string
	Status engine.Status
	Card   *remote.Generation // nil if it could not be had
	Counts map[string]engine.Count
	Err    error
}

// EngineStates asks every engine how it is. It sends nothing of any note.
func (w *Workspace) EngineStates(ctx context.Context) []EngineState {
	var all []EngineState
	for _, e := range w.engines {
		s := EngineState{Source: e.setting.Name, Host: e.host}
		if w.loaded.Settings.Offline {
			s.Err = errors.New("the setting offline forbids connections")
		} else if s.Card, s.Err = w.current(ctx, e); s.Err == nil {
			if s.Status, s.Err = e.engine.Status(ctx); s.Err == nil {
				s.Counts, s.Err = s.Card.Counts(ctx)
			}
		}
		all = append(all, s)
	}
	return all
}

// closeEngines ends the connections.
func (w *Workspace) closeEngines() error {
	var errs []error
	for _, e := range w.engines {
		e.mu.Lock()
		if e.engine != nil {
			errs = append(errs, e.engine.Close())
		}
		e.mu.Unlock()
	}
	return errors.Join(errs...)
}
