package question

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The trainer of textaspects.gz. It reads kb/medquad.jsonl.gz of the folder LACUNA_DATA: MedQuAD, CC BY 4.0. Only the
// development half of the illnesses is used.

// typeAspect has the aspect of each type of answer in MedQuAD, as far as it has enough answers.
var typeAspect = map[string]Aspect{
	"information": Definition, "symptoms": "symptoms", "treatment": "treatment", "inheritance": "inheritance",
	"frequency": "frequency", "genetic changes": "the genetics", "causes": "causes", "exams and tests": "tests",
	"research": "research", "outlook": "outlook", "susceptibility": "risk factors", "considerations": "considerations",
	"prevention": "prevention", "stages": "stages", "complications": "complications",
}

type medquadAnswer struct{ Source, Answer, Focus, Qtype string }

// example is a window of an answer.
type example struct {
	words  []string
	aspect int
	answer int
	first  bool // of its answer
}

// portion places a string in 0..1 by its hash.
func portion(s string) float64 {
	sum := sha256.Sum256([]byte(s))
	n, _ := strconv.ParseUint(hex.EncodeToString(sum[:6]), 16, 64)
	return float64(n) / math.Pow(16, 12)
}

func medquad(t *testing.T) []medquadAnswer {
	folder := os.Getenv("LACUNA_DATA")
	if folder == "" {
		t.Skip("LACUNA_DATA is not set")
	}
	f, err := os.Open(filepath.Join(folder, "kb", "medquad.jsonl.gz"))
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var all []medquadAnswer
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var a medquadAnswer
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		if len(a.Answer) >= 40 && typeAspect[a.Qtype] != "" && portion("mq:"+strings.ToLower(a.Focus)) < .5 {
			all = append(all, a)
		}
	}
	return all
}

func learntAspects() []Aspect {
	var aspects []Aspect
	for _, a := range typeAspect {
		aspects = append(aspects, a)
	}
	slices.Sort(aspects)
	return aspects
}

const (
	learntWords    = 240  // of an answer, from its beginning
	minWindow      = 60   // bytes
	minWindows     = 8    // that hold a feature
	shippedFeature = 8000 // features
	lossWeight     = 4
	learningSteps  = 60
)

func examplesOf(answers []medquadAnswer, aspects []Aspect) []example {
	var all []example
	for i, a := range answers {
		class := slices.Index(aspects, typeAspect[a.Qtype])
		text := strings.Join(strings.Fields(a.Answer), " ")
		for name := strings.TrimSpace(a.Focus); name != "" && Blank(text, name) != text; {
			text = Blank(text, name)
		}
		words := latinWords(text)
		words = words[:min(learntWords, len(words))]
		first := true
		for window := range slices.Chunk(words, windowWords) {
			if len(strings.Join(window, " ")) > minWindow {
				all = append(all, example{window, class, i, first})
				first = false
			}
		}
	}
	return all
}

// learn fits a softmax regression to examples by L-BFGS.
func learn(examples []example, aspects []Aspect, limit int) *wordingModel {
	df := make(map[string]int)
	for _, e := range examples {
		seen := make(map[string]bool)
		for i, w := range e.words {
			seen[w] = true
			if i > 0 {
				seen[e.words[i-1]+" "+w] = true
			}
		}
		for f := range seen {
			df[f]++
		}
	}
	var features []string
	for f, n := range df {
		if n >= minWindows {
			features = append(features, f)
		}
	}
	slices.SortFunc(features, func(a, b string) int { return cmp.Or(df[b]-df[a], strings.Compare(a, b)) })
	features = features[:min(limit, len(features))]
	m := &wordingModel{aspects: aspects, features: make(map[string]int)}
	for i, f := range features {
		m.features[f] = i
		m.idf = append(m.idf, 1+math.Log(float64(1+len(examples))/float64(1+df[f])))
	}
	rows := make([][]weighted, len(examples))
	for i, e := range examples {
		rows[i] = m.vector(e.words)
	}
	n := len(aspects)
	m.bias = make([]float64, n)
	m.weights = make([]float64, len(features)*n)
	x := make([]float64, len(m.weights)+n)
	loss := func(x, gradient []float64) float64 {
		w, b := x[:len(m.weights)], x[len(m.weights):]
		sum := 0.0
		for i, v := range w {
			sum += v * v / 2
			gradient[i] = v
		}
		for i := range b {
			gradient[len(w)+i] = 0
		}
		m.weights, m.bias = w, b
		for r, row := range rows {
			p := m.predict(row)
			sum -= lossWeight * math.Log(max(p[examples[r].aspect], 1e-300))
			p[examples[r].aspect]--
			for a := range p {
				p[a] *= lossWeight
				gradient[len(w)+a] += p[a]
			}
			for _, f := range row {
				g := gradient[f.feature*n : (f.feature+1)*n]
				for a := range g {
					g[a] += f.value * p[a]
				}
			}
		}
		return sum
	}
	lbfgs(x, loss, learningSteps)
	m.weights, m.bias = slices.Clone(x[:len(m.weights)]), slices.Clone(x[len(m.weights):])
	return m
}

