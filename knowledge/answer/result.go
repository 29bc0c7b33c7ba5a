package answer

import (
	"slices"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/passage"
	"lacuna/prompts"
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
	Disagree  bool       // one shown sentence negates and another does not
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
	// unless it is one of an unguarded extract.Offline.
	MissingProbability float64
	Timings            Timings

	// The rest is empty without a model.

	// CitedAfterwards says that the answer was written without a document of the sources, and that each of its
	// sentences was looked up in them then: citations say where a sentence stands, not what it was written
	// from.
	CitedAfterwards bool

	Choice    string      // the letter chosen, of a question with options
	Thought   string      // why the judge holds that something is missing
	Reasoning string      // what the model thought before it judged; neither evidence nor answer
	Generated []Generated // generated background
	Models    []string    // that took part, each once
	Usage     llm.Usage
	Trace     []Step
	// Lacks is what the system did without, each once, in the order in which it was missed.
	Lacks []Lack
	// Decision says whether the sources were to be searched at all, where that was decided question by
	// question; nil where the system itself settles it.
	Decision *Decision
	// CachedAt is when the oldest of the replies was given, if no model had to be asked again because
	// all replies to the same requests had been kept.
	CachedAt time.Time
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
	OwnAnswer bool   // the sources were searched, but the model's own answer was kept
	Policy    string // that decided
	Score     float64
	Threshold float64
	Why       string         // in words
	Near      []PastQuestion // past questions that it was decided by, nearest first
	// Check and Confidence are what the model, where it was asked before it answered, said of the
	// question and of how sure it is, in 0..1; empty and nil where it was not asked.
	Check      prompts.Class
	Confidence *float64
}

// PastQuestion is a past question that a decision rests on.
type PastQuestion struct {
	Question   string
	Similarity float64 // cosine
	Helped     bool    // its answer was better with retrieval than without
}

// Timings are the durations of the stages of one answer; those of the stages that a system with models
// has besides are in Total alone.
type Timings struct{ Retrieve, Judge, Read, Total time.Duration }

// MissingProbability is that of the gaps together: the largest of those that the sources do not
// fill, and 0 where a model that looked named none.
func MissingProbability(gaps []gap.Gap) float64 {
	largest := 0.0
	for _, g := range gaps {
		if g.Status != gap.Retrieved {
			largest = max(largest, g.Probability)
		}
	}
	return largest
}

// Judged reports whether a model that had read the evidence said what is missing, or that nothing
// is. Where it is false, Gaps say nothing about what a model holds. What a model names without a
// search before, it does not miss in the sources.
func (r Result) Judged() bool {
	return r.Searched() && r.ended(StageJudge, StageExplore, StageSolve)
}

// Searched reports whether the sources were searched for what a model read.
func (r Result) Searched() bool { return r.ended(StageRetrieve) }

func (r Result) ended(stages ...Stage) bool {
	return slices.ContainsFunc(r.Trace, func(s Step) bool { return s.Outcome == OK && slices.Contains(stages, s.Stage) })
}

// Failed reports whether the system could not answer, so that the answer is the offline one, or none.
func (r Result) Failed() bool {
	return r.Failure != nil && (r.System == OfflineID || r.Reason == ToolFailure)
}

// Degraded reports whether the system answered without something that it has: a stage failed, a reply
// could not be read, or something is not there.
func (r Result) Degraded() bool {
	return !r.Failed() && (r.Failure != nil || len(r.Lacks) > 0 ||
		slices.ContainsFunc(r.Trace, func(s Step) bool { return s.Outcome != OK }))
}

// Read returns the passages that were read for the answer.
func (r Result) Read() []passage.ID {
	ids := make([]passage.ID, len(r.Evidence))
	for i, hit := range r.Evidence {
		ids[i] = hit.Passage.ID
	}
	return ids
}

// An answer and what is missing for it are one verdict: whoever sets the one has the other heard.

// CapByMissing takes an answer back to Possibly where what the question needs is taken to be missing
// from the sources: its sentences are then what comes nearest.
func (r *Result) CapByMissing() {
	if r.State == Answered && gap.Missing(r.MissingProbability) {
		r.State = Possibly
	}
}

// WithGaps returns the result with the gaps as somebody who judged them elsewhere, or at another
// time, holds them to be. A stored answer to the same question leaves none.
func (r Result) WithGaps(gaps []gap.Gap) Result {
	if r.Stored != nil {
		return r
	}
	r.Gaps, r.MissingProbability = gaps, MissingProbability(gaps)
	r.CapByMissing()
	return r
}
