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
	"lacuna/knowledge/passage"
	"lacuna/prompts"
)

// MaxQueries is how many further queries of a question are searched for.
const MaxQueries = 8

// Question is what a person asked.
type Question struct {
	Text    string
	Sources []string // names of the sources to use; empty means all
	// Queries are searched for as well, such as the query of a gap that the person wants to fill;
	// what they find is read after what the question itself finds. At most [MaxQueries] are used.
	Queries []string
	Options []prompts.Option // of a question with answers to choose from, in order
	Style   prompts.Style    // empty means Note
	ID      string           // seeds what a system draws at random; empty means the text
}

// State says how far an answer goes.
type State string

const (
	Answered State = "answered"
	// Possibly says that what is shown may answer, or comes nearest where what the question needs is
	// taken to be missing; it is shown as uncertain.
	Possibly State = "possibly"
	Nothing  State = "nothing" // no sentence and no citation
)

// Citation points from an answer to a span of a source. Its quote has been compared with the bytes
// on disk, so it resolves.
type Citation struct {
	N       int // from 1, unique in one answer
	Passage *passage.Passage
	Span    passage.Span // bytes of Passage.Text
	Quote   string       // equals Passage.Text[Span.Start:Span.End]
}

// Place is where the quote itself stands, in the units of [passage.Place].
func (c Citation) Place() passage.Place { return c.Passage.PlaceOf(c.Span) }

// Basis says what a statement rests on.
type Basis string

const (
	Quote       Basis = ""            // it is a quote of the one citation it has
	Claim       Basis = "claim"       // a model's sentence that the quotes of its citations support
	Background  Basis = "background"  // a model's sentence that only generated background supports
	Unsupported Basis = "unsupported" // a model's sentence that nothing in the sources supports
)

// Statement is one bullet of an answer. Lead is the sentence before a quote in the same passage,
// brought in where the statement opens with a pronoun or is an item of a list; it is verbatim too
// and covered by the same citation's passage.
type Statement struct {
	Basis     Basis
	Lead      string
	Elided    bool // something between Lead and Text is left out
	Text      string
	Citations []int // Citation.N; one of a Quote, some of a Claim, none of the others
}

// Generated is a text that a model wrote of its own knowledge. It is shown as that and is never
// evidence.
type Generated struct {
	Point string // the gap it is about; empty when it is about the question
	Text  string
}

// Stored is a historical question whose stored answer serves as the answer, because topic and kind
// of question agree.
type Stored struct {
	Passage *passage.Passage
	Date    string
}

// Strategy is one way of answering. Answer is safe for concurrent use, honours ctx, and returns an
// error only when ctx ended or nothing at all could be said.
type Strategy interface {
	Answer(ctx context.Context, library *knowledge.Library, question Question) (Result, error)
}

// Request says how a question is to be answered.
type Request struct {
	System string // ID; "" and "auto" mean the best that is set up, "thorough" the most thorough
	Fresh  bool   // ask the models again even where their replies are cached
	Watch  func(Progress)
	// Permit asks the user whether a text may leave this machine for this answer. Nil if the user cannot
	// be asked: only what was allowed before leaves then.
	Permit func(ctx context.Context, out llm.Outbound) (send bool, err error)
}

// OfflineID is the ID of the offline system.
const OfflineID = "offline"

// Progress is what a person who waits may be told.
type Progress struct {
	Stage       Stage
	Done, Total int    // stages ended, of those that the system will run as far as is known
	Text        string // of the answer, as far as it is written; empty before
	// Known holds the evidence and the gaps found so far, and nothing that needs an answer. Nil when
	// there is nothing new.
	Known *Result
}
