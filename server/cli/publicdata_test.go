package cli

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// publicFigure is a command whose figures on public data are golden: testdata/public/NAME.txt has a line for each, with
// how far it may be off on another processor. A run with -update keeps how far.
type publicFigure struct {
	name    string
	sources []string // files of the data folder that the workspace is made of
	// arguments of the program besides --json; a word that begins with data/ is a file of the data folder.
	command string
	keys    []string // of the JSON object that are kept
	within  float64  // how far a figure may be off that is no count; decides only for new lines
}

// medicine is the workspace of most figures: abstracts, and stored questions of health agencies.
var medicine = []string{"kb/passages-pubmed.jsonl.gz", "kb/medquad.jsonl.gz"}

const recordedAnswers = " --data responses=data/decision/mirage-responses.dev.jsonl.gz --data questions=data/decision/mirage-questions.dev.jsonl.gz"

var publicFigures = []publicFigure{
	{"distances-bioasq", medicine, "eval paper misknow fig1 --out OUT --data queries=data/queries/bioasq.dev.jsonl.gz", []string{"n", "texts", "own_pairs", "mean", "share", "difference"}, .02},
	{"search-scifact", []string{"scifact/corpus.jsonl.gz"}, "eval search --k 10 --queries data/scifact/claims.dev.jsonl.gz", []string{"value", "n"}, .004},
	{"search-scifact-100", []string{"scifact/corpus.jsonl.gz"}, "eval search --k 100 --queries data/scifact/claims.dev.jsonl.gz", []string{"value", "n"}, .004},
	{"decisions", medicine, "eval paper ccsk thresholds --out OUT" + recordedAnswers, []string{"n", "left_out", "same", "accuracy", "retrieved"}, 1.5},
	{"decisions-plane", medicine, "eval paper ccsk tsne --out OUT" + recordedAnswers, []string{"n", "retrieve", "same_label", "chance"}, .06},
}

// TestFiguresOnPublicData makes the figures that need no model on the collections of LACUNA_DATA and compares them with
// the golden ones. It takes minutes, so it runs only where LACUNA_FIGURES is set, as in .ci/run nightly; there a file that
// is missing is a failure.
func TestFiguresOnPublicData(t *testing.T) {
	data := os.Getenv("LACUNA_DATA")
	if os.Getenv("LACUNA_FIGURES") == "" || data == "" {
		t.Skip("LACUNA_FIGURES and LACUNA_DATA are not both set: no figure is measured")
	}
	data, err := filepath.Abs(data)
	if err != nil {
		t.Fatal(err)
	}
	golden, err := filepath.Abs(filepath.Join("testdata", "public"))
	if err != nil {
		t.Fatal(err)
	}
	workspaces := map[string]string{}
	root := t.TempDir()
	isolate(t, root)
	for _, f := range publicFigures {
		t.Run(f.name, func(t *testing.T) {
			key := strings.Join(f.sources, " ")
			if workspaces[key] == "" {
				workspaces[key] = workspaceOfFiles(t, filepath.Join(root, fmt.Sprint("workspace", len(workspaces))), data, f.sources)
			}
			t.Chdir(workspaces[key])
			got := f.measure(t, data)
			compareFigures(t, filepath.Join(golden, f.name+".txt"), got, f.within)
		})
	}
}

// workspaceOfFiles makes a workspace whose sources are unpacked files of the data folder, each under its own name.
func workspaceOfFiles(t *testing.T, dir, data string, files []string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, "kb"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		packed, err := os.Open(filepath.Join(data, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		text, err := gzip.NewReader(packed)
		if err != nil {
			t.Fatal(err)
		}
		to, err := os.Create(filepath.Join(dir, "kb", strings.TrimSuffix(filepath.Base(name), ".gz")))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(to, text); err != nil {
			t.Fatal(err)
		}
		if err := to.Close(); err != nil {
			t.Fatal(err)
		}
		_ = packed.Close() // was only read
	}
	return dir
}

func (f publicFigure) measure(t *testing.T, data string) map[string]float64 {
	t.Helper()
	args := strings.Fields(f.command)
	for i, word := range args {
		before, name, ok := strings.Cut(word, "data/")
		if ok {
			args[i] = before + filepath.Join(data, filepath.FromSlash(name))
		}
		if word == "OUT" {
			args[i] = t.TempDir()
		}
	}
	stdout, stderr, code := run(t, strings.NewReader(""), append(args, "--json")...)
	if code != exitDone {
		t.Fatalf("%s: exit %d, %s", f.command, code, stderr)
	}
	got := map[string]float64{}
	for lines := json.NewDecoder(strings.NewReader(stdout)); lines.More(); {
		var value any
		if err := lines.Decode(&value); err != nil {
			t.Fatal(err)
		}
		flatten(got, "", value, f.keys)
	}
	return got
}

// flatten adds the numbers under some keys of a JSON value, each by its path. Elements of a list are named by what they
// say they are of, else by their number.
func flatten(into map[string]float64, path string, value any, keys []string) {
	below := func(name string) string { return strings.TrimPrefix(path+"/"+name, "/") }
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if number, ok := v[key].(float64); ok {
				if slices.Contains(keys, key) {
					into[below(key)] = number
				}
				continue
			}
			flatten(into, below(key), v[key], keys)
		}
	case []any:
		for i, element := range v {
			name := fmt.Sprint(i)
			if fields, ok := element.(map[string]any); ok {
				var names []string
				for _, key := range []string{"group", "metric", "dataset", "model", "encoder", "base", "policy", "features"} {
					if text, ok := fields[key].(string); ok {
						names = append(names, text)
					}
				}
				if len(names) > 0 {
					name = strings.Join(names, ", ")
				}
			}
			flatten(into, below(name), element, keys)
		}
	}
}

