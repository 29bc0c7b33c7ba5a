package entail

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lacuna/knowledge/gate/trees"
)

var fit = flag.Bool("fit", false, "fit the trees to the claims in the folders of LACUNA_CLAIMS")

// row is a claim of a set, with its passages.
type row struct {
	ID, Base, Lang, Question, Claim, Label, Kind, Style string
	Passages                                            []struct{ ID, Title, Text string }
	group, folder                                       string
}

func (r row) sources() []Source {
	var all []Source
	for _, p := range r.Passages {
		all = append(all, Source{Above: p.Title, Text: p.Text})
	}
	return all
}

func folders() string { return os.Getenv("LACUNA_CLAIMS") }

// claims reads the sets of claims in the folders that LACUNA_CLAIMS names.
func claims(t *testing.T) []row {
	t.Helper()
	if folders() == "" {
		t.Skip("LACUNA_CLAIMS names no folders of claims (*.jsonl, *.jsonl.gz)")
	}
	var rows []row
	for _, folder := range filepath.SplitList(folders()) {
		files, _ := filepath.Glob(filepath.Join(folder, "*.jsonl*"))
		for _, name := range files {
			if strings.HasPrefix(filepath.Base(name), "conflicts") {
				continue
			}
			rows = append(rows, readClaims(t, name)...)
		}
	}
	return rows
}

func readClaims(t *testing.T, name string) []row {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var in io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if in, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	var rows []row
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		var r row
		if err := json.Unmarshal(scanner.Bytes(), &r); err != nil {
			t.Logf("%s: %v", name, err)
			continue
		}
		r.Kind, _, _ = strings.Cut(r.Kind, ":")
		r.folder = filepath.Dir(name)
		r.group = filepath.Base(name) + r.ID[:max(strings.LastIndexByte(r.ID, '-'), 0)]
		rows = append(rows, r)
	}
	return rows
}

// options of the trees.
var treeOptions = trees.Options{Leaves: 8, Rate: .04, Rounds: 220, MinRows: 14}

const folds = 8

