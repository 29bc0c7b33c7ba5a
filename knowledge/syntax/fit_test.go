package syntax

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var fit = flag.Bool("fit", false, "fit tagger and parser to the treebanks in the folders of LACUNA_TREEBANKS_EN and LACUNA_TREEBANKS_DE")

// gold is a sentence of a treebank.
type gold struct {
	words    []Word
	class    []string // tag and form
	document string
	held     bool // not to learn from
	dev      bool // of a development part
}

// treebank reads the *.conllu files below the folders that a variable names. A word that a treebank divides although its letters
// cannot be divided ("zum") counts as one.
func treebank(t *testing.T, language string) []gold {
	t.Helper()
	variable := "LACUNA_TREEBANKS_" + strings.ToUpper(language)
	if os.Getenv(variable) == "" {
		t.Skip(variable + " names no folder of treebanks (*.conllu)")
	}
	var names []string
	for _, folder := range filepath.SplitList(os.Getenv(variable)) {
		filepath.WalkDir(folder, func(name string, _ os.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(name, ".conllu") {
				names = append(names, name)
			}
			return err
		})
	}
	slices.Sort(names)
	var all []gold
	in := map[string]string{} // file of a document
	for _, name := range names {
		for _, g := range readTreebank(t, name, language) {
			if first := cmp.Or(in[g.document], name); first == name && licensed(g.document) {
				in[g.document] = name
				all = append(all, g)
			}
		}
	}
	return all
}

// licensed reports whether weights may learn from a document. GUM's licence allows commercial use of these kinds alone.
func licensed(document string) bool {
	kind, ok := strings.CutPrefix(document, "GUM_")
	kind, _, _ = strings.Cut(kind, "_")
	return !ok || slices.Contains([]string{"bio", "interview", "news", "voyage", "textbook", "vlog", "speech"}, kind)
}

func readTreebank(t *testing.T, name, language string) []gold {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var all []gold
	document := filepath.Base(name)
	for _, block := range strings.Split(string(data), "\n\n") {
		g := gold{}
		var ids []string
		var heads []string
		inside := map[string]string{} // id in a word that cannot be divided: id of its first part
		joined := map[string]string{}
		for _, line := range strings.Split(block, "\n") {
			if d, ok := strings.CutPrefix(line, "# newdoc id = "); ok {
				document = d
			}
			f := strings.Split(line, "\t")
			if len(f) != 10 || strings.Contains(f[0], ".") {
				continue
			}
			if first, last, ok := strings.Cut(f[0], "-"); ok {
				if language == "de" {
					joined[first] = f[1]
					var from, to int
					fmt.Sscan(first, &from)
					fmt.Sscan(last, &to)
					for k := from + 1; k <= to; k++ {
						inside[fmt.Sprint(k)] = first
					}
				}
				continue
			}
			if _, ok := inside[f[0]]; ok {
				continue
			}
			form := f[1]
			if j := joined[f[0]]; j != "" {
				form = j
			}
			ids, heads = append(ids, f[0]), append(heads, f[6])
			g.words = append(g.words, Word{Text: form, Relation: Relation(coarse(f[7]))})
			g.class = append(g.class, classOf(language, f[3], f[4], f[5]))
		}
		g.document = document
		g.dev = strings.HasSuffix(name, "-dev.conllu")
		g.held = g.dev || language != "de" && strings.HasSuffix(name, "-test.conllu")
		index := map[string]int{"0": -1}
		for i, id := range ids {
			index[id] = i
		}
		for i, h := range heads {
			if first, ok := inside[h]; ok {
				h = first
			}
			g.words[i].Head = index[h]
		}
		if len(g.words) > 0 && len(g.words) <= longest {
			all = append(all, g)
		}
	}
	return all
}

// coarse drops the distinctions that no caller needs.
func coarse(relation string) string {
	switch relation {
	case "acl:relcl", "nsubj:pass", "csubj:pass", "aux:pass", "obl:agent", "compound:prt", "nmod:poss", "advcl:relcl", "expl:pv":
		return relation
	}
	relation, _, _ = strings.Cut(relation, ":")
	switch relation {
	case "reparandum", "dislocated", "vocative", "orphan", "goeswith":
		return "dep"
	}
	return relation
}