// goldenFigure is a figure of a golden file, and how far a measured one may be off.
type goldenFigure struct{ value, within float64 }

// readGolden reads lines of a path, a figure and how far it may be off, each after a tab.
func readGolden(text string) (map[string]goldenFigure, error) {
	golden := map[string]goldenFigure{}
	for line := range strings.Lines(text) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) != 3 {
			return nil, fmt.Errorf("%q is not a path, a figure and how far it may be off", line)
		}
		value, err := strconv.ParseFloat(fields[1], 64)
		within, err2 := strconv.ParseFloat(fields[2], 64)
		if err := errors.Join(err, err2); err != nil {
			return nil, err
		}
		golden[fields[0]] = goldenFigure{value, within}
	}
	return golden, nil
}

// compareFigures compares figures with a golden file, or writes it. In a new line counts, which are whole, may not be off.
func compareFigures(t *testing.T, file string, got map[string]float64, within float64) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil && !*update {
		t.Fatal(err)
	}
	golden, err := readGolden(string(text))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if !*update {
		for _, complaint := range complaints(golden, got) {
			t.Error(complaint)
		}
		return
	}
	var out bytes.Buffer
	for _, path := range slices.Sorted(maps.Keys(got)) {
		off := within
		if got[path] == math.Trunc(got[path]) {
			off = 0
		}
		if before, known := golden[path]; known {
			off = before.within
		}
		fmt.Fprintf(&out, "%s\t%.6g\t%g\n", path, got[path], off)
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, out.Bytes(), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// complaints says which figures are off, gone or new.
func complaints(golden map[string]goldenFigure, got map[string]float64) []string {
	var all []string
	for _, path := range slices.Sorted(maps.Keys(golden)) {
		want := golden[path]
		value, there := got[path]
		rounding := 1e-5 * math.Abs(want.value) // the file has six digits
		switch {
		case !there:
			all = append(all, path+" is not measured any more")
		case math.Abs(value-want.value) > want.within+rounding:
			all = append(all, fmt.Sprintf("%s is %.4g, was %.4g, may be off by %g", path, value, want.value, want.within))
		}
	}
	for _, path := range slices.Sorted(maps.Keys(got)) {
		if _, known := golden[path]; !known {
			all = append(all, path+" is new: run with -update and read the diff")
		}
	}
	return all
}

// TestFiguresAreCompared holds that what is off, gone or new is told.
func TestFiguresAreCompared(t *testing.T) {
	var value any
	if err := json.Unmarshal([]byte(`{"n": 3, "models": [{"model": "m", "rows": [{"policy": "never", "accuracy": 58.78, "low": 1}]}], "list": [{"n": 2}]}`), &value); err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	flatten(got, "", value, []string{"n", "accuracy"})
	if want := map[string]float64{"n": 3, "models/m/rows/never/accuracy": 58.78, "list/0/n": 2}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	golden, err := readGolden("n\t3\t0\nmodels/m/rows/never/accuracy\t59.9\t1\nother\t1\t0\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"models/m/rows/never/accuracy is 58.78, was 59.9, may be off by 1",
		"other is not measured any more",
		"list/0/n is new: run with -update and read the diff",
	}
	if said := complaints(golden, got); !slices.Equal(said, want) {
		t.Errorf("%q, want %q", said, want)
	}
	if _, err := readGolden("n\t3\n"); err == nil {
		t.Error("a line without a tolerance is read")
	}
}
