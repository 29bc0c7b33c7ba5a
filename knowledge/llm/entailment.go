package llm

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"
)

// Pair is a sentence with a text that may say it.
type Pair struct{ Premise, Hypothesis string }

// Inference is what a cross-encoder says of a pair: the probabilities that the premise entails the
// hypothesis and that it contradicts it. The rest is that it does neither.
type Inference struct{ Entails, Contradicts float64 }

// Infer has the cross-encoder of the entailment endpoint judge pairs, in order. It speaks the interface of
// text-embeddings-inference: /predict with pairs of texts, for a model trained on natural language
// inference whose labels say so. An endpoint that was unreachable or too slow fails immediately for the
// next half minute.
func (c *Client) Infer(ctx context.Context, pairs []Pair) ([]Inference, error) {
	to := c.entailment
	if to == nil {
		return nil, &Error{Fault: Unset, Role: entailmentRole, Setting: "entailment.base_url"}
	}
	var all []Inference
	for start := 0; start < len(pairs); start += teiBatch {
		batch := pairs[start:min(start+teiBatch, len(pairs))]
		some, _, err := keep(ctx, func(ctx context.Context) ([]Inference, error) { return c.infer(ctx, to, batch) }, entailmentRole, batch)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// infer has one batch judged.
func (c *Client) infer(ctx context.Context, to *endpoint, pairs []Pair) ([]Inference, error) {
	var texts []string
	for _, p := range pairs {
		texts = append(texts, p.Premise, p.Hypothesis)
	}
	redaction, err := c.redact(to, texts)
	if err != nil {
		return nil, err
	}
	w := c.wire(to, "")
	w.details = redaction.Details
	x := c.exchange(ctx, to, "")
	x.Texts = redaction.Messages
	err = c.taped(x, func() error {
		err := to.reranker.paused()
		if err == nil {
			x.Inferences, err = w.infer(ctx, redaction.Messages)
			to.reranker.pauseAfter(err)
		}
		return err
	})
	return x.Inferences, err
}

// infer sends one request with texts, each premise followed by its hypothesis.
func (w *wire) infer(ctx context.Context, texts []string) ([]Inference, error) {
	inputs := make([][2]string, len(texts)/2)
	for i := range inputs {
		inputs[i] = [2]string{texts[2*i], texts[2*i+1]}
	}
	url := w.to.base
	if !strings.HasSuffix(url, "/predict") {
		url = version.ReplaceAllString(url, "") + "/predict"
	}
	asked := map[string]any{"inputs": inputs, "raw_scores": false, "truncate": true}
	if w.model != "" {
		asked["model"] = w.model
	}
	response, err := w.post(ctx, url, asked)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	var inferences []Inference
	if err == nil {
		inferences, err = readInferences(text, len(inputs))
	}
	err = w.wrapError(ctx, err)
	w.record(Usage{Calls: 1}, err)
	return inferences, err
}

// TryInference is [Client.Try] for the entailment endpoint, even while it is paused.
func (c *Client) TryInference(ctx context.Context) (time.Duration, error) {
	if c.entailment != nil {
		c.entailment.reranker.pausedUntil.Store(nil)
	}
	began := time.Now()
	_, err := c.Infer(ctx, []Pair{{"It is ready.", "It is ready."}, {"It is ready.", "It is not ready."}})
	return time.Since(began), err
}

// readInferences reads one list of labels with scores for each pair; for a single pair the list may stand
// alone.
func readInferences(text []byte, pairs int) ([]Inference, error) {
	type scored struct {
		Label string   `json:"label"`
		Score *float64 `json:"score"`
	}
	var lists [][]scored
	if err := json.Unmarshal(text, &lists); err != nil {
		var one []scored
		if json.Unmarshal(text, &one) != nil {
			return nil, errors.New("the reply is not a list of labels with scores")
		}
		lists = [][]scored{one}
	}
	if len(lists) != pairs {
		return nil, errors.New("the reply does not have one list of labels for each pair")
	}
	inferences := make([]Inference, pairs)
	for i, list := range lists {
		entails, contradicts := false, false
		for _, l := range list {
			if l.Score == nil || !(*l.Score >= 0 && *l.Score <= 1) {
				return nil, errors.New("a score is not a probability")
			}
			switch label := strings.ToLower(l.Label); {
			case strings.HasPrefix(label, "not_entail") || strings.HasPrefix(label, "not entail"):
			case strings.HasPrefix(label, "entail"):
				inferences[i].Entails, entails = *l.Score, true
			case strings.HasPrefix(label, "contradict"):
				inferences[i].Contradicts, contradicts = *l.Score, true
			}
		}
		if !entails {
			return nil, errors.New("no label is called entailment: the model is not one of natural language inference, or its configuration does not name its labels")
		}
		if inferences[i].Entails+inferences[i].Contradicts > 1.01 && contradicts {
			return nil, errors.New("the scores of the labels are no probabilities of one whole")
		}
	}
	return inferences, nil
}
