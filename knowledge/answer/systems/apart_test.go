package systems_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/answertest"
	"lacuna/knowledge/answer/systems"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/llm/llmtest"
	"lacuna/knowledge/passage"
)

// hospital is a base on which every system has something to do: an encoder over pages and one over
// stored questions, pages in two files for each of five subjects, and stored questions on the subject that is asked about.
func hospital(t testing.TB) *knowledge.Library {
	t.Helper()
	files := maps.Clone(infirmary)
	files["letters.jsonl"] = clinicLetters()
	files["diet.md"] = "# Diet\n\nAfter an attack of gout little beer is drunk. Purines raise urate.\n"
	files["joints.md"] = "# Joints\n\nA swollen joint is cooled. Naproxen treats the pain of an attack of gout.\n"
	files["kidney.md"] = "# Kidney\n\nColchicine is given in a lower dose where the kidneys fail. Gout is common then.\n"
	files["relapse.md"] = "# Relapse\n\nThe limits of colchicine in an attack of gout are diarrhoea and vomiting.\n"
	files["steroids.md"] = "# Steroids\n\nPrednisolone treats an attack of gout where colchicine is not tolerated.\n"
	files["asked.jsonl"] = `{"id":"a1","question":"Which medicine treats an attack of gout at night?","answer":"Naproxen treats an attack of gout at night."}
{"id":"a2","question":"Which medicine for gout has limits in children?","answer":"Colchicine is not given to children with gout."}
{"id":"a3","question":"How long does an attack of gout last?","answer":"An attack of gout lasts a week."}
{"id":"a4","question":"Is ice good for an attack of gout?","answer":"Ice lowers the pain of an attack of gout."}
`
	var wards strings.Builder
	for i := range 120 {
		subjects := strings.Fields("iron asthma gout scurvy rickets fever cough pain sleep diet")
		fmt.Fprintf(&wards, "# Bed %d\n\nBed %d holds somebody with %s and %s who walks %d steps a day.\n\n", i, i, subjects[i%10], subjects[i/10%10], i)
	}
	files["wards.md"] = wards.String()
	library, _ := answertest.Library(t, files)
	for _, kind := range []passage.Kind{passage.Text, passage.QA} {
		if library.Collection(kind).Encoder() == nil {
			t.Fatalf("there is no encoder for %s", kind)
		}
	}
	return library
}

// selectors name a reranker for each of the selections that need one; its scores differ by name.
var selectors = map[string]string{"bge": "bge-reranker", "medcpt": "medcpt-cross-encoder"}

// scoringByName plays all models and rerankers: what a reranker likes depends on its name.
func scoringByName() llmtest.Script {
	return llmtest.When(reasoningAside(), ranks, func(c llmtest.Call) llmtest.Reply {
		reply := llmtest.Reply{Scores: make([]float64, len(c.Documents))}
		for i, document := range c.Documents {
			h := 0
			for _, b := range []byte(c.Model + document) {
				h = (h*31 + int(b)) % 997
			}
			reply.Scores[i] = float64(h) / 1000
		}
		return reply
	})
}

// reasoningAside plays a model that asks on and is sure of nothing.
func reasoningAside() llmtest.Script {
	script := llmtest.On(playing(), "decompose", llmtest.Always(llmtest.Reply{
		Text: `{"analysis":"","queries":["What lowers urate?","What opens the airways?"]}`,
	}))
	return llmtest.On(script, "confidence", llmtest.Always(llmtest.Reply{Text: `{"confidence": 55}`}))
}

