package ledger

import (
	"cmp"
	"slices"

	"lacuna/knowledge"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
	"lacuna/vecmath"
)

// Cluster is a group of gaps that ask for nearly the same.
type Cluster struct {
	Name string // the text of the gap that most others resemble; the shortest if several do
	Gaps []Item // in the order given
}

// Clusters groups gaps that ask for nearly the same, the largest group first and groups of equal size
// by name. It is deterministic and takes time quadratic in the number of gaps.
func Clusters(library *knowledge.Library, gaps []Item) []Cluster {
	alike := similarities(library, gaps)
	remaining := make([]int, len(gaps)) // gaps in no group yet, ascending
	degree := make([]int, len(gaps))    // how many remaining gaps each gap resembles
	for i := range gaps {
		remaining[i] = i
		for j := range gaps {
			if alike[i][j] {
				degree[i]++
			}
		}
	}
	var clusters []Cluster
	for len(remaining) > 0 {
		centre := slices.MinFunc(remaining, func(a, b int) int {
			one, other := gaps[a].Gap.Text, gaps[b].Gap.Text
			return cmp.Or(cmp.Compare(degree[b], degree[a]), cmp.Compare(len(one), len(other)), cmp.Compare(one, other))
		})
		c := Cluster{Name: gaps[centre].Gap.Text}
		for _, i := range remaining {
			if !alike[centre][i] {
				continue
			}
			c.Gaps = append(c.Gaps, gaps[i])
			for j := range gaps {
				if alike[j][i] {
					degree[j]--
				}
			}
		}
		remaining = slices.DeleteFunc(remaining, func(i int) bool { return alike[centre][i] })
		clusters = append(clusters, c)
	}
	slices.SortStableFunc(clusters, func(a, b Cluster) int {
		return cmp.Or(cmp.Compare(len(b.Gaps), len(a.Gaps)), cmp.Compare(a.Name, b.Name))
	})
	return clusters
}

// Two gaps are alike if the terms they share have minOverlap of the idf mass of all their terms, or if
// the cosine of their vectors is minCosine; and if their scopes agree.
const (
	minOverlap = 0.4
	minCosine  = 0.85
)

// similarities reports which gaps are alike. Every gap is like itself.
func similarities(library *knowledge.Library, gaps []Item) [][]bool {
	weight := idf(library)
	terms, vectors := make([][]string, len(gaps)), make([][]float32, len(gaps))
	scopes := make([]gap.Scope, len(gaps))
	alike := make([][]bool, len(gaps))
	for i, g := range gaps {
		terms[i] = gap.ContentTerms(cmp.Or(g.Gap.Query, g.Gap.Text))
		vectors[i] = vectorOf(library, terms[i])
		scopes[i] = gap.ScopeOf(g.Gap.Text)
		alike[i] = make([]bool, len(gaps))
		alike[i][i] = true
		for j := range i {
			near := vectors[i] != nil && vectors[j] != nil && vecmath.Dot(vectors[i], vectors[j]) >= minCosine
			alike[i][j] = (near || overlap(terms[i], terms[j], weight) >= minOverlap) && scopes[i].Agrees(scopes[j])
			alike[j][i] = alike[i][j]
		}
	}
	return alike
}

// overlap returns the weight of the shared terms as a share of the weight of all terms. Each list
// holds a term once.
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

// idf returns the idf of a term over the whole library.
func idf(library *knowledge.Library) func(term string) float64 {
	return func(term string) float64 {
		texts, with := 0, 0
		for _, kind := range []passage.Kind{passage.Text, passage.QA} {
			if collection := library.Collection(kind); collection != nil {
				texts, with = texts+collection.N(), with+collection.DocFreq(term)
			}
		}
		return lexical.IDF(texts, with)
	}
}

// vectorOf encodes terms with the encoder of running text, or else with the one of stored questions.
// It returns nil if neither exists or knows a term.
func vectorOf(library *knowledge.Library, terms []string) []float32 {
	for _, kind := range []passage.Kind{passage.Text, passage.QA} {
		collection := library.Collection(kind)
		if collection == nil || collection.Encoder() == nil {
			continue
		}
		vector, _ := collection.Encoder().Encode(terms) // nil if no term is known
		return vector
	}
	return nil
}
