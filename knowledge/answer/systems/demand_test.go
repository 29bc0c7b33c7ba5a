package systems_test

import (
	"cmp"
	"sync"
	"testing"
	"time"

	"lacuna/knowledge/answer/answertest"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/llm/llmtest"
)

// patient says what base says, after a delay.
func patient(base llmtest.Script, delay time.Duration) llmtest.Script {
	return func(c llmtest.Call) llmtest.Reply {
		reply := base(c)
		reply.Wait = delay
		return reply
	}
}

// wave is how many calls are asked for together, by their templates; [llmtest.Rerank] stands for itself.
type wave map[string]int

// waves answers calls in waves: none of a wave before all of it have come, and none that belongs to a
// later one. So calls that do not wait for each other are told from those that do by what happens, and
// not by how long it takes.
type waves struct {
	t      *testing.T
	mu     sync.Mutex
	coming []wave        // guarded by mu; the first has what is still missing of its calls
	whole  chan struct{} // guarded by mu; closed when the first is whole
}

func newWaves(t *testing.T, expected ...wave) *waves {
	return &waves{t: t, coming: expected, whole: make(chan struct{})}
}

// script says what base says.
func (w *waves) script(base llmtest.Script) llmtest.Script {
	return func(c llmtest.Call) llmtest.Reply {
		select {
		case <-w.arrived(cmp.Or(c.Template, string(c.Kind))):
		case <-time.After(time.Minute):
			w.t.Errorf("%s waits in vain for what is asked together with it", c.Template)
		}
		return base(c)
	}
}

// arrived counts a call and returns what is closed when its wave is whole.
func (w *waves) arrived(name string) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	whole := w.whole
	if len(w.coming) == 0 || w.coming[0][name] == 0 {
		w.t.Errorf("%s is asked while only %v is still expected", name, w.coming)
		return whole
	}
	first := w.coming[0]
	if first[name]--; first[name] == 0 {
		delete(first, name)
	}
	if len(first) == 0 {
		w.coming, w.whole = w.coming[1:], make(chan struct{})
		close(whole)
	}
	return whole
}

// end checks that every wave has come.
func (w *waves) end() {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.coming) > 0 {
		w.t.Errorf("never asked: %v", w.coming)
	}
}

// TestIndependentCallsOverlap holds the systems to their longest chain of calls and to what they ask
// at once.
func TestIndependentCallsOverlap(t *testing.T) {
	library, _ := answertest.Library(t, infirmary)
	asks := func() wave { return wave{"followup_ask": 1} }
	answers := func() wave { return wave{"answer_context": 3} }
	for system, expected := range map[string][]wave{
		"medrgag": {{"summarise_doc": 5}, {"explore_gaps": 1}, {"generate_doc": 5}, {"select_docs": 1}, {"answer_choice": 1}},
		"cgap":    {{"generate_doc": 5}, {"answer_choice": 5}},
		"grg":     {{"generate_doc": 10}, {"answer_choice": 1}},
		"i-medrag": {
			asks(), answers(), asks(), answers(), asks(), answers(), asks(), answers(), {"answer_choice": 1},
		},
	} {
		t.Run(system, func(t *testing.T) {
			calls := newWaves(t, expected...)
			bench, _ := table(t, calls.script(playing()))
			run(t, bench, system, library, choiceQuestion)
			calls.end()
		})
	}
}

// BenchmarkMedRGAGBesideItsModels reports the wall time of MedRGAG over the time that its longest
// chain of calls takes by itself.
func BenchmarkMedRGAGBesideItsModels(b *testing.B) {
	const delay = 200 * time.Millisecond
	library, _ := answertest.Library(b, infirmary)
	for name, c := range map[string]struct {
		depth  int
		change func(*llm.Config)
	}{
		"models":              {5, func(*llm.Config) {}},
		"models and reranker": {6, reranking},
	} {
		b.Run(name, func(b *testing.B) {
			bench, server := table(b, patient(playing(), delay), c.change)
			for b.Loop() {
				server.Forget()
				run(b, bench, "medrgag", library, choiceQuestion)
			}
			waited := time.Duration(b.N*c.depth) * delay
			b.ReportMetric(float64(b.Elapsed())/float64(waited), "of-critical-path")
		})
	}
}
