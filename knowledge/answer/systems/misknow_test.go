package systems_test

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/answertest"
	"lacuna/knowledge/answer/systems"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/llm/llmtest"
	"lacuna/knowledge/passage"
	"lacuna/prompts"
)

// goutQuestion is answered by the ward's page on gout.
var goutQuestion = answer.Question{Text: "How is an attack of gout treated?"}

// misknowIDs returns the systems of the Misknow-RAG paper.
func misknowIDs() []string {
	return slices.DeleteFunc(systems.IDs(), func(id string) bool {
		s, _ := systems.Lookup(id)
		return !strings.HasPrefix(s.Paper, "Reasoning Enhanced")
	})
}

func TestMisknowSystemsAskAndAnswer(t *testing.T) {
	library, _ := answertest.Library(t, answertest.Ward)
	for _, id := range misknowIDs() {
		t.Run(id, func(t *testing.T) {
			server := llmtest.New(t, llmtest.Obliging())
			result := run(t, environment(t, server), id, library, goutQuestion)
			system, _ := systems.Lookup(id)
			if calls := len(server.Calls()); calls > system.Calls {
				t.Errorf("%d calls, %d are allowed", calls, system.Calls)
			}
			golden(t, filepath.Join("misknow", strings.ReplaceAll(id, "/", ",")+".golden"), transcript(server.Calls(), result))
		})
	}
}

// says lets one template say something, and all others what they oblige with.
func says(template, text string) llmtest.Script {
	return llmtest.On(llmtest.Obliging(), template, llmtest.Always(llmtest.Reply{Text: text}))
}

func TestJudgementDecidesTheSecondRound(t *testing.T) {
	files := maps.Clone(answertest.Ward)
	files["diet.md"] = "# Diet\n\nAfter an attack of gout little beer should be drunk.\n"
	library, _ := answertest.Library(t, files)
	for _, c := range []struct {
		name, judgement string
		searches        []string // of the second round
		gaps            []string // with status and probability
		missing         float64
		read            int // passages
	}{
		{
			"nothing is missing", `{"thought":"All is there.","judge":false,"missing_knowledge":[],"query":[]}`,
			nil, nil, 0, 2,
		},
		{
			"what is missing is found", `{"thought":"","judge":"yes","missing_knowledge":["medicine for asthma"],"query":["salbutamol opens airways"]}`,
			[]string{"salbutamol opens airways"}, []string{"medicine for asthma: retrieved 0.90"}, 0, 3,
		},
		{
			"what is missing is not there", `{"judge":true,"missing_knowledge":["price of colchicine tablets"],"query":["price of colchicine tablets in euros"]}`,
			[]string{"price of colchicine tablets in euros"}, []string{"price of colchicine tablets: open 0.90"}, .9, 2,
		},
		{
			"a hint", `{"judge":false,"missing_knowledge":["dose in children"],"query":["colchicine dose children"]}`,
			nil, []string{"dose in children: open 0.50"}, .5, 2,
		},
		{
			"something, but nobody says what", `{"judge":true,"missing_knowledge":[],"query":[]}`,
			[]string{goutQuestion.Text}, nil, 0, 3,
		},
		{
			"more queries than gaps", `{"judge":true,"missing_knowledge":["iron"],"query":["iron and the stools","asthma and the airways"]}`,
			[]string{"asthma and the airways", "iron and the stools"}, []string{"iron: retrieved 0.90"}, 0, 4,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := llmtest.New(t, says("judge_gaps", c.judgement))
			result := run(t, environment(t, server), "misknow/wiki", library, goutQuestion)
			var searches, gaps []string
			for _, s := range result.Trace[1:] {
				if s.Stage == answer.StageRetrieve {
					searches = append(searches, s.Detail)
				}
			}
			for _, g := range result.Gaps {
				gaps = append(gaps, g.Text+": "+string(g.Status)+" "+fixed(g.Probability))
			}
			if diff := cmp.Diff(c.searches, searches); diff != "" {
				t.Errorf("searches:\n%s", diff)
			}
			if diff := cmp.Diff(c.gaps, gaps); diff != "" {
				t.Errorf("gaps:\n%s", diff)
			}
			if result.MissingProbability != c.missing {
				t.Errorf("missing with %f, want %f", result.MissingProbability, c.missing)
			}
			if len(result.Evidence) != c.read {
				t.Errorf("%d passages read, want %d", len(result.Evidence), c.read)
			}
			read := make(map[passage.ID]bool)
			for _, id := range result.Read() {
				if read[id] {
					t.Error("a passage is read twice")
				}
				read[id] = true
			}
		})
	}
}

