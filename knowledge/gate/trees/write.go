package trees

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
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

// names are those of the model, or LightGBM's own for features without one.
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
