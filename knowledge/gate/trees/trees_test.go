package trees

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// friedman is a regression problem with known shape (Friedman 1991, equation 61): five features
// count, the others are noise. It is drawn from a fixed seed.
func friedman(n, features int, seed uint64) (rows [][]float64, targets []float64) {
	r := rand.New(rand.NewPCG(seed, 2))
	for range n {
		x := make([]float64, features)
		for f := range x {
			x[f] = r.Float64()
		}
		y := 10*math.Sin(math.Pi*x[0]*x[1]) + 20*(x[2]-.5)*(x[2]-.5) + 10*x[3] + 5*x[4] + r.NormFloat64()
		rows, targets = append(rows, x), append(targets, y)
	}
	return rows, targets
}

// TestByHand: six rows, one split after another, worked out on paper. The values 0, 0, 0, 4, 4, 10
// have the mean 3; the split with the largest gain leaves 10 alone, the next one parts 0 from 4.
func TestByHand(t *testing.T) {
	rows := [][]float64{{1, 9}, {2, 9}, {3, 9}, {4, 9}, {5, 9}, {6, 9}}
	targets := []float64{0, 0, 0, 4, 4, 10}
	m, _, err := Train(rows, targets, Options{Rounds: 1, Rate: 1, Leaves: 3, MinRows: 1})
	if err != nil {
		t.Fatal(err)
	}
	tree := m.Trees[0]
	if len(tree.Nodes) != 2 || tree.Nodes[0].Feature != 0 || tree.Nodes[0].Threshold != 5.5 || tree.Nodes[1].Threshold != 3.5 {
		t.Fatalf("nodes %+v", tree.Nodes)
	}
	// Squares around the mean: 78 before; left of 5.5, where the mean is 1.6, 19.2 are left.
	if gain := tree.Nodes[0].Gain; math.Abs(gain-58.8) > 1e-9 {
		t.Errorf("gain %v, want 58.8", gain)
	}
	for i, row := range rows {
		if got, err := m.Predict(row); err != nil || math.Abs(got-targets[i]) > 1e-12 {
			t.Errorf("row %d: %v, %v; want %v", i, got, err, targets[i])
		}
	}
}

func TestTrainingIsDeterministicAndStops(t *testing.T) {
	rows, targets := friedman(600, 10, 1)
	o := Options{HeldOut: .1, Rate: .2, Rounds: 400, Seed: 7}
	first, report, err := Train(rows, targets, o)
	if err != nil {
		t.Fatal(err)
	}
	if report.Grown >= 400 || report.Grown-report.Trees != 30 || len(first.Trees) != report.Trees {
		t.Errorf("report %+v with %d trees", report, len(first.Trees))
	}
	again, _, _ := Train(rows, targets, o)
	var a, b bytes.Buffer
	if err := first.Write(&a); err != nil {
		t.Fatal(err)
	}
	if err := again.Write(&b); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("two trainings gave different trees")
	}
}

// The figures of other libraries; see testdata/README.md.
const sklearnRMSE, xgboostRMSE = 1.3253, 1.3361

// TestAgainstOthers compares the error on fresh rows with what scikit-learn's
// HistGradientBoostingRegressor and XGBoost reach on the same rows with the same settings; see
// testdata/README.md for how their figures were made.
func TestAgainstOthers(t *testing.T) {
	rows, targets := friedman(2000, 20, 1)
	fresh, truth := friedman(1000, 20, 99)
	m, _, err := Train(rows, targets, Options{Rounds: 300, Rate: .05})
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i, row := range fresh {
		got, err := m.Predict(row)
		if err != nil {
			t.Fatal(err)
		}
		sum += (got - truth[i]) * (got - truth[i])
	}
	rmse := math.Sqrt(sum / float64(len(fresh)))
	t.Logf("test RMSE %.4f", rmse)
	for name, other := range map[string]float64{"scikit-learn": sklearnRMSE, "XGBoost": xgboostRMSE} {
		if math.Abs(rmse-other) > .02*other {
			t.Errorf("RMSE %.4f, %s has %.4f", rmse, name, other)
		}
	}
}

func TestLeavesAreLargeEnough(t *testing.T) {
	rows, targets := friedman(300, 5, 3)
	m, _, err := Train(rows, targets, Options{Rounds: 20, MinRows: 25})
	if err != nil {
		t.Fatal(err)
	}
	for _, tree := range m.Trees {
		total := 0
		for _, l := range tree.Leaves {
			total += l.Rows
			if l.Rows < 25 {
				t.Fatalf("leaf of %d rows", l.Rows)
			}
		}
		if total != 300 || len(tree.Leaves) > 300/25 {
			t.Fatalf("%d rows in %d leaves", total, len(tree.Leaves))
		}
	}
}

func TestBins(t *testing.T) {
	for _, test := range []struct {
		name   string
		values []float64
		most   int
		bounds []float64
	}{
		{"few values", []float64{3, 1, 1, 2}, 255, []float64{1.5, 2.5}},
		{"one value", []float64{5, 5}, 255, nil},
		{"equal shares", []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, 3, []float64{4.5, 8.5}},
		{"neighbouring floats", []float64{1, math.Nextafter(1, 2)}, 255, []float64{1}},
	} {
		if got := bin(test.values, test.most); !slices.Equal(got.bounds, test.bounds) {
			t.Errorf("%s: bounds %v, want %v", test.name, got.bounds, test.bounds)
		}
	}
}

