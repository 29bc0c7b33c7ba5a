package redact

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lacuna/knowledge/par"
)

var update = flag.Bool("update", false, "write the weights")

// fitting says how a tagger is fitted.
type fitting struct {
	epochs                 int
	rate, decay            float32
	dropout                float64 // the share of features that a step does without, so that no word alone decides
	blind                  float64 // the share of texts of a pass whose features of words are left out altogether
	leastNotes, leastHands int     // that a feature occurs in
	leastWeight            float32
	seed                   uint64 // of the order of the notes
	second                 bool   // for the second pass, which has no features of words
}

var usual = fitting{epochs: 8, rate: 0.15, decay: 1e-4, dropout: 0.5, leastNotes: 2, leastHands: 2, leastWeight: 0.05}

type row = [labelCount]float32

// trainer holds the weights by number of feature.
type trainer struct {
	fitting
	w, g    []row
	use     []bool
	lexical []bool // features of single words
	follows [labelCount][labelCount]float64
	fg      [labelCount][labelCount]float64
	random  *rand.Rand
}

// model is a tagger whose features are numbers.
type model struct {
	w       []row
	follows [labelCount][labelCount]float64
}

var lexicalFeature = regexp.MustCompile(`^(?:[w<>] |w[-+]\d|[23][-+]? |town . )`)

// rows returns the features of a piece, those of the second pass apart.
func (e *example) rows(i int) [2][]int32 {
	if e.second == nil {
		return [2][]int32{e.coded[i]}
	}
	return [2][]int32{e.coded[i], e.second[i]}
}

// stack is the models of both passes.
type stack [passes]*model

// trainBoth fits both passes to all examples but those of some hands, and leaves the features of the second pass in the examples. What
// the first pass thinks of an example comes from a fit to the other half of the hands, and of those that are left out, from
// the first pass itself. Each pass is the mean of so many fits.
func trainBoth(table *featureTable, examples []*example, without []string, how fitting, fits int) stack {
	var kept []*example
	var halves [2][]*example
	for _, e := range examples {
		e.second = nil
		if !slices.Contains(without, e.hand) {
			kept = append(kept, e)
			halves[e.half()] = append(halves[e.half()], e)
		}
	}
	first := par.Gather(fits+len(halves), func(i int) (*model, bool) {
		how := how
		if i < fits {
			how.seed = uint64(i)
			return train(table, kept, without, how), true
		}
		return train(table, halves[1-(i-fits)], without, how), true
	})
	both := stack{mean(first[:fits])}
	const batch = 64
	for from := 0; from < len(examples); from += batch {
		part := examples[from:min(len(examples), from+batch)]
		for i, features := range par.Gather(len(part), func(i int) ([][]string, bool) {
			e, m := part[i], both[0]
			if !slices.Contains(without, e.hand) {
				m = first[fits+e.half()]
			}
			return e.secondFeatures(m.probabilities(e)), true
		}) {
			part[i].second = table.numbers(part[i], features)
		}
	}
	both[1] = mean(par.Gather(fits, func(i int) (*model, bool) {
		how := how
		how.seed = uint64(i)
		how.second = true
		return train(table, kept, without, how), true
	}))
	return both
}

// half returns which of two halves of all hands an example is of; what names nobody is divided by its text.
func (e *example) half() int {
	h := fnv.New32a()
	io.WriteString(h, e.hand)
	if e.hand == "medicine" {
		io.WriteString(h, e.text)
	}
	return int(h.Sum32()>>3) % 2
}

// probabilities returns for each piece of an example, whose second features are known, the probability of each label.
func (s stack) probabilities(e *example) [][labelCount]float64 { return s[1].probabilities(e) }

