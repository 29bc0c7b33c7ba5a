// Package answer answers a question from a library: it finds evidence, decides what to say and how
// sure to be, cites every sentence, and names what the sources lack.
//
// It knows neither editors nor the wire. Begin with [Strategy]: [Offline] answers by quoting alone, and
// a [System] at a [Bench] asks models. The systems of a paper stand in a file together and read like
// its algorithms (misknow.go, migres.go, medrgag.go, medrag.go, background.go, ccsk.go), over steps of
// the run that all share: each takes what it needs, records itself in the trace, and says what is done
// without it where a model fails.
package answer

import (
	"context"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/passage"
	"lacuna/prompts"
)

// Question is what a person asked.
type Question struct {
	Text    string
	Sources []string // names of the sources to use; empty means all
	// Queries are searched for as well, such as the query of a gap that the person wants to fill;
	// what they find is read after what the question itself finds. At most eight are used.
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

// Reason says why an answer abstains. It is empty for an answer that does not.
type Reason string

const (
	NoTopic     Reason = "no-topic"
	NoAspect    Reason = "no-aspect"
	Conflict    Reason = "conflict"
	Weak        Reason = "weak"
	ToolFailure Reason = "tool-failure"
	OffTopic    Reason = "off-topic"
	NoSources   Reason = "no-sources"
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

// Written is a text that a model wrote of its own knowledge. It is shown as that and is never
// evidence.
type Written struct {
	Point string // the gap it is about; empty when it is about the question
	Text  string
}

// Stored is a historical question whose stored answer serves as the answer, because topic and kind
// of question agree.
type Stored struct {
	Passage *passage.Passage
	Date    string
}

// Result is an answer with everything needed to trust it or to distrust it.
type Result struct {
	Question   Question
	System     string // its ID
	State      State
	Reason     Reason
	Statements []Statement
	Stored     *Stored
	// Related are up to three stored questions near this one, shown with their dates; they are
	// not used as the answer.
	Related   []knowledge.Hit
	Citations []Citation // every one is used by a statement, in order of N
	Differ    bool       // one shown sentence negates and another does not
	Evidence  []knowledge.Hit
	// Dropped counts quotes left out because they no longer stand on disk as they were indexed.
	Dropped int
	// Refused counts citations of a model that are left out: of numbers it was not offered, or of
	// passages that do not hold the figures or the quoted words of its sentence.
	Refused int
	// Failure is what failed on the way. With the reason ToolFailure nothing could be said because of
	// it; otherwise the answer is the best that could be had without what failed.
	Failure error
	Gaps    []gap.Gap // most certain first
	// MissingProbability is the calibrated probability that the sources do not hold what the
	// question needs. Where a model judged, it is that of its most certain gap that the sources do not
	// fill, which is not calibrated, and 0 where it named none; 0 also where nobody judged, as where
	// the sources were not searched. An answer is never Answered where it is [gap.MissingFrom] or more,
	// unless it is one of an unguarded [Offline].
	MissingProbability float64
	Timings            Timings

	// The rest is empty without a model.

	// Afterwards says that the answer was written without a document of the sources, and that each of its
	// sentences was looked up in them then: citations say where a sentence stands, not what it was written
	// from.
	Afterwards bool

	Choice    string    // the letter chosen, of a question with options
	Thought   string    // why the judge holds that something is missing
	Reasoning string    // what the model thought before it judged; neither evidence nor answer
	Written   []Written // generated background
	Models    []string  // that took part, each once
	Usage     llm.Usage
	Trace     []Step
	// Lacks is what the system did without, each once, in the order in which it was missed.
	Lacks []Lack
	// Decision says whether the sources were to be searched at all, where that was decided question by
	// question; nil where the system itself settles it.
	Decision *Decision
	// Kept is when the oldest of the replies was given, if no model had to be asked again because
	// all replies to the same requests had been kept.
	Kept time.Time
}

// Lack is something that a system has by its paper and did without, because it is not set up or not
// there. The answer is sound, but what it shows is less than that system, and may be another one.
type Lack string

const (
	NoSelector Lack = "selector" // a reranker of the name that the selection has
	NoExamples Lack = "examples" // stored questions to show to who writes background
	NoEncoder  Lack = "encoder"  // for a search by meaning; it went by words
	NoOptions  Lack = "options"  // in the question, which the system has different views of
	NoGate     Lack = "gate"     // that was trained to decide whether the sources are searched
	NoEvidence Lack = "evidence" // for the reader: the search found nothing
	NoEndpoint Lack = "endpoint" // of encodings for a search; the built-in encoder served
)

// Decision is a choice between answering from the model alone and answering from the sources.
type Decision struct {
	Retrieve  bool
	Kept      bool   // the sources were searched, but the model's own answer was kept
	Policy    string // that decided
	Score     float64
	Threshold float64
	Why       string // in words
	Near      []Past // past questions that it was decided by, nearest first
	// Check and Confidence are what the model, where it was asked before it answered, said of the
	// question and of how sure it is, in 0..1; empty and nil where it was not asked.
	Check      prompts.Class
	Confidence *float64
}

// Past is a past question that a decision rests on.
type Past struct {
	Question   string
	Similarity float64 // cosine
	Helped     bool    // its answer was better with retrieval than without
}

// Timings are the durations of the stages of one answer; those of the stages that a system with models
// has besides are in Total alone.
type Timings struct{ Retrieve, Judge, Read, Total time.Duration }

// Strategy is one way of answering. Answer is safe for concurrent use, honours ctx, and returns an
// error only when ctx ended or nothing at all could be said.
type Strategy interface {
	Answer(ctx context.Context, library *knowledge.Library, question Question) (Result, error)
}
