package gate

import (
	"context"
	"fmt"
	"math/rand/v2"

	"lacuna/knowledge/gate/fusion"
	"lacuna/knowledge/passage"
)

// Thresholds are the three of CCSK's decision (equation 7).
type Thresholds struct {
	Prediction float64 `json:"prediction"` // of g·F
	Confidence float64 `json:"confidence"` // below which a single module decides
	Single     float64 `json:"single"`     // of that module
}

// Suggested are the thresholds from which the paper starts its search.
var Suggested = Thresholds{Prediction: .6, Confidence: .5, Single: .5}

// ccsk is the whole of CCSK: both modules, the net that weighs them, and the decision.
type ccsk struct {
	name       string
	encoder    Encoder
	sn         siamese
	rqm        quality
	net        *fusion.Net // nil: too little history to train one, and the neighbours decide
	literal    bool        // the confidence is max(g), which is never below one half
	thresholds Thresholds
}

func (c ccsk) Name() string { return c.name }

func (c ccsk) Decide(q Question) Decision {
	fSN, near, why := c.sn.score(q)
	fRQM, judged := c.rqm.score(q)
	d := Decision{Policy: c.name, Near: near, Signals: map[string]float64{"sn": fSN, "rqm": fRQM}}
	if c.net == nil {
		d.Score, d.Threshold, d.Why = fSN, c.thresholds.Single, why
		d.Retrieve = d.Score > d.Threshold
		return d
	}
	out, err := c.net.Forward(c.sample(q, fSN, fRQM))
	if err != nil { // of another encoder
		d.Retrieve, d.Score, d.Why = true, 1, "the gate does not fit the encoder: "+err.Error()
		return d
	}
	w := weigh(out, [2]float64{fSN, fRQM})
	for name, v := range map[string]float64{
		"prediction": w.prediction, "confidence": w.confidence(c.literal), "gate sn": float64(out.Gate[0]), "gate rqm": float64(out.Gate[1]),
	} {
		d.Signals[name] = v
	}
	d.Retrieve, d.Score, d.Threshold = w.decide(c.thresholds, c.literal)
	d.Why = why + "; " + judged
	return d
}

// sample is what the net sees of a question. The keys of its attention are the sentences of the
// closed-book answer, or windows of words where there is but one.
func (c ccsk) sample(q Question, fSN, fRQM float64) fusion.Sample {
	s := fusion.Sample{Question: c.encoder.Encode(q.Text), Scores: [2]float32{float32(fSN), float32(fRQM)}}
	text := ""
	if q.Closed != nil {
		text = q.Closed.Text
	}
	s.Response = c.encoder.Encode(text)
	for _, part := range parts(text) {
		s.Sentences = append(s.Sentences, c.encoder.Encode(part))
	}
	return s
}

// Windows of a response that is a single sentence.
const (
	windowWords = 16
	windowStep  = 8
)

func parts(text string) []string {
	var all []string
	for _, s := range passage.Sentences(text, passage.Plain) {
		all = append(all, text[s.Start:s.End])
	}
	if len(all) > 1 {
		return all
	}
	return windows(text)
}

// weighed is what the net made of the two scores.
type weighed struct {
	out        fusion.Output
	scores     [2]float64
	prediction float64
}

func weigh(out fusion.Output, scores [2]float64) weighed {
	return weighed{out, scores, float64(out.Gate[0])*scores[0] + float64(out.Gate[1])*scores[1]}
}

// relied is the module that the net relies on: that of the larger weight.
func (w weighed) relied() int {
	if w.out.Weight[1] > w.out.Weight[0] {
		return 1
	}
	return 0
}

// confidence is max(g) to the letter, which can never fail the published threshold of 0.3; soundly it
// is the unnormalised confidence of the module relied on.
func (w weighed) confidence(literal bool) float64 {
	if literal {
		return float64(max(w.out.Gate[0], w.out.Gate[1]))
	}
	return float64(w.out.Confidence[w.relied()])
}

// decide is equation 7, with the condition of its second case as the paper's text has it.
func (w weighed) decide(t Thresholds, literal bool) (retrieve bool, score, threshold float64) {
	if w.confidence(literal) > t.Confidence {
		return w.prediction > t.Prediction, w.prediction, t.Prediction
	}
	single := w.scores[w.relied()]
	return single > t.Single, single, t.Single
}

// CCSK makes the learner of the full method.
func CCSK(name string, attention fusion.Attention, literal bool) Learner {
	return Learner{name, func(ctx context.Context, history []Item, e Encoder, seed uint64) (Policy, error) {
		c := ccsk{name: name, encoder: e, literal: literal, thresholds: Suggested}
		known, unseen := halves(history, seed)
		var err error
		if c.sn, err = fitSN(known, e, Suggested.Single); err != nil {
			return nil, err
		}
		if c.rqm, err = fitRQM(known, e, seed, Suggested.Single); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := c.train(unseen, attention, seed); err != nil {
			return nil, err
		}
		return c, nil
	}}
}