// train fits the weights of a pass by stochastic gradient ascent of the likelihood with steps as AdaGrad takes them, to all
// examples but those of some hands.
func train(table *featureTable, examples []*example, without []string, how fitting) *model {
	n := len(table.names)
	tr := &trainer{fitting: how, w: make([]row, n), g: make([]row, n), use: make([]bool, n), lexical: make([]bool, n), random: rand.New(rand.NewPCG(3, 4+how.seed))}
	var left handSet
	for _, hand := range without {
		if b, ok := table.bit[hand]; ok {
			left.add(b)
		}
	}
	for j := range n {
		tr.use[j] = table.notes[j] >= int32(how.leastNotes) && table.hands[j].without(&left) >= how.leastHands
		tr.lexical[j] = lexicalFeature.MatchString(table.names[j])
		tr.use[j] = tr.use[j] && !(how.second && tr.lexical[j])
	}
	var order []*example
	for _, e := range examples {
		if !slices.Contains(without, e.hand) {
			order = append(order, e)
		}
	}
	random := rand.New(rand.NewPCG(1, 2+how.seed))
	m := &model{w: make([]row, n)}
	averaged := 0
	for epoch := range how.epochs {
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, e := range order {
			tr.step(e)
		}
		if epoch >= how.epochs/2 {
			averaged++
			for j := range tr.w {
				for l := range labelCount {
					m.w[j][l] += tr.w[j][l]
				}
			}
			for a := range labelCount {
				for b := range labelCount {
					m.follows[a][b] += tr.follows[a][b]
				}
			}
		}
	}
	for j := range m.w {
		for l := range labelCount {
			if m.w[j][l] *= float32(1-how.dropout) / float32(averaged); max(m.w[j][l], -m.w[j][l]) < how.leastWeight {
				m.w[j][l] = 0
			}
		}
	}
	for a := range labelCount {
		for b := range labelCount {
			m.follows[a][b] /= float64(averaged)
		}
	}
	return m
}

// step moves the weights along the gradient of one text.
func (tr *trainer) step(e *example) {
	blind := tr.random.Float64() < tr.blind
	coded := make([][]int32, len(e.coded))
	scores := make([][labelCount]float64, len(coded))
	for i, features := range e.coded {
		kept := make([]int32, 0, len(features))
		var sum row
		for _, features := range e.rows(i) {
			for _, j := range features {
				if tr.use[j] && tr.random.Float64() >= tr.dropout && !(blind && tr.lexical[j]) {
					kept = append(kept, j)
					w := &tr.w[j]
					for l := range labelCount {
						sum[l] += w[l]
					}
				}
			}
		}
		coded[i] = kept
		for l := range labelCount {
			scores[i][l] = float64(sum[l])
		}
	}
	p, pairs := expected(scores, &tr.follows)
	for i, features := range coded {
		var grad row
		for l := range labelCount {
			grad[l] = float32(-p[i][l] * e.weight)
		}
		grad[e.labels[i]] += float32(e.weight)
		small := true
		for _, g := range grad {
			small = small && g < 1e-3 && g > -1e-3
		}
		if small {
			continue
		}
		for _, j := range features {
			w, sum := &tr.w[j], &tr.g[j]
			for l := range labelCount {
				g := grad[l] - tr.decay*w[l]
				sum[l] += g * g
				w[l] += tr.rate * g / float32(math.Sqrt(float64(sum[l]+1e-6)))
			}
		}
	}
	for i := 1; i < len(e.labels); i++ {
		pairs[e.labels[i-1]][e.labels[i]]--
	}
	for a := range labelCount {
		for b := range labelCount {
			g := -pairs[a][b]*e.weight - float64(tr.decay)*tr.follows[a][b]
			tr.fg[a][b] += g * g
			tr.follows[a][b] += float64(tr.rate) * g / math.Sqrt(tr.fg[a][b]+1e-6)
		}
	}
}

// probabilities returns for each piece of an example the probability of each label.
func (m *model) probabilities(e *example) [][labelCount]float64 {
	scores := make([][labelCount]float64, len(e.coded))
	for i := range e.coded {
		for _, features := range e.rows(i) {
			for _, j := range features {
				for l := range labelCount {
					scores[i][l] += float64(m.w[j][l])
				}
			}
		}
	}
	return marginals(scores, &m.follows)
}

