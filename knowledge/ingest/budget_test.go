package ingest

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lacuna/knowledge/ingest/pdf/pdftest"
	"lacuna/knowledge/passage"
)

// gzipped is a text as a gzip file.
func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// bombs writes files and returns a source of them.
func bombs(t *testing.T, files map[string]string) Source {
	t.Helper()
	s := Source{Name: "kb", Kind: passage.Text, Path: t.TempDir()}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(s.Path, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// account returns what became of files, one a line.
func account(files []File) string {
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintf(&b, "%s %s %d", filepath.Base(f.File), f.State, f.FileReport.Passages)
		if limit := f.Limited(); limit != "" {
			b.WriteString(" " + limit)
		} else if f.Reason != "" {
			b.WriteString(" " + f.Reason)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func rowsOf(n int, row string) string { return strings.Repeat(row+"\n", n) }

// TestBombsAreCutOff has files that cost much more than they look, next to one that costs nothing.
func TestBombsAreCutOff(t *testing.T) {
	document := strings.Repeat(`<w:p><w:r><w:t>A sentence.</w:t></w:r></w:p>`, 4000)
	for _, test := range []struct {
		name, file, text string
		limits           Limits
		want             string
	}{
		{"tiny rows", "a.jsonl.gz", gzipped(t, rowsOf(100_000, `{"text":"a"}`)), Limits{Passages: 1000}, "a.jsonl.gz indexed 875 limits.passages\n"},
		{"rows that give nothing", "a.jsonl.gz", gzipped(t, rowsOf(100_000, `{}`)), Limits{Passages: 1000}, "a.jsonl.gz failed 0 limits.passages\n"},
		{"blank rows", "a.jsonl.gz", gzipped(t, strings.Repeat(" \n", 4<<20)), Limits{Unpacked: 1 << 20}, "a.jsonl.gz failed 0 limits.unpacked\n"},
		{"long rows", "a.jsonl.gz", gzipped(t, rowsOf(400, `{"text":"`+strings.Repeat("word ", 4000)+`"}`)), Limits{Memory: 1 << 20}, "a.jsonl.gz indexed "},
		{"a table", "a.csv", "text\n" + rowsOf(100_000, "a"), Limits{Passages: 1000}, "a.csv indexed 875 limits.passages\n"},
		{"a Word document", "a.docx", word(document, ""), Limits{Unpacked: 1 << 20}, "a.docx skipped 0 limits.unpacked\n"},
		{"a page", "a.md", strings.Repeat("# A\n\nA sentence.\n\n", 10_000), Limits{Passages: 1000}, "a.md indexed 875 limits.passages\n"},
		{"a page of many bytes", "a.md", strings.Repeat("A sentence.\n", 20_000), Limits{Unpacked: 1 << 20}, "a.md skipped 0 limits.unpacked\n"},
		{"a PDF without time", "a.pdf", pdftest.File("", pdftest.Lines(72, 700, 10, "x")), Limits{GiveUp: 2 * time.Second}, "a.pdf skipped 0 limits.give_up\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			limits := DefaultLimits()
			for _, set := range []struct{ to, from *int64 }{{&limits.Unpacked, &test.limits.Unpacked}, {&limits.Memory, &test.limits.Memory}} {
				if *set.from > 0 {
					*set.to = *set.from
				}
			}
			if test.limits.Passages > 0 {
				limits.Passages = test.limits.Passages
			}
			if test.limits.GiveUp > 0 {
				limits.GiveUp = test.limits.GiveUp
			}
			source := bombs(t, map[string]string{test.file: test.text, "b.txt": "A word that is found."})
			files, err := Read(context.Background(), limits, []Source{source}, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := account(files); !strings.HasPrefix(got, test.want) || !strings.HasSuffix(got, "b.txt indexed 1\n") {
				t.Errorf("got\n%s", got)
			}
			var used usage
			for _, file := range files {
				used.add(passagesUsage(file.Passages))
			}
			if used.passages > limits.Passages || used.memory() > limits.Memory {
				t.Errorf("%d passages and %d bytes of memory are beyond the limits", used.passages, used.memory())
			}
			again, err := Read(context.Background(), limits, []Source{source}, files, nil)
			if err != nil || account(again) != account(files) {
				t.Errorf("%v; read again:\n%sfirst:\n%s", err, account(again), account(files))
			}
		})
	}
}

// TestManyBombsShareOneBudget has enough of them to exceed it together.
func TestManyBombsShareOneBudget(t *testing.T) {
	all := map[string]string{"z.txt": "A word that is found."}
	for i := range 30 {
		all[fmt.Sprintf("a%02d.jsonl.gz", i)] = gzipped(t, rowsOf(5000, `{"text":"a"}`))
	}
	limits := DefaultLimits()
	limits.Passages = 8000
	files, err := Read(context.Background(), limits, []Source{bombs(t, all)}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, file := range files {
		total += len(file.Passages)
	}
	if total > limits.Passages || total < 7000 {
		t.Errorf("%d passages of at most %d", total, limits.Passages)
	}
	if files[0].Limited() != "" || files[29].Limited() != "limits.passages" {
		t.Errorf("%s", account(files))
	}
}

// TestResultsDependOnTheFilesAlone reads a changed folder from scratch and from what was known before.
func TestResultsDependOnTheFilesAlone(t *testing.T) {
	source := bombs(t, map[string]string{"a.jsonl": rowsOf(600, `{"text":"a"}`), "b.jsonl": rowsOf(600, `{"text":"b"}`), "c.md": "A word."})
	limits := DefaultLimits()
	limits.Passages = 1000
	old := time.Now().Add(-time.Hour)
	age := func(names ...string) {
		for _, name := range names {
			if err := os.Chtimes(filepath.Join(source.Path, name), old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	age("a.jsonl", "b.jsonl", "c.md")
	var known []File
	for step, change := range []func(){
		func() {},
		func() { os.Remove(filepath.Join(source.Path, "a.jsonl")) },
		func() {
			if err := os.WriteFile(filepath.Join(source.Path, "a.jsonl"), []byte(rowsOf(800, `{"text":"n"}`)), 0o600); err != nil {
				t.Fatal(err)
			}
			age("a.jsonl")
		},
	} {
		change()
		var err error
		if known, err = Read(context.Background(), limits, []Source{source}, known, nil); err != nil {
			t.Fatal(err)
		}
		fresh, err := Read(context.Background(), limits, []Source{source}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if account(known) != account(fresh) {
			t.Errorf("step %d: as known\n%sanew\n%s", step, account(known), account(fresh))
		}
		same, _ := Read(context.Background(), limits, []Source{source}, known, nil)
		for i := range same {
			if len(known[i].Passages) > 0 && &same[i].Passages[0] != &known[i].Passages[0] {
				t.Errorf("step %d: %s was read again", step, filepath.Base(same[i].File))
			}
		}
	}
	if !slices.ContainsFunc(known, func(f File) bool { return f.Limited() != "" }) {
		t.Error("no limit was met")
	}
}

// TestLargeBasesPass is about the default: a million passages of a hundred words are no bomb, in one
// file or in many.
func TestLargeBasesPass(t *testing.T) {
	b := budget{limits: DefaultLimits()}
	s := b.allowance()
	if !s.spend(usage{passages: 1_000_000, text: 600_000_000, unpacked: 900_000_000}) {
		t.Errorf("in one file, %s is met", s.over)
	}
	for i := range 1_000_000 {
		s := b.allowance()
		one := usage{passages: 1, text: 600, unpacked: 900 * markupCost}
		if !s.spend(one) {
			t.Fatalf("at file %d, %s is met", i, s.over)
		}
		b.used.add(one)
	}
}