// lbfgs minimises f from x on, in place.
func lbfgs(x []float64, f func(x, gradient []float64) float64, steps int) {
	const memory = 10
	dot := func(a, b []float64) float64 {
		s := 0.0
		for i := range a {
			s += a[i] * b[i]
		}
		return s
	}
	g := make([]float64, len(x))
	value := f(x, g)
	var ss, ys [][]float64
	for step := range steps {
		d := slices.Clone(g)
		alphas := make([]float64, len(ss))
		for i := len(ss) - 1; i >= 0; i-- {
			alphas[i] = dot(ss[i], d) / dot(ss[i], ys[i])
			for j := range d {
				d[j] -= alphas[i] * ys[i][j]
			}
		}
		if n := len(ss); n > 0 {
			scale := dot(ss[n-1], ys[n-1]) / dot(ys[n-1], ys[n-1])
			for j := range d {
				d[j] *= scale
			}
		}
		for i := range ss {
			beta := dot(ys[i], d) / dot(ss[i], ys[i])
			for j := range d {
				d[j] += (alphas[i] - beta) * ss[i][j]
			}
		}
		slope := -dot(d, g)
		rate := 1.0
		if step == 0 {
			rate = 1 / math.Sqrt(dot(g, g))
		}
		next, gradient := make([]float64, len(x)), make([]float64, len(x))
		for range 20 {
			for j := range x {
				next[j] = x[j] - rate*d[j]
			}
			if v := f(next, gradient); v <= value+1e-4*rate*slope {
				value = v
				break
			}
			rate /= 2
		}
		s, y := make([]float64, len(x)), make([]float64, len(x))
		for j := range x {
			s[j], y[j] = next[j]-x[j], gradient[j]-g[j]
		}
		copy(x, next)
		copy(g, gradient)
		if dot(s, y) > 1e-10 {
			ss, ys = append(ss, s), append(ys, y)
			if len(ss) > memory {
				ss, ys = ss[1:], ys[1:]
			}
		}
	}
}

// accuracy returns the share of first windows whose most probable aspect is theirs.
func (m *wordingModel) accuracy(examples []example) (share float64, n int) {
	right := 0
	for _, e := range examples {
		if !e.first {
			continue
		}
		n++
		p := m.predict(m.vector(e.words))
		if slices.Index(p, slices.Max(p)) == e.aspect {
			right++
		}
	}
	return float64(right) / float64(n), n
}

func TestTextAspects(t *testing.T) {
	answers := medquad(t)
	aspects := learntAspects()
	all := examplesOf(answers, aspects)
	t.Logf("%d answers, %d windows", len(answers), len(all))
	m := learn(all, aspects, shippedFeature)
	if *update {
		if err := os.WriteFile("textaspects.gz", m.encode(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	stored, err := decodeWording(m.encode())
	if err != nil {
		t.Fatal(err)
	}
	share, n := stored.accuracy(all)
	t.Logf("itself: %.3f of %d", share, n)
	half := func(e example) bool { return portion("fit:"+answers[e.answer].Focus) < .5 }
	var fit, test []example
	for _, e := range all {
		if half(e) {
			fit = append(fit, e)
		} else {
			test = append(test, e)
		}
	}
	share, n = learn(fit, aspects, shippedFeature).accuracy(test)
	t.Logf("other illnesses: %.3f of %d", share, n)
	sites := make(map[string]bool)
	for _, a := range answers {
		sites[a.Source] = true
	}
	for site := range sites {
		var fit, test []example
		for _, e := range all {
			if answers[e.answer].Source != site {
				fit = append(fit, e)
			} else {
				test = append(test, e)
			}
		}
		share, n := learn(fit, aspects, shippedFeature).accuracy(test)
		low, high := wilson(share*float64(n), float64(n))
		t.Logf("without %s: %.3f [%.3f, %.3f] of %d", site, share, low, high, n)
	}
}

func TestTextAspectsOfAText(t *testing.T) {
	for _, c := range []struct {
		text, title string
		want        Aspect
	}{
		{"The patient complains of fever, cough and pain in the chest. Other signs are tiredness and loss of weight.", "Marsh fever", "symptoms"},
		{"It is given as tablets, and surgery may be needed to remove the tumor. Talk with your doctor about the drugs used in therapy.", "", "treatment"},
		{"Changes in the QRX gene lead to too little of a protein. Mutations in this gene alter the enzyme in cells.", "QRX syndrome", "the genetics"},
		{"This condition is inherited in an autosomal recessive pattern: both copies of the gene in each cell have mutations, and the parents of an individual each carry one copy.", "", "inheritance"},
	} {
		shares := TextAspects(c.text, c.title)
		best := Definition
		for a, p := range shares {
			if p < 0 || p > 1 {
				t.Errorf("%v of %q", p, a)
			}
			if p > shares[best] {
				best = a
			}
		}
		if best != c.want {
			t.Errorf("%q: %v", c.text, shares)
		}
	}
	for _, text := range []string{"", "糖尿病的治疗方法", "a b c"} {
		if shares := TextAspects(text, ""); shares != nil {
			t.Errorf("%q: %v", text, shares)
		}
	}
	if _, err := decodeWording([]byte("no gzip")); err == nil {
		t.Error("damaged weights are read")
	}
}

func BenchmarkTextAspects(b *testing.B) {
	text := strings.Repeat("It is given as tablets, and surgery may be needed to remove the tumor. Talk with your doctor about the drugs used. ", 9)
	for range b.N {
		TextAspects(text, "")
	}
}
