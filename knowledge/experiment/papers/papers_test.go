package papers

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lacuna/knowledge/answer/systems"
	"lacuna/knowledge/gate"
)

// TestTables holds that tables name systems that there are, and that each published figure has its column.
func TestTables(t *testing.T) {
	for _, p := range All() {
		for _, a := range p.Artefacts {
			where := p.ID + " " + a.ID
			if a.Name == "" || a.Shows == "" || len(a.Slots) == 0 || len(a.Caveats) == 0 || a.Make == nil {
				t.Errorf("%s says too little of itself", where)
			}
			if a.table == nil {
				continue
			}
			ids := map[string]bool{"": true}
			for _, s := range a.table.rows {
				_, known := systems.Lookup(s.id)
				if !known && s.id != gate.Oracle || ids[s.id] {
					t.Errorf("%s: the system %q is unknown or there twice", where, s.id)
				}
				ids[s.id] = true
			}
			for _, s := range a.table.rows {
				if !ids[s.over] || !ids[a.table.over] {
					t.Errorf("%s: %s is compared with what is no row", where, s.id)
				}
			}
			for _, c := range a.table.sets {
				n := 0
				for _, column := range c.all {
					n += len(column.papers)
				}
				for system, figures := range c.published {
					if !ids[system] && a.ID != "ablation" || len(figures) > n {
						t.Errorf("%s, %s: %s has %d published figures for %d columns, or is no row", where, c.slot.ID, system, len(figures), n)
					}
					for _, f := range figures {
						if f < 0 || f > 100 {
							t.Errorf("%s, %s: %s: %g is no percentage", where, c.slot.ID, system, f)
						}
					}
				}
				if !slices.ContainsFunc(c.all, func(column column) bool { return column.measure == c.plotted }) {
					t.Errorf("%s, %s: %q is plotted and no column", where, c.slot.ID, c.plotted)
				}
			}
		}
	}
}

func TestFind(t *testing.T) {
	for _, tt := range []struct{ paper, artefact, want string }{
		{"misknow", "table1", ""},
		{"mis", "table1", `no paper is called "mis"; known: misknow, ccsk, medrgag`},
		{"ccsk", "table9", `ccsk has no "table9"; known: `},
	} {
		_, a, err := Find(tt.paper, tt.artefact)
		if err == nil && (tt.want != "" || a.ID != tt.artefact) || err != nil && (tt.want == "" || !strings.HasPrefix(err.Error(), tt.want)) {
			t.Errorf("%s %s: %q, %v; want %q", tt.paper, tt.artefact, a.ID, err, tt.want)
		}
	}
}

