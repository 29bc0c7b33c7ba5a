package answer_test

import (
	"testing"
	"time"

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

// slack is how long a server may take to notice that a reply has been read.
const slack = 10 * time.Millisecond

// depth is how many calls have to be waited for one after the other: the longest chain of calls of
// which each began after the one before had ended.
func depth(calls []llmtest.Call) int {
	longest := make([]int, len(calls))
	most := 0
	for i, call := range calls {
		longest[i] = 1
		for j, before := range calls[:i] {
			if before.Finished.Add(-slack).Before(call.Arrived) {
				longest[i] = max(longest[i], longest[j]+1)
			}
		}
		most = max(most, longest[i])
	}
	return most
}

// together is how many calls of a template were answered at one time at most.
func together(calls []llmtest.Call, template string) int {
	most := 0
	for _, call := range calls {
		running := 0
		for _, other := range calls {
			if other.Template == template && !other.Arrived.After(call.Arrived) && other.Finished.Add(-slack).After(call.Arrived) {
				running++
			}
		}
		most = max(most, running)
	}
	return most
}

// TestIndependentCallsOverlap holds the systems to their longest chain of calls and to what they ask
// at once.
func TestIndependentCallsOverlap(t *testing.T) {
	library, _ := base(t, infirmary)
	for _, c := range []struct {
		system string
		depth  int
		fan    map[string]int
	}{
		{"medrgag", 5, map[string]int{"summarise_doc": 5, "generate_doc": 5}},
		{"cgap", 2, map[string]int{"generate_doc": 5, "answer_choice": 5}},
		{"grg", 2, map[string]int{"generate_doc": 10}},
		{"i-medrag", 9, map[string]int{"answer_context": 3}},
	} {
		bench, server := table(t, patient(playing(), 50*time.Millisecond))
		run(t, bench, c.system, library, choiceQuestion)
		calls := server.Calls()
		if got := depth(calls); got != c.depth {
			t.Errorf("%s: %d calls one after the other, want %d", c.system, got, c.depth)
		}
		for template, want := range c.fan {
			if got := together(calls, template); got != want {
				t.Errorf("%s: at most %d calls of %s at once, want %d", c.system, got, template, want)
			}
		}
	}
}

// BenchmarkMedRGAGBesideItsModels reports the wall time of MedRGAG over the time that its longest
// chain of calls takes by itself.
func BenchmarkMedRGAGBesideItsModels(b *testing.B) {
	const delay = 200 * time.Millisecond
	library, _ := base(b, infirmary)
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
