package systems

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"lacuna/knowledge/answer"
)

// trace collects the steps of a run. Its zero value is ready; it is safe for concurrent use.
type trace struct {
	mu    sync.Mutex
	begun int      // stages; guarded by mu
	steps []*entry // in the order in which they ended; guarded by mu
}

// entry is a step with the number of the stage that was running.
type entry struct {
	answer.Step
	stage int
}

// begin counts a stage that begins and returns how many began before it.
func (t *trace) begin() (before int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.begun++
	return t.begun - 1
}

// progress returns how many stages have begun, and the stage of the last step.
func (t *trace) progress() (begun int, last answer.Stage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.steps); n > 0 {
		last = t.steps[n-1].Stage
	}
	return t.begun, last
}

// record adds a step of the running stage.
func (t *trace) record(s answer.Step) *entry { return t.add(s, 0) }

// recordLast adds a step that is a stage of its own after all others, too short to tell anybody about.
func (t *trace) recordLast(s answer.Step) { t.add(s, 1) }

func (t *trace) add(s answer.Step, after int) *entry {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := &entry{s, t.begun + after}
	t.steps = append(t.steps, e)
	return e
}

// amend changes a step that has been recorded.
func (t *trace) amend(e *entry, change func(s *answer.Step)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change(&e.Step)
}

// stepError is the error of a step, which may be degraded once it is known what is used instead.
type stepError struct {
	error
	step *entry
}

func (e *stepError) Unwrap() error { return e.error }

// degrade says what is used instead of the step that failed with err, if one did.
func (t *trace) degrade(instead string, err error) {
	if failed := (*stepError)(nil); errors.As(err, &failed) {
		t.amend(failed.step, func(s *answer.Step) { s.Outcome, s.Fallback = answer.Degraded, instead })
	}
}

// degradeStage says what was used instead in the steps of the running stage that went well.
func (t *trace) degradeStage(stage answer.Stage, instead string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range t.steps {
		if e.Stage == stage && e.stage == t.begun && e.Outcome == answer.OK {
			e.Outcome, e.Fallback = answer.Degraded, instead
		}
	}
}

// ordered returns the steps by stage. Steps of one stage run concurrently and may begin in any order, so
// they are ordered by what they are about.
func (t *trace) ordered() []answer.Step {
	t.mu.Lock()
	defer t.mu.Unlock()
	slices.SortStableFunc(t.steps, func(a, b *entry) int {
		return cmp.Or(
			cmp.Compare(a.stage, b.stage), strings.Compare(a.Detail, b.Detail), strings.Compare(a.Inputs, b.Inputs),
			cmp.Compare(a.Started, b.Started),
		)
	})
	steps := make([]answer.Step, len(t.steps))
	for i, e := range t.steps {
		steps[i] = e.Step
	}
	return steps
}

// timings adds up the stages. Concurrent steps are counted once, from the first beginning to the last end.
func (t *trace) timings() answer.Timings {
	t.mu.Lock()
	defer t.mu.Unlock()
	type interval struct {
		stage    answer.Stage
		from, to time.Duration
	}
	stages := make(map[int]interval)
	for _, e := range t.steps {
		known, met := stages[e.stage]
		if !met {
			known = interval{e.Stage, e.Started, e.Started}
		}
		stages[e.stage] = interval{known.stage, min(known.from, e.Started), max(known.to, e.Started+e.Took)}
	}
	var all answer.Timings
	for _, s := range stages {
		took := s.to - s.from
		switch s.stage {
		case answer.StageRewrite, answer.StageRetrieve, answer.StageRerank:
			all.Retrieve += took
		case answer.StageJudge, answer.StageExplore, answer.StageSolve:
			all.Judge += took
		case answer.StageRead, answer.StageVote:
			all.Read += took
		}
	}
	return all
}

// hashOf returns a short hash of what goes into a step; equal values have equal hashes.
func hashOf(inputs ...any) string {
	h := sha256.New()
	fmt.Fprintf(h, "%#v", inputs)
	return hex.EncodeToString(h.Sum(nil)[:6])
}
