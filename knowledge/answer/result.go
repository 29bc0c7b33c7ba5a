package answer

import (
	"cmp"
	"slices"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/entail"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/passage"
	"lacuna/prompts"
)

// MissingProbability is the probability of some gaps together: the largest of those that the sources do
// not fill, or 0.
func MissingProbability(gaps []gap.Gap) float64 {
	largest := 0.0
	for _, g := range gaps {
		if g.Status != gap.Retrieved {
			largest = max(largest, g.Probability)
		}
	}
	return largest
}

// Judged reports whether a model that had read the evidence said what is missing, or that nothing is. If
// it is false, Gaps do not come from a model. A gap that a model names without a search before is not
// missing from the sources.
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
// could not be parsed, or something is not there.
func (r Result) Degraded() bool {
	return !r.Failed() && (r.Failure != nil || len(r.Lacks) > 0 ||
		slices.ContainsFunc(r.Trace, func(s Step) bool { return s.Outcome != OK }))
}

// Supported reports whether the sources bear out a sentence of the answer.
func Supported(statements []Statement) bool {
	return slices.ContainsFunc(statements, func(s Statement) bool { return s.Basis == Quote || s.Basis == Claim })
}

// Read returns the passages that were read for the answer.
func (r Result) Read() []passage.ID {
	ids := make([]passage.ID, len(r.Evidence))
	for i, hit := range r.Evidence {
		ids[i] = hit.Passage.ID
	}
	return ids
}

// CapByMissing lowers an answer to Nearest if the sources lack what the question needs: its quotes are
// then only the nearest places. Call it after setting a result's gaps or its answer, because the two form one
// verdict.
func (r *Result) CapByMissing() {
	if r.State != Answered || !gap.Missing(r.MissingProbability) {
		return
	}
	r.State = Nearest
	if !slices.ContainsFunc(r.Statements, func(s Statement) bool { return s.Basis != Quote }) {
		r.Nearest, r.Statements = r.Statements, nil
	}
}

// Shown returns what a reader of the answer sees: its statements, then the nearest places.
func (r Result) Shown() []Statement { return slices.Concat(r.Statements, r.Nearest) }

// WithGaps returns the result with gaps that were judged elsewhere or at another time. A stored answer to
// the same question leaves none.
func (r Result) WithGaps(gaps []gap.Gap) Result {
	if r.Stored != nil {
		return r
	}
	r.Gaps, r.MissingProbability = gaps, MissingProbability(gaps)
	r.CapByMissing()
	return r
}

// State says how far an answer goes.
type State string

const (
	Answered State = "answered"
	// Nearest says that what is shown is not known to answer: the places of the sources that come nearest,
	// or sentences of a model that the sources do not bear out.
	Nearest State = "nearest"
	Nothing State = "nothing" // no sentence, no place and no citation
)

// Reason says why an answer abstains; it is empty for one that does not.
type Reason string

const (
	NoTopic     Reason = "no-topic"
	NoAspect    Reason = "no-aspect"
	Conflict    Reason = "conflict"
	Weak        Reason = "weak"
	ToolFailure Reason = "tool-failure"
	OffTopic    Reason = "off-topic"
	NoSources   Reason = "no-sources"
	// NoPlace says that the user has seen the nearest places, and none of them answers.
	NoPlace Reason = "no-place"
	// NotRead says that nothing was found in what a first reading had read so far.
	NotRead Reason = "not-read"
)

// Away is a source that an engine keeps and that could not be asked.
type Away struct {
	Source string
	Err    error
}

// Reading says that of the files Found of a first reading Read had been read.
type Reading struct{ Read, Found int }

// WhileReading returns a result that was made while the first reading of the sources went on. What they lack cannot be
// judged before it ends, so nothing is said of that.
func (r Result) WhileReading(s knowledge.Status) Result {
	if !s.Partial || r.Reason == ToolFailure {
		return r
	}
	r.Reading = &Reading{s.Read, s.Found}
	r.Gaps, r.MissingProbability = nil, 0
	if r.State != Answered && r.Reason != "" {
		r.Reason = NotRead
	}
	return r
}

// Basis says what a statement rests on.
type Basis string

