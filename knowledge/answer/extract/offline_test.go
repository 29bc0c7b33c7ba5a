package extract_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/answertest"
	"lacuna/knowledge/answer/extract"
	"lacuna/knowledge/entity"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
)

// covered renders a result as a person would read it.
func covered(r answer.Result) string {
	var b strings.Builder
	b.WriteString(string(r.State))
	if r.Reason != "" {
		b.WriteString(" (" + string(r.Reason) + ")")
	}
	if r.Stored != nil {
		b.WriteString(", asked before on " + r.Stored.Date + ": " + r.Stored.Passage.Question)
	}
	for _, s := range r.Shown() {
		from := r.Citations[s.Citations[0]-1].Passage
		b.WriteString("\n- ")
		if s.Lead != "" {
			b.WriteString("(" + s.Lead + ") ")
		}
		b.WriteString(s.Text + " [" + from.Record + "]")
	}
	return b.String()
}

func TestOffline(t *testing.T) {
	library, _ := answertest.Library(t, answertest.Ward)
	strategy := &extract.Offline{}
	for _, c := range []struct {
		question string
		want     string
	}{
		{
			"What prevents attacks of gout?",
			"answered\n- Allopurinol taken every day prevents attacks of gout. [gout.md]",
		},
		{
			"How is scurvy treated?",
			"answered, asked before on 2024-05-01: How is scurvy treated?\n- Scurvy is treated with vitamin C by mouth. Gums heal in days. [1]",
		},
		{
			"Which film won the prize in 1998?",
			"nothing (off-topic)",
		},
		{
			"Is salbutamol stored in a refrigerator?",
			"nearest\n- Asthma is a narrowing of the airways that comes and goes. Salbutamol opens the airways within minutes. [asthma.md]",
		},
		{"", "nothing (off-topic)"},
		{"?", "nothing (off-topic)"},
	} {
		t.Run(c.question, func(t *testing.T) {
			result, err := strategy.Answer(t.Context(), library, answer.Question{Text: c.question})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, covered(result)); diff != "" {
				t.Error(diff)
			}
			checkResult(t, result)
		})
	}
}

// checkResult holds what must be true of every result.
func checkResult(t testing.TB, r answer.Result) {
	t.Helper()
	if r.State == answer.Answered && r.MissingProbability >= gap.MissingFrom {
		t.Errorf("answered, and missing with probability %v", r.MissingProbability)
	}
	checkQuotes(t, r)
}

// checkQuotes holds what must be true of an unguarded result as well.
func checkQuotes(t testing.TB, r answer.Result) {
	t.Helper()
	if (r.State == answer.Nothing) != (r.Reason != "") || (r.State == answer.Nothing) != (len(r.Shown()) == 0) {
		t.Errorf("state %q, reason %q, %d statements", r.State, r.Reason, len(r.Shown()))
	}
	used := make(map[int]bool)
	for _, s := range r.Shown() {
		used[s.Citations[0]] = true
	}
	for i, c := range r.Citations {
		if c.N != i+1 || !used[c.N] {
			t.Errorf("citation %d has number %d, used %v", i, c.N, used[c.N])
		}
		if c.Passage.Text[c.Span.Start:c.Span.End] != c.Quote {
			t.Errorf("quote %q is not its passage's span", c.Quote)
		}
		if text, err := ingest.Resolve(c.Place()); err != nil || text != c.Quote {
			t.Errorf("quote %q resolves to %q, %v", c.Quote, text, err)
		}
	}
	for _, s := range r.Shown() {
		if len(s.Citations) != 1 || s.Citations[0] < 1 || s.Citations[0] > len(r.Citations) || r.Citations[s.Citations[0]-1].Quote != s.Text {
			t.Errorf("statement %q does not stand on citations %d", s.Text, s.Citations)
		}
	}
	for i, hit := range r.Evidence {
		if hit.Rank != i+1 {
			t.Errorf("evidence %d has rank %d", i, hit.Rank)
		}
	}
	if r.MissingProbability < 0 || r.MissingProbability > 1 {
		t.Errorf("missing probability %v", r.MissingProbability)
	}
}

