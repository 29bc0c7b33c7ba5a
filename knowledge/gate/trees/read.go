package trees

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

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
