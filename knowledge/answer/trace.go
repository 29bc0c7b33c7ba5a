package answer

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"lacuna/knowledge/llm"
	"lacuna/prompts"
)

// Stage is one stage of a system, named as the papers do.
type Stage string

const (
	StageRewrite   Stage = "rewrite" // a long message into the question it asks
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
	StageCite      Stage = "cite"   // what was written without sources is looked up in them
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
	Thinking Thinking // of a model that was asked to think before it answers; empty for others
}

// Thinking says where a model thought that was asked to think first.
type Thinking string

const (
	OwnTrace   Thinking = "trace" // in a trace of its own, beside its reply
	InText     Thinking = "text"  // in the text of its reply
	NoThinking Thinking = "none"  // nowhere: what depends on it has nothing to work with
)

// entry is a step of the trace with the number of the stage that was running.
type entry struct {
	Step
	stage int
}

// record adds a step to the trace.
func (r *run) record(s Step) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trace = append(r.trace, entry{s, r.begun})
}

// degrade says of the last failed step of a stage what is used instead, and remembers what failed
// unless it was only a reply that could not be understood.
func (r *run) degrade(stage Stage, instead string, err error) {
	var failed *llm.Error
	if errors.As(err, &failed) {
		r.fail(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := len(r.trace) - 1; i >= 0; i-- {
		if s := &r.trace[i]; s.Stage == stage && s.Outcome == Failed {
			s.Outcome, s.Fallback = Degraded, instead
			return
		}
	}
}

// lack remembers that the system does without something. The steps of a stage say what is done instead.
func (r *run) lack(missing Lack, stage Stage, instead string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.result.Lacks, missing) {
		r.result.Lacks = append(r.result.Lacks, missing)
	}
	for i := range r.trace {
		if s := &r.trace[i]; s.Stage == stage && r.trace[i].stage == r.begun && s.Outcome == OK {
			s.Outcome, s.Fallback = Degraded, instead
		}
	}
}

// counted says of the last step of a stage how many results it had.
func (r *run) counted(stage Stage, results int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := len(r.trace) - 1; i >= 0; i-- {
		if s := &r.trace[i]; s.Stage == stage {
			s.Results = results
			return
		}
	}
}

// detailed says of the last step of a stage what it came to.
func (r *run) detailed(stage Stage, detail string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := len(r.trace) - 1; i >= 0; i-- {
		if s := &r.trace[i]; s.Stage == stage {
			s.Detail = detail
			return
		}
	}
}

// thought says of the last step of a stage where its model thought: in its own trace, in its text, or
// not at all.
func (r *run) thought(stage Stage, trace, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := len(r.trace) - 1; i >= 0; i-- {
		if s := &r.trace[i]; s.Stage == stage {
			switch {
			case trace != "":
				s.Thinking = OwnTrace
			case text != "":
				s.Thinking = InText
			default:
				s.Thinking = NoThinking
			}
			return
		}
	}
}

// hashOf is a short hash of what goes into a step; equal values have equal hashes.
func hashOf(inputs ...any) string {
	h := sha256.New()
	fmt.Fprintf(h, "%#v", inputs)
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// inOrder returns the steps by stage. Those of one stage run at once and may begin in any order, so
// they are told apart by what they are about.
func inOrder(trace []entry) []Step {
	slices.SortStableFunc(trace, func(a, b entry) int {
		return cmp.Or(
			cmp.Compare(a.stage, b.stage), strings.Compare(a.Detail, b.Detail), cmp.Compare(a.Started, b.Started),
		)
	})
	steps := make([]Step, len(trace))
	for i, e := range trace {
		steps[i] = e.Step
	}
	return steps
}

// timings adds up the stages. What runs at once is counted once, from the first beginning to the last
// end.
func timings(trace []entry) Timings {
	type interval struct{ from, to time.Duration }
	stages := make(map[int]interval)
	named := make(map[int]Stage)
	for _, e := range trace {
		known, met := stages[e.stage]
		if !met {
			known, named[e.stage] = interval{e.Started, e.Started}, e.Stage
		}
		stages[e.stage] = interval{min(known.from, e.Started), max(known.to, e.Started+e.Took)}
	}
	var t Timings
	for number, stage := range named {
		took := stages[number].to - stages[number].from
		switch stage {
		case StageRewrite, StageRetrieve, StageRerank:
			t.Retrieve += took
		case StageJudge, StageExplore, StageSolve:
			t.Judge += took
		case StageRead, StageVote:
			t.Read += took
		}
	}
	return t
}