const (
	Quote       Basis = ""            // it is a quote of the one citation it has
	Claim       Basis = "claim"       // a model's sentence that the quotes of its citations support
	Background  Basis = "background"  // a model's sentence that only generated background supports
	Unsupported Basis = "unsupported" // a model's sentence that nothing in the sources supports
	// Unchecked is a model's sentence of which words cannot tell whether the sources say it; its citations are
	// the passages to compare it with.
	Unchecked Basis = "unchecked"
)

// Support is what a check of a sentence against its sources found.
type Support struct {
	Verdict     entail.Verdict
	Unstated    []string // words of the sentence that the sources do not state; of Partly only
	Differences []Difference
	ByModel     bool // the verdict is a model's, of a sentence that words left unchecked
}

// Difference is a pair of words that cannot both be true, of a sentence and of what it cites. One of both may
// be empty.
type Difference struct {
	Kind     entail.Kind
	Said     string // in the sentence
	Stated   string // in the source, verbatim
	Citation int    // Citation.N of the source; 0 if the answer does not cite it
}

// Statement is one bullet of an answer. Lead is what a quote cannot be understood without: the head of its
// list, the header of its table, the text before code, or the sentence before a pronoun. It is verbatim
// too, from the passage of the citation or from above it in the same file.
type Statement struct {
	Basis     Basis
	Lead      string
	Elided    bool // something between Lead and Text is left out
	Text      string
	Citations []int // Citation.N; one of a Quote, some of a Claim, none of the others
	// Shown and ShownLead are a quote and its lead as a reader of the document sees them, without markup;
	// see [passage.Rendering]. A row shows its header itself, so its header is no ShownLead.
	Shown, ShownLead string
	// Support is set for a sentence that was not quoted by code; its Verdict is empty for quotes.
	Support Support
	// Best is the sentence of a place, shown as an answer or as near, that fits the question best, as it stands in Text.
	Best string
}

// Reads returns a statement with its lead as it is shown.
func (s Statement) Reads() string {
	text, lead := cmp.Or(s.Shown, s.Text), s.ShownLead
	if s.Shown == "" {
		lead = s.Lead
	}
	switch {
	case lead == "":
		return text
	case s.Elided:
		return lead + " … " + text
	}
	return lead + " " + text
}

// Citation points from an answer to a span of a source. Its quote has been compared with the bytes on
// disk, so it resolves.
type Citation struct {
	N       int // from 1, unique in one answer
	Passage *passage.Passage
	Span    passage.Span // bytes of Passage.Text
	Quote   string       // equals Passage.Text[Span.Start:Span.End]
}

// Shown returns the quote as a reader of the document sees it.
func (c Citation) Shown() string { return c.Passage.Render().Span(c.Span) }

// Place returns where the quote itself stands, in the units of [passage.Place].
func (c Citation) Place() passage.Place { return c.Passage.PlaceOf(c.Span) }

// SourceConflict is a pair of quotes of two documents that cannot both hold. Which of them is right is not said.
type SourceConflict struct {
	A, B        Citation
	Differences []Difference // Said is in A, Stated in B; at least one
}

// Generated is a text that a model wrote from its own knowledge. It is shown as such and is never
// evidence.
type Generated struct {
	Point string // the gap it is about; empty when it is about the question
	Text  string
}

// Given is a document that a model was given to answer from.
type Given struct {
	Passage   passage.ID // zero for background
	Kind      passage.Kind
	Generated bool // a model wrote it
}

// Stored is the stored question whose stored answer is the answer, because topic and kind of question
// agree.
type Stored struct {
	Passage *passage.Passage
	Date    string
}

