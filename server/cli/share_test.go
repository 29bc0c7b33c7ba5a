package cli

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// teamOfTwo is two workspaces on one machine: ward publishes, lab mirrors.
type teamOfTwo struct {
	t   *testing.T
	dir string
	now time.Time
}

// run runs a command in the workspace of one of them, who has settings and a cache of its own.
func (w *teamOfTwo) run(who, typed string, code int) (stdout, stderr string) {
	w.t.Helper()
	home := filepath.Join(w.dir, who)
	isolate(w.t, home)
	w.t.Chdir(filepath.Join(home, "ws"))
	var out, errs bytes.Buffer
	got := runAt(context.Background(), func() time.Time { return w.now }, words(typed), Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
	if got != code {
		w.t.Fatalf("%s: lacuna %s: exit %d, want %d\n%s%s", who, typed, got, code, &out, &errs)
	}
	return out.String(), errs.String()
}

func (w *teamOfTwo) write(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func newTeamOfTwo(t *testing.T) *teamOfTwo {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &teamOfTwo{t: t, dir: dir, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	w.write("ward/ws/kb/peas.md", "# Peas\n\nPeas are sown in March.\n")
	w.write("ward/ws/kb/letters.md", "---\nlacuna: private\n---\n# Letters\n\nNobody else reads this letter.\n")
	w.write("ward/ws/kb/faq.jsonl", `{"id": "1", "question": "How deep are peas sown?", "answer": "Five centimetres deep."}`+"\n")
	w.write("lab/ws/note.md", "When are peas sown?\n")
	return w
}

// keyIn returns the key that push printed.
func keyIn(t *testing.T, printed string) string {
	t.Helper()
	_, key, found := strings.Cut(printed, "--key ")
	if !found {
		t.Fatal(printed)
	}
	return strings.TrimSpace(key)
}

func says(t *testing.T, text string, all ...string) {
	t.Helper()
	for _, part := range all {
		if !strings.Contains(text, part) {
			t.Errorf("does not say %q:\n%s", part, text)
		}
	}
}

func TestTeam(t *testing.T) {
	w := newTeamOfTwo(t)
	share := filepath.ToSlash(filepath.Join(w.dir, "share"))
	out, errs := w.run("ward", "push kb --to "+share+" --dry-run", 0)
	says(t, out, "peas.md\n")
	says(t, errs, "nothing was published; 1 file", "1 file withheld, because they hold something private: letters.md")
	out, errs = w.run("ward", "push kb --to "+share, 0)
	says(t, out, "published kb", "as number 1: 1 file")
	says(t, errs, "publisher.key was made")
	key := keyIn(t, out)
	audited, _ := w.run("ward", "audit --json", 0)
	says(t, audited, `"role":"publisher"`, `"model":"kb"`)

	_, errs = w.run("lab", "pull "+share+" --into ../mirror", 2)
	says(t, errs, "was not mirrored", "from lacuna+", "add --key KEY")
	out, _ = w.run("lab", "pull "+share+" --into ../mirror --key "+key, 0)
	says(t, out, "number 1, published on 2026-03-01; 1 file", "[[source]]\nname = 'kb'\n")
	_, table, _ := strings.Cut(out, "config.toml:\n")
	w.write("lab/home/config/lacuna/config.toml", table)
	out, _ = w.run("lab", "ask When are peas sown?", 0)
	says(t, out, "Peas are sown in March.", "kb/peas.md:3")
	out, _ = w.run("lab", "sources", 0)
	says(t, out, "published by lacuna+", "on 2026-03-01, number 1")
	if strings.Contains(out, "letters") {
		t.Error("a private file was mirrored")
	}

	out, _ = w.run("lab", "pull", 0)
	says(t, out, "kb is up to date: number 1")
	w.now = w.now.AddDate(0, 1, 0)
	w.write("ward/ws/kb/peas.md", "# Peas\n\nPeas are sown in April.\n")
	w.run("ward", "push kb --to "+share, 0)
	out, _ = w.run("lab", "pull --json", 0)
	says(t, out, `"number":2`, `"published":"2026-04-01T12:00:00Z"`, `"written":1`)
	out, _ = w.run("lab", "ask When are peas sown?", 0)
	says(t, out, "Peas are sown in April.")
	out, _ = w.run("ward", "push kb --to "+share, 0)
	says(t, out, "nothing to publish")

	out, _ = w.run("ward", "push faq --to ../pairs", 0)
	out, _ = w.run("lab", "pull "+filepath.ToSlash(filepath.Join(w.dir, "ward", "pairs"))+" --into ../pairs --key "+keyIn(t, out), 0)
	says(t, out, "kind = 'qa'", "faq.jsonl'")
}

// TestTeamAway holds that a place which is gone is told, and what was mirrored serves on.
func TestTeamAway(t *testing.T) {
	w := newTeamOfTwo(t)
	out, _ := w.run("ward", "push kb --to ../share", 0)
	place := filepath.ToSlash(filepath.Join(w.dir, "ward", "share"))
	out, _ = w.run("lab", "pull "+place+" --into ../mirror --key "+keyIn(t, out), 0)
	_, table, _ := strings.Cut(out, "config.toml:\n")
	w.write("lab/home/config/lacuna/config.toml", table)
	if err := os.Rename(place, place+"-away"); err != nil {
		t.Fatal(err)
	}
	_, errs := w.run("lab", "pull", 3)
	says(t, errs, "could not be brought up to date", "holds no publication", "what was published on 2026-03-01 serves on")
	out, _ = w.run("lab", "ask When are peas sown?", 0)
	says(t, out, "Peas are sown in March.")
	for typed, want := range map[string]string{
		"pull http://share.example.org/kb --into ../n --key x+1+y":            "take an https address",
		"pull https://share.example.org/kb --into ../n --key x+1+y --offline": "offline forbids",
		"pull --key x":             "give a place",
		"pull one":                 "give a place",
		"push kb":                  "give one source, and --to",
		"push beans --to ../share": `no source "beans"`,
	} {
		_, errs := w.run("lab", typed, 2)
		says(t, errs, want)
	}
}

// TestTeamRefuses holds that what is altered, older or another's is refused, with an exit code of its own, and that what
// was mirrored serves on.
func TestTeamRefuses(t *testing.T) {
	w := newTeamOfTwo(t)
	out, _ := w.run("ward", "push kb --to ../share", 0)
	key, place := keyIn(t, out), filepath.Join(w.dir, "ward", "share")
	from := filepath.ToSlash(place)
	out, _ = w.run("lab", "pull "+from+" --into ../mirror --key "+key, 0)
	_, table, _ := strings.Cut(out, "config.toml:\n")
	w.write("lab/home/config/lacuna/config.toml", table)
	first := filepath.Join(w.dir, "first")
	if err := os.CopyFS(first, os.DirFS(place)); err != nil {
		t.Fatal(err)
	}
	w.now = w.now.AddDate(0, 1, 0)
	w.write("ward/ws/kb/peas.md", "# Peas\n\nPeas are sown in April.\n")
	w.run("ward", "push kb --to ../share", 0)

	alter := func() { // each file but the head, in its middle
		err := filepath.WalkDir(place, func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Dir(path) == place {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text[len(text)/2] ^= 1
			return errors.Join(os.Chmod(path, 0o600), os.WriteFile(path, text, 0o600))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	replaceBy := func(folder string) {
		if err := errors.Join(os.RemoveAll(place), os.CopyFS(place, os.DirFS(folder))); err != nil {
			t.Fatal(err)
		}
	}
	alter()
	_, errs := w.run("lab", "pull", 4)
	says(t, errs, "not what the publisher signed", "what was published on 2026-03-01 serves on")
	w.run("ward", "push kb --to ../share --replace", 0)
	w.run("lab", "pull", 0)
	replaceBy(first)
	_, errs = w.run("lab", "pull", 4)
	says(t, errs, "older than what is mirrored already", "what was published on 2026-04-01 serves on")
	out, _ = w.run("lab", "ask When are peas sown?", 0)
	says(t, out, "Peas are sown in April.")
	other := newTeamOfTwo(t)
	other.run("ward", "push kb --to ../share", 0)
	replaceBy(filepath.Join(other.dir, "ward", "share"))
	_, errs = w.run("lab", "pull", 4)
	says(t, errs, "not signed by the key that is expected")
}

// TestTeamWeb publishes to a web server that takes PUT, and mirrors from it.
func TestTeamWeb(t *testing.T) {
	w := newTeamOfTwo(t)
	root := t.TempDir()
	server := httptest.NewServer(http.HandlerFunc(func(reply http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer ward" {
			http.Error(reply, "who are you?", http.StatusUnauthorized)
			return
		}
		path := filepath.Join(root, filepath.FromSlash(r.URL.Path))
		if r.Method != http.MethodPut {
			http.ServeFile(reply, r, path)
			return
		}
		var content bytes.Buffer
		if _, err := content.ReadFrom(r.Body); err != nil || os.MkdirAll(filepath.Dir(path), 0o755) != nil || os.WriteFile(path, content.Bytes(), 0o644) != nil {
			http.Error(reply, "full", http.StatusInsufficientStorage)
		}
	}))
	defer server.Close()
	_, errs := w.run("ward", "push kb --to "+server.URL+"/kb", 3)
	says(t, errs, "nothing was published", "401 Unauthorized")
	isolate(t, filepath.Join(w.dir, "ward"))
	t.Setenv(shareAuthorization, "Bearer ward")
	out, errs, code := run(t, strings.NewReader(""), "push", "kb", "--to", server.URL+"/kb")
	if code != 0 {
		t.Fatal(errs)
	}
	out, errs, code = run(t, strings.NewReader(""), "pull", server.URL+"/kb", "--into", "../mirror", "--key", keyIn(t, out))
	if code != 0 {
		t.Fatal(errs)
	}
	says(t, out, "mirrored kb")
}
