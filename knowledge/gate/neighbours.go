package gate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"lacuna/vecmath"
)

// neighbourCount is the number of past questions that vote (CCSK and SKR).
const neighbourCount = 5

// pastQuestions holds the questions of a history by their encodings, searched exactly.
type pastQuestions struct {
	encoder Encoder
	items   []Item
	rows    *vecmath.Rows
}

// newPast encodes the items of a history that keep accepts.
func newPast(history []Item, e Encoder, keep func(Item) bool) (*pastQuestions, error) {
	p := &pastQuestions{encoder: e, rows: vecmath.NewRows(e.Dim())}
	for _, i := range history {
		if !keep(i) {
			continue
		}
		if err := p.add(i); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// add adds a question if the encoder knows a word of it.
func (p *pastQuestions) add(i Item) error {
	v := p.encoder.Encode(i.Text)
	if vecmath.Norm(v) == 0 {
		return nil
	}
	if err := p.rows.Append(v); err != nil {
		return fmt.Errorf("encode question %s: %w", i.ID, err)
	}
	p.items = append(p.items, i)
	return nil
}

// near returns the k past questions nearest to one, which is never its own neighbour.
func (p *pastQuestions) near(q Question, k int) []Neighbour {
	v := p.encoder.Encode(q.Text)
	if len(p.items) == 0 || vecmath.Norm(v) == 0 {
		return nil
	}
	own := 0 // past rows that are the question itself, as asked of other models
	for _, i := range p.items {
		if i.ID == q.ID || i.Text == q.Text {
			own++
		}
	}
	found, err := p.rows.NearestL2(v, min(k+own, len(p.items)))
	if err != nil {
		return nil
	}
	var near []Neighbour
	for _, n := range found {
		i := p.items[n.Row]
		if i.ID == q.ID || i.Text == q.Text || len(near) == k {
			continue
		}
		d := float64(n.Distance)
		near = append(near, Neighbour{ID: i.ID, Text: i.Text, Similarity: 1 - d*d/2, Label: i.Label()})
	}
	return near
}

// missing says if there is nothing to compare with.
func (p *pastQuestions) missing() []string {
	if len(p.items) > 0 {
		return nil
	}
	return []string{"the past questions are missing: there is none whose two answers differ"}
}

// skr is SKR_knn: a vote of the nearest questions whose answers differed, which the rarer label must win by
// as much as it is rarer.
type skr struct {
	past                *pastQuestions
	better, worse, same int
}

func fitSKR(_ context.Context, history []Item, e Encoder, _ uint64) (Policy, error) {
	s := skr{}
	for _, i := range history {
		switch i.Label() {
		case Better:
			s.better++
		case Worse:
			s.worse++
		case Same:
			s.same++
		}
	}
	var err error
	s.past, err = newPast(history, e, func(i Item) bool { return i.Label() != Same })
	return s, err
}

func (skr) Name() string { return "skr-knn" }

func (skr) ByQuestion() bool { return true }

// Missing implements [Partial].
func (s skr) Missing() []string { return s.past.missing() }

func (s skr) Decide(q Question) Decision {
	near := s.past.near(q, neighbourCount)
	better, worse := 0, 0
	for _, n := range near {
		if n.Label == Better {
			better++
		} else {
			worse++
		}
	}
	total := s.better + s.worse + s.same
	d := Decision{Policy: s.Name(), Near: near, Threshold: 0, Retrieve: true, Missing: s.Missing()}
	if total == 0 || len(near) == 0 {
		d.Score, d.Why = 1, "there is nothing to compare with"
		return d
	}
	if s.better < s.worse {
		d.Retrieve = !(worse > better && worse-better >= (s.worse-s.better)*neighbourCount/total)
	} else {
		d.Retrieve = better > worse && better-worse >= (s.better-s.worse)*neighbourCount/total
	}
	d.Score = float64(better - worse)
	d.Why = fmt.Sprintf("retrieval helped %d and harmed %d of the similar past questions", better, worse)
	return d
}

// siamese is the SN module of CCSK (equations 1 and 2): the share of the nearest questions that needed
// retrieval; a question unlike any before is retrieved for.
type siamese struct {
	name      string // of the policy that it is, or is a part of
	past      *pastQuestions
	novel     float64 // similarity below which a question is new
	threshold float64
}

// novelShare sets the threshold for new questions, for which the paper gives none: the fifth percentile of
// the similarity of each question of the history to its nearest other one.
const novelShare = .05

func fitSN(name string, history []Item, e Encoder, threshold float64) (siamese, error) {
	p, err := newPast(history, e, func(i Item) bool { return i.Label() != Same })
	if err != nil {
		return siamese{}, err
	}
	s := siamese{name: name, past: p, threshold: threshold, novel: -1}
	var nearest []float64
	for _, i := range p.items {
		if near := p.near(i.Question, 1); len(near) > 0 {
			nearest = append(nearest, near[0].Similarity)
		}
	}
	if len(nearest) > 0 {
		slices.SortFunc(nearest, cmp.Compare)
		s.novel = nearest[int(math.Floor(novelShare*float64(len(nearest))))]
	}
	return s, nil
}

func (s siamese) Name() string { return s.name }

func (siamese) ByQuestion() bool { return true }

// Missing implements [Partial].
func (s siamese) Missing() []string { return s.past.missing() }

// score returns F_SN.
func (s siamese) score(q Question) (float64, []Neighbour, string) {
	near := s.past.near(q, neighbourCount)
	switch {
	case len(near) == 0:
		return 1, nil, "there is nothing to compare with"
	case near[0].Similarity < s.novel:
		return 1, near, "no past question is like it"
	}
	needed := 0
	for _, n := range near {
		if n.Label == Better {
			needed++
		}
	}
	return float64(needed) / float64(len(near)), near, fmt.Sprintf("%d of %d similar past questions needed retrieval", needed, len(near))
}

func (s siamese) Decide(q Question) Decision {
	score, near, why := s.score(q)
	return Decision{
		Policy: s.Name(), Retrieve: score > s.threshold, Score: score, Threshold: s.threshold, Why: why, Near: near,
		Signals: map[string]float64{"sn": score}, Missing: s.Missing(),
	}
}
