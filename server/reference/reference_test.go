package reference

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge/passage"
)

// TestMain makes the test binary, under the name of a program, behave as that program.
func TestMain(m *testing.M) {
	switch name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"); name {
	case "pdftotext", "pandoc":
		file := os.Args[len(os.Args)-1]
		if name == "pdftotext" {
			file = os.Args[len(os.Args)-2]
		}
		os.Exit(act(name, file))
	}
	os.Exit(m.Run())
}

func act(name, file string) int {
	content, err := os.ReadFile(file)
	switch {
	case err != nil:
		return 1
	case string(content) == "endless":
		out := bufio.NewWriter(os.Stdout)
		for {
			if _, err := io.WriteString(out, "more and more\n"); err != nil {
				return 2
			}
		}
	case string(content) == "broken":
		return 1
	}
	fmt.Printf("%s says %s %s", name, content, os.Getenv("SECRET"))
	return 0
}

// install puts the programs on the PATH and returns a folder.
func install(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		if err := os.WriteFile(filepath.Join(dir, name), program, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	return dir
}

func TestPrograms(t *testing.T) {
	dir := install(t, "pdftotext")
	t.Setenv("SECRET", "a key")
	found, absent := Find()
	if len(found) != 1 || !slices.Equal(absent, []string{"pandoc"}) {
		t.Fatalf("found %v, absent %v", found, absent)
	}
	p := found[0]
	if p.Reads("a.docx") || !p.Reads("A.PDF") {
		t.Error("pdftotext reads PDF files and no others")
	}
	for content, want := range map[string]string{
		"text": "pdftotext says text ", "broken": "! pdftotext cannot read it: exit status 1", "endless": "! pdftotext returns more than 32 MiB",
	} {
		file := filepath.Join(dir, "-o evil.pdf")
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := p.Text(t.Context(), file)
		if err != nil {
			got = "! " + err.Error()
		}
		if got != want {
			t.Errorf("%s: %.80q, want %q", content, got, want)
		}
	}
	if _, err := p.Text(t.Context(), "relative.pdf"); err == nil {
		t.Error("a relative path is read: it could be an option")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Text(ended, filepath.Join(dir, "x.pdf")); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

func TestCompare(t *testing.T) {
	passages := []*passage.Passage{
		{Title: "Lithium", Headings: []string{"Doses"}, Text: "The starting dose is 400 mg once a day. It is lower in old age."},
		{Title: "Lithium", Headings: []string{"Doses"}, Text: "| Age | Dose |\n| 65 and over | 200 mg |"},
	}
	for _, tt := range []struct {
		name, text string
		leftOut    int
		words      int
		share      float64
		run        string
		after      int
	}{
		{"all", "Lithium\n\nDoses\n\nThe starting dose is 400 mg once a day. It is lower in old age.", 0, 17, 1, "", 0},
		{"another order of cells", "Age 65 and over Dose 200 mg", 0, 7, 1, "", 0},
		{"hyphens and ligatures", "The start-\ning dose is 400 mg once a day", 0, 9, 1, "", 0},
		{"a sentence is missing", "The starting dose is 400 mg once a day. Never give it with diuretics. It is lower in old age.", 0, 20, 0.75, "never give it with diuretics", 9},
		{"left out on purpose", "Home Products Contact us. It is lower in old age.", 4, 10, 1, "home products contact us", 0},
		{"nothing", "", 0, 0, 1, "", 0},
	} {
		got := Compare(tt.text, passages)
		if got.Words != tt.words {
			t.Errorf("%s: %d words, want %d", tt.name, got.Words, tt.words)
		}
		if share := got.Share(tt.leftOut); share < tt.share-0.02 || share > tt.share+0.02 {
			t.Errorf("%s: share %.2f, want %.2f", tt.name, share, tt.share)
		}
		if run := strings.Join(got.Run, " "); run != tt.run || got.After != tt.after {
			t.Errorf("%s: run %q after %d", tt.name, run, got.After)
		}
	}
}

func TestWords(t *testing.T) {
	got := Words("Co-\ndeine 2–10 mcg; ﬁve 用法 (Ménière's)")
	if diff := cmp.Diff([]string{"codeine", "2", "10", "mcg", "five", "用", "法", "ménière", "s"}, got); diff != "" {
		t.Error(diff)
	}
}
