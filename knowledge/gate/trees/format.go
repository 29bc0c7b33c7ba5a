package trees

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Write writes the model in LightGBM's text format, version 4. Numbers are written so that reading
// them gives back the same bits.
func (m *Model) Write(w io.Writer) error {
	blocks := make([]string, len(m.Trees))
	sizes := make([]string, len(m.Trees))
	for i := range m.Trees {
		blocks[i] = m.Trees[i].block(i)
		sizes[i] = strconv.Itoa(len(blocks[i]))
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\nmax_feature_idx=%d\nobjective=regression\n", m.Features-1)
	fmt.Fprintf(out, "feature_names=%s\nfeature_infos=%s\ntree_sizes=%s\n\n", strings.Join(m.names(), " "), strings.Join(m.infos(), " "), strings.Join(sizes, " "))
	for _, block := range blocks {
		out.WriteString(block)
	}
	out.WriteString("end of trees\n\nfeature_importances:\n")
	for _, line := range m.importances() {
		out.WriteString(line + "\n")
	}
	out.WriteString("\nparameters:\n[boosting: gbdt]\n[objective: regression]\nend of parameters\n\npandas_categorical:null\n")
	return out.Flush()
}

// names returns the features' names: the model's, or LightGBM's default for a feature without one.
func (m *Model) names() []string {
	if len(m.Names) == m.Features {
		return m.Names
	}
	names := make([]string, m.Features)
	for i := range names {
		names[i] = "Column_" + strconv.Itoa(i)
	}
	return names
}

// infos give the range of the thresholds of each feature, or "none" for one that no tree uses.
func (m *Model) infos() []string {
	low, high := make([]float64, m.Features), make([]float64, m.Features)
	used := make([]bool, m.Features)
	for _, t := range m.Trees {
		for _, n := range t.Nodes {
			if !used[n.Feature] {
				used[n.Feature], low[n.Feature], high[n.Feature] = true, n.Threshold, n.Threshold
			}
			low[n.Feature], high[n.Feature] = min(low[n.Feature], n.Threshold), max(high[n.Feature], n.Threshold)
		}
	}
	infos := make([]string, m.Features)
	for i := range infos {
		infos[i] = "none"
		if used[i] {
			infos[i] = "[" + float(low[i]) + ":" + float(high[i]) + "]"
		}
	}
	return infos
}

// importances count how often each feature splits, the most used first.
func (m *Model) importances() []string {
	counts := make([]int, m.Features)
	most := 0
	for _, t := range m.Trees {
		for _, n := range t.Nodes {
			counts[n.Feature]++
			most = max(most, counts[n.Feature])
		}
	}
	var lines []string
	names := m.names()
	for n := most; n > 0; n-- {
		for f, count := range counts {
			if count == n {
				lines = append(lines, fmt.Sprintf("%s=%d", names[f], n))
			}
		}
	}
	return lines
}

// Types of decisions in the format: bit 1 is set where missing values go to the left, bits 2 and 3
// hold what counts as missing (0: nothing, 2: NaN).
const (
	decisionLeft = 2
	missingNaN   = 2 << 2
)

// block is a tree as the format has it.
func (t *Tree) block(number int) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "Tree=%d\nnum_leaves=%d\nnum_cat=0\n", number, len(t.Leaves))
	nodes := func(key string, value func(Node) string) { line(&b, key, t.Nodes, value) }
	leaves := func(key string, value func(Leaf) string) { line(&b, key, t.Leaves, value) }
	nodes("split_feature", func(n Node) string { return strconv.Itoa(n.Feature) })
	nodes("split_gain", func(n Node) string { return float(n.Gain) })
	nodes("threshold", func(n Node) string { return float(n.Threshold) })
	nodes("decision_type", func(n Node) string { return strconv.Itoa(n.decision()) })
	nodes("left_child", func(n Node) string { return strconv.Itoa(n.Left) })
	nodes("right_child", func(n Node) string { return strconv.Itoa(n.Right) })
	leaves("leaf_value", func(l Leaf) string { return float(l.Value) })
	leaves("leaf_weight", func(l Leaf) string { return strconv.Itoa(l.Rows) })
	leaves("leaf_count", func(l Leaf) string { return strconv.Itoa(l.Rows) })
	nodes("internal_value", func(n Node) string { return float(n.Value) })
	nodes("internal_weight", func(n Node) string { return strconv.Itoa(n.Rows) })
	nodes("internal_count", func(n Node) string { return strconv.Itoa(n.Rows) })
	fmt.Fprintf(&b, "is_linear=0\nshrinkage=%s\n\n\n", float(t.Rate))
	return b.String()
}

