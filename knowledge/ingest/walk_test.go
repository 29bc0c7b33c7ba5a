package ingest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge/passage"
)

// fates lists what became of files, one a line.
func fates(dir string, files []File) string {
	var b strings.Builder
	for _, f := range files {
		name, _ := filepath.Rel(dir, f.File)
		b.WriteString(filepath.ToSlash(name) + " " + string(f.State))
		if f.Reason != "" {
			b.WriteString(": " + f.Reason)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestWhichFilesBelongToASource(t *testing.T) {
	files := map[string]string{
		"a.md": "A.", "b.txt": "B.", "sub/c.md": "C.", "drafts/d.md": "D.", "drafts/deep/e.md": "E.",
		".hidden.md": "H.", ".git/config.md": "G.", "node_modules/n.md": "N.", "sub/picture.png": "P",
	}
	tests := []struct {
		name   string
		source Source
		want   string
	}{
		{"all", Source{}, "a.md indexed\nb.txt indexed\ndrafts/d.md indexed\ndrafts/deep/e.md indexed\nsub/c.md indexed\nsub/picture.png skipped: no reader for .png\n"},
		{"included", Source{Include: []string{"*.md", "sub/**/*.md"}}, "a.md indexed\nsub/c.md indexed\n"},
		{"excluded", Source{Exclude: []string{"drafts/**", "**/*.{png,txt}"}}, "a.md indexed\nb.txt skipped: excluded by **/*.{png,txt}\n" +
			"drafts/d.md skipped: excluded by drafts/**\ndrafts/deep/e.md skipped: excluded by drafts/**\nsub/c.md indexed\nsub/picture.png skipped: excluded by **/*.{png,txt}\n"},
		{"excluded from an implicit source", Source{Implicit: true, Exclude: []string{"drafts", "*.txt", "**/*.png"}}, "a.md indexed\nsub/c.md indexed\n"},
		{"a folder by its name", Source{Include: []string{"./drafts/"}, Exclude: []string{"drafts/deep"}}, "drafts/d.md indexed\ndrafts/deep/e.md skipped: excluded by drafts/deep\n"},
		{"a pattern that is none", Source{Include: []string{"[", "a.md"}}, "a.md indexed\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := folder(t, files)
			test.source.Name, test.source.Kind, test.source.Path = "s", passage.Text, dir
			if diff := cmp.Diff(test.want, fates(dir, read(t, test.source))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestASourceMayBeAFile(t *testing.T) {
	dir := folder(t, map[string]string{"a.md": "A."})
	for _, confined := range []bool{false, true} {
		files := read(t, Source{Name: "s", Kind: passage.Text, Path: filepath.Join(dir, "a.md"), Confined: confined})
		if len(files) != 1 || len(files[0].Passages) != 1 || files[0].Passages[0].Record != "a.md" {
			t.Errorf("confined %v: %+v", confined, files)
		}
	}
}

func TestAMissingSourceIsSaid(t *testing.T) {
	files := read(t, Source{Name: "s", Kind: passage.Text, Path: filepath.Join(t.TempDir(), "none")})
	if len(files) != 1 || files[0].State != Failed || files[0].Reason == "" {
		t.Errorf("%+v", files)
	}
}

func TestLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege on Windows")
	}
	dir := folder(t, map[string]string{"kb/a.md": "A.", "kb/sub/b.md": "B.", "home/secret.md": "Secret."})
	for name, target := range map[string]string{
		"kb/in.md": "sub/b.md", "kb/out.md": "../home/secret.md", "kb/gone.md": "nowhere.md", "kb/folder": "../home", "link": "kb",
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	rest := "sub/b.md indexed\n"
	tests := []struct {
		name     string
		path     string
		confined bool
		want     string
	}{
		{"open", "kb", false, "a.md indexed\nfolder skipped: a link to a folder; name the folder as a source of its own\ngone.md skipped: a broken link\nin.md indexed\nout.md indexed\n" + rest},
		{"confined", "kb", true, "a.md indexed\nfolder skipped: a link to a folder; name the folder as a source of its own\ngone.md skipped: a broken link\nin.md indexed\nout.md failed: a link out of the source\n" + rest},
		{"link as source", "link", false, "a.md indexed\nfolder skipped: a link to a folder; name the folder as a source of its own\ngone.md skipped: a broken link\nin.md indexed\nout.md indexed\n" + rest},
		{"confined link as source", "link", true, ". failed: a link; name the folder or file it leads to\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(dir, test.path)
			files := read(t, Source{Name: "s", Kind: passage.Text, Path: path, Confined: test.confined})
			if diff := cmp.Diff(test.want, fates(path, files)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestUnreadableFile(t *testing.T) {
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		t.Skip("permissions do not bind here")
	}
	dir := folder(t, map[string]string{"a.md": "A.", "b.md": "B."})
	if err := os.Chmod(filepath.Join(dir, "a.md"), 0); err != nil {
		t.Fatal(err)
	}
	want := "a.md failed: permission denied\nb.md indexed\n"
	if diff := cmp.Diff(want, fates(dir, read(t, Source{Name: "s", Kind: passage.Text, Path: dir}))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// age sets a file's time to long ago, shifted by seconds.
func age(t *testing.T, path string, seconds int) {
	t.Helper()
	at := time.Date(2020, 1, 1, 0, 0, seconds, 0, time.UTC)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

func TestUnchangedFilesAreNotParsedAgain(t *testing.T) {
	dir := folder(t, map[string]string{"same.md": "Same.", "touched.md": "Touched.", "changed.md": "Old text.", "fresh.md": "Fresh."})
	for _, name := range []string{"same.md", "touched.md", "changed.md"} {
		age(t, filepath.Join(dir, name), 0)
	}
	source := Source{Name: "s", Kind: passage.Text, Path: dir}
	known := read(t, source)

	age(t, filepath.Join(dir, "touched.md"), 5)
	write(t, filepath.Join(dir, "changed.md"), "New text.")
	age(t, filepath.Join(dir, "changed.md"), 5)
	write(t, filepath.Join(dir, "fresh.md"), "Flesh.") // same size, perhaps the same time
	again, err := Read(context.Background(), DefaultLimits(), []Source{source}, known, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for i, f := range again {
		got[filepath.Base(f.File)] = f.Passages[0] == known[i].Passages[0]
	}
	want := map[string]bool{"same.md": true, "touched.md": true, "changed.md": false, "fresh.md": false}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("passages kept (-want +got):\n%s", diff)
	}

	source.Fields.Text = "body"
	again, err = Read(context.Background(), DefaultLimits(), []Source{source}, known, nil)
	if err != nil {
		t.Fatal(err)
	}
	if again[2].Passages[0] == known[2].Passages[0] {
		t.Error("a changed setting does not read the file again")
	}
}

func TestSameTextIsFoundAtEachPlace(t *testing.T) {
	dir := folder(t, map[string]string{"a/x.md": "Same.", "a/y.md": "Same.\n", "b/x.md": "Same."})
	files := read(t,
		Source{Name: "a", Kind: passage.Text, Path: filepath.Join(dir, "a")},
		Source{Name: "b", Kind: passage.Text, Path: filepath.Join(dir, "b")})
	var got []string
	for _, p := range Passages(files) {
		got = append(got, p.Source+"/"+p.Record)
	}
	if diff := cmp.Diff([]string{"a/x.md", "a/y.md", "b/x.md"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestResolveSaysWhatChanged(t *testing.T) {
	dir := folder(t, map[string]string{"a.md": "Some text.", "a.jsonl": "{\"text\":\"One\"}\n", "a.jsonl.gz": "{\"text\":\"One\"}\n", "a.csv": "id,text\n1,One\n"})
	var places []passage.Place
	for _, f := range read(t, Source{Name: "s", Kind: passage.Text, Path: dir}) {
		places = append(places, f.Passages[0].Place)
	}
	for name, content := range map[string]string{"a.md": "Some", "a.jsonl": "\n\n\n\n\n", "a.jsonl.gz": "", "a.csv": "id,text\n"} {
		write(t, filepath.Join(dir, name), content)
	}
	for i, r := range ResolveAll(places) {
		if !errors.Is(r.Err, ErrChanged) {
			t.Errorf("%s: %q, %v", places[i].File, r.Text, r.Err)
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for i, r := range ResolveAll(places) {
		if !errors.Is(r.Err, os.ErrNotExist) {
			t.Errorf("%s: %q, %v", places[i].File, r.Text, r.Err)
		}
	}
}

func TestResolveReadsRecordsInAnyOrder(t *testing.T) {
	dir := folder(t, map[string]string{"a.jsonl.gz": "{\"text\":\"One\"}\nbad\n{\"text\":\"Two\"}\n{\"text\":\"Three\"}\n", "b.txt": "Four."})
	files := read(t, Source{Name: "s", Kind: passage.Text, Path: dir})
	all := Passages(files)
	order := []int{2, 3, 0, 2, 1}
	var places []passage.Place
	for _, i := range order {
		places = append(places, all[i].Place)
	}
	for i, r := range ResolveAll(places) {
		if r.Err != nil || r.Text != all[order[i]].Text {
			t.Errorf("place %d holds %q, %v", i, r.Text, r.Err)
		}
	}
}

func TestSizesAreLimited(t *testing.T) {
	dir := t.TempDir()
	big := filepath.Join(dir, "big.txt")
	f, err := os.Create(big)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Truncate(maxDocumentBytes+1), f.Close()); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "line.jsonl"), `{"text":"`+strings.Repeat("x", maxLineBytes)+"\"}\n{\"text\":\"Short.\"}\n")
	want := "big.txt skipped: larger than 64 MiB\nline.jsonl indexed: longer than 16 MiB\n"
	if diff := cmp.Diff(want, fates(dir, read(t, Source{Name: "s", Kind: passage.Text, Path: dir}))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestReadStopsWhenAsked(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	dir := folder(t, map[string]string{"a.md": "A."})
	if _, err := Read(ctx, DefaultLimits(), []Source{{Name: "s", Path: dir}}, nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Read returns %v", err)
	}
}

func TestPassagesAreUnderTheirLimit(t *testing.T) {
	sentence := "A sentence has exactly six words. "
	long := strings.Repeat("word ", 700)
	han := strings.Repeat("高血压患者应当注意休息。", 60)
	dir := folder(t, map[string]string{
		"many.md":    "# T\n\n" + strings.Repeat(sentence, 120),
		"long.txt":   "Before. " + strings.Repeat("word ", 700) + "\n\nAfter.",
		"han.md":     han,
		"rows.jsonl": `{"text":"` + strings.TrimSpace(long) + `"}`,
	})
	got := map[string][]int{}
	for _, f := range read(t, Source{Name: "s", Kind: passage.Text, Path: dir}) {
		for _, p := range f.Passages {
			got[p.Record] = append(got[p.Record], measureOf(p.Text).count(p.Text))
		}
	}
	want := map[string][]int{
		"many.md":      {294, 294, 132},
		"long.txt":     {299, 299, 103, 1}, // "Before. word" goes on: no capital
		"han.md":       {396, 264},
		"rows.jsonl#1": {299, 299, 102},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Each of these texts takes minutes if any step looks at what lies before or behind a place as a
// whole.
func TestHostileDocumentsTakeLinearTime(t *testing.T) {
	files := map[string]string{}
	for i, part := range []string{
		"A b. ", "é. \xff. ", "# A\n", "- A. ", "> ", "| a ", "<!-- ", "<!-- a --> B. ", "```\n", "    a\n", "[a]: b\n", "* * ", "lacuna:answer <!-- lacuna:answer 1",
		"<b hidden", "a\n=\n", "1. ", "\u200b", "好。", "--- lacuna answer 1 ---\n", "![a](", "\\", "&#",
		"#+begin_src\n", ":a:\n", "* COMMENT a\nb\n", "#+begin_a\n", "Q: a\n", "Q: a\nA: b\n", "lacuna:answer a\n", "lacuna: off\n",
		".. a\n", ".. a::\n", "a::\n\n", "a\n==\n", "==\na\n==\n", " a::\n\n", "..\n\n", "\n",
		"<p>a", "<b>", "<li>a", "<td>a", "<tr><td>a", "<br>", "<svg><path/>", "&amp;", "<p hidden>", "</p></td>", "<h1>a</h1>", "<pre>\n", "<!--",
	} {
		text := strings.Repeat(part, 1<<14/len(part))
		files[fmt.Sprintf("%02d.md", i)] = text
		files[fmt.Sprintf("%02d.txt", i)] = text
		files[fmt.Sprintf("%02d.org", i)] = text
		files[fmt.Sprintf("%02d.rst", i)] = text
		files[fmt.Sprintf("%02d.html", i)] = text
	}
	dir := folder(t, files)
	if got := len(read(t, Source{Name: "s", Kind: passage.Text, Path: dir})); got != len(files) {
		t.Errorf("%d of %d files are reported", got, len(files))
	}
}
