package extract

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/ingest/pdf"
	"lacuna/knowledge/passage"
)

func TestMain(m *testing.M) {
	pdf.Child() // PDF files are read by a child of this program
	os.Exit(m.Run())
}

// measured is a question of a set in the format of data/real.
type measured struct {
	ID, Corpus, Question, Kind string
	Answerable                 bool
	Pages, Keys                []string
	patterns                   []*regexp.Regexp
}

func (m *measured) answeredBy(text string) bool {
	for _, reading := range readings(text) {
		for _, p := range m.patterns {
			if p.MatchString(reading) {
				return true
			}
		}
	}
	return false
}

var (
	quoteMark = regexp.MustCompile(`\n\s*>+ ?`)
	mdLink    = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	wikiLink  = regexp.MustCompile(`\[\[(?:[^\]|]*\|)?([^\]]*)\]\]`)
	marks     = regexp.MustCompile("[*`]")
	spaces    = regexp.MustCompile(`\s+`)
)

func readings(text string) []string {
	text = quoteMark.ReplaceAllString(strings.NewReplacer("\u00ad", "", "\u2011", "-").Replace(text), "\n")
	plain := marks.ReplaceAllString(wikiLink.ReplaceAllString(mdLink.ReplaceAllString(text, "$1"), "$1"), "")
	return []string{spaces.ReplaceAllString(text, " "), spaces.ReplaceAllString(plain, " ")}
}

// bases opens the collections of the sets below LACUNA_SETS, which are folders in the format of data/real,
// separated by colons; indexes are kept below LACUNA_WORK.
func bases(t *testing.T, visit func(name string, library *knowledge.Library, questions []*measured)) {
	sets, work := os.Getenv("LACUNA_SETS"), os.Getenv("LACUNA_WORK")
	if sets == "" || work == "" {
		t.Skip("LACUNA_SETS and LACUNA_WORK name no questions to measure on")
	}
	only := os.Getenv("LACUNA_ONLY")
	for _, set := range strings.Split(sets, ":") {
		files, _ := filepath.Glob(filepath.Join(set, "questions", "*.jsonl"))
		for _, file := range files {
			name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
			if only != "" && !strings.Contains(","+only+",", ","+name+",") {
				continue
			}
			content, _ := os.ReadFile(file)
			var questions []*measured
			for line := range strings.Lines(string(content)) {
				if strings.TrimSpace(line) == "" {
					continue
				}
				q := new(measured)
				if err := json.Unmarshal([]byte(line), q); err != nil {
					t.Fatal(err)
				}
				q.Corpus = name
				for _, key := range q.Keys {
					if p, err := regexp.Compile(key); err == nil {
						q.patterns = append(q.patterns, p)
					}
				}
				questions = append(questions, q)
			}
			kb := filepath.Join(work, name, "kb")
			if _, err := os.Stat(kb); err != nil {
				untar(t, filepath.Join(set, "corpora", name+".tar.gz"), kb)
			}
			index, err := knowledge.Open(knowledge.Options{
				Sources:    []ingest.Source{{Name: "kb", Kind: passage.Text, Path: kb, Implicit: true}},
				Dir:        filepath.Join(work, name, "index"),
				Companions: []knowledge.Companion{gap.Companion(), QuestionTypes{}},
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := index.Refresh(context.Background()); err != nil {
				t.Fatal(err)
			}
			if index.Library().Collection(passage.Text) == nil {
				fmt.Println(name, index.Library().Files())
				continue
			}
			visit(name, index.Library(), questions)
			index.Close()
		}
	}
}

func untar(t *testing.T, archive, to string) {
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg || !filepath.IsLocal(h.Name) {
			continue
		}
		path := filepath.Join(to, h.Name)
		_ = os.MkdirAll(filepath.Dir(path), 0o700)
		out, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(out, r)
		out.Close()
	}
}

// TestPlaces measures how often the places shown hold the answer.
func TestPlaces(t *testing.T) {
	var total, found5, found10, shown, top, oracle int
	bases(t, func(name string, library *knowledge.Library, questions []*measured) {
		var n, f5, f10, s, first, o int
		for _, q := range questions {
			if !q.Answerable {
				continue
			}
			n++
			found, err := retrieve(t.Context(), library, answer.Question{Text: q.Question}, newInquiry(q.Question))
			if err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(found.texts[0], func(h knowledge.Hit) bool { return q.answeredBy(h.Passage.Text) })
			if at >= 0 && at < 5 {
				f5++
			}
			if at >= 0 {
				f10++
			}
			r := newPlacing(q.Question, library.Collection(passage.Text), found.texts...)
			all := r.scored()
			var texts []string
			right := false
			for i, p := range r.choose() {
				span := r.span(p)
				text := r.pages[p.page].hit.Passage.Text[span.Start:span.End]
				texts = append(texts, text)
				if q.answeredBy(text) {
					right = true
					if i == 0 {
						first++
					}
				}
			}
			could := slices.IndexFunc(all, func(p place) bool {
				span := r.span(p)
				return q.answeredBy(r.pages[p.page].hit.Passage.Text[span.Start:span.End])
			})
			if right {
				s++
			}
			if could >= 0 {
				o++
			}
			if os.Getenv("LACUNA_LIST") != "" && !right && at >= 0 {
				fmt.Printf("\n== %s %s (%s; expects %v aspect %q; words %v) rank %d\n", q.ID, q.Question, q.Kind, r.asked.Expected, r.asked.Aspect, contentWords(q.Question), at+1)
				for _, text := range texts {
					fmt.Printf("  - %.300q\n", text)
				}
				if could >= 0 {
					best := could
					for i, p := range all {
						span := r.span(p)
						if p.score > all[best].score && q.answeredBy(r.pages[p.page].hit.Passage.Text[span.Start:span.End]) {
							best = i
						}
					}
					span := r.span(all[best])
					fmt.Printf("  WANTED %.500q\n", r.pages[all[best].page].hit.Passage.Text[span.Start:span.End])
				}
			}
		}
		fmt.Printf("%-20s n %2d in five %2d in ten %2d candidates %2d shown %2d first %2d\n", name, n, f5, f10, o, s, first)
		total, found5, found10, shown, top, oracle = total+n, found5+f5, found10+f10, shown+s, top+first, oracle+o
	})
	fmt.Printf("%-20s n %2d in five %2d in ten %2d candidates %2d shown %2d first %2d\n", "all", total, found5, found10, oracle, shown, top)
}
