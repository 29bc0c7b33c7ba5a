package gap

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"lacuna/knowledge"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/question"
)

// text makes a passage of running text; path is "document/section".
func text(path, words string) *passage.Passage {
	title, section, _ := strings.Cut(path, "/")
	p := &passage.Passage{
		ID: passage.IDOf(path + words), Source: "notes", Record: path, Document: title, Kind: passage.Text,
		Format: passage.Plain, Title: title, Section: section, Text: words,
	}
	if section != "" {
		p.Headings = []string{section}
	}
	return p
}

// pair makes a stored question with its answer.
func pair(question, answer string) *passage.Passage {
	return &passage.Passage{
		ID: passage.IDOf(question + answer), Source: "history", Record: question, Document: question, Kind: passage.QA,
		Format: passage.Plain, Text: answer, Question: question,
	}
}

func build(t testing.TB, passages ...*passage.Passage) *knowledge.Library {
	t.Helper()
	library, err := knowledge.Build(context.Background(), passages, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return library
}

func judge(t testing.TB, library *knowledge.Library, question string) Verdict {
	t.Helper()
	v, err := NewJudge().Judge(context.Background(), library, question, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// orchard is a small base on growing fruit.
func orchard() []*passage.Passage {
	return []*passage.Passage{
		text("Apples/Pruning", "Apple trees are pruned in winter while they are dormant. Remove crossing branches first."),
		text("Apples/Pests", "Codling moth caterpillars tunnel into apples in summer. Pheromone traps catch the males."),
		text("Pears/Pruning", "Pear trees are pruned like apple trees, in winter, leaving the fruiting spurs."),
		text("Plums/Pruning", "Plum trees are pruned in summer, because silver leaf disease enters winter wounds."),
		text("Plums/Picking", "Plums ripen over several weeks in late summer and are picked when they come away easily."),
		text("Cherries/Birds", "Birds strip ripening cherries. A net over the tree keeps blackbirds and pigeons away."),
		text("Soil/Feeding", "Fruit trees on poor soil are fed with well rotted compost every spring."),
		pair("How far apart should gooseberry bushes be planted?", "Gooseberry bushes are planted about one and a half metres apart."),
	}
}

func TestJudgeOnASmallBase(t *testing.T) {
	library := build(t, orchard()...)
	for _, c := range []struct {
		question string
		missing  bool
		label    string
	}{
		{"When are apple trees pruned?", false, ""},
		{"Why are plum trees pruned in summer?", false, ""},
		{"How can birds be kept off ripening cherries?", false, ""},
		{"How far apart are gooseberry bushes planted?", false, ""},
		{"What is the best rootstock for quinces?", true, "Nothing on “rootstock for quinces”"},
		{"Which film won the award for best picture in 1998?", true, "Nothing on"},
		{"How are olive trees grafted?", true, "Nothing on “olive trees"},
	} {
		v := judge(t, library, c.question)
		if missing := len(v.Gaps) > 0; missing != c.missing {
			t.Errorf("%q: probability %.2f, gaps %v; want a gap: %v", c.question, v.Probability, v.Gaps, c.missing)
			continue
		}
		if c.missing && !strings.Contains(v.Gaps[0].Text, "Nothing on") {
			t.Errorf("%q: label %q, want %q", c.question, v.Gaps[0].Text, c.label)
		}
	}
	if v := judge(t, library, "Which film won the award for best picture in 1998?"); !v.OffTopic {
		t.Errorf("a question about films is not off topic in an orchard: %+v", v)
	}
	if v := judge(t, library, "When are apple trees pruned?"); v.OffTopic {
		t.Errorf("a question about apple trees is off topic in an orchard: %+v", v)
	}
}

// TestNoPassageMentionsIsTrue makes sure that a word of a stored answer, which is not indexed, is
// not denied.
func TestNoPassageMentionsIsTrue(t *testing.T) {
	library := build(t, append(orchard(), pair("What keeps slugs off strawberries?", "Copper tape and nematodes help."))...)
	for word, want := range map[string]bool{"nematodes": true, "Nematodes": true, "copper": true, "quinces": false, "apples": true} {
		if got := mentions(library, word); got != want {
			t.Errorf("mentions %q: %v, want %v", word, got, want)
		}
	}
}

func TestJudgeWithoutKnowledge(t *testing.T) {
	if v := judge(t, &knowledge.Library{}, "When are apple trees pruned?"); v.Probability != 0 || len(v.Gaps) != 0 {
		t.Errorf("an empty library gives %+v; want nothing said", v)
	}
	library := build(t, orchard()...)
	for _, question := range []string{"", "   ", "???", "the of and"} {
		if v := judge(t, library, question); len(v.Gaps) != 0 {
			t.Errorf("%q gives %+v; want no gap", question, v)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := NewJudge().Judge(ctx, library, "When are apple trees pruned?", nil); err == nil {
		t.Error("a cancelled judgement reports no error")
	}
}

// TestMoreCoverageNeverRaisesTheProbability is the promise of the signs of the weights.
func TestMoreCoverageNeverRaisesTheProbability(t *testing.T) {
	for name, m := range map[string]model{"shipped": shipped, "words": shippedWords} {
		for k := range featureCount {
			last := math.Inf(1)
			for x := 0.0; x <= 1; x += 0.01 {
				f := features{0.3, 0.3, 0.3, 0.3, 0.3}
				f[k] = x
				p := m.probability(f)
				if p > last || p < 0 || p > 1 {
					t.Fatalf("%s: feature %d at %.2f gives %v after %v", name, k, x, p, last)
				}
				last = p
			}
		}
	}
}

func TestCalibrationSurvivesDamage(t *testing.T) {
	learnt := calibration{Text: &model{Bias: 0.5, Weights: features{-1, -1, -1, -1, 0}, Means: features{.1, .2, .3, .4, .5}}}
	blob, err := encode(learnt)
	if err != nil {
		t.Fatal(err)
	}
	if got := decode(blob); got.Text == nil || *got.Text != *learnt.Text {
		t.Fatalf("decoded %+v, want %+v", got.Text, learnt.Text)
	}
	for at := range blob {
		damaged := bytes.Clone(blob)
		damaged[at] ^= 0x15
		if got := decode(damaged); got.Text != nil {
			t.Errorf("byte %d damaged, still decoded", at)
		}
		if got := decode(blob[:at]); got.Text != nil {
			t.Errorf("cut off at %d, still decoded", at)
		}
	}
	learnt.Text.Weights[0] = 0.1
	if blob, err = encode(learnt); err != nil {
		t.Fatal(err)
	}
	if decode(blob).Text != nil {
		t.Error("a model that rises with coverage was accepted")
	}
}

// FuzzJudge checks what every verdict owes its reader, whatever is asked.
func FuzzJudge(f *testing.F) {
	library := build(f, orchard()...)
	for _, seed := range []string{"When are apple trees pruned?", "苹果树什么时候修剪？", "\xff\x00", strings.Repeat("pear ", 300), "what is", "“”"} {
		f.Add(seed)
	}
	judge := NewJudge()
	f.Fuzz(func(t *testing.T, question string) {
		v, err := judge.Judge(context.Background(), library, question, nil)
		if err != nil {
			t.Fatal(err)
		}
		for name, p := range map[string]float64{"probability": v.Probability, "topic": v.Topic, "aspect": v.Aspect} {
			if !(p >= 0 && p <= 1) {
				t.Errorf("%s %v", name, p)
			}
		}
		for _, gap := range v.Gaps {
			if n := utf8.RuneCountInString(gap.Text); n == 0 || n > MaxText || !utf8.ValidString(gap.Text+gap.Query) {
				t.Errorf("label of %d characters: %q | %q", n, gap.Text, gap.Query)
			}
			if len(gap.Nearest) > maxNearest {
				t.Errorf("%d nearest passages", len(gap.Nearest))
			}
		}
	})
}

func ExampleSeverityOf() {
	fmt.Println(SeverityOf(0.5), SeverityOf(0.7), SeverityOf(0.95))
	// Output: 0 1 2
}

func TestJudgeInChinese(t *testing.T) {
	library := build(t, text("打印机/位置", "打印机在三楼，靠近楼梯。"), text("咖啡机/清洗", "咖啡机每周五清洗一次。"), text("会议室/预订", "会议室可以在前台预订。"))
	for question, missing := range map[string]bool{
		"打印机在哪里？": false, "咖啡机什么时候清洗？": false, "糖尿病怎么治疗？": true,
	} {
		if v := judge(t, library, question); len(v.Gaps) > 0 != missing {
			t.Errorf("%s: probability %.2f, gaps %v, want a gap: %v", question, v.Probability, v.Gaps, missing)
		}
	}
}

// TestWordsOfSmallCollections checks what the judge of words measures of single questions.
func TestWordsOfSmallCollections(t *testing.T) {
	rent := &passage.Passage{
		ID: passage.IDOf("rent"), Document: "rent", Kind: passage.Text, Title: "Boats", Section: "Fees",
		Text: "A rowing boat is 12 € an hour. Prices of 2023 were lower.",
	}
	care := &passage.Passage{
		ID: passage.IDOf("care"), Document: "care", Kind: passage.Text, Title: "Boats", Section: "Care",
		Text: "Rinse the hull with clear water. Oars hang on the wall.",
	}
	library := build(t, rent, care)
	for text, want := range map[string]map[int]float64{
		"What does a rowing boat cost?":            {price: 0, headings: 1, names: 1, years: 1},
		"What did a boat cost in 2023?":            {years: 1},
		"What did a boat cost in 2019?":            {years: 0},
		"Can I pay for the boat with PayPal?":      {names: .5, price: 1},
		"Is xylophonium used on the hull?":         {terms: .5, names: 1},
		"What are the side effects of clear water": {headings: 0},
	} {
		q := parseQuestion(text, question.IsClinicalTerm)
		e, err := lookUp(t.Context(), library, passage.Text, q, nil)
		if err != nil {
			t.Fatal(err)
		}
		f := measure(q, e.known(true))
		for k, value := range want {
			if f[k] != value {
				t.Errorf("%q: feature %d is %.2f, want %.2f", text, k, f[k], value)
			}
		}
	}
}
