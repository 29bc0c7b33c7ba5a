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

func TestGrowth(t *testing.T) {
	at := func(live, running, mapped float64) (s sample) {
		s[resident], s[liveHeap], s[goroutines], s[mappedFiles] = 300+live, live, running, mapped
		return s
	}
	for _, test := range []struct {
		warm, middle, end sample
		want              string
	}{
		{at(60, 9, 30), at(100, 14, 42), at(104, 18, 55), ""},
		{at(60, 9, 30), at(100, 14, 42), at(108, 18, 55), "live heap, MB"},
		{at(60, 9, 30), at(100, 14, 42), at(100, 19, 61), "goroutines, mapped files"},
		{at(150, 14, 42), at(100, 14, 42), at(90, 9, 30), ""},
	} {
		var samples []sample
		for _, s := range []sample{test.warm, test.middle, test.end} {
			samples = append(samples, s, s, sample{liveHeap: s[liveHeap] * 5, goroutines: s[goroutines], mappedFiles: s[mappedFiles]}) // one strays
		}
		var out strings.Builder
		if got := strings.Join(printGrowth(&out, samples), ", "); got != test.want {
			t.Errorf("grown: %q, want %q\n%s", got, test.want, out.String())
		}
	}
}

// TestWhatTheRuntimePrints reads what a program printed with the settings of traced.
func TestWhatTheRuntimePrints(t *testing.T) {
	m := newMemory(0)
	var rest strings.Builder
	m.follow(strings.NewReader(`SCHED 0ms: gomaxprocs=2 idleprocs=1 threads=3 spinningthreads=0 needspinning=0 idlethreads=0 runqueue=0 gcwaiting=false nmidlelocked=0 stopwait=0 sysmonwait=false
  P0: status=1 schedtick=0 syscalltick=0 m=0 runqsize=1 gfreecnt=0 timerslen=0
  M0: p=0 curg=nil mallocing=0 throwing=0 preemptoff= locks=1 dying=0 spinning=false blocked=false lockedg=1
  G1: status=1() m=nil lockedm=0
  G2: status=4(force gc (idle)) m=nil lockedm=nil
  G7: status=6() m=nil lockedm=nil
gc 7 @1.2s 3%: 0.1+2+0.1 ms clock, 1+2/3/4+5 ms cpu, 90->95->61 MB, 120 MB goal, 0 MB stacks, 0 MB globals, 2 P
oops
  G8: status=4(select) m=nil lockedm=nil
gc 8 @1.3s 3%: 0.1+2+0.1 ms clock, 1+2/3/4+5 ms cpu, 90->95->70 MB, 120 MB goal, 0 MB stacks, 0 MB globals, 2 P
SCHED 10000ms: gomaxprocs=2 idleprocs=1 threads=3
  G1: status=1() m=nil lockedm=0
`), &rest)
	if s := m.sample(); s[liveHeap] != 61 || s[goroutines] != 3 || rest.String() != "oops\n" {
		t.Errorf("%v, rest %q", s, rest.String())
	}
	if s := m.sample(); s[liveHeap] != 70 || s[goroutines] != 3 { // nothing new: the last ones
		t.Errorf("%v", s)
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
	if _, err := measure(&out, c, newMemory(os.Getpid()), folder, o); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"600 lines, 10 open questions", "3 times each", "hover on a citation", "mapped files"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if got, want := strings.Count(c.note(), "lacuna:end"), o.answers; got != want {
		t.Errorf("%d answers are left, want %d", got, want)
	}
}