// TestJudgeThatCannotBeReadLeavesItToTheOfflineJudge: words without sense are no statement about the
// sources, and no failure of the endpoint either.
func TestJudgeThatCannotBeReadLeavesItToTheOfflineJudge(t *testing.T) {
	library, _ := answertest.Library(t, answertest.Ward)
	question := answer.Question{Text: "Which film won the prize in 1998?"}
	server := llmtest.New(t, says("judge_gaps", "I would rather not."))
	result := run(t, environment(t, server), "misknow/merged", library, question)
	offline, err := gap.NewJudge().Judge(t.Context(), library, question.Text, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(offline.Gaps, result.Gaps); diff != "" || len(result.Gaps) == 0 {
		t.Errorf("not the gaps of the offline judge:\n%s", diff)
	}
	step := result.Trace[slices.IndexFunc(result.Trace, func(s answer.Step) bool { return s.Stage == answer.StageJudge })]
	if step.Outcome != answer.Degraded || step.Fallback != "the offline judge" || result.Failure != nil {
		t.Errorf("step %+v, failure %v", step, result.Failure)
	}
	last := server.Calls()[len(server.Calls())-1].User()
	if strings.Contains(last, result.Gaps[0].Text) {
		t.Errorf("the reader is told %q, which may name what is private", result.Gaps[0].Text)
	}
}

// TestMangledJudgement gives the judge's reply in every form that models were seen to write.
func TestMangledJudgement(t *testing.T) {
	library, _ := answertest.Library(t, answertest.Ward)
	good := `{"thought":"The price is not said.","judge":true,"missing_knowledge":["price of colchicine"],"query":["price of colchicine tablets"]}`
	for _, m := range llmtest.Mangle(good) {
		server := llmtest.New(t, says("judge_gaps", m.Text))
		result := run(t, environment(t, server), "misknow/merged", library, goutQuestion)
		named := len(modelGaps(result)) == 1 && result.Gaps[0].Text == "price of colchicine"
		want := answer.Answered
		if named {
			want = answer.Nearest
		}
		if named != m.Readable || result.Failure != nil || result.State != want {
			t.Errorf("%s: %s", m.Name, transcript(nil, result))
		}
	}
}

func TestDraftStandsInForTheAnswer(t *testing.T) {
	library, _ := answertest.Library(t, answertest.Ward)
	final := func(c llmtest.Call) bool { return c.Template == "answer_context" && isFinal(c) }
	server := llmtest.New(t, llmtest.When(llmtest.Obliging(), final, llmtest.Always(llmtest.Reply{Status: 404})))
	result := run(t, environment(t, server), "misknow/wiki", library, goutQuestion)
	var fault *llm.Error
	if result.State != answer.Nearest || len(result.Citations) != 2 || !errors.As(result.Failure, &fault) || fault.Fault != llm.NotFound {
		t.Error(transcript(server.Calls(), result))
	}
	last := result.Trace[len(result.Trace)-1]
	if last.Outcome != answer.Degraded || last.Fallback != "the draft" {
		t.Errorf("%+v", last)
	}
}

// isFinal reports whether a prompt asks for the final answer and not for the draft.
func isFinal(c llmtest.Call) bool { return strings.Contains(c.User(), "Additional knowledge about:") }

func TestRefusalIsNoAnswerAndNoFailure(t *testing.T) {
	library, _ := answertest.Library(t, answertest.Ward)
	for _, text := range []string{
		"I do not know.", "The contexts do not say what it costs.", "无法回答这个问题。", "There is no information on this in the contexts.",
		"I'm sorry, but I cannot answer that from the passages.", "资料中没有提到价格。",
	} {
		server := llmtest.New(t, says("answer_context", text))
		result := run(t, environment(t, server), "misknow/merged", library, goutQuestion)
		if result.State != answer.Nothing || result.Reason != answer.NoTopic || result.Failure != nil || len(result.Citations) > 0 {
			t.Errorf("%s: %s", text, transcript(nil, result))
		}
		server.Script(llmtest.On(says("answer_context", text), "judge_gaps", llmtest.Always(llmtest.Reply{Text: `{"judge":false}`})))
		if result = run(t, environment(t, server), "misknow/merged", library, goutQuestion); result.Reason != answer.Weak {
			t.Errorf("%s: reason %s", text, result.Reason)
		}
	}
}

// TestPrivatePassagesAreNotSent asks for what a private page alone knows.
func TestPrivatePassagesAreNotSent(t *testing.T) {
	files := map[string]string{"secret.md": "---\nlacuna: private\n---\n# Gout of the neighbour\n\nAn attack of gout is treated with the secret herb of my neighbour.\n"}
	maps.Copy(files, answertest.Ward)
	library, _ := answertest.Library(t, files)
	for _, id := range misknowIDs() {
		server := llmtest.New(t, llmtest.Obliging())
		result := run(t, environment(t, server), id, library, goutQuestion)
		for _, call := range server.Calls() {
			if strings.Contains(string(call.Body), "neighbour") {
				t.Errorf("%s sends the private page:\n%s", id, call.Body)
			}
		}
		for _, hit := range result.Evidence {
			if hit.Passage.Private {
				t.Errorf("%s has read a private page", id)
			}
		}
	}
}

func TestQuestionInChinese(t *testing.T) {
	library, _ := answertest.Library(t, map[string]string{
		"痛风.md": "# 痛风\n\n痛风急性发作时可用秋水仙碱治疗。首次剂量为1毫克。\n\n## 预防\n\n别嘌醇每天服用一次，可以预防痛风发作。\n",
		"哮喘.md": "# 哮喘\n\n沙丁胺醇可在几分钟内扩张气道。\n",
	})
	script := llmtest.On(llmtest.Obliging(), "answer_context", llmtest.Always(llmtest.Reply{
		Text: "痛风急性发作时可用秋水仙碱治疗【1】。首次剂量为2毫克【1】。别嘌醇每天一次，可预防发作。[2]",
	}))
	script = llmtest.On(script, "judge_gaps", llmtest.Always(llmtest.Reply{
		Text: "{“thought”：“缺少儿童用量。”，“judge”：“是”，“missing_knowledge”：[“儿童用药剂量”]，“query”：[“秋水仙碱 儿童 剂量”]}",
	}))
	server := llmtest.New(t, script)
	result := run(t, environment(t, server), "misknow/merged", library, answer.Question{Text: "痛风急性发作如何治疗？"})
	golden(t, filepath.Join("misknow", "chinese.golden"), transcript(server.Calls(), result))
}

func TestOptionsOfTheEnvironment(t *testing.T) {
	library, _ := answertest.Library(t, answertest.Ward)
	server := llmtest.New(t, llmtest.Obliging())
	b := environment(t, server)
	b.Options = systems.Options{K: 2, Language: "German"}
	result := run(t, b, "misknow/wiki", library, goutQuestion)
	if len(result.Evidence) != 2 {
		t.Errorf("%d passages read, want 2", len(result.Evidence))
	}
	for _, call := range server.Calls() {
		if call.Template == "answer_context" && !strings.Contains(call.User(), "German") {
			t.Errorf("the language is not asked for:\n%s", call.User())
		}
	}
	b.Options = systems.Options{Budget: 1}
	result = run(t, b, "misknow/wiki", library, goutQuestion)
	var fault *llm.Error
	if !errors.As(result.Failure, &fault) || fault.Fault != llm.OverBudget || len(server.Calls()) != 4 || len(result.Citations) == 0 {
		t.Errorf("over budget after the draft: %s", transcript(server.Calls(), result))
	}
}

func TestQuestionWithOptions(t *testing.T) {
	library, _ := answertest.Library(t, answertest.Ward)
	question := answer.Question{
		Text: "Which drug treats an attack of gout?", Options: []prompts.Option{{Letter: "A", Text: "Colchicine"}, {Letter: "B", Text: "Salbutamol"}},
	}
	for _, id := range []string{"std-rag/merged", "misknow/merged", "direct", "cot"} {
		script := llmtest.On(llmtest.Obliging(), "answer_direct", llmtest.Always(llmtest.Reply{Text: "A. Colchicine"}))
		script = llmtest.On(script, "answer_cot", llmtest.Always(llmtest.Reply{Text: "It is an anti-inflammatory.\nAnswer: A. Colchicine"}))
		if result := run(t, environment(t, llmtest.New(t, script)), id, library, question); result.Choice != "A" {
			t.Errorf("%s: choice %q", id, result.Choice)
		}
	}
}

func TestEmptyLibraryIsNotAsked(t *testing.T) {
	library, _ := answertest.Library(t, nil)
	server := llmtest.New(t, llmtest.Obliging())
	for _, id := range misknowIDs() {
		result := run(t, environment(t, server), id, library, goutQuestion)
		if result.Reason != answer.NoSources || len(server.Calls()) > 0 {
			t.Errorf("%s: reason %s, %d calls", id, result.Reason, len(server.Calls()))
		}
	}
}

func TestProgressIsInOrder(t *testing.T) {
	library, _ := answertest.Library(t, answertest.Ward)
	b := environment(t, llmtest.New(t, llmtest.Obliging()))
	var told []answer.Progress
	b.Watch = func(p answer.Progress) { told = append(told, p) }
	result := run(t, b, "misknow/merged", library, goutQuestion)
	var stages []answer.Stage
	var evidence, gaps, text int
	done := 0
	for i, p := range told {
		if p.Done < done || p.Done >= p.Total || p.Total != 5 {
			t.Errorf("%d of %d after %d", p.Done, p.Total, done)
		}
		if done = p.Done; p.Known == nil && p.Text == "" {
			stages = append(stages, p.Stage)
		}
		if p.Known != nil && len(p.Known.Evidence) > 0 && evidence == 0 {
			evidence = i
		}
		if p.Known != nil && len(p.Known.Gaps) > 0 && gaps == 0 {
			gaps = i
		}
		if p.Text != "" && text == 0 {
			text = i
		}
	}
	want := []answer.Stage{answer.StageRetrieve, answer.StageDraft, answer.StageJudge, answer.StageRetrieve, answer.StageRead}
	if diff := cmp.Diff(want, stages); diff != "" {
		t.Error(diff)
	}
	if !(0 < evidence && evidence < gaps && gaps < text) {
		t.Errorf("evidence is told at %d, gaps at %d, text at %d", evidence, gaps, text)
	}
	if last := told[len(told)-1]; !strings.HasPrefix(result.Statements[0].Text+" "+result.Statements[1].Text, strings.TrimRight(last.Text, ".")) || strings.Contains(last.Text, "[") {
		t.Errorf("told %q of %v", last.Text, result.Statements)
	}
}

func TestCancelledMisknowEndsItsCall(t *testing.T) {
	library, _ := answertest.Library(t, answertest.Ward)
	for _, template := range []string{"answer_context", "judge_gaps"} {
		ctx, cancel := context.WithCancel(t.Context())
		server := llmtest.New(t, llmtest.On(llmtest.Obliging(), template, func(llmtest.Call) llmtest.Reply {
			cancel()
			return llmtest.Named("silent").Break(llmtest.Reply{})
		}))
		strategy, err := environment(t, server).Strategy("misknow/merged")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := strategy.Answer(ctx, library, goutQuestion); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", template, err)
		}
		ended(server)
	}
}