func TestChangedSourcesAreNotQuoted(t *testing.T) {
	library, folder := answertest.Library(t, answertest.Ward)
	file := filepath.Join(folder, "gout.md")
	changed := strings.ReplaceAll(answertest.Ward["gout.md"], "prevents attacks", "provokes attacks")
	if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	result, err := new(extract.Offline).Answer(t.Context(), library, answer.Question{Text: "What prevents attacks of gout?"})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range result.Shown() {
		if strings.Contains(s.Text, "prevents attacks") {
			t.Errorf("quoted what is gone: %q", s.Text)
		}
	}
	if result.Dropped == 0 {
		t.Error("the quote left out is not counted")
	}
	checkResult(t, result)

	for name := range answertest.Ward {
		if err := os.Remove(filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	result, err = new(extract.Offline).Answer(t.Context(), library, answer.Question{Text: "What prevents attacks of gout?"})
	if err != nil {
		t.Fatal(err)
	}
	if got := covered(result); got != "nothing (tool-failure)" {
		t.Errorf("with the files gone: %s", got)
	}
}

func TestChangesAreSeenByOneStrategy(t *testing.T) {
	library, folder := answertest.Library(t, answertest.Ward)
	strategy := &extract.Offline{}
	ask := func() int {
		result, err := strategy.Answer(t.Context(), library, answer.Question{Text: "What prevents attacks of gout?"})
		if err != nil {
			t.Fatal(err)
		}
		return result.Dropped
	}
	if got := ask() + ask(); got != 0 {
		t.Fatalf("%d quotes dropped before any change", got)
	}
	file := filepath.Join(folder, "gout.md")
	changed := strings.ReplaceAll(answertest.Ward["gout.md"], "prevents attacks", "provokes attacks")
	if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	if ask() == 0 {
		t.Error("a change of the same length was not seen")
	}
}

func TestCompressedSourcesAreChecked(t *testing.T) {
	compress := func(text string) []byte {
		var compressed bytes.Buffer
		w := gzip.NewWriter(&compressed)
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return compressed.Bytes()
	}
	records := `{"id":"a","text":"Gout is an arthritis. Allopurinol prevents attacks of gout."}
{"id":"b","text":"Salbutamol opens the airways."}
`
	file := filepath.Join(t.TempDir(), "kb.jsonl.gz")
	if err := os.WriteFile(file, compress(records), 0o600); err != nil {
		t.Fatal(err)
	}
	read, err := ingest.Read(t.Context(), ingest.DefaultLimits(), []ingest.Source{{Name: "kb", Kind: passage.Text, Path: file}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	library, err := knowledge.Build(t.Context(), ingest.Passages(read), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	strategy := &extract.Offline{}
	question := answer.Question{Text: "What prevents attacks of gout?"}
	for i, c := range []struct{ records, want string }{
		{records, "answered\n- Allopurinol prevents attacks of gout. [a]"},
		{strings.Replace(records, "prevents", "provokes", 1), "nothing (tool-failure)"},
	} {
		if err := os.WriteFile(file, compress(c.records), 0o600); err != nil {
			t.Fatal(err)
		}
		changed := time.Now().Add(time.Duration(i-2) * time.Hour) // long enough ago to be remembered
		if err := os.Chtimes(file, changed, changed); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time from memory
			result, err := strategy.Answer(t.Context(), library, question)
			if err != nil {
				t.Fatal(err)
			}
			if got := covered(result); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			checkResult(t, result)
		}
	}
}

func TestStoredPairsAlone(t *testing.T) {
	library, _ := answertest.Library(t, map[string]string{"history.jsonl": answertest.Ward["history.jsonl"]})
	for question, want := range map[string]string{
		"How is scurvy treated?":          "answered, asked before on 2024-05-01: How is scurvy treated?\n- Scurvy is treated with vitamin C by mouth. Gums heal in days. [1]",
		"How is scurvy prevented at sea?": "nearest\n- Scurvy is treated with vitamin C by mouth. Gums heal in days. [1]\n- Scurvy makes the gums bleed. [2]",
	} {
		result, err := new(extract.Offline).Answer(t.Context(), library, answer.Question{Text: question})
		if err != nil {
			t.Fatal(err)
		}
		if got := covered(result); got != want {
			t.Errorf("%s: %s, want %s", question, got, want)
		}
		checkResult(t, result)
	}
}

func TestFurtherQueriesAreRead(t *testing.T) {
	library, _ := answertest.Library(t, answertest.Ward)
	question := answer.Question{Text: "What helps against podagra?", Queries: []string{"prevent attacks of gout"}}
	result, err := new(extract.Offline).Answer(t.Context(), library, question)
	if err != nil {
		t.Fatal(err)
	}
	if result.State != answer.Answered || result.Citations[0].Passage.Record != "gout.md" {
		t.Errorf("with a further query: %s", covered(result))
	}
	checkResult(t, result)
}

func TestTheJudgeSilences(t *testing.T) {
	library, _ := answertest.Library(t, answertest.Ward)
	missing := gap.Gap{Code: gap.MissingTopic, Text: "Nothing on “gout”", Probability: .95}
	const near = "nearest\n- Allopurinol taken every day prevents attacks of gout. [gout.md]\n" +
		"- Gout is an arthritis caused by crystals of urate in the joints. An attack of gout is treated with colchicine or naproxen. [gout.md]"
	aspect := gap.Gap{Code: gap.MissingAspect, Text: "Nothing on prevention of gout", Probability: .95}
	for _, c := range []struct {
		verdict answertest.Verdict
		want    string
	}{
		{answertest.Verdict{Probability: .95, Topic: .95, Gaps: []gap.Gap{missing}}, near},
		{answertest.Verdict{Probability: .99, Topic: .99, OffTopic: true}, near},
		{answertest.Verdict{Probability: .95, Topic: .1, Aspect: .95, Gaps: []gap.Gap{aspect}}, near},
		{answertest.Verdict{Probability: .6, Topic: .6, Gaps: []gap.Gap{missing}}, near},
		{answertest.Verdict{Probability: .59, Topic: .1, Aspect: .59}, "answered\n- Allopurinol taken every day prevents attacks of gout. [gout.md]"},
		{answertest.Verdict{Probability: .2, Topic: .2}, "answered\n- Allopurinol taken every day prevents attacks of gout. [gout.md]"},
	} {
		strategy := &extract.Offline{Judge: c.verdict}
		result, err := strategy.Answer(t.Context(), library, answer.Question{Text: "What prevents attacks of gout?"})
		if err != nil {
			t.Fatal(err)
		}
		if got := covered(result); got != c.want {
			t.Errorf("%+v: %s, want %s", c.verdict, got, c.want)
		}
		if len(result.Gaps) != len(c.verdict.Gaps) || result.MissingProbability != c.verdict.Probability {
			t.Errorf("%+v: gaps %v, probability %v", c.verdict, result.Gaps, result.MissingProbability)
		}
		checkResult(t, result)
	}
}

func TestUnguardedShowsTheNearest(t *testing.T) {
	library, _ := answertest.Library(t, answertest.Ward)
	strategy := &extract.Offline{NoAbstain: true}
	result, err := strategy.Answer(t.Context(), library, answer.Question{Text: "Is salbutamol stored in a refrigerator?"})
	if err != nil {
		t.Fatal(err)
	}
	if result.State != answer.Answered || result.Citations[0].Passage.Record != "asthma.md" {
		t.Error(covered(result))
	}
	checkQuotes(t, result)
	if result, err = strategy.Answer(t.Context(), library, answer.Question{Text: "北京"}); err != nil || result.State != answer.Nothing {
		t.Errorf("with nothing near: %s, %v", covered(result), err)
	}
}

func TestWithoutSources(t *testing.T) {
	result, err := new(extract.Offline).Answer(t.Context(), new(knowledge.Library), answer.Question{Text: "What is gout?"})
	if err != nil || covered(result) != "nothing (no-sources)" || result.MissingProbability != 1 {
		t.Errorf("%s, missing with probability %v, %v", covered(result), result.MissingProbability, err)
	}
}

func TestCancelledAnswersAreErrors(t *testing.T) {
	library, _ := answertest.Library(t, answertest.Ward)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := new(extract.Offline).Answer(ctx, library, answer.Question{Text: "What is gout?"}); err == nil {
		t.Error("no error")
	}
}

func TestOneStrategyServesManyAtOnce(t *testing.T) {
	library, _ := answertest.Library(t, answertest.Ward)
	strategy := &extract.Offline{}
	ask := func() answer.Result {
		result, err := strategy.Answer(t.Context(), library, answer.Question{Text: "What prevents attacks of gout?"})
		if err != nil {
			t.Error(err)
		}
		return result
	}
	want := ask()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if diff := cmp.Diff(want, ask(), cmpopts.IgnoreFields(answer.Result{}, "Timings"), cmpopts.IgnoreUnexported(entity.Subject{})); diff != "" {
				t.Error(diff)
			}
		})
	}
	group.Wait()
}

// harbour is a small base of facts that stand once each.
var harbour = map[string]string{
	"berth.md":   "# Berths\n\nA harbour berth is let for at most five years. Sheds are for members.\n\n## Payment\n\nThe berth is paid in spring or in autumn.\n",
	"flare.md":   "# Distress flares\n\nThere must be a distress flare on every boat with a cabin.\n\n## Disposal\n\nOld flares are handed to the coast guard.\n",
	"crane.md":   "# Crane\n\nUrgent lifts such as a leaking hull in winter are done within 12 hours. Other lifts are booked.\n",
	"fuel.md":    "# Fuel\n\nDiesel is sold at the east quay. Smoking is forbidden there.\n",
	"mooring.md": "# Mooring\n\nDivers check the mooring chains. The chains are changed by the yard.\n",
	"guests.md":  "# Guests\n\nGuests report to the office before noon. Guests leave by noon.\n",
	"fishing.md": "# Fishing\n\nNets are stowed on the west pier. Crabs are landed on Fridays.\n",
}

// TestASmallBase holds what a base of a few pages owes its reader: a sentence where the judge says
// the sources cover the question, and no certainty about a figure that nothing gives.
func TestASmallBase(t *testing.T) {
	library, _ := answertest.Library(t, harbour)
	strategy := &extract.Offline{Judge: gap.NewJudge()}
	for _, c := range []struct{ question, want string }{
		{
			"How long may a harbour berth be let?",
			"answered\n- A harbour berth is let for at most five years. [berth.md]",
		},
		{
			"Where must distress flares be stowed?",
			"nearest\n- There must be a distress flare on every boat with a cabin. [flare.md]\n- Old flares are handed to the coast guard. [flare.md]",
		},
		{
			"How much is the payment for a berth?",
			"nearest\n- The berth is paid in spring or in autumn. [berth.md]\n- A harbour berth is let for at most five years. Sheds are for members. [berth.md]",
		},
		{
			"What is the capital of France?",
			"nothing (off-topic)",
		},
	} {
		t.Run(c.question, func(t *testing.T) {
			result, err := strategy.Answer(t.Context(), library, answer.Question{Text: c.question})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, covered(result)); diff != "" {
				t.Error(result.MissingProbability, diff)
			}
			checkResult(t, result)
		})
	}
}

