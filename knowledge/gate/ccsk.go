package gate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"lacuna/knowledge/gate/fusion"
	"lacuna/knowledge/passage"
)

// ccsk is the full CCSK method: both modules, the net that weighs them, and the decision.
type ccsk struct {
	name       string
	encoder    Encoder
	sn         siamese
	rqm        quality
	net        *fusion.Net // nil: too little history to train one, so the neighbours decide
	differ     int         // number of past questions for the net whose two answers differ
	literal    bool        // the confidence is max(g), which is never below one half
	thresholds Thresholds
}

func (c ccsk) Name() string { return c.name }

// Missing implements [Partial].
func (c ccsk) Missing() []string {
	missing := append(c.sn.Missing(), c.rqm.Missing()...)
	if c.net == nil {
		missing = append(missing, fmt.Sprintf("the fusion net is missing: it needs %d past questions whose two answers differ, among the fifth that the other parts have not seen, and there are %d; the similar past questions decide alone, as in sn", minToFuse, c.differ))
	}
	return missing
}

func (c ccsk) Decide(q Question) Decision {
	fSN, near, why := c.sn.score(q)
	fRQM, judged := c.rqm.score(q)
	d := Decision{Policy: c.name, Near: near, Signals: map[string]float64{"sn": fSN, "rqm": fRQM}, Missing: c.Missing()}
	if c.net == nil {
		d.Score, d.Threshold, d.Why = fSN, c.thresholds.Single, why+"; the fusion net is missing"
		d.Retrieve = d.Score > d.Threshold
		return d
	}
	out, err := c.net.Forward(c.sample(q, fSN, fRQM))
	if err != nil { // of another encoder
		d.Retrieve, d.Score, d.Why = true, 1, "the gate does not fit the encoder: "+err.Error()
		return d
	}
	w := mix(out, [2]float64{fSN, fRQM})
	for name, v := range map[string]float64{
		"weight sn": float64(out.Weight[0]), "weight rqm": float64(out.Weight[1]),
		"confidence sn": float64(out.Confidence[0]), "confidence rqm": float64(out.Confidence[1]),
		"gate sn": float64(out.Gate[0]), "gate rqm": float64(out.Gate[1]),
		"prediction": w.prediction, "confidence": w.confidence(c.literal),
		"threshold prediction": c.thresholds.Prediction, "threshold confidence": c.thresholds.Confidence, "threshold single": c.thresholds.Single,
	} {
		d.Signals[name] = v
	}
	d.Retrieve, d.Score, d.Threshold = w.decide(c.thresholds, c.literal)
	d.Why = why + "; " + judged
	return d
}

// sample returns what the net sees of a question. The keys of its attention are the sentences of the
// closed-book answer, or windows of words if it is a single sentence.
func (c ccsk) sample(q Question, fSN, fRQM float64) fusion.Sample {
	s := fusion.Sample{Question: c.encoder.Encode(q.Text), Scores: [2]float32{float32(fSN), float32(fRQM)}}
	text := ""
	if q.Closed != nil {
		text = q.Closed.Text
	}
	s.Response = c.encoder.Encode(text)
	for _, part := range segments(text) {
		s.Sentences = append(s.Sentences, c.encoder.Encode(part))
	}
	return s
}

// mixture holds the net's output and the two scores it combines into a prediction.
type mixture struct {
	out        fusion.Output
	scores     [2]float64
	prediction float64
}

func mix(out fusion.Output, scores [2]float64) mixture {
	return mixture{out, scores, float64(out.Gate[0])*scores[0] + float64(out.Gate[1])*scores[1]}
}

// relied returns the module with the larger weight.
func (w mixture) relied() int {
	if w.out.Weight[1] > w.out.Weight[0] {
		return 1
	}
	return 0
}

// confidence returns the unnormalised confidence of the module relied on, or, literally as the paper prints
// it, max(g), which can never fail the published threshold of 0.3.
func (w mixture) confidence(literal bool) float64 {
	if literal {
		return float64(max(w.out.Gate[0], w.out.Gate[1]))
	}
	return float64(w.out.Confidence[w.relied()])
}

func (w mixture) decide(t Thresholds, literal bool) (retrieve bool, score, threshold float64) {
	return t.decide(w.prediction, w.confidence(literal), w.scores[w.relied()])
}