func TestTextFormat(t *testing.T) {
	rows, targets := friedman(400, 6, 5)
	m, _, err := Train(rows, targets, Options{Rounds: 25, Leaves: 7})
	if err != nil {
		t.Fatal(err)
	}
	m.Names = []string{"a", "b", "c", "d", "e", "f"}
	var text bytes.Buffer
	if err := m.Write(&text); err != nil {
		t.Fatal(err)
	}
	back, err := Read(bytes.NewReader(text.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if err := back.Write(&again); err != nil {
		t.Fatal(err)
	}
	if text.String() != again.String() {
		t.Error("reading and writing changes the text")
	}
	for _, row := range rows {
		a, _ := m.Predict(row)
		if b, _ := back.Predict(row); a != b {
			t.Fatalf("%v predicted as %v after reading", a, b)
		}
	}
	sizes := strings.Fields(valueOf(text.String(), "tree_sizes"))
	for i, block := range strings.SplitAfter(text.String(), "\n\n\n") {
		if i < len(sizes) {
			block = block[strings.Index(block, "Tree="):]
			if want := sizes[i]; want != strconv.Itoa(len(block)) {
				t.Errorf("tree %d has %d bytes, written %s", i, len(block), want)
			}
		}
	}
}

func valueOf(text, key string) string {
	_, rest, _ := strings.Cut(text, "\n"+key+"=")
	value, _, _ := strings.Cut(rest, "\n")
	return value
}

// stump is a model as LightGBM writes it, shortened to what is read.
const stump = `tree
version=v4
num_class=1
num_tree_per_iteration=1
label_index=0
max_feature_idx=1
objective=regression
feature_names=age dose
feature_infos=[0:9] [0:1]
tree_sizes=1

Tree=0
num_leaves=2
num_cat=0
split_feature=1
split_gain=1.5
threshold=0.5
decision_type=2
left_child=-1
right_child=-2
leaf_value=0.25 0.75
leaf_count=10 12
is_linear=0
shrinkage=1


end of trees
`

func TestRead(t *testing.T) {
	for _, test := range []struct{ name, old, new, want string }{
		{"as it is", "", "", ""},
		{"Windows line ends", "\n", "\r\n", ""},
		{"NaN as missing", "decision_type=2", "decision_type=10", ""},
		{"not a model", "tree\n", "forest\n", `does not begin with "tree"`},
		{"categories", "num_cat=0", "num_cat=1", "splits on categories are not read"},
		{"linear", "is_linear=0", "is_linear=1", "linear trees are not read"},
		{"zero as missing", "decision_type=2", "decision_type=6", "zero as a missing value is not read"},
		{"classes", "num_class=1", "num_class=3", "only models with one output"},
		{"binary", "objective=regression", "objective=binary sigmoid:1", "only regression is read"},
		{"too few values", "threshold=0.5", "threshold=", "threshold has 0 values, want 1"},
		{"loop", "left_child=-1", "left_child=0", "node 0 has the child 0"},
		{"leaf twice", "right_child=-2", "right_child=-1", "node 0 has the child -1"},
		{"no such feature", "split_feature=1", "split_feature=2", "feature 2 of 2"},
		{"no number", "threshold=0.5", "threshold=nan", "no finite number"},
		{"cut off", "end of trees\n", "", `ends before "end of trees"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := stump
			if test.old != "" {
				text = strings.ReplaceAll(stump, test.old, test.new)
			}
			m, err := Read(strings.NewReader(text))
			if test.want != "" {
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Fatalf("error %v, want %q", err, test.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			low, _ := m.Predict([]float64{0, .5})
			high, _ := m.Predict([]float64{0, .6})
			if low != .25 || high != .75 {
				t.Errorf("predicts %v and %v", low, high)
			}
		})
	}
}

func TestTrainRefuses(t *testing.T) {
	for _, test := range []struct {
		name    string
		rows    [][]float64
		targets []float64
		options Options
	}{
		{"nothing", nil, nil, Options{}},
		{"uneven", [][]float64{{1}, {1, 2}}, []float64{1, 2}, Options{}},
		{"not a number", [][]float64{{math.NaN()}}, []float64{1}, Options{}},
		{"infinite target", [][]float64{{1}}, []float64{math.Inf(1)}, Options{}},
		{"too many bins", [][]float64{{1}}, []float64{1}, Options{Bins: 256}},
	} {
		if _, _, err := Train(test.rows, test.targets, test.options); err == nil {
			t.Errorf("%s: no error", test.name)
		}
	}
	m, _, err := Train([][]float64{{1}, {2}}, []float64{3, 5}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := m.Predict([]float64{1}); got != 4 {
		t.Errorf("too little to split predicts %v, want the mean", got)
	}
	if _, err := m.Predict([]float64{1, 2}); err == nil {
		t.Error("a row of another length is taken")
	}
}

func FuzzRead(f *testing.F) {
	f.Add(stump, .5)
	f.Add(strings.Replace(stump, "num_leaves=2", "num_leaves=1", 1), 0.)
	f.Fuzz(func(t *testing.T, text string, v float64) {
		m, err := Read(strings.NewReader(text))
		if err != nil || m.Features > 100 {
			return
		}
		row := make([]float64, m.Features)
		for i := range row {
			row[i] = v
		}
		if _, err := m.Predict(row); err != nil {
			t.Error(err)
		}
	})
}

// BenchmarkTrain: 2,500 rows of 259 features, the shape of the gate with the embedded encoder.
func BenchmarkTrain(b *testing.B) {
	rows, targets := friedman(2500, 259, 1)
	b.ReportAllocs()
	for b.Loop() {
		if _, report, err := Train(rows, targets, Options{HeldOut: .1}); err != nil {
			b.Fatal(err)
		} else {
			b.ReportMetric(float64(report.Grown), "trees")
		}
	}
}

func BenchmarkPredict(b *testing.B) {
	rows, targets := friedman(500, 259, 1)
	m, _, err := Train(rows, targets, Options{Rounds: 700})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Predict(rows[0]); err != nil {
			b.Fatal(err)
		}
	}
}
