// Package systems has the systems of the papers: ways of answering that ask models.
//
// Begin with [Environment] and [All]. The systems of a paper stand in a file together and read like its
// algorithms (misknow.go, migres.go, medrgag.go, medrag.go, background.go, ccsk.go), over
// steps that all share: each takes what it needs, records itself in the trace, and says what is done
// without it where a model fails.
package systems

import (
	"context"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/extract"
	"lacuna/knowledge/llm"
	"lacuna/prompts"
)

// Environment holds what a system that asks models works with. Do not change its fields once a system has
// been made of it; a copy may differ. It is safe for concurrent use.
type Environment struct {
	Model   *llm.Client
	Prompts *prompts.Set
	Offline *extract.Offline // answers when the models cannot, and judges what they leave unjudged
	Options Options
	// Watch receives progress; it may be nil. It is called by one goroutine at a time, never after Answer
	// has returned, and must be quick.
	Watch func(answer.Progress)
	// Gate returns the trained gate of a policy. It may be nil. An error says why there is none; the sources
	// are searched then.
	Gate func(policy string) (Decider, error)
	// Fresh asks the models again even if their replies are cached.
	Fresh bool
}

// Options sets what the papers leave open or fix differently. The zero value is the product's, except for
// what costs requests beyond the papers': Endpoint, Reranked, Rewrite and Opinion.
type Options struct {
	K         int                 // passages for the reader of the Misknow-RAG systems; 0 means 4, or the paper's number
	Points    int                 // gaps that MedRGAG's explorer may name; 0 means 3
	Retriever knowledge.Retriever // empty means Hybrid; the Misknow-RAG paper searches Dense
	Endpoint  bool                // searches are encoded by the endpoint of the library, if it has one
	Reranked  int                 // documents of each mixed search that the configured reranker orders; 0 means none
	Rewrite   bool                // a long message is rewritten into its question before the sources are searched
	Rounds    int                 // of judging and searching for what is missing in the Misknow-RAG systems; 0 means 1
	Budget    int                 // tokens that one answer may cost; 0 means no limit
	Language  string              // to answer in; empty means the question's
	Opinion   Opinion             // who judges what words leave unchecked; empty means nobody
	Style     prompts.Style       // of answers to questions that name none; empty means Note
	Seed      int                 // added to the seeds of all calls, so that a run can be repeated with others
	// AsPublished follows the paper of each system where the product differs; see [System.Published].
	AsPublished bool
	// Selectors names the rerankers for the selection strategies "bge" and "medcpt".
	Selectors map[string]string
}

// System is one way of answering.
type System struct {
	ID     string // such as "misknow/merged"
	Name   string // as its paper calls it
	Paper  string // title
	Models bool   // whether it asks models
	// Calls is the maximum number of model calls for one question, without repeated ones and without those
	// that the options add: to rewrite a long message, for a second opinion, and for further rounds; see
	// [System.MostCalls].
	Calls int
	// repeats says that each further round of looking for what is missing adds a call.
	repeats bool
	// Published says how its paper runs it where the product decides otherwise.
	Published Published
	// Gate is the policy that must be trained before the system can decide whether to search the sources;
	// empty if it needs none.
	Gate   string
	stages int // maximum number, for progress; 0 if unknown
	steps  func(ctx context.Context, r *run) error
}

// MostCalls is Calls with those of further rounds of looking for what is missing, if that many are allowed.
func (s System) MostCalls(rounds int) int {
	if s.repeats {
		return s.Calls + max(rounds, 1) - 1
	}
	return s.Calls
}

// ofPaper completes the rows of a paper's systems; all ask models.
func ofPaper(paper string, systems ...System) []System {
	for i := range systems {
		systems[i].Paper, systems[i].Models = paper, true
	}
	return systems
}

// Decider decides whether a question needs the sources. Package gate makes deciders from policies.
type Decider interface {
	// ByQuestion reports whether the decision does not depend on the model's own answer.
	ByQuestion() bool
	// Decide decides about a question; closed is what the model answered from what it knows, nil if it was
	// not asked.
	Decide(q answer.Question, closed *answer.Result) answer.Decision
}