// classOf returns what the tagger is to say: in English the part of speech with the tag of the Penn Treebank, in German with case and form of verb.
func classOf(language, upos, xpos, features string) string {
	if language == "en" {
		if upos == "PUNCT" || upos == "SYM" || upos == "X" {
			return upos
		}
		return upos + " " + xpos
	}
	var forms []string
	for _, f := range strings.Split(features, "|") {
		key, value, _ := strings.Cut(f, "=")
		switch {
		case key == "Case" && upos != "NUM", key == "VerbForm":
			forms = append(forms, value)
		case key == "PronType" && value == "Rel":
			forms = append(forms, value)
		}
	}
	return strings.TrimSpace(upos + " " + strings.Join(forms, ","))
}

// perceptron is a classifier in training: whole weights, and their sums over time.
type perceptron struct {
	keys  []uint32
	rows  []int32
	mask  uint32
	cells [][]cell
	now   int64
}

type cell struct {
	class  uint8
	weight int32
	since  int64
	sum    int64
}

func newPerceptron(bits int) *perceptron {
	return &perceptron{keys: make([]uint32, 1<<bits), rows: make([]int32, 1<<bits), mask: 1<<bits - 1}
}

func (p *perceptron) find(f uint32) (slot uint32, found bool) {
	i := spread(f) & p.mask
	for p.keys[i] != 0 {
		if p.keys[i] == f {
			return i, true
		}
		i = (i + 1) & p.mask
	}
	return i, false
}

func (p *perceptron) add(f uint32, scores []int32) {
	if i, ok := p.find(f); ok {
		for _, c := range p.cells[p.rows[i]] {
			scores[c.class] += c.weight
		}
	}
}

func (p *perceptron) change(features []uint32, class int, by int32) {
	for _, f := range features {
		i, ok := p.find(f)
		if !ok {
			if len(p.cells) > len(p.keys)*3/4 {
				panic("the table of features is full")
			}
			p.keys[i], p.rows[i] = f, int32(len(p.cells))
			p.cells = append(p.cells, nil)
		}
		row := p.cells[p.rows[i]]
		k := slices.IndexFunc(row, func(c cell) bool { return int(c.class) == class })
		if k < 0 {
			row = append(row, cell{class: uint8(class), since: p.now})
			k = len(row) - 1
			p.cells[p.rows[i]] = row
		}
		c := &row[k]
		c.sum += int64(c.weight) * (p.now - c.since)
		c.since, c.weight = p.now, c.weight+by
	}
}

// prune returns the averages of the largest weights, in eight bits.
func (p *perceptron) prune(keep int) []row {
	type average struct {
		key   uint32
		class uint8
		value float64
	}
	var all []average
	for i, key := range p.keys {
		if key == 0 {
			continue
		}
		for _, c := range p.cells[p.rows[i]] {
			v := float64(c.sum+int64(c.weight)*(p.now-c.since)) / float64(max(p.now, 1))
			if v != 0 {
				all = append(all, average{key, c.class, v})
			}
		}
	}
	slices.SortFunc(all, func(a, b average) int {
		return cmp.Or(cmp.Compare(math.Abs(b.value), math.Abs(a.value)), cmp.Compare(a.key, b.key), cmp.Compare(a.class, b.class))
	})
	all = all[:min(keep, len(all))]
	top := math.Abs(all[0].value)
	slices.SortFunc(all, func(a, b average) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.class, b.class)) })
	var rows []row
	for _, a := range all {
		v := int8(math.Round(math.Copysign(math.Sqrt(math.Abs(a.value)/top)*127, a.value)))
		if v == 0 {
			continue
		}
		if len(rows) == 0 || rows[len(rows)-1].key != a.key {
			rows = append(rows, row{key: a.key})
		}
		r := &rows[len(rows)-1]
		r.class, r.weight = append(r.class, a.class), append(r.weight, v)
	}
	return rows
}

