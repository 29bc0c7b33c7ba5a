package systems_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/extract"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
)

// storedPair is a row of MedQuAD.
type storedPair struct {
	ID       string   `json:"id"`
	Question string   `json:"question"`
	Answer   string   `json:"answer"`
	Focus    string   `json:"focus"`
	Kind     string   `json:"qtype"`
	Synonyms []string `json:"synonyms,omitempty"`
}

// otherTemplates holds ways people ask for a kind of answer that differ from MedQuAD's own.
var otherTemplates = map[string][]string{
	"information":     {"Can you explain %s?", "Define %s"},
	"symptoms":        {"What are the signs of %s?", "How does %s show itself?"},
	"treatment":       {"How is %s treated?", "What therapy is there for %s?"},
	"inheritance":     {"Does %s run in families?", "Can I inherit %s?"},
	"frequency":       {"How common is %s?", "How rare is %s?"},
	"genetic changes": {"Which gene is involved in %s?", "Which mutations lead to %s?"},
	"causes":          {"Why does one get %s?", "What is the cause of %s?"},
	"exams and tests": {"Which tests find %s?", "How is %s diagnosed?"},
	"outlook":         {"What is the prognosis of %s?", "How long do people live with %s?"},
	"susceptibility":  {"Who gets %s?", "What are the risk factors of %s?"},
	"prevention":      {"How can %s be prevented?", "How do I avoid %s?"},
	"complications":   {"Which problems can %s lead to?"},
}

// TestMeasureAskedBefore asks MedQuAD's questions again in other words, and nearly in the same. Of
// the pairs drawn, a third stay in the base, a third lose all pairs of their kind on the topic, and
// a third lose the topic.
func TestMeasureAskedBefore(t *testing.T) {
	pairs := rows[storedPair](t, "kb/medquad.jsonl.gz")
	random := rand.New(rand.NewPCG(7, 7))
	fate := make(map[int]int) // of a drawn pair: 0 stays, 1 loses its kind, 2 loses its topic
	met := make(map[string]bool)
	var drawn []int
	for _, i := range random.Perm(len(pairs)) {
		p := pairs[i]
		if otherTemplates[p.Kind] == nil || p.Focus == "" || met[topicKey(p.Focus)] {
			continue
		}
		met[topicKey(p.Focus)] = true // one question a topic
		fate[i] = len(drawn) % 3
		if drawn = append(drawn, i); len(drawn) == 900 {
			break
		}
	}
	gone := make(map[string]bool)
	for _, i := range drawn {
		switch fate[i] {
		case 1:
			gone[topicKey(pairs[i].Focus)+"\n"+pairs[i].Kind] = true
		case 2:
			gone[topicKey(pairs[i].Focus)] = true
		}
	}
	var kept []storedPair
	for _, p := range pairs {
		if key := topicKey(p.Focus); !gone[key] && !gone[key+"\n"+p.Kind] {
			kept = append(kept, p)
		}
	}
	library := openPairs(t, "medquad-asked", kept)
	for _, style := range []string{"near copies", "paraphrases"} {
		strategy := &extract.Offline{Amount: extract.LeadOnly}
		served, right, wrongKind, wrongTopic, stored := 0, 0, 0, 0, 0
		for _, i := range drawn {
			p := pairs[i]
			text := nearCopy(random, p.Question)
			if style == "paraphrases" {
				text = paraphrase(random, p)
			}
			result, err := strategy.Answer(t.Context(), library, answer.Question{Text: text})
			if err != nil {
				t.Fatal(err)
			}
			if fate[i] == 0 {
				stored++
			}
			if result.Stored == nil {
				continue
			}
			served++
			switch got := result.Stored.Passage; {
			case !sameTopic(got, p):
				wrongTopic++
				t.Logf("%q (about %s) is served %q", text, p.Focus, got.Question)
			case got.Section == p.Kind:
				right++
			default:
				wrongKind++
			}
		}
		precision := float64(right) / float64(max(1, served))
		t.Logf("%s: n %d, served %d, precision %.2f, recall %.2f of %d stored, another kind %d, another topic %d",
			style, len(drawn), served, precision, float64(right)/float64(stored), stored, wrongKind, wrongTopic)
		if precision < .9 {
			t.Errorf("%s: precision %.2f, want .9", style, precision)
		}
	}
}

// sameTopic reports whether a stored pair treats the topic of p, under any name: MedQuAD holds many
// illnesses several times, from several sites.
func sameTopic(got *passage.Passage, p storedPair) bool {
	names := make(map[string]bool)
	for _, name := range append([]string{p.Focus}, p.Synonyms...) {
		names[topicKey(name)] = true
	}
	return slices.ContainsFunc(append([]string{got.Title}, got.Also...), func(name string) bool { return names[topicKey(name)] })
}

// topicKey is a name without case, order, word forms and signs.
func topicKey(name string) string {
	return strings.Join(slices.Sorted(slices.Values(lexical.Terms(name))), " ")
}

// nearCopy puts a phrase in front of a question or loses one of its small words.
func nearCopy(random *rand.Rand, question string) string {
	if random.IntN(2) == 0 {
		return "Please tell me: " + question
	}
	return strings.NewReplacer(" the ", " ", " of ", " ", " is ", " ").Replace(question)
}

// paraphrase asks for the same kind of answer in another template, about a synonym if there is one
// in two of five cases.
func paraphrase(random *rand.Rand, p storedPair) string {
	name := p.Focus
	if len(p.Synonyms) > 0 && random.IntN(5) < 2 {
		name = p.Synonyms[random.IntN(len(p.Synonyms))]
	}
	templates := otherTemplates[p.Kind]
	return fmt.Sprintf(templates[random.IntN(len(templates))], name)
}

func openPairs(t *testing.T, name string, pairs []storedPair) *knowledge.Library {
	t.Helper()
	return openSource(t, name, ingest.Source{Name: "history", Kind: passage.QA, Path: writeRows(t, name, pairs)}, extract.QuestionTypes{})
}
