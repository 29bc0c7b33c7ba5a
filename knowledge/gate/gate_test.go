package gate

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"lacuna/knowledge/gate/fusion"
	"lacuna/prompts"
)

// letters encodes a text by how often each of eight letters occurs in it.
type letters struct{}

func (letters) Dim() int { return 8 }

func (letters) Identity() string { return "letters" }

func (letters) Encode(text string) []float32 {
	v := make([]float32, 8)
	sum := 0.0
	for _, r := range strings.ToLower(text) {
		if r >= 'a' && r <= 'h' {
			v[r-'a']++
		}
	}
	for _, x := range v {
		sum += float64(x * x)
	}
	for i := range v {
		if sum > 0 {
			v[i] /= float32(math.Sqrt(sum))
		}
	}
	return v
}

// item is a past question with the scores of its two answers.
func item(id, text string, closed, retrieved float64) Item {
	return Item{
		Question:  Question{ID: id, Model: "m", Text: text, Closed: &Response{Text: "An answer."}},
		Retrieved: Response{Text: "Another answer."}, Score: [2]float64{closed, retrieved}, Golds: []string{"answer"},
	}
}

func TestShapeOf(t *testing.T) {
	options := func(texts ...string) (all []prompts.Option) {
		for i, text := range texts {
			all = append(all, prompts.Option{Letter: string(rune('A' + i)), Text: text})
		}
		return all
	}
	for _, test := range []struct {
		text    string
		options []prompts.Option
		want    QuestionType
	}{
		{"Is garlic planted in autumn?", nil, YesNo},
		{"When is garlic planted?", nil, OpenEnded},
		{"Which of these is an allium?", options("Garlic", "Rose"), Choice},
		{"Does it help?", options("Yes", "No", "Maybe."), YesNo},
		{"大蒜可以在秋天种吗？", nil, YesNo},
		{"大蒜什么时候种？", nil, OpenEnded},
		{"", nil, OpenEnded},
	} {
		if got := QuestionTypeOf(Question{Text: test.text, Options: test.options}); got != test.want {
			t.Errorf("%s: %s, want %s", test.text, got, test.want)
		}
	}
}

func TestRefuses(t *testing.T) {
	open, choice := Question{Text: "When?"}, Question{Text: "Which?", Options: []prompts.Option{{Letter: "A", Text: "a"}}}
	for _, test := range []struct {
		q    Question
		r    *Response
		want bool
	}{
		{open, nil, true},
		{open, &Response{Text: " "}, true},
		{open, &Response{Text: "In autumn."}, false},
		{open, &Response{Text: "The contexts do not mention it. I cannot answer."}, true},
		{open, &Response{Text: "It is planted in autumn. Cloves go 5 cm deep. The depth for pots is not given."}, false},
		{open, &Response{Text: "根据资料无法回答。"}, true},
		{choice, &Response{Text: "It is not clear, but A.", Choice: "A"}, false},
		{choice, &Response{Text: "None of the above."}, true},
	} {
		if got := Refuses(test.q, test.r); got != test.want {
			t.Errorf("%+v: %v", test.r, got)
		}
	}
}

// TestSKRVotesAgainstTheFrequentLabel: ten questions of which two needed retrieval; the five nearest
// to the new one decide, and ties go against the more frequent label.
func TestSKRVotesAgainstTheFrequentLabel(t *testing.T) {
	for _, test := range []struct {
		better, worse int // of five neighbours that are the whole history, with five more of each kind far away
		want          bool
	}{{0, 5, false}, {1, 4, false}, {2, 3, true}, {5, 0, true}} {
		var history []Item
		for i := range test.better {
			history = append(history, item(fmt.Sprint("b", i), strings.Repeat("a", 9+i)+"b", 0, 1))
		}
		for i := range test.worse {
			history = append(history, item(fmt.Sprint("w", i), strings.Repeat("a", 9+i)+"b", 1, 0))
		}
		for i := range 4 { // far away, and they make worse the frequent label
			history = append(history, item(fmt.Sprint("f", i), "hhhh"+strings.Repeat("g", i), 1, 0))
		}
		p, err := fitSKR(t.Context(), history, letters{}, 1)
		if err != nil {
			t.Fatal(err)
		}
		if d := p.Decide(Question{ID: "new", Text: "aaaaaaaab"}); d.Retrieve != test.want || len(d.Near) != 5 {
			t.Errorf("%d against %d: %v (%s)", test.better, test.worse, d.Retrieve, d.Why)
		}
	}
}