func (p *perceptron) freeze(keep int, classes []string) (*linear, []row) {
	rows := p.prune(keep)
	l := &linear{classes: classes}
	l.build(rows)
	return l, rows
}

// asNotes returns a sentence as notes may have it, now and then: without capitals, without the last point.
func asNotes(g gold, random *rand.Rand) gold {
	lower, bare := random.Float64() < 0.12, random.Float64() < 0.15
	n := len(g.words)
	if !lower && !bare {
		return g
	}
	c := gold{words: slices.Clone(g.words), class: slices.Clone(g.class), document: g.document}
	if last := c.words[n-1]; bare && n > 2 && last.Relation == "punct" && last.Text == "." {
		if !slices.ContainsFunc(c.words, func(w Word) bool { return w.Head == n-1 }) {
			c.words, c.class = c.words[:n-1], c.class[:n-1]
		}
	}
	if lower {
		for i := range c.words {
			c.words[i].Text = strings.ToLower(c.words[i].Text)
		}
	}
	return c
}

// forget makes some rare words unknown, so that weights do not rely on knowing them.
func forget(shapes []shape, known map[uint32]int, random *rand.Rand) []shape {
	for i := range shapes {
		if n := known[shapes[i].lower]; n < 6 && random.Float64() < 0.35 {
			shapes[i].lower = random.Uint32()
			shapes[i].exact = shapes[i].lower
		}
	}
	return shapes
}

// frequencies counts words.
func frequencies(data []gold) map[uint32]int {
	known := map[uint32]int{}
	for _, g := range data {
		for _, w := range g.words {
			known[shapeOf(w.Text).lower]++
		}
	}
	return known
}

func fitTagger(data []gold, classes []string, epochs int) *perceptron {
	p := newPerceptron(21)
	known := tagClasses(classes)
	seen := frequencies(data)
	index := map[string]int{}
	for i, c := range classes {
		index[c] = i
	}
	random := rand.New(rand.NewPCG(1, 2))
	scores := make([]int32, len(classes))
	var features []uint32
	for range epochs {
		for _, k := range random.Perm(len(data)) {
			g := asNotes(data[k], random)
			shapes := forget(shapesOf(g.words), seen, random)
			tag1, tag2 := uint32(outside), uint32(outside)
			for i := range shapes {
				features = tagFeatures(features[:0], shapes, i, tag1, tag2)
				clear(scores)
				for _, f := range features {
					p.add(f, scores)
				}
				guess, right := best(scores), index[g.class[i]]
				p.now++
				if guess != right {
					p.change(features, right, 1)
					p.change(features, guess, -1)
				}
				tag1, tag2 = known[guess].all, tag1
			}
		}
	}
	return p
}

// costs returns how many arcs of the treebank each move makes impossible (Goldberg and Nivre 2013).
func (s *state) costs(head []int) (cost [3]int) {
	root := s.root()
	b, s0, s1 := s.next, s.below(0), s.below(1)
	if s0 >= 0 {
		for d := b; d < root; d++ {
			if head[d] == s0 {
				cost[left]++
				cost[right]++
			}
		}
		h := head[s0]
		if h == s1 && s1 >= 0 || h > b {
			cost[left]++
		}
		if h >= b {
			cost[right]++
		}
	}
	if b < root {
		for k, d := range s.stack {
			if head[d] == b {
				cost[shift]++
			}
			if head[b] == d && k < len(s.stack)-1 {
				cost[shift]++
			}
		}
	}
	return cost
}