// sent is all that a system sent to models for a question, whatever the order in which calls that run
// at once arrived.
func sent(calls []llmtest.Call) string {
	var all []string
	for _, c := range calls {
		if c.Kind != llmtest.Chat {
			continue
		}
		var b strings.Builder
		fmt.Fprintf(&b, "%s\n", c.Template)
		for _, m := range c.Messages {
			fmt.Fprintf(&b, "%s: %s\n", m.Role, m.Content)
		}
		all = append(all, b.String())
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// sameByName holds systems that send a model the same prompts for a kind of question, with the reason.
var sameByName = []struct{ systems, kind, why string }{
	{"direct direct-response", "open", "DirectGen and Direct Response are one baseline of two papers; their prompts differ where there are options"},
}

// TestNoTwoSystemsAskTheSame runs every system on a base on which all of them have something to do. Two
// that send the same prompts are one system under two names, unless a reason is written down. Systems
// behind a gate send what manual-cot or manual-cot-ir sends, or both; they differ in what they decide.
func TestNoTwoSystemsAskTheSame(t *testing.T) {
	library := hospital(t)
	for kind, question := range map[string]answer.Question{"options": choiceQuestion, "open": goutQuestion} {
		bySent := make(map[string][]string)
		for _, s := range systems.All() {
			if !s.Models || s.Gate != "" {
				continue
			}
			bench, server := table(t, scoringByName(), reranking)
			bench.Options.Selectors = selectors
			result := run(t, bench, s.ID, library, question)
			prompts := sent(server.Calls())
			bySent[prompts] = append(bySent[prompts], s.ID)
			if len(result.Lacks) > 0 && (s.ID != "medgenie" || kind != "open") {
				t.Errorf("%s, %s: does without %v", s.ID, kind, result.Lacks)
			}
		}
		for _, same := range bySent {
			names := strings.Join(same, " ")
			if len(same) > 1 && !slices.ContainsFunc(sameByName, func(s struct{ systems, kind, why string }) bool {
				return s.systems == names && s.kind == kind
			}) {
				t.Errorf("%s: %s send the same prompts", kind, names)
			}
		}
	}
}

// TestWhatDefinesASystemIsNoSetting runs the systems whose retriever is fixed under every setting of it.
func TestWhatDefinesASystemIsNoSetting(t *testing.T) {
	library := hospital(t)
	for system, want := range map[string][]string{"vanilla-rag": {"bm25"}, "medrag": {"bm25", "dense"}, "i-medrag": {"bm25", "dense"}} {
		read := make(map[string]bool)
		for _, setting := range []knowledge.Retriever{"", knowledge.Hybrid, knowledge.BM25, knowledge.Dense} {
			bench, server := table(t, scoringByName(), reranking)
			bench.Options.Retriever, bench.Options.Reranked = setting, 32
			result := run(t, bench, system, library, goutQuestion)
			for _, s := range result.Trace {
				if s.Stage != answer.StageRetrieve {
					continue
				}
				if !slices.ContainsFunc(want, func(by string) bool { return strings.HasSuffix(s.Detail, " by "+by) }) {
					t.Errorf("%s searches %q where the setting is %q", system, s.Detail, setting)
				}
			}
			if n := len(queriesRanked(server.Calls())); n > 0 {
				t.Errorf("%s has %d queries reranked", system, n)
			}
			read[fmt.Sprint(result.Read())] = true
		}
		if len(read) != 1 {
			t.Errorf("%s reads %d different sets of passages", system, len(read))
		}
	}
}

// TestWhatASystemDoesWithoutIsTold has each system in want of something, and holds that the answer and
// the trace say so.
func TestWhatASystemDoesWithoutIsTold(t *testing.T) {
	full := hospital(t)
	small, _ := answertest.Library(t, infirmary)
	pages, _ := answertest.Library(t, map[string]string{"gout.md": answertest.Ward["gout.md"], "asthma.md": answertest.Ward["asthma.md"]})
	named := func(b *systems.Environment) { b.Options.Selectors = selectors }
	for _, c := range []struct {
		name, system string
		library      *knowledge.Library
		question     answer.Question
		rerank       bool
		change       func(*systems.Environment)
		want         []answer.Lack
		instead      string // in the trace
	}{
		{"a reranker of the name", "medrgag/bge", full, choiceQuestion, true, named, nil, ""},
		{"no name for it", "medrgag/bge", full, choiceQuestion, true, nil, []answer.Lack{answer.NoSelector}, "rerank: the configured reranker"},
		{"a name, but no reranker", "medrgag/medcpt", full, choiceQuestion, false, named, []answer.Lack{answer.NoSelector}, "rerank: the signals of the search"},
		{"no name is needed", "medrgag/no-kads", full, choiceQuestion, false, nil, nil, ""},
		{"past questions", "genread", full, choiceQuestion, false, nil, nil, ""},
		{"too few past questions", "genread", small, choiceQuestion, false, nil, []answer.Lack{answer.NoExamples}, "generate: a sample without examples"},
		{"two views", "medgenie", small, choiceQuestion, false, nil, nil, ""},
		{"one view", "medgenie", small, goutQuestion, false, nil, []answer.Lack{answer.NoOptions}, "generate: a sample of the one view"},
		{"an encoder", "medrag", full, choiceQuestion, false, nil, nil, ""},
		{"no encoder", "medrag", small, choiceQuestion, false, nil, []answer.Lack{answer.NoEncoder}, ""},
		{"no encoder for the setting", "std-rag/wiki", small, goutQuestion, false, func(b *systems.Environment) { b.Options.Retriever = knowledge.Dense }, []answer.Lack{answer.NoEncoder}, ""},
		{"stored questions where there are none", "std-rag/qa", pages, goutQuestion, false, nil, []answer.Lack{answer.NoEvidence}, ""},
		{"the same with options", "std-rag/qa", pages, choiceQuestion, false, nil, []answer.Lack{answer.NoEvidence}, ""},
		{"a system that does not search", "direct", pages, goutQuestion, false, nil, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var changes []func(*llm.Config)
			if c.rerank {
				changes = append(changes, reranking)
			}
			bench, _ := table(t, scoringByName(), changes...)
			if c.change != nil {
				c.change(bench)
			}
			result := run(t, bench, c.system, c.library, c.question)
			if !slices.Equal(result.Lacks, c.want) {
				t.Errorf("does without %v, want %v", result.Lacks, c.want)
			}
			var told []string
			for _, s := range result.Trace {
				if s.Outcome == answer.Degraded {
					told = append(told, string(s.Stage)+": "+s.Fallback)
				}
			}
			if got := strings.Join(slices.Compact(told), ", "); got != c.instead {
				t.Errorf("the trace says %q, want %q", got, c.instead)
			}
		})
	}
}
