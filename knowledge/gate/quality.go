package gate

import (
	"fmt"

	"lacuna/knowledge/eval"
	"lacuna/knowledge/gate/trees"
	"lacuna/vecmath"
)

// quality is the response quality model of CCSK (equations 3 and 4): boosted trees that predict how good a
// closed-book answer is.
type quality struct {
	encoder   Encoder
	model     *trees.Model // nil: nothing was learnt
	threshold float64
}

// Weights of the two parts of the target. The paper has the second one larger and gives no numbers.
const (
	overlapWeight = .4
	cosineWeight  = .6
)

// target returns Y of equation 3: how much of a gold answer the response says, by words and by meaning. In
// the paper a response without any word of the gold is 0 and one that merely mentions it may be 1, which is
// true of recall.
func target(e Encoder, response string, golds []string) float64 {
	said, best := eval.Words(response), 0.0
	vector := e.Encode(response)
	for _, gold := range golds {
		recall := eval.ROUGE(said, eval.Words(gold), 1).Recall
		if recall == 0 {
			continue
		}
		cosine := max(0, float64(vecmath.Dot(vector, e.Encode(gold))))
		best = max(best, overlapWeight*recall+cosineWeight*cosine)
	}
	return min(best, 1)
}

// qualityFeatures returns the features of equation 3: length, richness of the vocabulary, similarity to the
// question, and the encoding.
func qualityFeatures(e Encoder, q Question) []float64 {
	tokens := eval.Words(q.Closed.Text)
	unique := make(map[string]bool, len(tokens))
	for _, t := range tokens {
		unique[t] = true
	}
	richness := 0.0
	if len(tokens) > 0 {
		richness = float64(len(unique)) / float64(len(tokens))
	}
	vector := e.Encode(q.Closed.Text)
	features := append(make([]float64, 0, len(vector)+3), float64(len(tokens)), richness, float64(vecmath.Dot(vector, e.Encode(q.Text))))
	for _, v := range vector {
		features = append(features, float64(v))
	}
	return features
}

// fitRQM trains on every item with a gold answer, even if both answers are equally good. Fewer than minGroup
// items train nothing.
func fitRQM(history []Item, e Encoder, seed uint64, threshold float64) (quality, error) {
	q := quality{encoder: e, threshold: threshold}
	var rows [][]float64
	var targets []float64
	for _, i := range history {
		if i.Closed == nil || i.Closed.Hidden || len(i.Golds) == 0 {
			continue
		}
		rows = append(rows, qualityFeatures(e, i.Question))
		targets = append(targets, target(e, i.Closed.Text, i.goldTexts()))
	}
	if len(rows) < minGroup {
		return q, nil
	}
	var err error
	if q.model, _, err = trees.Train(rows, targets, trees.Options{HeldOut: .1, Seed: seed}); err != nil {
		return quality{}, fmt.Errorf("train the response quality model: %w", err)
	}
	return q, nil
}

// goldTexts returns the golds in words: for a question with options, the text of the right one.
func (i Item) goldTexts() []string {
	texts := append([]string(nil), i.Golds...)
	for _, o := range i.Options {
		for g, gold := range texts {
			if gold == o.Letter {
				texts[g] = o.Text
			}
		}
	}
	return texts
}

func (quality) Name() string { return "rqm" }

// Missing implements [Partial].
func (r quality) Missing() []string {
	if r.model != nil {
		return nil
	}
	return []string{fmt.Sprintf("the trees that judge the model's own answer are missing: they need %d past questions with that answer and a gold one", minGroup)}
}

// score returns F_RQM: how likely it is that the closed-book answer is not good enough.
func (r quality) score(q Question) (float64, string) {
	if q.Closed == nil || q.Closed.Hidden || r.model == nil {
		return 1, "nothing is known of the model's own answer"
	}
	y, err := r.model.Predict(qualityFeatures(r.encoder, q))
	if err != nil { // of another encoder
		return 1, "the model's own answer cannot be judged: " + err.Error()
	}
	y = min(max(y, 0), 1)
	return 1 - y, fmt.Sprintf("the quality of the model's own answer is put at %.2f", y)
}

func (r quality) Decide(q Question) Decision {
	score, why := r.score(q)
	return Decision{
		Policy: r.Name(), Retrieve: score > r.threshold, Score: score, Threshold: r.threshold, Why: why,
		Signals: map[string]float64{"rqm": score}, Missing: r.Missing(),
	}
}