// TestFaultsOfMisknow breaks every stage in every way.
func TestFaultsOfMisknow(t *testing.T) {
	library, _ := answertest.Library(t, answertest.Ward)
	missed := modelGaps(run(t, environment(t, llmtest.New(t, llmtest.Obliging())), "misknow/merged", library, goutQuestion))
	if len(missed) == 0 {
		t.Fatal("without a fault the judge names nothing")
	}
	stages := []struct {
		stage answer.Stage
		is    func(llmtest.Call) bool
	}{
		{answer.StageDraft, func(c llmtest.Call) bool { return c.Template == "answer_context" && !isFinal(c) }},
		{answer.StageJudge, func(c llmtest.Call) bool { return c.Template == "judge_gaps" }},
		{answer.StageRead, isFinal},
	}
	var running sync.WaitGroup
	room := make(chan struct{}, 16)
	for _, fault := range llmtest.Faults() {
		timeout := 5 * time.Minute
		if fault.Hangs {
			timeout = 15 * time.Second // the role has other calls as well, which must not be late on a busy machine
		}
		for _, broken := range stages {
			server := llmtest.New(t, llmtest.When(llmtest.Obliging(), broken.is, llmtest.Break(llmtest.Obliging(), fault)))
			b := environment(t, server, within(timeout, llm.Reader), within(timeout, llm.Reasoner))
			strategy, err := b.Strategy("misknow/merged")
			if err != nil {
				t.Fatal(err)
			}
			running.Go(func() {
				room <- struct{}{}
				defer func() { <-room }()
				where := string(broken.stage) + ", " + fault.Name
				result, err := strategy.Answer(t.Context(), library, goutQuestion)
				if err != nil {
					t.Errorf("%s: %v", where, err)
					return
				}
				checkReasoned(t, result)
				checkMisknowFault(t, where, broken.stage, missed, result)
				if fault.Lasting && result.Failure == nil {
					t.Errorf("%s: nothing is said of the failure", where)
				}
				b.Model.Close()
				ended(server)
			})
		}
	}
	running.Wait()
}

