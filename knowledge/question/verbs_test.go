package question

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestVerbs writes verbs.txt again from the folder LACUNA_WORDNET, such as /usr/share/wordnet, with -update.
func TestVerbs(t *testing.T) {
	folder := os.Getenv("LACUNA_WORDNET")
	if folder == "" {
		t.Skip("LACUNA_WORDNET is not set")
	}
	word := regexp.MustCompile(`^[a-z]{3,}$`)
	lines := func(name string, each func(fields []string)) {
		f, err := os.Open(filepath.Join(folder, name))
		if err != nil {
			t.Skip(err)
		}
		defer f.Close()
		for s := bufio.NewScanner(f); s.Scan(); {
			if !strings.HasPrefix(s.Text(), " ") {
				each(strings.Fields(s.Text()))
			}
		}
	}
	lemmas := func(name string, into map[string]bool) {
		lines(name, func(fields []string) { into[fields[0]] = true })
	}
	verbs, nouns, adjectives := make(map[string]bool), make(map[string]bool), make(map[string]bool)
	lemmas("index.verb", verbs)
	lemmas("index.noun", nouns)
	lemmas("index.adj", adjectives)
	lemmas("index.adv", adjectives)
	asVerb, asOther := make(map[string]int), make(map[string]int) // how often in the texts that WordNet counted
	lines("cntlist.rev", func(fields []string) {
		lemma, rest, _ := strings.Cut(fields[0], "%")
		n, _ := strconv.Atoi(fields[2])
		if strings.HasPrefix(rest, "2:") {
			asVerb[lemma] += n
		} else {
			asOther[lemma] += n
		}
	})
	irregular := make(map[string][]string)
	lines("verb.exc", func(fields []string) {
		if word.MatchString(fields[0]) {
			irregular[fields[1]] = append(irregular[fields[1]], fields[0])
		}
	})
	var only, also []string
	for verb := range verbs {
		line := strings.Join(append([]string{verb}, irregular[verb]...), " ")
		switch {
		case !word.MatchString(verb):
		case asVerb[verb] >= 1 && asOther[verb] == 0 && (!nouns[verb] && !adjectives[verb] || asVerb[verb] >= 10):
			only = append(only, line)
		case asVerb[verb] >= 2:
			also = append(also, line)
		}
	}
	slices.Sort(only)
	slices.Sort(also)
	text := "# English verbs with their irregular forms, computed from WordNet 3.0 (see NOTICE) by TestVerbs. Behind the line\n# \"==\" stand those that are other words as well.\n" +
		strings.Join(only, "\n") + "\n==\n" + strings.Join(also, "\n") + "\n"
	if *update {
		if err := os.WriteFile("verbs.txt", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if text != verbList {
		t.Error("verbs.txt is another list")
	}
}