// TestFill holds that a file finds its slot by what it is, and that what fits none or several is told.
func TestFill(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		"facts.jsonl":         `{"qid": "1", "question": "Which town is it?", "answers": ["Oslo"]}`,
		"natural.jsonl":       `{"qid": "1", "question": "Which town is it?", "answers": ["Oslo"]}`,
		"open.jsonl":          `{"question": "which town is it", "answer": ["Oslo"]}`,
		"webquestions.jsonl":  `{"qid": "1", "question": "Which town is it?", "answers": ["Oslo"]}`,
		"consultations.jsonl": `{"questions": "感冒了应该怎么办？", "answers": "多喝水，注意休息。"}`,
		"choices.jsonl":       `{"id": "1", "question": "Which is it?", "options": ["this", "that"], "gold": "A"}`,
		"several.jsonl": `{"id": "1", "dataset": "medqa", "question": "Which is it?", "options": ["this", "that"], "gold": "A"}
{"id": "2", "dataset": "bioasq", "question": "Is it?", "options": {"A": "yes", "B": "no"}, "gold": "A"}`,
		"medqa.jsonl": `{"question": "Which is it?", "options": {"A": "this", "B": "that"}, "answer": "this", "answer_idx": "A"}`,
		"torn.jsonl":  `{"question": "Which is it?", "options": {"A": "this"`,
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ paper, artefact, files, want string }{
		{"misknow", "table1", "facts.jsonl", "nq=facts.jsonl"}, // the only set of short answers
		{"misknow", "table1", "consultations.jsonl open.jsonl", "nq=open.jsonl huatuo=consultations.jsonl"},
		{"misknow", "table1", "huatuo=facts.jsonl", `its questions are of the kind "short" in "en", and huatuo takes paragraph in zh`},
		{"misknow", "table1", "choices.jsonl", `its questions are of the kind "choice" in "en"; this artefact takes nq (Natural Questions), huatuo (Huatuo-26M)`},
		{"misknow", "table1", "facts.jsonl open.jsonl", "are for nq; say which is which, as in nq="},
		{"misknow", "table1", "medqa=medqa.jsonl", "this artefact takes nq (Natural Questions), huatuo (Huatuo-26M)"},
		{"misknow", "table1", "nqq=facts.jsonl", `no data set is called "nqq"; known: nq, huatuo, `},
		{"misknow", "table1", "webquestions.jsonl", "it looks like webquestions, and this artefact takes nq"},
		{"misknow", "table1", "nq=webquestions.jsonl", "nq=webquestions.jsonl"},
		{"ccsk", "table2", "webquestions.jsonl", "webquestions=webquestions.jsonl"},
		{"ccsk", "table2", "facts.jsonl", "it could be any of webquestions, complexquestions; say which, as in webquestions="},
		{"ccsk", "table2", "complexquestions=facts.jsonl", "complexquestions=facts.jsonl"},
		{"medrgag", "table1", "several.jsonl", "medqa=several.jsonl/medqa bioasq=several.jsonl/bioasq"},
		{"medrgag", "table1", "medqa.jsonl bioasq=several.jsonl", "medqa=medqa.jsonl bioasq=several.jsonl/bioasq"},
		{"medrgag", "table1", "torn.jsonl", "the JSON is not complete"},
		{"medrgag", "table1", "none.jsonl", "none.jsonl"},
	} {
		_, a, err := Find(tt.paper, tt.artefact)
		if err != nil {
			t.Fatal(err)
		}
		var data []Data
		var got []string
		for name := range strings.FieldsSeq(tt.files) {
			slot, file, named := strings.Cut(name, "=")
			path := filepath.Join(dir, name)
			if named {
				path = slot + "=" + filepath.Join(dir, file)
			}
			d, readErr := Read(path)
			if readErr != nil {
				err = readErr
				break
			}
			data = append(data, d)
		}
		if err == nil {
			var given []Given
			given, err = Fill(a.Slots, data)
			for _, g := range given {
				text := g.Slot.ID + "=" + filepath.Base(g.File)
				if g.Part != "" {
					text += "/" + g.Part
				}
				got = append(got, text)
			}
		}
		if said := strings.Join(got, " "); err == nil && said != tt.want || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %s with %s: %q, %v\nwant %q", tt.paper, tt.artefact, tt.files, said, err, tt.want)
		}
	}
}

func TestMissing(t *testing.T) {
	_, a, err := Find("ccsk", "table2")
	if err != nil {
		t.Fatal(err)
	}
	all := Needs{Model: true, Texts: true, Pairs: true, Encoder: true}
	if missing := a.Missing(all, []Given{{Slot: complexQuestions}}); len(missing) > 0 {
		t.Errorf("one data set of two is enough, but %q is missing", missing)
	}
	if missing := a.Missing(Needs{}, nil); len(missing) != 4 {
		t.Errorf("without anything %q is missing", missing)
	}
}

// TestPublishedMeans holds the published accuracies against the means over the five data sets that the paper prints.
func TestPublishedMeans(t *testing.T) {
	_, a, err := Find("medrgag", "table1")
	if err != nil {
		t.Fatal(err)
	}
	for system, want := range map[string][3]float64{
		"direct-response": {60.87, 66.64, 56.92}, "vanilla-rag": {60.12, 64.99, 57.15}, "medrag": {62.35, 66.39, 59.84},
		"i-medrag": {63.89, 67.82, 61.53}, "genread": {66.68, 68.41, 65.35}, "medgenie": {67.79, 68.83, 66.07},
		"grg": {67.39, 69.20, 65.78}, "cgap": {68.41, 69.80, 65.81}, "medrgag": {71.14, 71.43, 69.31},
	} {
		for n, reader := range readers {
			sum := 0.0
			for _, c := range a.table.sets {
				sum += c.publishedAt(system, reader)
			}
			if got := sum / 5; got < want[n]-.011 || got > want[n]+.011 {
				t.Errorf("%s, %s: the mean of the published accuracies is %.3f, and the paper prints %.2f", system, reader, got, want[n])
			}
		}
	}
}