// Result is an answer with everything needed to trust or distrust it.
type Result struct {
	Question   Question
	System     string // its ID
	State      State
	Reason     Reason
	Statements []Statement
	// Nearest lists the places of the sources that come nearest, best first, if nothing answers. Each is a
	// block of a document and quotes it; none is claimed to answer.
	Nearest []Statement
	// Taken says that the user took one of the nearest places as the answer.
	Taken  bool
	Stored *Stored
	// Related are up to three stored questions near this one, shown with their dates; they are
	// not used as the answer.
	Related   []knowledge.Hit
	Citations []Citation // every one is used by a statement or a place, in order of N
	Disagree  bool       // one shown sentence negates and another does not
	// Conflicts are pairs of the passages found that cannot both hold, cited or not.
	Conflicts []SourceConflict
	Evidence  []knowledge.Hit
	// Reading says how far the first reading of the sources was; nil if all had been read.
	Reading *Reading
	// Away lists the sources that could not be asked, and why. What these have is not known, so gaps are neither
	// raised nor closed.
	Away []Away
	// Dropped counts quotes left out because they no longer stand on disk as they were indexed.
	Dropped int
	// Refused counts a model's citations that are left out: numbers it was not offered, and passages that
	// do not hold the figures or the quoted words of its sentence.
	Refused int
	// Failure says what failed. With the reason ToolFailure nothing could be said because of it; otherwise
	// the answer is the best one without what failed.
	Failure error
	Gaps    []gap.Gap // most certain first
	// MissingProbability is the calibrated probability that the sources lack what the question needs. If
	// a model judged, it is the uncalibrated one of its most certain gap that the sources do not fill, or
	// 0 without gaps; it is 0 without a judge, for instance because the sources were not searched. From
	// [gap.MissingFrom] on, an answer is never Answered, except with NoAbstain of extract.Offline.
	MissingProbability float64
	// Rounds lists the rounds of looking for what is missing, if the settings allow more than one.
	Rounds  []Round
	Timings Timings

	// The rest is empty without a model.

	// Said is the model's answer as it was read: plain text without citation marks, before its sentences were
	// compared with the sources.
	Said string
	// Given are the documents that the model which wrote the answer was given, in order.
	Given []Given
	// CitedAfterwards says that the answer was written without the sources and its sentences were looked up
	// in them then: citations say where a sentence stands, not what it was written from.
	CitedAfterwards bool

	Choice    string      // the letter chosen, of a question with options
	Thought   string      // why the judge holds that something is missing
	Reasoning string      // what the model thought before it judged; neither evidence nor answer
	Generated []Generated // generated background
	Models    []string    // that took part, each once
	Usage     llm.Usage
	Spared    llm.Usage // what the replies from the cache cost when they were given
	Trace     []Step
	// Lacks lists what the system did without, each once, in the order in which it was missed.
	Lacks []Lack
	// Decision says whether the sources were to be searched, if that is decided question by question; nil
	// if the system itself settles it.
	Decision *Decision
	// CachedAt is when the oldest of the replies was given, if all of them came from the cache.
	CachedAt time.Time
}

// WithoutSubjects returns a result to keep: without the subjects of its hits, which are for who judges an answer. A subject holds the
// words of all passages that were found, 300 KB for a question to 4,000 passages, and the collection that was asked, with the
// mapped files of its generation.
func (r Result) WithoutSubjects() Result {
	for _, hits := range []*[]knowledge.Hit{&r.Evidence, &r.Related} {
		*hits = slices.Clone(*hits)
		for i := range *hits {
			(*hits)[i].Subject = nil
		}
	}
	return r
}

// Lack is something that a system has by its paper and did without, because it is not configured or not
// there. The answer is sound, but it shows less than that system, and may be another one.
type Lack string

const (
	NoSelector Lack = "selector" // a reranker of the name that the selection has
	NoReranker Lack = "reranker" // that the paper of the system has
	NoExamples Lack = "examples" // stored questions to show to who writes background
	NoEncoder  Lack = "encoder"  // for a search by meaning; it went by words
	NoOptions  Lack = "options"  // in the question, which the system has different views of
	NoGate     Lack = "gate"     // that was trained to decide whether the sources are searched
	NoEvidence Lack = "evidence" // for the reader: the search found nothing
	NoEndpoint Lack = "endpoint" // of encodings for a search; the built-in encoder served
)

// Decision is a choice between answering from the model alone and from the sources.
type Decision struct {
	Retrieve  bool
	OwnAnswer bool   // the sources were searched, but the answer is the model's own
	Policy    string // that decided
	Score     float64
	Threshold float64
	Why       string         // in words
	Near      []PastQuestion // past questions that it was decided by, nearest first
	// Check and Confidence (0 to 1) are what the model said about the question and about how sure it is, if
	// it was asked before it answered; otherwise empty and nil.
	Check      prompts.Class
	Confidence *float64
}

// PastQuestion is a past question that a decision rests on.
type PastQuestion struct {
	Question   string
	Similarity float64 // cosine
	Helped     bool    // its answer was better with retrieval than without
}

// Timings holds the durations of an answer's stages. Stages that only systems with models have count only
// in Total.
type Timings struct{ Retrieve, Judge, Read, Total time.Duration }
