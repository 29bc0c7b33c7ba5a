package evaluation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/support"
	"lacuna/knowledge/entail"
	"lacuna/knowledge/eval"
	"lacuna/knowledge/experiment"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/passage"
	"lacuna/server/workspace"
)

// asker answers the questions of cells. It opens a workspace for each combination of settings, once.
type asker struct {
	session *Session
	judge   experiment.RecallJudge // of context recall

	mu     sync.Mutex
	opened map[string]*opened
	// library answers all cells; nil until the first is opened, which brings the index up to date.
	library *knowledge.Library
	lent    *opened // of the user's settings alone, and its lender's to close; may be nil
}

// newAsker returns an asker; close it. A workspace with the user's settings alone may be lent to it.
func newAsker(s *Session, judge experiment.RecallJudge, lent *opened) *asker {
	a := &asker{session: s, judge: judge, opened: map[string]*opened{}, lent: lent}
	if lent != nil {
		a.opened[keyOf(lent.set)], a.library = lent, lent.library
	}
	return a
}

// keyOf tells combinations of settings apart.
func keyOf(set map[string]string) string { return fmt.Sprint(set) }

// opened is a workspace with the settings of some cells.
type opened struct {
	workspace *workspace.Workspace
	library   *knowledge.Library
	set       map[string]string // by the plan
}

// settingsOf returns what a cell sets on top of the user's settings.
func settingsOf(c experiment.Cell) map[string]string {
	set := map[string]string{}
	if c.Model != "" {
		set["model.model"] = c.Model
	}
	for role, model := range c.Roles {
		set["model.roles."+role+".model"] = model
	}
	if c.Seed != nil {
		set["model.seed"] = strconv.Itoa(*c.Seed)
	}
	if c.Passages > 0 {
		set["answer.passages"] = strconv.Itoa(c.Passages)
	}
	return set
}

func (a *asker) open(ctx context.Context, c experiment.Cell) (*opened, error) {
	set := settingsOf(c)
	key := keyOf(set)
	a.mu.Lock()
	defer a.mu.Unlock()
	if o := a.opened[key]; o != nil {
		return o, nil
	}
	o := &opened{set: set}
	var err error
	if a.library == nil {
		o.workspace, o.library, err = a.session.Open(ctx, set)
	} else {
		o.library = a.library
		o.workspace, err = a.session.Look(ctx, set)
	}
	if err != nil {
		return nil, err
	}
	a.opened[key], a.library = o, o.library
	return o, nil
}

func (a *asker) close() {
	for _, o := range a.opened {
		if o != a.lent {
			o.workspace.Close()
		}
	}
}

// check opens what the cells need and makes their systems, so that a wrong name is told before the first question.
func (a *asker) check(ctx context.Context, cells []experiment.Cell) error {
	for _, c := range cells {
		o, err := a.open(ctx, c)
		if err != nil {
			return err
		}
		if _, err := o.workspace.Strategy(requestOf(c)); err != nil {
			return UsageError{err}
		}
	}
	return nil
}

func requestOf(c experiment.Cell) answer.Request {
	return answer.Request{System: c.System, AsPublished: c.AsPublished}
}

