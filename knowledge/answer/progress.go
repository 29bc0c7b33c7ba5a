package answer

import (
	"slices"
	"strings"

	"lacuna/knowledge/gap"
)

// Progress is what a person who waits may be told.
type Progress struct {
	Stage       Stage
	Done, Total int    // stages ended, of those that the system will run as far as is known
	Text        string // of the answer, as far as it is written; empty before
	// Known holds the evidence and the gaps found so far, and nothing that needs an answer. Nil when
	// there is nothing new.
	Known *Result
}

// begin says that a stage begins.
func (r *run) begin(stage Stage) {
	r.mu.Lock()
	p := Progress{Stage: stage, Done: r.begun, Total: max(r.system.stages, r.begun+1)}
	r.begun++
	r.mu.Unlock()
	r.tell(p)
}

// show makes evidence and gaps known before there is an answer. Nil leaves what is known.
func (r *run) show(evidence []Evidence, gaps []gap.Gap) {
	r.mu.Lock()
	if evidence != nil {
		r.result.Evidence = hits(evidence)
	}
	if gaps != nil {
		r.result.Gaps = gaps
	}
	known := Result{
		Question: r.question, System: r.system.ID, State: Nothing,
		Evidence: r.result.Evidence, Gaps: slices.Clone(r.result.Gaps),
	}
	p := Progress{Done: max(0, r.begun-1), Total: max(r.system.stages, r.begun), Known: &known}
	if n := len(r.trace); n > 0 {
		p.Stage = r.trace[n-1].Stage
	}
	r.mu.Unlock()
	r.tell(p)
}

// tell passes on progress.
func (r *run) tell(p Progress) {
	if r.Watch == nil {
		return
	}
	r.telling.Lock()
	defer r.telling.Unlock()
	r.Watch(p)
}

// shownEvery is by how many bytes an answer grows before it is shown again.
const shownEvery = 32

// stream shows an answer while it is written, as plain text and without its marks, which mean nothing
// to a person. What could still become markup is held back.
func (r *run) stream() func(delta string) {
	if r.Watch == nil {
		return nil
	}
	var written strings.Builder
	shown := 0
	return func(delta string) {
		written.WriteString(delta)
		if written.Len() < shown+shownEvery {
			return
		}
		shown = written.Len()
		if text := worded(settledPart(written.String())); text != "" {
			r.mu.Lock()
			p := Progress{Stage: StageRead, Done: r.begun - 1, Total: max(r.system.stages, r.begun), Text: text}
			r.mu.Unlock()
			r.tell(p)
		}
	}
}

// settledPart is a text up to its last word or bracket that is not closed yet.
func settledPart(text string) string {
	if at := strings.LastIndexAny(text, " \n"); at >= 0 {
		text = text[:at]
	}
	for _, pair := range []struct{ open, shut string }{{"[", "]"}, {"【", "】"}, {"<", ">"}, {"](", ")"}} {
		if at := strings.LastIndex(text, pair.open); at >= 0 && !strings.Contains(text[at:], pair.shut) {
			text = text[:at]
		}
	}
	return text
}