// expected returns the probabilities of labels and the expected numbers of pairs of neighbours.
func expected(scores [][labelCount]float64, follows *[labelCount][labelCount]float64) ([][labelCount]float64, [labelCount][labelCount]float64) {
	p := marginals(scores, follows)
	var pairs [labelCount][labelCount]float64
	// The pairs follow from forward and backward sums; computing both again costs little beside the features.
	n := len(scores)
	forward, backward := make([][labelCount]float64, n), make([][labelCount]float64, n)
	local := make([][labelCount]float64, n)
	var step [labelCount][labelCount]float64
	for a := range labelCount {
		for b := range labelCount {
			step[a][b] = math.Exp(follows[a][b])
		}
	}
	for i := range n {
		most := slices.Max(scores[i][:])
		for l := range labelCount {
			local[i][l] = math.Exp(scores[i][l] - most)
			if i == 0 {
				forward[i][l] = local[i][l]
				continue
			}
			for a := range labelCount {
				forward[i][l] += forward[i-1][a] * step[a][l]
			}
			forward[i][l] *= local[i][l]
		}
		scale(&forward[i])
	}
	for l := range labelCount {
		backward[n-1][l] = 1
	}
	for i := n - 2; i >= 0; i-- {
		for l := range labelCount {
			for b := range labelCount {
				backward[i][l] += step[l][b] * local[i+1][b] * backward[i+1][b]
			}
		}
		scale(&backward[i])
	}
	for i := 1; i < n; i++ {
		var pair [labelCount][labelCount]float64
		sum := 0.0
		for a := range labelCount {
			for b := range labelCount {
				pair[a][b] = forward[i-1][a] * step[a][b] * local[i][b] * backward[i][b]
				sum += pair[a][b]
			}
		}
		for a := range labelCount {
			for b := range labelCount {
				pairs[a][b] += pair[a][b] / sum
			}
		}
	}
	return p, pairs
}

// TestTagger fits the tagger to all notes and writes its weights. LACUNA_DATA is a folder with the texts of readOthers.
func TestTagger(t *testing.T) {
	if !*update || os.Getenv("LACUNA_DATA") == "" {
		t.Skip("the tagger is fitted again only with -update and LACUNA_DATA, when there are more notes")
	}
	table, all := readAll(t)
	writeTagger(t, table, trainBoth(table, all, nil, usual, fits))
}

// fits is how often the tagger is fitted, each time with the notes in another order. The mean of their weights varies less than
// those of one: by which note comes last, .01 of the dates were replaced or not.
const fits = 4

// mean returns the mean of the weights of some models of the same features.
func mean(models []*model) *model {
	m, share := models[0], 1/float32(len(models))
	for _, o := range models[1:] {
		for j := range m.w {
			for l := range labelCount {
				m.w[j][l] += o.w[j][l]
			}
		}
		for a := range labelCount {
			for b := range labelCount {
				m.follows[a][b] += o.follows[a][b]
			}
		}
	}
	for j := range m.w {
		for l := range labelCount {
			m.w[j][l] *= share
		}
	}
	for a := range labelCount {
		for b := range labelCount {
			m.follows[a][b] *= float64(share)
		}
	}
	return m
}

// writeTagger writes the weights that matter.
func writeTagger(t *testing.T, table *featureTable, models stack) {
	var b strings.Builder
	line := func(w []float64) string {
		var parts []string
		for l, v := range w {
			if n := int(math.Round(100 * v)); n > 4 || n < -4 {
				parts = append(parts, fmt.Sprintf("%c%d", labelLetters[l], n))
			}
		}
		return strings.Join(parts, " ")
	}
	b.WriteString("# The weights of the tagger, in hundredths: see tagger.go.\n")
	for l := range labelCount {
		fmt.Fprintf(&b, "follows %c\t%s\t%s\n", labelLetters[l], line(models[0].follows[l][:]), line(models[1].follows[l][:]))
	}
	for _, name := range slices.SortedFunc(maps.Keys(table.number), cmp.Compare[string]) {
		var parts []string
		for _, m := range models {
			var w []float64
			if j := int(table.number[name]); j < len(m.w) { // the first pass knows none of the second
				for _, v := range m.w[j] {
					w = append(w, float64(v))
				}
			}
			parts = append(parts, line(w))
		}
		if r := strings.TrimRight(strings.Join(parts, "\t"), "\t"); r != "" {
			fmt.Fprintf(&b, "%s\t%s\n", strings.ReplaceAll(name, "\n", "\v"), r)
		}
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(b.String())); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("tagger.txt.gz", packed.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d features, %d kB", strings.Count(b.String(), "\n"), packed.Len()/1000)
}