// minToFuse is the number of items whose answers differ that the net needs.
const minToFuse = 20

// search tries all thresholds of the grid and returns those with the best mean score; of equal ones those
// that retrieve least.
func (c *ccsk) search(items []Item, t tuning) Thresholds {
	all := make([]mixture, len(items))
	for n, i := range items {
		fSN, _, _ := c.sn.score(i.Question)
		fRQM, _ := c.rqm.score(i.Question)
		out, err := c.net.Forward(c.sample(i.Question, fSN, fRQM))
		if err != nil {
			return Suggested
		}
		all[n] = mix(out, [2]float64{fSN, fRQM})
	}
	best := newBest(Suggested)
	for _, prediction := range grid(t.prediction, Suggested.Prediction) {
		for _, confidence := range grid(t.confidence, Suggested.Confidence) {
			for _, single := range grid(t.single, Suggested.Single) {
				candidate := Thresholds{prediction, confidence, single}
				best.consider(candidate, items, func(n int) bool {
					retrieve, _, _ := all[n].decide(candidate, c.literal)
					return retrieve
				})
			}
		}
	}
	return best.of
}

// best is the candidate with the highest mean score so far.
type best[T any] struct {
	of        T
	score     float64
	retrieved int
}

func newBest[T any](start T) *best[T] { return &best[T]{of: start, score: -1} }

// consider scores a candidate by the items for which it would retrieve.
func (b *best[T]) consider(candidate T, items []Item, retrieves func(n int) bool) {
	score, retrieved := 0.0, 0
	for n := range items {
		if retrieves(n) {
			score += items[n].Score[1]
			retrieved++
		} else {
			score += items[n].Score[0]
		}
	}
	if score > b.score || score == b.score && retrieved < b.retrieved {
		b.of, b.score, b.retrieved = candidate, score, retrieved
	}
}

// unseenShare is the share of the history that the two modules do not see, so that the net learns from what
// they say about new questions.
const unseenShare = .2

func splitUnseen(history []Item, seed uint64) (known, unseen []Item) {
	for _, n := range rand.New(rand.NewPCG(seed, 0x4a1f)).Perm(len(history)) {
		if float64(len(unseen)) < unseenShare*float64(len(history)) {
			unseen = append(unseen, history[n])
		} else {
			known = append(known, history[n])
		}
	}
	return known, unseen
}

// ccsk trains the full method: the modules on most of the history, then the net and the thresholds on what
// the modules have not seen.
func (cache *trainCache) ccsk(ctx context.Context, history []Item, e Encoder, seed uint64, c ccsk, attention fusion.Attention, t tuning) (Policy, error) {
	c.encoder, c.thresholds = e, Suggested
	known, unseen := splitUnseen(history, seed)
	var err error
	if c.sn, err = fitSN(c.name, known, e, Suggested.Single); err != nil {
		return nil, err
	}
	if c.rqm, err = cache.quality(known, e, seed); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, i := range unseen {
		if i.Label() != Same {
			c.differ++
		}
	}
	c.net, err = trainOnce(cache, keyOf("net "+string(attention), history, e, seed), func() (*fusion.Net, error) {
		return c.train(unseen, attention, seed)
	})
	if err != nil {
		return nil, err
	}
	if c.net != nil {
		c.thresholds = c.search(unseen, t)
	}
	return c, nil
}

// train fits the net; nil if too few answers differ.
func (c *ccsk) train(unseen []Item, attention fusion.Attention, seed uint64) (*fusion.Net, error) {
	var samples []fusion.Labelled
	for _, i := range unseen {
		if i.Label() == Same {
			continue
		}
		fSN, _, _ := c.sn.score(i.Question)
		fRQM, _ := c.rqm.score(i.Question)
		samples = append(samples, fusion.Labelled{Sample: c.sample(i.Question, fSN, fRQM), Retrieve: i.Label() == Better})
	}
	if len(samples) < minToFuse {
		return nil, nil
	}
	held := len(samples) / 5
	net, _, err := fusion.Train(c.encoder.Dim(), samples[held:], samples[:held], fusion.Options{Attention: attention, Seed: seed})
	if err != nil {
		return nil, fmt.Errorf("train the fusion net: %w", err)
	}
	return net, nil
}

