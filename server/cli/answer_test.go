package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"lacuna/handlers/note"
	"lacuna/knowledge/llm/llmtest"
	"lacuna/knowledge/passage"
	"lacuna/server/cli/atomicfile"
)

func TestANoteIsReplacedWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "note.md")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link.md")
	if err := os.Symlink(path, link); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	f, err := openNote(link)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.replace("new"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || string(text) != "new" {
		t.Errorf("the note behind the link: %q, %v", text, err)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
	if info, err = os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}

	// Another program writes the note between reading and writing.
	if f, err = openNote(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("theirs"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := f.replace("ours"); !errors.Is(err, atomicfile.ErrChanged) {
		t.Errorf("error %v", err)
	}
	if text, _ := os.ReadFile(path); string(text) != "theirs" {
		t.Errorf("the other's text is lost: %q", text)
	}

	if err := os.Chmod(path, 0o440); err != nil {
		t.Fatal(err)
	}
	if f, err = openNote(path); err != nil {
		t.Fatal(err)
	}
	if err := f.replace("ours"); !errors.Is(err, atomicfile.ErrReadOnly) {
		t.Errorf("error %v", err)
	}
	if text, _ := os.ReadFile(path); string(text) != "theirs" {
		t.Errorf("a read-only note was written: %q", text)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestApplyKeepsTheOrderOfEdits(t *testing.T) {
	edits := []note.Edit{
		{Span: passage.Span{Start: 4, End: 6}, NewText: "X"},
		{Span: passage.Span{Start: 1, End: 1}, NewText: "+"},
		{Span: passage.Span{Start: 1, End: 1}, NewText: "-"},
	}
	if got := apply("abcdef", edits); got != "a+-bcdX" {
		t.Errorf("applied: %q", got)
	}
}

// onMarch is the clock of tests that print a date.
func onMarch() time.Time { return time.Date(2026, 3, 4, 15, 6, 0, 0, time.UTC) }

// pageOf makes the workspace of page.txtar the current one and runs a command in it, in March 2026.
func pageOf(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "page.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	workspaceOf(t, archive)
	var out, errs bytes.Buffer
	code = runAt(context.Background(), onMarch, args, Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
	return out.String(), errs.String(), code
}

func TestANoteAsAPage(t *testing.T) {
	want, err := filepath.Abs(filepath.Join("testdata", "page.html"))
	if err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code := pageOf(t, "answer", "--format", "html", "note.md")
	if code != exitDone || stderr != "" {
		t.Errorf("exit %d, %s", code, stderr)
	}
	_, body, _ := strings.Cut(stdout, "</head>\n") // the style sheet has tests of its own
	golden(t, want, body)
}

func TestOneQuestionAsAPage(t *testing.T) {
	stdout, stderr, code := pageOf(t, "answer", "--format", "html", "--question", "3", "note.md")
	if code != exitDone || stderr != "" || strings.Count(stdout, "<article") != 1 || !strings.Contains(stdout, `<h2 id="q3" dir="auto"><span class="number">3.</span> How is a spacer cleaned?</h2>`) {
		t.Errorf("exit %d, %s\n%s", code, stderr, stdout)
	}
	if _, _, code := runTyped(t, "answer --format html --write note.md"); code != exitUsage {
		t.Errorf("a page that is written into the note: exit %d", code)
	}
}

// TestAPageSaysWhatWasSent holds that the requests of this run, and no earlier one, stand on the page.
func TestAPageSaysWhatWasSent(t *testing.T) {
	withModel(t, llmtest.Obliging())
	run(t, strings.NewReader(""), "ask", "How is a spacer cleaned?")
	for _, c := range []struct{ args, says string }{
		{"answer --format html --question 1 note.md", "this workspace sent, to this machine alone:"},
		{"answer --format html --question 1 note.md", "Nothing was sent to a model while this page was made."}, // the replies are cached
		{"answer --format html --question 3 --offline --system offline note.md", "Nothing was sent to a model while this page was made."},
	} {
		stdout, stderr, code := runTyped(t, c.args)
		if code != exitDone || !strings.Contains(stdout, c.says) {
			t.Errorf("%s: exit %d, %s, want %q in\n%s", c.args, code, stderr, c.says, stdout)
		}
	}
}

// TestWhatAnswersCite prints the works behind the answers of page.txtar in each format.
func TestWhatAnswersCite(t *testing.T) {
	folder, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	pageOf(t, "index")
	for format, file := range map[string]string{"bibtex": "page.bib", "ris": "page.ris", "csl": "page.csl.json"} {
		stdout, stderr, code := runTyped(t, "answer --format "+format+" note.md")
		if code != exitDone || stderr != "" {
			t.Errorf("%s: exit %d, %s", format, code, stderr)
		}
		golden(t, filepath.Join(folder, file), stdout)
	}
	stdout, stderr, code := runTyped(t, "answer --format bibtex --question 4 note.md")
	if code != exitDone || stdout != "" {
		t.Errorf("of a question without an answer: exit %d, %s%s", code, stdout, stderr)
	}
	if _, stderr, code := runTyped(t, "answer --format endnote note.md"); code != exitUsage || !strings.Contains(stderr, "note, html, bibtex, ris, csl") {
		t.Errorf("an unknown format: exit %d, %s", code, stderr)
	}
}