// checkMisknowFault holds what must be true of a result of which one stage may have failed.
func checkMisknowFault(t *testing.T, where string, stage answer.Stage, missed []string, r answer.Result) {
	t.Helper()
	failed := false
	for _, s := range r.Trace {
		bad := s.Outcome != answer.OK
		failed = failed || bad
		if bad && s.Stage != stage {
			t.Errorf("%s: %s is %s: %v", where, s.Stage, s.Outcome, s.Err)
		}
	}
	var fault *llm.Error
	if failed != (r.Failure != nil) || failed && !errors.As(r.Failure, &fault) {
		t.Errorf("%s: failed %t, and yet %v", where, failed, r.Failure)
	}
	gaps := modelGaps(r)
	if failed && stage == answer.StageJudge && len(r.Gaps) > 0 {
		t.Errorf("%s: nobody judged, and yet %v is missing", where, r.Gaps)
	}
	for _, id := range gaps {
		if !slices.Contains(missed, id) {
			t.Errorf("%s: the gap %s is new", where, id)
		}
	}
	want := answer.Answered
	if len(r.Gaps) > 0 {
		want = answer.Nearest
	}
	if r.State != want || len(r.Evidence) == 0 {
		t.Errorf("%s: state %s from %d passages", where, r.State, len(r.Evidence))
	}
	if r.System == answer.OfflineID && (!failed || stage != answer.StageDraft) {
		t.Errorf("%s: answered offline", where)
	}
}