func fitParser(data []gold, tagged func(k int, shapes []shape) []uint8, tags []tagClass, names []string, epochs int) *perceptron {
	p := newPerceptron(23)
	actions := actionsOf(names)
	seen := frequencies(data)
	random := rand.New(rand.NewPCG(3, 4))
	scores := make([]int32, len(actions))
	var features []uint32
	for epoch := range epochs {
		for _, k := range random.Perm(len(data)) {
			g := asNotes(data[k], random)
			shapes := forget(shapesOf(g.words), seen, random)
			s := newState(shapes, tagged(k, shapes), tags)
			head := make([]int, len(g.words))
			for i, w := range g.words {
				head[i] = w.Head
				if w.Head < 0 {
					head[i] = s.root()
				}
			}
			for !s.done() {
				features = s.features(features[:0])
				clear(scores)
				for _, f := range features {
					p.add(f, scores)
				}
				guess := s.step(scores, actions)
				cost := s.costs(head)
				least := math.MaxInt
				for m := shift; m <= right; m++ {
					if s.may(m) {
						least = min(least, cost[m])
					}
				}
				good := func(a action) bool {
					if !s.allowed(a) || cost[a.move] != least {
						return false
					}
					return a.move == shift || a.relation == g.words[s.below(0)].Relation || a.relation == "root" || a.relation == "parataxis" && g.words[s.below(0)].Relation == "root"
				}
				right := -1
				for i, a := range actions {
					if (right < 0 || scores[i] > scores[right]) && good(a) {
						right = i
					}
				}
				p.now++
				if right < 0 {
					right = guess
				}
				follow := right
				if !good(actions[guess]) {
					if right != guess {
						p.change(features, right, 1)
						p.change(features, guess, -1)
					}
					if epoch > 0 && random.Float64() < 0.9 {
						follow = guess
					}
				} else {
					follow = guess
				}
				s.do(actions[follow])
			}
		}
	}
	return p
}

// score is how many words are right.
type score struct{ words, tags, heads, both int }

func (s score) String() string {
	share := func(k int) string {
		p := float64(k) / float64(max(s.words, 1))
		return fmt.Sprintf("%.2f ±%.2f", 100*p, 196*math.Sqrt(p*(1-p)/float64(max(s.words, 1))))
	}
	return fmt.Sprintf("%d words (without punctuation): UPOS %s, UAS %s, LAS %s", s.words, share(s.tags), share(s.heads), share(s.both))
}

func measure(m *model, data []gold) (s score) {
	for _, g := range data {
		words := slices.Clone(g.words)
		m.parse(words)
		for i, w := range words {
			if g.words[i].Relation == "punct" {
				continue
			}
			s.words++
			if tag, _, _ := strings.Cut(g.class[i], " "); Tag(tag) == w.Tag {
				s.tags++
			}
			if w.Head == g.words[i].Head {
				s.heads++
				if w.Relation == g.words[i].Relation {
					s.both++
				}
			}
		}
	}
	return s
}

// roles counts who does what to whom: triples of predicate, role and word, by the tree of the treebank and by ours.
func roles(m *model, language string, data []gold) string {
	type triple struct {
		predicate int
		role      string
		word      int
	}
	read := func(words []Word) map[triple]bool {
		s := Sentence{Words: words, language: language}
		all := map[triple]bool{}
		for _, p := range s.Predicates() {
			if words[p.Word].Tag != "VERB" {
				continue
			}
			for role, of := range map[string][]int{"subject": p.Subject, "object": p.Object} {
				for _, k := range of {
					all[triple{p.Word, role, k}] = true
				}
			}
		}
		return all
	}
	var right, swapped, ours, theirs int
	for _, g := range data {
		want := slices.Clone(g.words)
		for i := range want {
			tag, form, _ := strings.Cut(g.class[i], " ")
			want[i].Tag, want[i].form = Tag(tag), form
		}
		got := slices.Clone(g.words)
		m.parse(got)
		a, b := read(want), read(got)
		ours, theirs = ours+len(b), theirs+len(a)
		for t := range b {
			if a[t] {
				right++
			}
			if t.role == "subject" {
				t.role = "object"
			} else {
				t.role = "subject"
			}
			if a[t] && !b[t] {
				swapped++
			}
		}
	}
	return fmt.Sprintf("subjects and objects of verbs: %d of ours, %d of the treebank, %d in both (precision %.1f %%, recall %.1f %%), %d swapped (%.1f %%)",
		ours, theirs, right, 100*float64(right)/float64(ours), 100*float64(right)/float64(theirs), swapped, 100*float64(swapped)/float64(ours))
}