// unseenShare of the history is kept from the two modules, so that the net sees of them what they say
// of new questions.
const unseenShare = .2

func halves(history []Item, seed uint64) (known, unseen []Item) {
	for _, n := range rand.New(rand.NewPCG(seed, 0x4a1f)).Perm(len(history)) {
		if float64(len(unseen)) < unseenShare*float64(len(history)) {
			unseen = append(unseen, history[n])
		} else {
			known = append(known, history[n])
		}
	}
	return known, unseen
}

// leastToFuse is how many items whose answers differ the net needs.
const leastToFuse = 20

// train fits the net and then the thresholds on what the modules have not seen.
func (c *ccsk) train(unseen []Item, attention fusion.Attention, seed uint64) error {
	var samples []fusion.Labelled
	for _, i := range unseen {
		if i.Label() == Same {
			continue
		}
		fSN, _, _ := c.sn.score(i.Question)
		fRQM, _ := c.rqm.score(i.Question)
		samples = append(samples, fusion.Labelled{Sample: c.sample(i.Question, fSN, fRQM), Retrieve: i.Label() == Better})
	}
	if len(samples) < leastToFuse {
		return nil
	}
	held := len(samples) / 5
	net, _, err := fusion.Train(c.encoder.Dim(), samples[held:], samples[:held], fusion.Options{Attention: attention, Seed: seed})
	if err != nil {
		return fmt.Errorf("train the fusion net: %w", err)
	}
	c.net = net
	c.thresholds = c.search(unseen)
	return nil
}

// search tries all thresholds from 0.05 to 0.95 in steps of 0.05 and keeps those with the best mean
// score, of equal ones those that retrieve least.
func (c *ccsk) search(items []Item) Thresholds {
	all := make([]weighed, len(items))
	for n, i := range items {
		fSN, _, _ := c.sn.score(i.Question)
		fRQM, _ := c.rqm.score(i.Question)
		out, err := c.net.Forward(c.sample(i.Question, fSN, fRQM))
		if err != nil {
			return Suggested
		}
		all[n] = weigh(out, [2]float64{fSN, fRQM})
	}
	best, bestScore, bestRetrieved := Suggested, -1.0, 0
	for p := 1; p < 20; p++ {
		for conf := 1; conf < 20; conf++ {
			for single := 1; single < 20; single++ {
				t := Thresholds{float64(p) / 20, float64(conf) / 20, float64(single) / 20}
				score, retrieved := 0.0, 0
				for n, w := range all {
					if retrieve, _, _ := w.decide(t, c.literal); retrieve {
						score += items[n].Score[1]
						retrieved++
					} else {
						score += items[n].Score[0]
					}
				}
				if score > bestScore || score == bestScore && retrieved < bestRetrieved {
					best, bestScore, bestRetrieved = t, score, retrieved
				}
			}
		}
	}
	return best
}

// linear is the ablation without the net: a fixed share of each module.
type linear struct {
	sn        siamese
	rqm       quality
	share     float64 // of SN
	threshold float64
}

func fitLinear(_ context.Context, history []Item, e Encoder, seed uint64) (Policy, error) {
	known, unseen := halves(history, seed)
	sn, err := fitSN(known, e, .5)
	if err != nil {
		return nil, err
	}
	rqm, err := fitRQM(known, e, seed, .5)
	if err != nil {
		return nil, err
	}
	l := linear{sn: sn, rqm: rqm, share: .5, threshold: .5}
	scores := make([][2]float64, len(unseen))
	for n, i := range unseen {
		scores[n][0], _, _ = sn.score(i.Question)
		scores[n][1], _ = rqm.score(i.Question)
	}
	best, bestRetrieved := -1.0, 0
	for share := range 11 {
		for threshold := 1; threshold < 20; threshold++ {
			a, t := float64(share)/10, float64(threshold)/20
			score, retrieved := 0.0, 0
			for n, i := range unseen {
				if a*scores[n][0]+(1-a)*scores[n][1] > t {
					score += i.Score[1]
					retrieved++
				} else {
					score += i.Score[0]
				}
			}
			if score > best || score == best && retrieved < bestRetrieved {
				best, bestRetrieved, l.share, l.threshold = score, retrieved, a, t
			}
		}
	}
	return l, nil
}

func (linear) Name() string { return "linear" }

func (l linear) Decide(q Question) Decision {
	fSN, near, why := l.sn.score(q)
	fRQM, judged := l.rqm.score(q)
	score := l.share*fSN + (1-l.share)*fRQM
	return Decision{
		Policy: l.Name(), Retrieve: score > l.threshold, Score: score, Threshold: l.threshold, Why: why + "; " + judged, Near: near,
		Signals: map[string]float64{"sn": fSN, "rqm": fRQM, "share sn": l.share},
	}
}
