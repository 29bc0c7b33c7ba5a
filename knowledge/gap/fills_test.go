package gap

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
)

// TestFills holds single points against single passages.
func TestFills(t *testing.T) {
	page := func(path, words string) *passage.Passage { return text(path, words) }
	dose := page("Apixaban/Dose", "The usual dose of apixaban is 5 mg twice a day. Adults of 80 years take half of it.")
	effects := page("Metformin/Side effects", "Stop treatment when lactic acidosis is suspected. Nausea is common with metformin.")
	kidney := page("Metformin/Cautions", "In kidney disease the dose of metformin is reviewed when the eGFR falls below 45.")
	children := page("Apixaban/Children", "In children apixaban is given by weight. A child of 20 kg takes 2.5 mg twice a day.")
	figs := pair("Do figs need pruning?", "Figs are pruned in early spring.")
	for _, c := range []struct {
		text, query string
		in          *passage.Passage
		want        bool
	}{
		{"the dose of apixaban", "", dose, true},
		{"dose in children", "apixaban dose children", dose, false},
		{"dose in children", "apixaban dose", dose, false}, // the query forgets whom it is about
		{"dose in children", "apixaban dose children", children, true},
		{"dose in infants", "apixaban dosage paediatric", children, true},
		{"price of apixaban", "apixaban price", dose, false},
		{"treatment of lactic acidosis", "lactic acidosis treatment", effects, false},
		{"side effects of metformin", "", effects, true},
		{"nausea with metformin", "", effects, true},
		{"metformin in heart failure", "", effects, false},
		{"metformin dose in renal disease", "", kidney, true},
		{"metformin and the liver", "", kidney, false},
		{"pruning of figs in spring", "", figs, true},
		{"pruning of quinces", "", figs, false},
		{"", "", dose, false},
		{"what is the", "", dose, false},
	} {
		g := Gap{Code: MissingKnowledge, Text: c.text, Query: c.query}
		if got := g.Fills(c.in); got != c.want {
			t.Errorf("%q (%s) in %q: %v, want %v", c.text, c.query, c.in.Text, got, c.want)
		}
	}
}

func TestFillsInChinese(t *testing.T) {
	p := text("秋水仙碱/剂量", "痛风急性发作时可用秋水仙碱治疗，首次剂量为2毫克。")
	for query, want := range map[string]bool{"秋水仙碱 剂量": true, "秋水仙碱 儿童 剂量": false, "阿司匹林 剂量": false} {
		if got := (Gap{Text: query, Query: query}).Fills(p); got != want {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
}

// example reads the pages and stored questions of an example.
func exampleBase(t *testing.T, name string) *knowledge.Library {
	t.Helper()
	root, err := filepath.Abs("../../examples/" + name + "/kb")
	if err != nil {
		t.Fatal(err)
	}
	files, err := ingest.Read(context.Background(), ingest.DefaultLimits(), []ingest.Source{{Name: "kb", Kind: passage.Text, Path: root}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return build(t, ingest.Passages(files)...)
}

// TestPoints searches for each of the points of testdata/points.txt, as a second round does, and counts
// how many are closed wrongly and how many are not closed.
func TestPoints(t *testing.T) {
	data, err := os.ReadFile("testdata/points.txt")
	if err != nil {
		t.Fatal(err)
	}
	var library *knowledge.Library
	counts := make(map[string]*[4]int) // held, missed, lacking, wrong
	part := ""
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "base":
			library, part = exampleBase(t, rest), rest+", first half"
		case "second":
			part = strings.Replace(part, "first", "second", 1)
		case "held", "lacks":
			text, query, named := strings.Cut(strings.TrimSpace(rest), " | ")
			if !named {
				query = text
			}
			if counts[part] == nil {
				counts[part] = new([4]int)
			}
			by := filledBy(t, library, Gap{Text: text, Query: query})
			n := counts[part]
			switch {
			case word == "held" && by == nil:
				n[0]++
				n[1]++
				t.Logf("%s: not closed: %s", part, text)
			case word == "held":
				n[0]++
			case by != nil:
				n[2]++
				n[3]++
				t.Errorf("%s: closed wrongly: %s, by %s › %s: %s", part, text, by.Title, by.Section, by.Text)
			default:
				n[2]++
			}
		}
	}
	for part, n := range counts {
		t.Log(fmt.Sprintf("%s: %d of %d not closed, %d of %d closed wrongly", part, n[1], n[0], n[3], n[2]))
		if 3*n[1] > n[0] {
			t.Errorf("%s: %d of %d points that the pages have are not closed", part, n[1], n[0])
		}
	}
}

// filledBy is the first passage that a search for a gap finds and that fills it.
func filledBy(t *testing.T, library *knowledge.Library, g Gap) *passage.Passage {
	t.Helper()
	hits, err := library.Search(t.Context(), knowledge.Query{Text: g.Query, K: 10, Verbatim: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, hit := range hits {
		if g.Fills(hit.Passage) {
			return hit.Passage
		}
	}
	return nil
}
