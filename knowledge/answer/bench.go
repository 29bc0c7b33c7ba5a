package answer

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/llm"
	"lacuna/prompts"
)

// Bench is what a system that uses models works with. Its fields are not changed once a system has
// been made of it; a copy of it may differ. It is safe for concurrent use.
type Bench struct {
	Model   *llm.Client
	Prompts *prompts.Set
	Offline *Offline // answers when the models cannot, and judges what they leave unjudged
	Options Options
	// Watch is told how an answer comes along; it may be nil. It is called by one goroutine at a
	// time, never after Answer has returned, and must be quick.
	Watch func(Progress)
	// Fresh asks the models again even where their replies have been kept.
	Fresh bool
}

// Options are what the papers leave open or fix differently. The zero value is the product's.
type Options struct {
	K         int                 // passages for the reader of the Misknow-RAG systems; 0 means 4
	Points    int                 // gaps that MedRGAG's explorer may name; 0 means 3
	Retriever knowledge.Retriever // empty means Hybrid; the Misknow-RAG paper searches Dense
	Budget    int                 // tokens that one answer may cost; 0 means no limit
	Language  string              // to answer in; empty means that of the question
	// AsPublished follows the MedRGAG paper where the product does otherwise: background is not
	// marked for the models and may be longer, the summariser's verdicts are not shown to the
	// integrator, the explorer is as free as the generator, BM25 alone brings the candidates, 32
	// from every source however many there are, and gaps are not looked up.
	AsPublished bool
	// Selectors are the names of rerankers for the selection strategies "bge" and "medcpt".
	Selectors map[string]string
}

// Progress is what a person who waits may be told.
type Progress struct {
	Stage       Stage
	Done, Total int    // stages ended, of those that the system will run as far as is known
	Text        string // of the answer, as far as it is written; empty before
	// Known holds the evidence and the gaps found so far, and nothing that needs an answer. Nil when
	// there is nothing new.
	Known *Result
}

// Stage is one stage of a system, named as the papers do.
type Stage string

const (
	StageRetrieve  Stage = "retrieve"
	StageRerank    Stage = "rerank"
	StageDraft     Stage = "draft"
	StageJudge     Stage = "judge"
	StageExplore   Stage = "explore"
	StageSummarise Stage = "summarise"
	StageExtract   Stage = "extract"
	StageVerify    Stage = "verify"
	StageSolve     Stage = "solve"
	StageAsk       Stage = "ask" // new queries, or further questions
	StageGenerate  Stage = "generate"
	StageSelect    Stage = "select"
	StageRead      Stage = "read"
	StageVote      Stage = "vote"
	StageDecide    Stage = "decide" // whether to retrieve
)

// Outcome says how a stage ended.
type Outcome string

const (
	OK       Outcome = "ok"
	Degraded Outcome = "degraded" // its fallback was used
	Failed   Outcome = "failed"   // and it has no fallback
)

// Step is the record of one stage, or of one call of a stage that makes several.
type Step struct {
	Stage    Stage
	Detail   string        // what tells it from its neighbours: a query, a point, a round
	Started  time.Duration // since the question was asked
	Took     time.Duration
	Inputs   string // a short hash of all that went in; equal inputs have equal hashes
	Results  int    // passages found, gaps named, documents kept
	Outcome  Outcome
	Fallback string // what was used instead, where Outcome is Degraded
	Err      error  // what failed
	// Of a stage that asks a model:
	Model    string
	Path     prompts.Path // how its reply was understood
	Attempts int
	Kept     bool // the reply had been kept from an earlier time
	Usage    llm.Usage
}

// System is one way of answering.
type System struct {
	ID     string // such as "misknow/merged"
	Name   string // as its paper calls it
	Paper  string // title
	Models bool   // false: runs without a model
	// Calls is how many calls of models one question makes at most, queries for one more reply
	// aside.
	Calls  int
	stages int // that it runs at most, for progress; 0 where that is not known
	steps  func(ctx context.Context, r *run) error
}

// Systems lists every system; the first is the offline one, then by paper as they are described
// there.
func Systems() []System {
	return slices.Concat(
		[]System{{ID: OfflineID, Name: "Offline"}},
		misknowSystems(),
		medrgagSystems(),
		ccskSystems(),
	)
}

// Lookup finds a system by its ID.
func Lookup(id string) (System, bool) {
	for _, s := range Systems() {
		if s.ID == id {
			return s, true
		}
	}
	return System{}, false
}

// Strategy returns the system of that ID, working at this bench.
func (b *Bench) Strategy(id string) (Strategy, error) {
	s, known := Lookup(id)
	switch {
	case !known:
		return nil, fmt.Errorf("no answering system is called %q; known: %s", id, strings.Join(IDs(), ", "))
	case !s.Models:
		return b.Offline, nil
	case b.Model == nil:
		return nil, ErrNoModel
	}
	return reasoned{bench: b, system: s}, nil
}

// IDs are the names of all systems, in the order of [Systems].
func IDs() []string {
	var ids []string
	for _, s := range Systems() {
		ids = append(ids, s.ID)
	}
	return ids
}

// Way says how a question is to be answered.
type Way struct {
	System string // ID; "" and "auto" mean the best that is set up, "thorough" the most thorough
	Fresh  bool   // see [Bench.Fresh]
	Watch  func(Progress)
}