// ask implements experiment.Ask.
func (a *asker) ask(ctx context.Context, c experiment.Cell, q eval.Query) (experiment.Answered, error) {
	o, err := a.open(ctx, c)
	if err != nil {
		return experiment.Answered{}, err
	}
	strategy, err := o.workspace.Strategy(requestOf(c))
	if err != nil {
		return experiment.Answered{}, err
	}
	ctx = llm.WithQuestion(ctx, c.ID()+" | "+q.ID) // what a recording calls it
	r, err := strategy.Answer(ctx, o.library, answer.Question{Text: q.Text, Sources: c.Sources, Options: q.Options, Style: c.Style, ID: q.ID})
	switch {
	case ctx.Err() != nil:
		return experiment.Answered{}, context.Cause(ctx)
	case err != nil:
		return experiment.Answered{Failed: a.session.Failure(err), Gone: gone(err)}, nil
	case r.Failed():
		return experiment.Answered{Failed: a.session.Failure(r.Failure), Gone: gone(r.Failure)}, nil
	}
	kept := answered(r)
	if gone(r.Failure) {
		kept.StageFailed = a.session.Failure(r.Failure)
	}
	found, err := a.recall(ctx, o, q, r.Evidence, a.judge)
	switch {
	case ctx.Err() != nil:
		return experiment.Answered{}, context.Cause(ctx)
	case err != nil:
		kept.Recall = &experiment.Found{Failed: a.session.Failure(err)}
	case found.Statements > 0:
		kept.Recall = &found
	}
	return kept, nil
}

// gone reports whether a call failed for what the endpoint is, and not for what it was asked.
func gone(err error) bool {
	var failed *llm.Error
	if !errors.As(err, &failed) {
		return false
	}
	switch failed.Fault {
	case llm.Refused, llm.TooLong, llm.OverBudget, llm.NotRecorded:
		return false
	}
	return true
}

// precision counts the citations of all sentences of an answer, and those whose source alone says what their sentence
// does: a quote's does by itself.
func precision(r answer.Result) (cited, precise int) {
	for _, s := range r.Shown() {
		for _, n := range s.Citations {
			at := slices.IndexFunc(r.Citations, func(c answer.Citation) bool { return c.N == n })
			if cited++; at < 0 {
				continue
			}
			says := s.Basis == answer.Quote
			if !says {
				switch entail.Judge(s.Text, r.Question.Text, support.SourceOf(r.Citations[at].Passage)).Verdict {
				case entail.States, entail.Partly:
					says = true
				}
			}
			precise += count(says)
		}
	}
	return cited, precise
}

// answered returns what a run keeps of an answer.
func answered(r answer.Result) experiment.Answered {
	cost := r.Usage.Plus(r.Spared)
	a := experiment.Answered{
		Letter: r.Choice, State: string(r.State), Sure: r.State == answer.Answered, Missing: r.MissingProbability, Degraded: r.Degraded(), Models: r.Models,
		Calls: cost.Calls, Prompt: cost.Prompt, Written: cost.Completion, Cached: r.Spared.Calls > 0, TookMS: float64(r.Timings.Total.Microseconds()) / 1000,
		Citations: len(r.Citations),
	}
	var shown []string
	for _, s := range r.Shown() {
		shown = append(shown, s.Reads())
		if s.Support.Verdict != "" {
			if a.Support == nil {
				a.Support = map[string]int{}
			}
			a.Support[string(s.Support.Verdict)]++
		}
	}
	a.Reply = strings.Join(shown, " ")
	for _, id := range r.Read() {
		a.Read = append(a.Read, id.String())
	}
	for _, g := range r.Given {
		a.Chosen++
		a.ChosenWritten += count(g.Generated)
	}
	if r.Searched() || len(r.Evidence) > 0 {
		a.Records = []string{}
	}
	for _, hit := range r.Evidence {
		if !slices.Contains(a.Records, hit.Passage.Record) {
			a.Records = append(a.Records, hit.Passage.Record)
		}
	}
	if r.Decision != nil {
		a.Retrieved = &r.Decision.Retrieve
	}
	for _, l := range r.Lacks {
		a.Lacks = append(a.Lacks, string(l))
	}
	for _, g := range r.Gaps {
		a.Gaps = append(a.Gaps, g.Text)
	}
	places := make([]passage.Place, len(r.Citations))
	for i, c := range r.Citations {
		places[i] = c.Place()
	}
	a.Cited, a.Precise = precision(r)
	for i, found := range ingest.ResolveAll(places) {
		if found.Err == nil && found.Text == r.Citations[i].Quote {
			a.Resolved++
		}
	}
	return a
}
