package redact

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"lacuna/knowledge/plaintext"
)

// TestLists makes names.txt.gz and clinical.txt.gz. LACUNA_LISTS is a folder with dist.all.last, dist.female.first
// and dist.male.first of github.com/treyhunner/names at c485a4350e84d77836ccd36c628296beb1aec05f, and with
// medquad.jsonl.gz and medquad-questions-only.jsonl.gz, the pairs of MedQuAD with the fields question, answer and
// focus.
func TestLists(t *testing.T) {
	folder := os.Getenv("LACUNA_LISTS")
	if folder == "" {
		t.Skip("LACUNA_LISTS is unset: the lists are made again only when their sources change")
	}
	census := func(name string, most int) []string {
		file, err := os.Open(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		var names []string
		for scanner := bufio.NewScanner(file); scanner.Scan() && len(names) < most; {
			names = append(names, strings.ToLower(strings.Fields(scanner.Text())[0]))
		}
		return names
	}
	surnames := census("dist.all.last", 20_000)
	firsts := slices.Concat(census("dist.female.first", 5000), census("dist.male.first", 5000))
	slices.Sort(firsts)
	firsts = slices.Compact(firsts)
	slices.Sort(surnames)
	writeList(t, "names.txt.gz", "Surnames and given names of the United States Census of 1990, which is in the public domain: the 20,000 most\n# frequent surnames, and all given names.", "[surname]\n"+strings.Join(surnames, "\n")+"\n[given]\n"+strings.Join(firsts, "\n")+"\n")

	isName := plaintext.Set(strings.Join(surnames, " ") + " " + strings.Join(firsts, " "))
	count := map[string]int{}
	focus := map[string]bool{}
	word := regexp.MustCompile(`[A-Za-z]{3,}`)
	for _, name := range []string{"medquad.jsonl.gz", "medquad-questions-only.jsonl.gz"} {
		file, err := os.Open(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		packed, err := gzip.NewReader(file)
		if err != nil {
			t.Fatal(err)
		}
		scanner := bufio.NewScanner(packed)
		scanner.Buffer(nil, 1<<26)
		for scanner.Scan() {
			var pair struct{ Question, Answer, Focus string }
			if err := json.Unmarshal(scanner.Bytes(), &pair); err != nil {
				t.Fatal(err)
			}
			for _, w := range word.FindAllString(pair.Question+" "+pair.Answer, -1) {
				if strings.IndexFunc(w, unicode.IsUpper) < 0 {
					count[w]++
				}
			}
			for _, w := range word.FindAllString(pair.Focus, -1) {
				focus[strings.ToLower(w)] = true
			}
		}
		file.Close()
	}
	var clinical []string
	for _, w := range slices.Sorted(maps.Keys(count)) {
		if german.general(w) || count[w] < 2 || isName[w] && count[w] < 10 {
			continue
		}
		clinical = append(clinical, w)
	}
	for _, w := range slices.Sorted(maps.Keys(focus)) {
		if !german.general(w) && !isName[w] && count[w] < 2 {
			clinical = append(clinical, w)
		}
	}
	slices.Sort(clinical)
	t.Logf("%d surnames, %d given names, %d clinical words", len(surnames), len(firsts), len(clinical))
	writeList(t, "clinical.txt.gz", "Single words of MedQuAD (https://github.com/abachaa/MedQuAD), Creative Commons Attribution 4.0, that are not\n# everyday English: those it writes in lower case, and those of its subjects that are no names.", strings.Join(clinical, "\n")+"\n")
}

func writeList(t *testing.T, name, origin, lines string) {
	t.Helper()
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(w, "# %s\n%s", origin, lines)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, packed.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
