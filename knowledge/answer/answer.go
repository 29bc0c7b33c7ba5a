// Package answer has what all ways of answering a question from a library share: the [Question], the
// [Result] with its statements, citations and gaps, the trace of how it came about, and [Strategy], which
// leads from the one to the other.
//
// It knows neither editors nor the wire. The ways of answering live in packages of their own: extract
// quotes without a model, support checks what a model claims, and systems has the systems of the papers.
// Begin with Strategy and Result.
package answer

import (
	"context"

	"lacuna/knowledge"
	"lacuna/knowledge/llm"
	"lacuna/prompts"
)

// MaxQueries bounds the further queries of a question.
const MaxQueries = 8

// Question holds the user's question and how to answer it.
type Question struct {
	Text    string
	Sources []string // names of the sources to use; empty means all
	// Queries are searched for as well, such as the query of a gap that the user wants to fill. What they
	// find is read after what the question itself finds. At most [MaxQueries] are used.
	Queries []string
	Options []prompts.Option // of a question with answers to choose from, in order
	Style   prompts.Style    // empty means that of the settings
	ID      string           // seeds what a system draws at random; empty means the text
	// Note is a part of the note around the question. It says what identifies people in the question, and is neither
	// searched for nor sent nor stored.
	Note string `json:"-"`
}

// Strategy is one way of answering. Answer is safe for concurrent use, honours ctx, and returns an error
// only if ctx ended or nothing at all could be said.
type Strategy interface {
	Answer(ctx context.Context, library *knowledge.Library, question Question) (Result, error)
}

// Request says how a question is to be answered.
type Request struct {
	System string // ID; "" and "auto" mean the best that is set up, "thorough" the most thorough
	Fresh  bool   // ask the models again even where their replies are cached
	// AsPublished runs the system as its paper does where the product differs.
	AsPublished bool
	// Beyond lets the sources be asked that engines on other machines keep, if those on this machine do not answer. Set it
	// only for what the user chose to do.
	Beyond   bool
	Passages int // for the reader; 0 means as many as the settings or the paper say
	Seed     int // added to the seeds of all calls
	Watch    func(Progress)
	// Permit asks the user whether a text may leave this machine for this answer. Nil if the user cannot
	// be asked: only what was allowed before leaves then.
	Permit func(ctx context.Context, out llm.Outbound) (send bool, err error)
}

// OfflineID is the ID of the offline system.
const OfflineID = "offline"

// Progress holds what a waiting user may see.
type Progress struct {
	Stage       Stage
	Done, Total int    // stages ended, of those that the system will run as far as is known
	Text        string // of the answer, as far as it is written; empty before
	// Known holds the evidence and the gaps found so far, and nothing that needs an answer. Nil when
	// there is nothing new.
	Known *Result
}
