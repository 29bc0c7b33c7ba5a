package workspace

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/answer/extract"
	"lacuna/knowledge/engine"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/ingest/glob"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/remote"
)

// Pushable is a source that can be pushed into an engine, with an index of its own: what others answer from must not
// depend on the other sources of this workspace.
type Pushable struct {
	remote.Source
	Dir      string   // for [remote.Options.Dir]
	Withheld []string // files that hold anything private, relative to the source
	index    *knowledge.Index
}

// Close releases the index.
func (p *Pushable) Close() error { return p.index.Close() }

// Pushable indexes a source by itself, without what is private. report, which may be nil, hears of progress.
func (w *Workspace) Pushable(ctx context.Context, name string, report func(knowledge.Event)) (*Pushable, error) {
	publication, withheld, err := w.Publication(name)
	if err != nil {
		return nil, err
	}
	if len(publication.Files) == 0 {
		return nil, fmt.Errorf("no file of %q can be pushed", name)
	}
	source := w.loaded.Settings.Sources[slices.IndexFunc(w.loaded.Settings.Sources, func(s ingest.Source) bool { return s.Name == name })]
	root := source.Path
	if publication.Source.File != "" {
		root = filepath.Dir(root)
	}
	for _, file := range withheld {
		source.Exclude = append(source.Exclude[:len(source.Exclude):len(source.Exclude)], glob.Quote(file))
	}
	p := &Pushable{Dir: filepath.Join(w.indexDir, "push", pageName(name)), Withheld: withheld}
	p.index, err = knowledge.Open(knowledge.Options{
		Sources: []ingest.Source{source}, Limits: w.loaded.Settings.Limits.Reading(), Dir: filepath.Join(p.Dir, "index"),
		Companions: []knowledge.Companion{gap.Companion(), extract.QuestionTypes{}}, Report: report,
	})
	if err != nil {
		return nil, err
	}
	if err := p.index.Refresh(ctx); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	p.Source = remote.Source{Name: name, Library: p.index.Library(), Relative: func(file string) string {
		within, err := filepath.Rel(root, file)
		if err != nil || !filepath.IsLocal(within) {
			return filepath.Base(file)
		}
		return filepath.ToSlash(within)
	}}
	if slices.ContainsFunc(p.Library.Passages(), func(p *passage.Passage) bool { return p.Private }) {
		return nil, errors.Join(fmt.Errorf("a file of %q has become private; push again", name), p.Close())
	}
	return p, nil
}

// CheckPushed compares the first ten hits of up to n searches in an engine with those in the library that was pushed, and
// fails unless all are equal. The searches are the titles, headings and stored questions of passages all over it.
func CheckPushed(ctx context.Context, library *knowledge.Library, g *remote.Generation, n int) (asked int, err error) {
	passages := library.Passages()
	for i := range min(n, len(passages)) {
		p := passages[i*len(passages)/min(n, len(passages))]
		query := knowledge.Query{Text: p.Question, K: 10}
		if query.Text == "" {
			query.Text = strings.Join(append([]string{p.Title}, p.Headings...), " ")
		}
		if query.Text == "" {
			query.Text = p.Text[:min(len(p.Text), 80)]
		}
		want, err := library.Search(ctx, query)
		if err != nil {
			return asked, err
		}
		got, _, err := g.Search(ctx, query)
		if err != nil {
			return asked, err
		}
		asked++
		if !slices.EqualFunc(want, got, func(a, b knowledge.Hit) bool { return a.Passage.ID == b.Passage.ID && a.Score == b.Score }) {
			return asked, fmt.Errorf("the engine does not propose what the index finds for %q", query.Text)
		}
	}
	return asked, nil
}

// RecordPushed writes into the audit, if the settings keep one, what was pushed into an engine.
func (w *Workspace) RecordPushed(host string, done remote.Pushed, at time.Time) {
	if w.audit == nil {
		return
	}
	body := fmt.Appendf(nil, "source %q, number %d, card %x, %d passages", done.Head.Source, done.Head.Number, done.Head.Card.SHA256, done.Objects)
	w.audit.record(llm.Sent{Outbound: llm.Outbound{Host: host, Model: done.Head.Source, Role: publisherRole, Body: body}, Time: at})
}

// Push pushes a source into an engine; see [remote.Push].
func (p *Pushable) Push(ctx context.Context, e engine.Engine, o remote.Options) (remote.Pushed, error) {
	o.Dir = p.Dir
	return remote.Push(ctx, e, p.Source, o)
}