// TestRoundsGoOnUntilNothingIsMissingOrNew has judges that are never satisfied, and one that is.
func TestRoundsGoOnUntilNothingIsMissingOrNew(t *testing.T) {
	library, _ := answertest.Library(t, answertest.Ward)
	lacks := func(gap, query string) llmtest.Reply {
		return llmtest.Reply{Text: `{"thought":"Not all.","judge":true,"missing_knowledge":["` + gap + `"],"query":["` + query + `"]}`}
	}
	enough := llmtest.Reply{Text: `{"thought":"All is there.","judge":false,"missing_knowledge":[],"query":[]}`}
	asthma, iron := lacks("medicine for asthma", "salbutamol opens airways"), lacks("iron", "iron and the stools")
	scurvy, price := lacks("gums in scurvy", "gums scurvy vitamin C"), lacks("price of colchicine", "price of colchicine in euros")
	for _, c := range []struct {
		name   string
		rounds int
		judge  llmtest.Script
		calls  int
		ends   []answer.End
		gaps   []string
	}{
		{"one round by default", 0, llmtest.InTurn(asthma, iron, enough), 3, nil, []string{"medicine for asthma: retrieved 0.90"}},
		{"until nothing is missing", 5, llmtest.InTurn(asthma, iron, enough), 5, []answer.End{"", "", answer.EndComplete},
			[]string{"iron: retrieved 0.90", "medicine for asthma: retrieved 0.90"}},
		{"the same again", 5, llmtest.Always(asthma), 4, []answer.End{"", answer.EndRepeated}, []string{"medicine for asthma: retrieved 0.90"}},
		{"nothing new", 5, llmtest.Always(price), 3, []answer.End{answer.EndNothingNew}, []string{"price of colchicine: open 0.90"}},
		{"a limit", 2, llmtest.InTurn(asthma, iron, scurvy, price), 4, []answer.End{"", answer.EndLimit},
			[]string{"iron: retrieved 0.90", "medicine for asthma: retrieved 0.90"}},
		{"never satisfied", 5, llmtest.InTurn(asthma, iron, scurvy, price, lacks("film", "film prize 1998"), lacks("more", "more")), 7, nil, nil},
		{"a judge that fails", 3, llmtest.InTurn(asthma, llmtest.Reply{Status: 500}), 4, []answer.End{"", answer.EndFailed}, []string{"medicine for asthma: retrieved 0.90"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := llmtest.New(t, llmtest.On(llmtest.Obliging(), "judge_gaps", c.judge))
			e := environment(t, server)
			e.Options.Rounds = c.rounds
			result := run(t, e, "misknow/merged", library, goutQuestion)
			system, _ := systems.Lookup("misknow/merged")
			if calls := len(server.Calls()); calls > system.MostCalls(c.rounds) && c.name != "a judge that fails" {
				t.Errorf("%d calls, %d are allowed", calls, system.MostCalls(c.rounds))
			}
			var ends []answer.End
			seen := make(map[passage.ID]bool)
			for i, r := range result.Rounds {
				ends = append(ends, r.End)
				for _, id := range r.Found {
					if seen[id] {
						t.Errorf("round %d found a passage again", i+1)
					}
					seen[id] = true
				}
			}
			if n := len(ends); c.rounds > 1 && (n == 0 || n > c.rounds || ends[n-1] == "") {
				t.Errorf("the rounds ended with %q", ends)
			}
			var gaps []string
			for _, g := range result.Gaps {
				gaps = append(gaps, g.Text+": "+string(g.Status)+" "+fixed(g.Probability))
			}
			if c.ends != nil && !slices.Equal(c.ends, ends) || c.gaps != nil && !slices.Equal(c.gaps, gaps) {
				t.Errorf("rounds ended with %q, want %q; gaps %q, want %q", ends, c.ends, gaps, c.gaps)
			}
			if c.ends != nil && len(server.Calls()) < c.calls {
				t.Errorf("%d calls, want %d", len(server.Calls()), c.calls)
			}
			if len(result.Read()) != len(slices.Compact(slices.SortedFunc(slices.Values(result.Read()), func(a, b passage.ID) int { return strings.Compare(a.String(), b.String()) }))) {
				t.Error("a passage is read twice")
			}
		})
	}
}