// TestWhatSaysTheSubjectIsShown shows places although the judge finds the question far from the sources, as long as
// they say what it is about.
func TestWhatSaysTheSubjectIsShown(t *testing.T) {
	library, _ := answertest.Library(t, answertest.Ward)
	far := answertest.Verdict{Probability: .97, Topic: .97, OffTopic: true}
	for question, want := range map[string]answer.State{
		"Who brings allopurinol to the freelancer?":           answer.Nearest,
		"Whats allopurinl?":                                   answer.Nearest, // a slip of the keyboard
		"My cousin takes allopurinol. Will you take it back?": answer.Nearest,
		"Who won the world cup?":                              answer.Nothing,
	} {
		strategy := &extract.Offline{Judge: far}
		result, err := strategy.Answer(t.Context(), library, answer.Question{Text: question})
		if err != nil {
			t.Fatal(err)
		}
		if result.State != want {
			t.Errorf("%q: %s, want %s", question, covered(result), want)
		}
	}
}

// TestAGapIsSearchedForOnWish has a judge whose gaps a page fills, fills in part or does not know.
func TestAGapIsSearchedForOnWish(t *testing.T) {
	files := map[string]string{"airways.md": "# Salbutamol\n\nSalbutamol opens the airways within minutes.\n"}
	for i := range 12 {
		files[fmt.Sprintf("gout%d.md", i)] = fmt.Sprintf("# Gout %d\n\nAllopurinol number %d prevents attacks of gout in ward %d.\n", i, i, i)
	}
	library, _ := answertest.Library(t, files)
	lacks := func(text, query string) gap.Gap {
		return gap.Gap{ID: "missing-aspect", Code: gap.MissingAspect, Text: text, Query: query, Status: gap.Open, Probability: .95}
	}
	for _, c := range []struct {
		name   string
		rounds int
		gap    gap.Gap
		end    answer.End
		status gap.Status
	}{
		{"off", 1, lacks("salbutamol", "salbutamol airways"), "", gap.Open},
		{"filled", 2, lacks("salbutamol", "salbutamol airways"), answer.EndComplete, gap.Retrieved},
		{"found and not filled", 5, lacks("price of salbutamol in euros", "price of salbutamol in euros"), answer.EndRepeated, gap.Open},
		{"nothing new", 5, lacks("film prize", "film prize 1998"), answer.EndNothingNew, gap.Open},
		{"no query", 5, lacks("film prize", ""), "", gap.Open},
	} {
		t.Run(c.name, func(t *testing.T) {
			judge := answertest.Verdict{Probability: .95, Aspect: .95, Gaps: []gap.Gap{c.gap}}
			result, err := (&extract.Offline{Judge: judge, Rounds: c.rounds}).Answer(t.Context(), library, answer.Question{Text: "What prevents attacks of gout?"})
			if err != nil {
				t.Fatal(err)
			}
			if c.end == "" != (len(result.Rounds) == 0) || c.end != "" && result.Rounds[0].End != c.end {
				t.Errorf("rounds %+v, want the end %q", result.Rounds, c.end)
			}
			if g := result.Gaps[0]; g.Status != c.status || (c.status == gap.Retrieved) != (len(g.Evidence) == 1 && result.MissingProbability == 0) {
				t.Errorf("gap %+v, missing %f", g, result.MissingProbability)
			}
			if judge.Gaps[0].Status != gap.Open {
				t.Error("the judge's verdict was changed")
			}
			checkResult(t, result)
		})
	}
}
