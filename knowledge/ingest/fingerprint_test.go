package ingest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestLookSeesEveryChange(t *testing.T) {
	dir := t.TempDir()
	sources := []Source{{Name: "kb", Path: dir}}
	look := func() Fingerprint {
		t.Helper()
		seen, err := FingerprintOf(context.Background(), sources)
		if err != nil {
			t.Fatal(err)
		}
		return seen
	}
	file := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, content string, age time.Duration) {
		t.Helper()
		when := time.Now().Add(-age)
		if err := errors.Join(os.WriteFile(file(name), []byte(content), 0o600), os.Chtimes(file(name), when, when)); err != nil {
			t.Fatal(err)
		}
	}
	steps := []struct {
		name   string
		change func()
	}{
		{"a new file", func() { write("a.md", "iron", time.Hour) }},
		{"another size", func() { write("a.md", "irons", time.Hour) }},
		{"another time", func() { write("a.md", "zincs", time.Minute) }},
		{"another name", func() { _ = os.Rename(file("a.md"), file("b.md")) }},
		{"a file gone", func() { _ = os.Remove(file("b.md")) }},
		{"a file that is skipped", func() { write("b.xyz", "?", time.Hour) }},
		{"no folder", func() { _ = os.RemoveAll(dir) }},
	}
	before := look()
	for _, step := range steps {
		if look() != before {
			t.Fatalf("before %s: two looks differ", step.name)
		}
		step.change()
		after := look()
		if after == before {
			t.Errorf("%s is not seen", step.name)
		}
		before = after
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := os.MkdirAll(file("deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := FingerprintOf(ctx, sources); !errors.Is(err, context.Canceled) {
		t.Errorf("a look that is cancelled returns %v", err)
	}
}
