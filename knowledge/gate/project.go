package gate

// Fused is what a net makes of one question, for a projection onto a plane, beside what SKR has to go
// by.
type Fused struct {
	Item         Item
	Retrieve     bool      // decided
	Features     []float32 // P, the fused features of CCSK
	Question     []float32 // its encoding
	Similarities []float64 // to the nearest past questions, nearest first
}

// Project returns what the nets of a ccsk policy make of items. Items that it has no net for are left
// out, and of any other policy all.
func Project(p Policy, items []Item) []Fused {
	var all []Fused
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
		f := Fused{Item: i, Retrieve: c.Decide(i.Question).Retrieve, Features: out.Features, Question: sample.Question}
		for _, n := range near {
			f.Similarities = append(f.Similarities, n.Similarity)
		}
		all = append(all, f)
	}
	return all
}

func netOf(p Policy, model string) (ccsk, bool) {
	a, ok := p.(apart)
	if !ok {
		return ccsk{}, false
	}
	own, _ := a.of(model)
	c, ok := own.(ccsk)
	return c, ok && c.net != nil
}