func TestSNCountsNeighboursAndNoticesTheNew(t *testing.T) {
	var history []Item
	for i := range 5 {
		score := [2]float64{0, 1}
		if i > 2 {
			score = [2]float64{1, 0}
		}
		history = append(history, item(fmt.Sprint(i), strings.Repeat("a", 5+i)+"b", score[0], score[1]))
	}
	s, err := fitSN("sn", history, letters{}, .5)
	if err != nil {
		t.Fatal(err)
	}
	if d := s.Decide(Question{Text: "aaaaaab?"}); d.Score != .6 || !d.Retrieve {
		t.Errorf("%+v", d)
	}
	if d := s.Decide(Question{Text: "hhhh"}); d.Score != 1 || d.Why != "no past question is like it" {
		t.Errorf("%+v", d)
	}
	if d := s.Decide(Question{Text: "???"}); d.Score != 1 {
		t.Errorf("%+v", d)
	}
}

func TestAQuestionIsNeverItsOwnNeighbour(t *testing.T) {
	history := []Item{item("1", "abc", 0, 1), item("2", "abc", 1, 0), item("3", "abd", 1, 0), item("1", "abc", 1, 0)}
	p, err := newPast(history, letters{}, func(Item) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	near := p.near(Question{ID: "1", Text: "abc"}, 5)
	if len(near) != 1 || near[0].ID != "3" {
		t.Errorf("neighbours %+v", near)
	}
}

func TestPrior(t *testing.T) {
	var history []Item
	for i := range 40 {
		gain := [2]float64{0, 1}
		text := fmt.Sprintf("Is it %d?", i)
		if i%4 != 0 { // open questions, where retrieval harms
			gain, text = [2]float64{1, 0}, fmt.Sprintf("What is %d?", i)
		}
		for range 4 {
			history = append(history, item(fmt.Sprint(i), text, gain[0], gain[1]))
		}
	}
	learner, err := Find("default", DefaultPrice)
	if err != nil {
		t.Fatal(err)
	}
	fitted, err := learner.Fit(t.Context(), history, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	p := fitted.(fallback)
	closed := &Response{Text: "It is."}
	for _, test := range []struct {
		q    Question
		want bool
		why  string
	}{
		{Question{Model: "m", Text: "Is it so?", Closed: closed}, true, "yesno questions"},
		{Question{Model: "m", Text: "What is it?", Closed: closed}, false, "open questions"},
		{Question{Model: "m", Text: "What is it?"}, true, "no answer of its own"},
		{Question{Model: "another", Text: "What is it?", Closed: closed}, true, "too few past questions"},
	} {
		if d := p.Decide(test.q); d.Retrieve != test.want || !strings.Contains(d.Why, test.why) {
			t.Errorf("%s: %+v", test.q.Text, d)
		}
	}
	if !p.KeepsClosed(Question{Text: "What?", Closed: closed}, Response{Text: "I do not know."}) {
		t.Error("a retrieved answer that refuses replaces an answer")
	}
	if p.KeepsClosed(Question{Text: "What?"}, Response{Text: "I do not know."}) {
		t.Error("a first answer that is none is kept")
	}
}

// TestDecision is equation 7: the literal confidence is never below one half, so that its second case
// cannot be reached; the sound one can.
func TestDecision(t *testing.T) {
	out := fusion.Output{Confidence: [2]float32{.1, .2}, Weight: [2]float32{.3, .7}, Gate: [2]float32{.18, .82}}
	w := mix(out, [2]float64{1, 0})
	thresholds := Thresholds{Prediction: .1, Confidence: .4, Single: .5}
	for _, test := range []struct {
		literal  bool
		retrieve bool
		score    float64
	}{{true, true, .18}, {false, false, 0}} {
		retrieve, score, _ := w.decide(thresholds, test.literal)
		if retrieve != test.retrieve || math.Abs(score-test.score) > 1e-6 {
			t.Errorf("literal %v: %v by %v", test.literal, retrieve, score)
		}
	}
}

func TestEveryLearnerWorksWithoutHistory(t *testing.T) {
	q := Question{ID: "new", Model: "m", Text: "What is a cabbage?", Closed: &Response{Text: "A plant. It is edible."}}
	for _, l := range Learners(DefaultPrice) {
		p, err := l.Fit(t.Context(), nil, letters{}, 1)
		if err != nil {
			t.Errorf("%s: %v", l.Name, err)
			continue
		}
		d := p.Decide(q)
		if want := l.Name != "never" && l.Name != "manual-cot" && l.Name != "refusal"; d.Retrieve != want || d.Policy != l.Name {
			t.Errorf("%s: %+v", l.Name, d)
		}
	}
}

func TestEveryLearnerLearnsTheSameTwice(t *testing.T) {
	var history []Item
	for i := range 160 {
		text := fmt.Sprintf("%s question %d", strings.Repeat(string(rune('a'+i%8)), 1+i%5), i)
		score := [2]float64{float64(i % 2), float64(i / 2 % 2)}
		history = append(history, item(fmt.Sprint(i), text, score[0], score[1]))
	}
	for _, l := range Learners(DefaultPrice) {
		var all [2][]Outcome
		for run := range all {
			var err error
			if all[run], err = Evaluate(t.Context(), l, history, letters{}, 4, 7); err != nil {
				t.Fatalf("%s: %v", l.Name, err)
			}
		}
		for i := range all[0] {
			if a, b := all[0][i].Decision, all[1][i].Decision; a.Retrieve != b.Retrieve || a.Score != b.Score {
				t.Fatalf("%s: item %d decided %v and %v", l.Name, i, a, b)
			}
		}
	}
}

func TestEvaluateEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Evaluate(ctx, Learners(DefaultPrice)[0], []Item{item("1", "a", 0, 1)}, letters{}, 2, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestRead(t *testing.T) {
	for _, test := range []struct{ name, line, want string }{
		{"choice by gold", `{"id":"1","question":"Which?","options":{"A":"x","B":"y"},"closed":"A it is","closed_choice":"A","retrieved":"B","retrieved_choice":"B","gold":"B"}`, "0 1"},
		{"options as a list", `{"qid":"1","question":"Which?","options":["x","y"],"closed":"","retrieved":"","retrieved_choice":"A","gold":["A"]}`, "0 1"},
		{"open, contained", `{"id":"1","question":"Who?","closed":"It was Ada.","retrieved":"Someone else","gold":["Ada"]}`, "1 0"},
		{"scores", `{"id":"1","question":"Who?","closed_score":0.25,"retrieved_score":0.5}`, "0.25 0.5"},
		{"label", `{"id":"1","question":"Who?","label":"ir worse"}`, "1 0"},
		{"question from elsewhere", `{"id":"7","label":"same"}`, "0.5 0.5"},
		{"nothing to judge by", `{"id":"1","question":"Who?"}`, "line 1: neither scores nor gold nor label"},
		{"no question", `{"id":"1","label":"same"}`, "line 1: no question"},
		{"no JSON", `{`, "line 1: unexpected end of JSON input"},
		{"a score that is none", `{"question":"Who?","closed_score":7,"retrieved_score":0}`, "line 1: a score of 7, which is not in 0..1"},
		{"a huge score", `{"question":"Who?","closed_score":1e308,"retrieved_score":-1e308}`, "line 1: a score of 1e+308, which is not in 0..1"},
		{"not a number", `{"question":"Who?","closed_score":NaN,"retrieved_score":0}`, "line 1: invalid character 'N' looking for beginning of value"},
		{"a list for a text", `{"question":["Who?"],"label":"same"}`, "line 1: question: found array"},
		{"no object", `["Who?"]`, "line 1: a row is an object, found array"},
		{"too long", `{"question":"` + strings.Repeat("x", maxRow) + `"}`, "line 1: longer than 4 MB"},
		{"a confidence in percent", `{"question":"Who?","label":"same","closed_confidence":90}`, "line 1: closed_confidence is 90, not in 0..1"},
	} {
		items, err := Read(strings.NewReader(test.line), map[string]Question{"7": {Text: "Why?"}})
		got := ""
		switch {
		case err != nil:
			got = err.Error()
		default:
			got = fmt.Sprint(items[0].Score[0], items[0].Score[1])
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

func TestReadTellsOfACompressedFileThatIsCutOff(t *testing.T) {
	var whole bytes.Buffer
	z := gzip.NewWriter(&whole)
	for i := range 100 {
		fmt.Fprintf(z, "{\"question\":\"Who is %d?\",\"label\":\"same\"}\n", i*i)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := Read(bytes.NewReader(whole.Bytes()[:whole.Len()/2]), nil)
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"id":"1","question":"Which?","options":{"A":"x","B":"y"},"closed":"A","closed_choice":"A","retrieved":"B","gold":"B"}`)
	f.Add(`{"id":"1","question":"Who?","label":"ir worse"}`)
	f.Fuzz(func(t *testing.T, text string) {
		items, err := Read(strings.NewReader(text), nil)
		if err != nil {
			return
		}
		for _, i := range items {
			QuestionTypeOf(i.Question)
			Refuses(i.Question, i.Closed)
		}
	})
}

// TestCostCurve: the items of the higher score come first, items of equal scores in any order.
func TestCostCurve(t *testing.T) {
	outcome := func(score, closed, retrieved float64, kept bool) Outcome {
		return Outcome{Item: item("", "", closed, retrieved), Decision: Decision{Score: score}, KeepsClosed: kept}
	}
	c := CostCurve("p", []Outcome{
		outcome(0, 1, 0, false), outcome(1, 0, 1, false), outcome(0, 0, 1, false), outcome(0, 0, 1, true),
	})
	for hundredth, want := range map[int]float64{0: .25, 25: .5, 50: .5, 100: .5, 10: .35} {
		if got := c.Score[hundredth]; math.Abs(got-want) > 1e-9 {
			t.Errorf("at %d %%: %v, want %v", hundredth, got, want)
		}
	}
	if straight := CostCurve("p", []Outcome{outcome(0, 1, 0, false), outcome(0, 0, 1, false), outcome(0, 0, 1, false)}); math.Abs(straight.Area()) > 1e-9 {
		t.Errorf("without a score the area is %v", straight.Area())
	}
}

func TestTableAndResolution(t *testing.T) {
	items := []Item{item("1", "a", 0, 1), item("2", "b", 1, 0), item("3", "c", 1, 1), item("4", "d", 0, 1)}
	for n := range items {
		items[n].EM, items[n].F1 = [2]float64{0, 1}, [2]float64{.5, 1}
	}
	items[3].Dataset = "other"
	learners := Learners(DefaultPrice)[:2] // never, always
	c, err := Compare(t.Context(), learners, items, letters{}, 2, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := c.Table("never")
	if len(rows) != 6 { // three policies, together and of one data set
		t.Fatalf("%d rows", len(rows))
	}
	always, oracle := rows[1], rows[2]
	if always.Score.Mean != .75 || always.Gain.Mean != .25 || always.Retrieved != 1 || always.F1 != 1 || math.Abs(always.Decision-2./3) > 1e-9 || always.Same != .25 {
		t.Errorf("always: %+v", always)
	}
	if oracle.Score.Mean != 1 || oracle.Retrieved != .5 || oracle.Decision != 1 || !math.IsNaN(oracle.Gain.Mean) {
		t.Errorf("oracle: %+v", oracle)
	}
	if got, want := Resolution(rows[:3]), (always.Gain.High-always.Gain.Low)/2; got != want {
		t.Errorf("resolution %v, want %v", got, want)
	}
	if !math.IsNaN(Resolution(nil)) {
		t.Error("nothing has a resolution")
	}
}