// linear is the ablation without the net: a fixed mixture of the modules.
type linear struct {
	sn        siamese
	rqm       quality
	share     float64 // of SN
	threshold float64
}

// fitLinear searches the share in steps of 0.1 and the threshold in steps of 0.05.
func (cache *trainCache) fitLinear(_ context.Context, history []Item, e Encoder, seed uint64) (Policy, error) {
	known, unseen := splitUnseen(history, seed)
	sn, err := fitSN("linear", known, e, Suggested.Single)
	if err != nil {
		return nil, err
	}
	rqm, err := cache.quality(known, e, seed)
	if err != nil {
		return nil, err
	}
	scores := make([][2]float64, len(unseen))
	for n, i := range unseen {
		scores[n][0], _, _ = sn.score(i.Question)
		scores[n][1], _ = rqm.score(i.Question)
	}
	best := newBest(linear{sn: sn, rqm: rqm, share: .5, threshold: .5})
	for step := range 11 {
		for _, threshold := range grid(true, 0) {
			l := linear{sn: sn, rqm: rqm, share: float64(step) / 10, threshold: threshold}
			best.consider(l, unseen, func(n int) bool { return l.mix(scores[n]) > threshold })
		}
	}
	return best.of, nil
}

func (l linear) mix(scores [2]float64) float64 { return l.share*scores[0] + (1-l.share)*scores[1] }

func (linear) Name() string { return "linear" }

// Missing implements [Partial].
func (l linear) Missing() []string { return append(l.sn.Missing(), l.rqm.Missing()...) }

func (l linear) Decide(q Question) Decision {
	fSN, near, why := l.sn.score(q)
	fRQM, judged := l.rqm.score(q)
	score := l.mix([2]float64{fSN, fRQM})
	return Decision{
		Policy: l.Name(), Retrieve: score > l.threshold, Score: score, Threshold: l.threshold, Why: why + "; " + judged, Near: near,
		Signals: map[string]float64{"sn": fSN, "rqm": fRQM, "share sn": l.share}, Missing: l.Missing(),
	}
}

// Windows of a response that is a single sentence, in words.
const (
	windowWords = 16
	windowStep  = 8
)

// segments returns the sentences of a text, or the windows of a single sentence.
func segments(text string) []string {
	var all []string
	for _, s := range passage.Sentences(text, passage.Plain) {
		all = append(all, text[s.Start:s.End])
	}
	if len(all) > 1 {
		return all
	}
	return windows(text)
}

// windows returns the windows of a text: windowWords words each, one beginning every windowStep words.
func windows(text string) []string {
	all := strings.Fields(text)
	var parts []string
	for at := 0; at < len(all); at += windowStep {
		parts = append(parts, strings.Join(all[at:min(at+windowWords, len(all))], " "))
		if at+windowWords >= len(all) {
			break
		}
	}
	return parts
}

// Projection holds the net's and SKR's representations of one question, to be projected onto a plane.
type Projection struct {
	Item         Item
	Retrieve     bool      // decided
	Features     []float32 // P, the fused features of CCSK
	Question     []float32 // its encoding
	Similarities []float64 // to the nearest past questions, nearest first
}

// Projections returns what the nets of a ccsk policy make of items. It leaves out items of models without a
// net, and all items of any other policy.
func Projections(p Policy, items []Item) []Projection {
	var all []Projection
	for _, i := range items {
		c, ok := netOf(p, i.Model)
		if !ok {
			continue
		}
		fSN, near, _ := c.sn.score(i.Question)
		fRQM, _ := c.rqm.score(i.Question)
		sample := c.sample(i.Question, fSN, fRQM)
		out, err := c.net.Forward(sample)
		if err != nil {
			continue
		}
		f := Projection{Item: i, Retrieve: c.Decide(i.Question).Retrieve, Features: out.Features, Question: sample.Question}
		for _, n := range near {
			f.Similarities = append(f.Similarities, n.Similarity)
		}
		all = append(all, f)
	}
	return all
}

func netOf(p Policy, model string) (ccsk, bool) {
	a, ok := p.(perModel)
	if !ok {
		return ccsk{}, false
	}
	own, _ := a.of(model)
	c, ok := own.(ccsk)
	return c, ok && c.net != nil
}