func (n Node) decision() int {
	switch {
	case n.Missing && n.MissingLeft:
		return missingNaN | decisionLeft
	case n.Missing:
		return missingNaN
	}
	return decisionLeft
}

func line[T any](b *bytes.Buffer, key string, of []T, value func(T) string) {
	b.WriteString(key + "=")
	for i, v := range of {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(value(v))
	}
	b.WriteByte('\n')
}

// float is the shortest text that reads back as the same number.
func float(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Limits of a model that is read, so that a damaged file cannot take all memory.
const (
	mostFeatures = 1 << 20
	mostLeaves   = 1 << 16
	mostTrees    = 1 << 16
	longestLine  = 64 << 20
)

// Read reads a model in LightGBM's text format: regression with one output and numeric splits, where
// nothing or NaN counts as missing. Anything else is refused with an error that says what.
func Read(r io.Reader) (*Model, error) {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(make([]byte, 0, 1<<16), longestLine)
	p := &parser{scanner: scanner}
	m, err := p.model()
	if err == nil {
		err = scanner.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("LightGBM model, line %d: %w", p.number, err)
	}
	return m, nil
}

type parser struct {
	scanner *bufio.Scanner
	number  int
}

func (p *parser) next() (line string, ok bool) {
	if !p.scanner.Scan() {
		return "", false
	}
	p.number++
	return strings.TrimRight(p.scanner.Text(), "\r"), true
}

// section reads key=value lines up to an empty line. The first line of the section, already read, may
// be given.
func (p *parser) section(first string) map[string]string {
	fields := make(map[string]string)
	for line, ok := first, true; ok; line, ok = p.next() {
		if line == "" && len(fields) > 0 {
			break
		}
		if key, value, found := strings.Cut(line, "="); found {
			fields[key] = value
		}
	}
	return fields
}

func (p *parser) model() (*Model, error) {
	if line, _ := p.next(); line != "tree" {
		return nil, errors.New(`does not begin with "tree"`)
	}
	header := p.section("")
	if err := supported(header); err != nil {
		return nil, err
	}
	last, err := strconv.Atoi(header["max_feature_idx"])
	if err != nil || last < 0 || last >= mostFeatures {
		return nil, fmt.Errorf("max_feature_idx=%s", header["max_feature_idx"])
	}
	m := &Model{Features: last + 1}
	if names := strings.Fields(header["feature_names"]); len(names) == m.Features {
		m.Names = names
	}
	for {
		line, ok := p.next()
		switch {
		case !ok:
			return nil, errors.New(`ends before "end of trees"`)
		case line == "end of trees":
			if len(m.Trees) == 0 {
				return nil, errors.New("has no tree")
			}
			return m, nil
		case strings.HasPrefix(line, "Tree="):
			if len(m.Trees) == mostTrees {
				return nil, fmt.Errorf("more than %d trees", mostTrees)
			}
			t, err := readTree(p.section(line), m.Features)
			if err != nil {
				return nil, fmt.Errorf("tree %d: %w", len(m.Trees), err)
			}
			m.Trees = append(m.Trees, t)
		case line != "":
			return nil, fmt.Errorf("unexpected %.40q", line)
		}
	}
}

// supported refuses what is no plain regression.
func supported(header map[string]string) error {
	if v := header["version"]; v != "v3" && v != "v4" {
		return fmt.Errorf("version %q, want v3 or v4", v)
	}
	for _, key := range []string{"num_class", "num_tree_per_iteration"} {
		if v := header[key]; v != "1" {
			return fmt.Errorf("%s=%s, only models with one output are read", key, v)
		}
	}
	if objective, _, _ := strings.Cut(header["objective"], " "); objective != "regression" {
		return fmt.Errorf("objective %q, only regression is read", header["objective"])
	}
	return nil
}

func readTree(fields map[string]string, features int) (Tree, error) {
	if v := fields["num_cat"]; v != "0" {
		return Tree{}, fmt.Errorf("num_cat=%s: splits on categories are not read", v)
	}
	if v := fields["is_linear"]; v != "0" && v != "" {
		return Tree{}, fmt.Errorf("is_linear=%s: linear trees are not read", v)
	}
	leaves, err := strconv.Atoi(fields["num_leaves"])
	if err != nil || leaves < 1 || leaves > mostLeaves {
		return Tree{}, fmt.Errorf("num_leaves=%s", fields["num_leaves"])
	}
	t := Tree{Nodes: make([]Node, leaves-1), Leaves: make([]Leaf, leaves), Rate: 1}
	r := reader{fields: fields}
	r.ints("split_feature", leaves-1, func(i, v int) { t.Nodes[i].Feature = v })
	r.floats("threshold", leaves-1, true, func(i int, v float64) { t.Nodes[i].Threshold = v })
	r.floats("split_gain", leaves-1, false, func(i int, v float64) { t.Nodes[i].Gain = v })
	r.floats("internal_value", leaves-1, false, func(i int, v float64) { t.Nodes[i].Value = v })
	r.ints("left_child", leaves-1, func(i, v int) { t.Nodes[i].Left = v })
	r.ints("right_child", leaves-1, func(i, v int) { t.Nodes[i].Right = v })
	r.ints("decision_type", leaves-1, func(i, v int) { r.decide(&t.Nodes[i], v) })
	r.floats("leaf_value", leaves, true, func(i int, v float64) { t.Leaves[i].Value = v })
	if leaves > 1 && r.has("internal_count") {
		r.ints("internal_count", leaves-1, func(i, v int) { t.Nodes[i].Rows = v })
	}
	if r.has("leaf_count") {
		r.ints("leaf_count", leaves, func(i, v int) { t.Leaves[i].Rows = v })
	}
	r.floats("shrinkage", 1, false, func(_ int, v float64) { t.Rate = v })
	if r.err != nil {
		return Tree{}, r.err
	}
	return t, t.check(features)
}

// check makes sure that every row ends in a leaf: each node and each leaf hangs from exactly one
// node, and children come after their parents.
func (t *Tree) check(features int) error {
	nodes, leaves := make([]bool, len(t.Nodes)), make([]bool, len(t.Leaves))
	for i, n := range t.Nodes {
		if n.Feature < 0 || n.Feature >= features {
			return fmt.Errorf("node %d splits on feature %d of %d", i, n.Feature, features)
		}
		for _, child := range []int{n.Left, n.Right} {
			seen, at := nodes, child
			if child < 0 {
				seen, at = leaves, ^child
			}
			if at >= len(seen) || child >= 0 && child <= i || seen[at] {
				return fmt.Errorf("node %d has the child %d", i, child)
			}
			seen[at] = true
		}
	}
	return nil
}

// reader reads the lists of a tree and remembers the first error.
type reader struct {
	fields map[string]string
	err    error
}

func (r *reader) has(key string) bool { return strings.TrimSpace(r.fields[key]) != "" }

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

func (r *reader) list(key string, n int) []string {
	list := strings.Fields(r.fields[key])
	if len(list) != n {
		r.fail("%s has %d values, want %d", key, len(list), n)
		return nil
	}
	return list
}

func (r *reader) ints(key string, n int, set func(i, v int)) {
	for i, text := range r.list(key, n) {
		v, err := strconv.Atoi(text)
		if err != nil {
			r.fail("%s: %q is no number", key, text)
			return
		}
		set(i, v)
	}
}

func (r *reader) floats(key string, n int, needed bool, set func(i int, v float64)) {
	if !needed && !r.has(key) {
		return
	}
	for i, text := range r.list(key, n) {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			r.fail("%s: %q is no finite number", key, text)
			return
		}
		set(i, v)
	}
}

// decide reads a node's type of decision.
func (r *reader) decide(n *Node, decision int) {
	switch {
	case decision&1 != 0:
		r.fail("a split on categories")
	case decision>>2 == 0:
	case decision>>2 == missingNaN>>2:
		n.Missing, n.MissingLeft = true, decision&decisionLeft != 0
	default:
		r.fail("decision_type=%d: zero as a missing value is not read", decision)
	}
}
