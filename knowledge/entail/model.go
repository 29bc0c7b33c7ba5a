package entail

import (
	"bytes"
	"embed"
	"sync"

	"lacuna/knowledge/gate/trees"
)

//go:embed *.trees
var weights embed.FS

// modelNames are the files of the trees: how probable it is that a claim is stated, contradicted, absent.
var modelNames = [3]string{"states", "contradicts", "absent"}

var models = sync.OnceValue(func() [3]*trees.Model {
	var all [3]*trees.Model
	for i, name := range modelNames {
		data, err := weights.ReadFile(name + ".trees")
		if err == nil {
			all[i], err = trees.Read(bytes.NewReader(data))
		}
		if err != nil {
			panic("entail: " + name + ".trees: " + err.Error())
		}
	}
	return all
})

// The probabilities from which on a verdict is given. Where a word certainly differs and the source holds the rest,
// a lower one says that the claim is contradicted.
const (
	statesFrom       = .76
	statesFromHan    = .69 // of a claim in Chinese
	contradictsFrom  = .9
	differsFrom      = .85
	heldToContradict = .75
	nearlyFrom       = .55
	heldNearly       = .95
	copiedNearly     = .7
	heldNothing      = .1
	absentFrom       = .82
)

// decide computes the probabilities of the verdicts.
func (x *comparison) decide() *comparison {
	for i, to := range []*float64{&x.states, &x.contradicts, &x.absent} {
		probability, err := models()[i].Predict(x.values)
		if err != nil {
			panic("entail: " + modelNames[i] + ".trees: " + err.Error())
		}
		*to = probability
	}
	return x
}
