package gap

import (
	"cmp"
	"slices"

	"lacuna/knowledge"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
	"lacuna/vecmath"
)

// Cluster is a group of gaps that ask for nearly the same.
type Cluster struct {
	Name string   // the text of the gap that most of the others are like; of several the shortest
	Gaps []Listed // in the order they were given
}

// Clusters groups gaps that ask for nearly the same, the largest group first and groups of one size
// by name. Equal gaps and libraries give equal groups. It takes the square of the number of gaps.
func Clusters(library *knowledge.Library, gaps []Listed) []Cluster {
	alike := likenesses(library, gaps)
	left := make([]int, len(gaps))    // gaps that are in no group yet, ascending
	company := make([]int, len(gaps)) // of each gap, how many of those left it is like
	for i := range gaps {
		left[i] = i
		for j := range gaps {
			if alike[i][j] {
				company[i]++
			}
		}
	}
	var clusters []Cluster
	for len(left) > 0 {
		centre := slices.MinFunc(left, func(a, b int) int {
			one, other := gaps[a].Gap.Text, gaps[b].Gap.Text
			return cmp.Or(cmp.Compare(company[b], company[a]), cmp.Compare(len(one), len(other)), cmp.Compare(one, other))
		})
		c := Cluster{Name: gaps[centre].Gap.Text}
		for _, i := range left {
			if !alike[centre][i] {
				continue
			}
			c.Gaps = append(c.Gaps, gaps[i])
			for j := range gaps {
				if alike[j][i] {
					company[j]--
				}
			}
		}
		left = slices.DeleteFunc(left, func(i int) bool { return alike[centre][i] })
		clusters = append(clusters, c)
	}
	slices.SortStableFunc(clusters, func(a, b Cluster) int {
		return cmp.Or(cmp.Compare(len(b.Gaps), len(a.Gaps)), cmp.Compare(a.Name, b.Name))
	})
	return clusters
}

// Two gaps are alike when the terms they share have sharedWeight of the weight of all their terms,
// or when the cosine of their vectors is likeMeaning; but not when both ask for a side, each for
// another, or are about other people.
const (
	sharedWeight = 0.4
	likeMeaning  = 0.85
)

// likenesses says which gaps are alike. Every gap is like itself.
func likenesses(library *knowledge.Library, gaps []Listed) [][]bool {
	weight := weights(library)
	terms, vectors := make([][]string, len(gaps)), make([][]float32, len(gaps))
	wants := make([]wanted, len(gaps))
	alike := make([][]bool, len(gaps))
	for i, g := range gaps {
		terms[i] = ContentTerms(g.Gap.wanted())
		vectors[i] = vectorOf(library, terms[i])
		wants[i] = wantedFrom(g.Gap.Text).narrow()
		alike[i] = make([]bool, len(gaps))
		alike[i][i] = true
		for j := range i {
			near := vectors[i] != nil && vectors[j] != nil && vecmath.Dot(vectors[i], vectors[j]) >= likeMeaning
			alike[i][j] = (near || overlap(terms[i], terms[j], weight) >= sharedWeight) && wants[i].agrees(wants[j])
			alike[j][i] = alike[i][j]
		}
	}
	return alike
}

// overlap is the weight of the terms that both have, as a share of that of the terms that either
// has. Each list holds a term once.
func overlap(a, b []string, weight func(term string) float64) float64 {
	both, either := 0.0, 0.0
	for _, term := range a {
		either += weight(term)
		if slices.Contains(b, term) {
			both += weight(term)
		}
	}
	for _, term := range b {
		if !slices.Contains(a, term) {
			either += weight(term)
		}
	}
	if either == 0 {
		return 0
	}
	return both / either
}

// weights is the idf of a term over everything the library holds.
func weights(library *knowledge.Library) func(term string) float64 {
	return func(term string) float64 {
		texts, with := 0, 0
		for _, kind := range []passage.Kind{passage.Text, passage.QA} {
			if shelf := library.Shelf(kind); shelf != nil {
				texts, with = texts+shelf.N(), with+shelf.DocFreq(term)
			}
		}
		return lexical.IDF(texts, with)
	}
}

// vectorOf encodes terms with the encoder of running text, or else with that of stored questions;
// nil where there is none that knows a term.
func vectorOf(library *knowledge.Library, terms []string) []float32 {
	for _, kind := range []passage.Kind{passage.Text, passage.QA} {
		shelf := library.Shelf(kind)
		if shelf == nil || shelf.Encoder() == nil {
			continue
		}
		vector, _ := shelf.Encoder().Encode(terms) // nil where no term is known
		return vector
	}
	return nil
}
