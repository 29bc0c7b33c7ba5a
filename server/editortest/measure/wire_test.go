package measure

import (
	"context"
	"log/slog"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"lacuna/server"
	"lacuna/server/folders"
	"lacuna/server/workspace"
)

func TestSubstancesDiffer(t *testing.T) {
	seen := make(map[string]int)
	for i := range 50_000 {
		name := substance(i)
		if other, ok := seen[name]; ok {
			t.Fatalf("%d and %d are both %s", other, i, name)
		}
		seen[name] = i
	}
}

func TestBase(t *testing.T) {
	folder, again := t.TempDir(), t.TempDir()
	for _, dir := range []string{folder, again} {
		if err := writeBase(dir, 50, 7); err != nil {
			t.Fatal(err)
		}
	}
	sections := 0
	for number := range 2 {
		text, err := os.ReadFile(pagePath(folder, number))
		if err != nil {
			t.Fatal(err)
		}
		same, err := os.ReadFile(pagePath(again, number))
		if err != nil || string(same) != string(text) {
			t.Errorf("page %d differs the second time: %v", number, err)
		}
		sections += strings.Count(string(text), "\n## ")
		if strings.ContainsAny(string(text), "{}%") {
			t.Errorf("page %d has a pattern that was not filled in:\n%s", number, text)
		}
	}
	if sections != 50 {
		t.Errorf("%d sections", sections)
	}
}

func TestQuantile(t *testing.T) {
	var r row
	for i := range 100 {
		r.took = append(r.took, time.Duration(100-i))
	}
	for q, want := range map[float64]time.Duration{0.5: 50, 0.95: 95, 0.99: 99, 1: 100} {
		if got := r.quantile(q); got != want {
			t.Errorf("quantile %v = %d, want %d", q, got, want)
		}
	}
}

func TestGrown(t *testing.T) {
	samples := []sample{{live: 500}, {live: 1}, {live: 100}, {live: 100}, {live: 110}, {live: 110}}
	if got := grown(samples, func(s sample) float64 { return s.live }); got < 0.0999 || got > 0.1001 {
		t.Errorf("grown by %v", got)
	}
}

func TestCollections(t *testing.T) {
	var m memory
	var rest strings.Builder
	m.follow(strings.NewReader("gc 7 @1.2s 3%: 0.1+2+0.1 ms clock, 1+2/3/4+5 ms cpu, 90->95->61 MB, 120 MB goal, 0 MB stacks, 0 MB globals, 2 P\noops\n"), &rest)
	if m.live.Load() != 61 || rest.String() != "oops\n" {
		t.Errorf("%d MB, rest %q", m.live.Load(), rest.String())
	}
}

// TestMeasure measures a small base and a short note, with the server in this process.
func TestMeasureInProcess(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("LACUNA_CACHE_DIR", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	name, value, _ := strings.Cut(noPause, "=")
	t.Setenv(name, value)
	o := options{passages: 80, lines: 600, count: 3, answers: 2, seed: 1, soak: 300 * time.Millisecond, rate: 100}
	if err := writeBase(folder, o.passages, o.seed); err != nil {
		t.Fatal(err)
	}
	ours, theirs := net.Pipe()
	defer theirs.Close()
	go server.Serve(t.Context(), ours, server.Options{Log: slog.New(slog.DiscardHandler), Open: func(ctx context.Context, r folders.OpenRequest) (folders.Workspace, error) {
		return workspace.Open(ctx, workspace.Request{Root: r.Folder, Editor: r.Editor})
	}})
	c := newClient(theirs, theirs)
	var out strings.Builder
	if _, err := measure(&out, c, &memory{pid: os.Getpid()}, folder, o); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"600 lines, 10 open questions", "3 times each", "hover on a citation", "growth after the warm-up"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if got, want := strings.Count(c.note(), "lacuna:end"), o.answers; got != want {
		t.Errorf("%d answers are left, want %d", got, want)
	}
}
