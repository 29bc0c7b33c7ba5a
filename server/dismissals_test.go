package server

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDismissalsSurviveARestart(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "index")
	log := slog.New(slog.DiscardHandler)
	first := newDismissals(folder, log)
	for _, code := range []string{"missing-topic", "missing-aspect"} {
		if err := first.set("/note.md", "q1", code, true); err != nil {
			t.Fatal(err)
		}
	}
	if err := first.set("/note.md", "q1", "missing-aspect", false); err != nil {
		t.Fatal(err)
	}
	second := newDismissals(folder, log)
	if !second.has("/note.md", "q1", "missing-topic") {
		t.Error("a dismissal was forgotten")
	}
	if second.has("/note.md", "q1", "missing-aspect") || second.has("/note.md", "q2", "missing-topic") ||
		second.has("/other.md", "q1", "missing-topic") {
		t.Error("a gap that nobody dismissed is dismissed")
	}
	files, err := os.ReadDir(folder)
	if err != nil || len(files) != 1 {
		t.Errorf("the folder holds %v, %v; want one file", files, err)
	}
}

func TestDamagedDismissalsArePutAside(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, dismissalsFile)
	if err := os.WriteFile(path, []byte(`[{"note":"/a.md",`), 0o600); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	d := newDismissals(folder, slog.New(slog.NewTextHandler(&log, nil)))
	if err := d.set("/b.md", "q", "missing-topic", true); err != nil {
		t.Fatal(err)
	}
	if kept, err := os.ReadFile(path + ".unreadable"); err != nil || !strings.HasPrefix(string(kept), `[{"note"`) {
		t.Errorf("put aside: %q, %v", kept, err)
	}
	if !strings.Contains(log.String(), "put aside") {
		t.Errorf("log: %s", log.String())
	}
}

func TestDismissalsWithoutAFolderLastTheSession(t *testing.T) {
	d := newDismissals("", slog.New(slog.DiscardHandler))
	if err := d.set("untitled:1", "q", "missing-topic", true); err != nil || !d.has("untitled:1", "q", "missing-topic") {
		t.Errorf("not remembered: %v", err)
	}
}
