package gap

import (
	"math/rand/v2"
	"slices"
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/eval"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/question"
)

// TestSmallBasesMeasured simulates bases of 50 to 800 passages: the evidence of some questions with
// passages around it, asked those questions and others from the same neighbourhood whose evidence
// is left out. It is where the weights for a shelf without an encoder come from.
func TestSmallBasesMeasured(t *testing.T) {
	sim := newSimulation(t)
	for _, size := range []int{50, 100, 200, 400, 800} {
		sim.run(t, size, 40)
	}
	rows := make([][]float64, len(sim.examples))
	missing := make([]bool, len(sim.examples))
	means := features{}
	for _, e := range sim.examples {
		for k := range means {
			means[k] += e.features[k] / float64(len(sim.examples))
		}
	}
	for i, e := range sim.examples {
		for k := range e.features {
			rows[i] = append(rows[i], standard(e.features[k], means[k], scales[k]))
		}
		missing[i] = e.missing
	}
	fixed := make([]bool, featureCount)
	for k := range fixed {
		fixed[k] = shippedFew.Weights[k] == 0
	}
	bias, weights := descend(rows, missing, make([]float64, featureCount), fixed, 0)
	t.Logf("fitted bias %.3f weights %.3f means %.3f", bias, weights, means)
	for _, size := range sim.sizes() {
		var all, few, best, cov []eval.Prediction
		for i, e := range sim.examples {
			if sim.size[i] != size {
				continue
			}
			all = append(all, eval.Prediction{Score: shippedWords.probability(e.features), True: e.missing})
			few = append(few, eval.Prediction{Score: shippedFew.probability(e.features), True: e.missing})
			best = append(best, eval.Prediction{Score: -e.features[bestBM25], True: e.missing})
			cov = append(cov, eval.Prediction{Score: -e.features[coverage], True: e.missing})
		}
		caught, alarms := flagged(all, MissingFrom)
		caughtByFew, alarmsByFew := flagged(few, MissingFrom)
		t.Logf("%4d passages: n %d, AUC %.3f (s0rel %.3f, coverage %.3f), ECE %.3f, shown: missing %.2f, covered %.2f; for few passages: AUC %.3f, ECE %.3f, %.2f, %.2f",
			size, len(all), eval.AUC(all), eval.AUC(best), eval.AUC(cov), eval.ECE(all), caught, alarms, eval.AUC(few), eval.ECE(few), caughtByFew, alarmsByFew)
	}
}

type simulation struct {
	random    *rand.Rand
	passages  map[string]*passage.Passage
	ids       []string
	questions []askedRow
	all       *knowledge.Library // every passage, to find neighbourhoods
	near      *knowledge.Library // every question
	examples  []example
	size      []int
}

func newSimulation(t *testing.T) *simulation {
	s := &simulation{random: rand.New(rand.NewPCG(1, 1)), passages: make(map[string]*passage.Passage)}
	var passages, questions []*passage.Passage
	for _, row := range readRows[passageRow](t, "kb/passages-pubmed.jsonl.gz") {
		p := row.passage()
		s.passages[row.ID] = p
		s.ids = append(s.ids, row.ID)
		passages = append(passages, p)
	}
	s.questions = readRows[askedRow](t, "queries/bioasq.dev.jsonl.gz")
	for _, q := range s.questions {
		questions = append(questions, &passage.Passage{ID: passage.IDOf(q.QID), Kind: passage.Text, Text: q.Question, Document: q.QID})
	}
	s.all, s.near = build(t, passages...), build(t, questions...)
	return s
}

// run judges questions against bases of about so many passages, as the library finds them.
func (s *simulation) run(t *testing.T, size, bases int) {
	for range bases {
		pool := s.neighbourhood(t, s.random.IntN(len(s.questions)), max(6, size/8))
		s.random.Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
		half := len(pool) / 2
		forbidden := make(map[string]bool)
		for _, q := range pool[half:] {
			for _, id := range q.Relevant {
				forbidden[id] = true
			}
		}
		library := build(t, s.base(t, pool[:half], forbidden, size)...)
		for i, q := range pool {
			parsed := parseQuestion(q.Question, question.IsClinicalTerm)
			e, err := lookUp(t.Context(), library, passage.Text, parsed, nil)
			if err != nil {
				t.Fatal(err)
			}
			s.examples = append(s.examples, example{measure(parsed, e.known(true)), i >= half})
			s.size = append(s.size, size)
		}
	}
}

// best returns the ordinals of the n passages that words find first for a text.
func best(t *testing.T, library *knowledge.Library, text string, n int) []int {
	hits, err := library.Search(t.Context(), knowledge.Query{Terms: ContentTerms(text), K: n, Retriever: knowledge.BM25})
	if err != nil {
		t.Fatal(err)
	}
	ordinals := make([]int, len(hits))
	for i, hit := range hits {
		ordinals[i] = hit.Ordinal
	}
	return ordinals
}

// neighbourhood is n questions near one, or, half the time, any n.
func (s *simulation) neighbourhood(t *testing.T, seed, n int) []askedRow {
	var pool []askedRow
	if s.random.IntN(2) == 0 {
		for _, i := range s.random.Perm(len(s.questions))[:n] {
			pool = append(pool, s.questions[i])
		}
		return pool
	}
	for _, i := range best(t, s.near, s.questions[seed].Question, n) {
		pool = append(pool, s.questions[i])
	}
	return pool
}

// base is the evidence of the covered questions filled up to size with passages near them that
// are nobody's forbidden evidence.
func (s *simulation) base(t *testing.T, coveredBy []askedRow, forbidden map[string]bool, size int) []*passage.Passage {
	var ids []string
	for _, q := range coveredBy {
		for _, id := range q.Relevant {
			if s.passages[id] != nil && !forbidden[id] {
				ids = append(ids, id)
			}
		}
	}
	for _, q := range coveredBy {
		for _, i := range best(t, s.all, q.Question, 12) {
			if id := s.ids[i]; !forbidden[id] {
				ids = append(ids, id)
			}
		}
	}
	for len(ids) < size {
		if id := s.ids[s.random.IntN(len(s.ids))]; !forbidden[id] {
			ids = append(ids, id)
		}
	}
	var base []*passage.Passage
	for _, id := range plaintext.Distinct(ids) {
		base = append(base, s.passages[id])
	}
	return base
}

func (s *simulation) sizes() []int {
	sizes := slices.Clone(s.size)
	slices.Sort(sizes)
	return slices.Compact(sizes)
}