// TestClaims reports how well claims are judged by trees that have not seen their passages; with -fit it fits the
// trees that are shipped to all of them.
func TestClaims(t *testing.T) {
	rows := claims(t)
	x := make([][]float64, len(rows))
	compared := make([]*comparison, len(rows))
	var names []string
	for i, r := range rows {
		c := compare(readClaim(r.Claim, r.Question), r.sources(), 0, len(r.Passages))
		x[i], names, compared[i] = c.values, c.names, c
	}
	if dump := os.Getenv("DUMP"); dump != "" {
		writeFeatures(t, dump, rows, names, x)
	}
	fold := func(r row) int {
		h := fnv.New32a()
		h.Write([]byte(r.group))
		return int(h.Sum32() % folds)
	}
	predicted := make([][3]float64, len(rows))
	for k := range folds {
		var models [3]*trees.Model
		for m := range models {
			models[m] = train(t, rows, x, names, m, func(i int) bool { return fold(rows[i]) != k })
		}
		for i, r := range rows {
			if fold(r) != k {
				continue
			}
			for m := range models {
				predicted[i][m], _ = models[m].Predict(x[i])
			}
		}
	}
	var all [3]*trees.Model
	for m, name := range modelNames {
		all[m] = train(t, rows, x, names, m, func(int) bool { return true })
		if *fit {
			var b bytes.Buffer
			if err := all[m].Write(&b); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name+".trees", b.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	shipped := models
	models = func() [3]*trees.Model { return all } // parts of claims are judged by them
	defer func() { models = shipped }()
	verdicts := make([]Verdict, len(rows))
	for i, r := range rows {
		c := compared[i]
		c.states, c.contradicts, c.absent = predicted[i][0], predicted[i][1], predicted[i][2]
		verdicts[i] = c.judgement(r.sources()).Verdict
	}
	report(t, rows, predicted)
	reportVerdicts(t, rows, verdicts)
	if first := strings.Split(folders(), string(filepath.ListSeparator))[0]; first != folders() {
		n := 0
		for _, r := range rows {
			n += int(bit(r.folder == first))
		}
		t.Log("of the first folder:")
		report(t, rows[:n], predicted[:n])
		reportVerdicts(t, rows[:n], verdicts[:n])
	}
}

// TestVerdicts counts what is said of claims by the trees that are shipped. Where they were fitted to the claims,
// this says little.
func TestVerdicts(t *testing.T) {
	rows := claims(t)
	verdicts := make([]Verdict, len(rows))
	for i, r := range rows {
		verdicts[i] = Judge(r.Claim, r.Question, r.sources()...).Verdict
	}
	reportVerdicts(t, rows, verdicts)
}

// reportVerdicts counts the verdicts by label and language.
func reportVerdicts(t *testing.T, rows []row, verdicts []Verdict) {
	counts := map[string]map[Verdict]int{}
	for i, r := range rows {
		name := r.Label
		if r.Style == "plain" && name == "supported" {
			name = "plain"
		}
		for _, key := range []string{name, name + " " + r.Lang[:2]} {
			if counts[key] == nil {
				counts[key] = map[Verdict]int{}
			}
			counts[key][verdicts[i]]++
		}
	}
	for _, name := range sortedKeys(counts) {
		n := 0
		for _, k := range counts[name] {
			n += k
		}
		line := fmt.Sprintf("%-16s %4d:", name, n)
		for _, v := range []Verdict{States, Partly, Contradicts, Absent, Unchecked} {
			line += fmt.Sprintf(" %s %.3f", v, float64(counts[name][v])/float64(n))
		}
		t.Log(line)
	}
}

// train fits the trees that tell stated, contradicted or absent claims from the others.
func train(t *testing.T, rows []row, x [][]float64, names []string, which int, use func(i int) bool) *trees.Model {
	var samples [][]float64
	var targets []float64
	for i, r := range rows {
		if !use(i) || r.Label == "partly" {
			continue
		}
		is := false
		switch which {
		case 0:
			is = r.Label == "supported"
		case 1:
			is = r.Label == "refuted"
		case 2:
			is = r.Label == "unsupported"
		}
		samples, targets = append(samples, x[i]), append(targets, bit(is))
	}
	m, _, err := trees.Train(samples, targets, treeOptions)
	if err != nil {
		t.Fatal(err)
	}
	m.Names = names
	return m
}

func writeFeatures(t *testing.T, name string, rows []row, names []string, x [][]float64) {
	out, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	w := bufio.NewWriter(out)
	defer w.Flush()
	fmt.Fprintln(w, "id\tbase\tlang\tlabel\tkind\tstyle\t"+strings.Join(names, "\t"))
	for i, r := range rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s", r.ID, r.Base, r.Lang, r.Label, r.Kind, r.Style)
		for _, v := range x[i] {
			fmt.Fprintf(w, "\t%.4g", v)
		}
		fmt.Fprintln(w)
	}
}

// report prints shares at the threshold where one in twenty of the refuted pass.
func report(t *testing.T, rows []row, predicted [][3]float64) {
	is := func(i int, label string) bool { return rows[i].Label == label }
	for _, lang := range []string{"", "en", "zh"} {
		in := func(i int) bool { return lang == "" || strings.HasPrefix(rows[i].Lang, lang) }
		pick := func(m int, use func(i int) bool) []float64 {
			var all []float64
			for i := range rows {
				if in(i) && use(i) {
					all = append(all, predicted[i][m])
				}
			}
			slices.Sort(all)
			return all
		}
		free := func(i int) bool { return is(i, "supported") && rows[i].Style != "plain" }
		plain := func(i int) bool { return is(i, "supported") && rows[i].Style == "plain" }
		refuted, unsupported := func(i int) bool { return is(i, "refuted") }, func(i int) bool { return is(i, "unsupported") }
		s, r, u := pick(0, free), pick(0, refuted), pick(0, unsupported)
		if len(s) == 0 || len(r) == 0 {
			continue
		}
		at := r[len(r)*95/100]
		contra := pick(1, free)
		deny := contra[len(contra)*98/100]
		absent := pick(2, free)
		lost := absent[len(absent)*99/100]
		t.Logf("%2s %4d+%d+%d: AUC supported/refuted %.3f, /unsupported %.3f; states from %.2f: %.3f of supported, %.3f plain, %.3f unsupported; contradicts from %.2f: %.3f of refuted, %.3f of unsupported; absent from %.2f: %.3f of unsupported",
			lang, len(s), len(r), len(u), area(s, r), area(s, u), at, above(s, at), above(pick(0, plain), at), above(u, at), deny,
			above(pick(1, refuted), deny), above(pick(1, unsupported), deny), lost, above(pick(2, unsupported), lost))
		if lang == "" {
			kinds := map[string][2]int{}
			for i := range rows {
				if refuted(i) {
					k := kinds[rows[i].Kind]
					k[0]++
					if predicted[i][0] > at {
						k[1]++
					}
					kinds[rows[i].Kind] = k
				}
			}
			line := ""
			for _, kind := range sortedKeys(kinds) {
				line += fmt.Sprintf(" %s %d/%d", kind, kinds[kind][1], kinds[kind][0])
			}
			t.Log("pass:" + line)
		}
	}
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func above(sorted []float64, at float64) float64 {
	n, _ := slices.BinarySearchFunc(sorted, at, func(a, b float64) int { return cmp.Or(cmp.Compare(a, b), -1) })
	return ratio(float64(len(sorted)-n), float64(len(sorted)))
}

func area(high, low []float64) float64 {
	n := 0.0
	for _, h := range high {
		below, _ := slices.BinarySearch(low, h)
		upTo, _ := slices.BinarySearchFunc(low, h, func(a, b float64) int { return cmp.Or(cmp.Compare(a, b), -1) })
		n += (float64(below) + float64(upTo)) / 2
	}
	return ratio(n, float64(len(high)*len(low)))
}