// size is what a language's weights may hold.
var size = map[string]struct{ tagger, parser, epochs int }{"en": {350_000, 1_000_000, 8}, "de": {250_000, 700_000, 12}}

// TestTreebanks measures the shipped weights on the test parts; with -fit it makes them anew from the other parts.
func TestTreebanks(t *testing.T) {
	for _, language := range []string{"en", "de"} {
		t.Run(language, func(t *testing.T) {
			train, test := divided(t, language)
			if *fit {
				refit(t, language, train, test)
			}
			data, err := os.ReadFile(language + ".gz")
			if err != nil {
				t.Fatal(err)
			}
			m, err := readModel(data)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s: %v", language, measure(m, test))
			t.Logf("%s: %s", language, roles(m, language, test))
			lower := make([]gold, len(test))
			for i, g := range test {
				lower[i] = gold{words: slices.Clone(g.words), class: g.class}
				for k := range g.words {
					lower[i].words[k].Text = strings.ToLower(g.words[k].Text)
				}
			}
			t.Logf("%s in lower case: %v", language, measure(m, lower))
		})
	}
}

// divided returns the sentences to learn from, and those to measure on: the files *-test.conllu and *-dev.conllu; of German,
// of which only these small parts are at hand, the development part alone. A document that is measured on is not learnt from,
// whatever file it stands in.
func divided(t *testing.T, language string) (train, test []gold) {
	held := map[string]bool{}
	all := treebank(t, language)
	for _, g := range all {
		if g.held {
			held[g.document] = true
			if !g.dev || language == "de" {
				test = append(test, g)
			}
		}
	}
	for _, g := range all {
		if !g.held && !held[g.document] {
			train = append(train, g)
		}
	}
	return train, test
}

func refit(t *testing.T, language string, train, test []gold) {
	train = append(slices.Clip(train), invented(t, language, len(train)/10)...)
	var classes, names []string
	seenClass, seenRelation := map[string]int{}, map[string]bool{}
	for _, g := range train {
		for i, w := range g.words {
			seenClass[g.class[i]]++
			seenRelation[string(w.Relation)] = true
		}
	}
	for c := range seenClass {
		classes = append(classes, c)
	}
	slices.Sort(classes)
	names = append(names, "shift")
	for r := range seenRelation {
		if r != "root" {
			names = append(names, "left "+r, "right "+r)
		}
	}
	names = append(names, "left root")
	slices.Sort(names)
	if len(classes) > 255 || len(names) > 255 {
		t.Fatal("too many classes", len(classes), len(names))
	}
	tags := tagClasses(classes)
	keep := size[language]
	// The parser learns from the tags that a tagger gives to sentences it has not seen.
	const folds = 4
	var taggers [folds]*perceptron
	for f := range taggers {
		var rest []gold
		for k, g := range train {
			if k%folds != f {
				rest = append(rest, g)
			}
		}
		taggers[f] = fitTagger(rest, classes, 3)
	}
	frozen := [folds]*linear{}
	for f := range taggers {
		frozen[f], _ = taggers[f].freeze(keep.tagger, classes)
	}
	tagger, tagRows := fitTagger(train, classes, 6).freeze(keep.tagger, classes)
	t.Logf("%d sentences, %d classes, %d actions", len(train), len(classes), len(names))
	p := fitParser(train, func(k int, shapes []shape) []uint8 { return tagWith(frozen[k%folds], tags, shapes) }, tags, names, keep.epochs)
	parser, parserRows := p.freeze(keep.parser, names)
	all, _ := p.freeze(math.MaxInt, names)
	t.Logf("unpruned: %v", measure(&model{tagger: tagger, parser: all, tags: tags, actions: actionsOf(names)}, test))
	_ = parser
	var out bytes.Buffer
	z, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
	w := bufio.NewWriter(z)
	if err := writeLinear(w, classes, tagRows); err != nil {
		t.Fatal(err)
	}
	if err := writeLinear(w, names, parserRows); err != nil {
		t.Fatal(err)
	}
	w.Flush()
	z.Close()
	if err := os.WriteFile(language+".gz", out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s.gz: %d bytes", language, out.Len())
}
