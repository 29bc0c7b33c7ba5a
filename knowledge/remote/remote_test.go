package remote_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/extract"
	"lacuna/knowledge/answer/support"
	"lacuna/knowledge/engine"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/remote"
	"lacuna/knowledge/share"
)

// base is a source with the index that its publisher has.
type base struct {
	root    string // of the files
	library *knowledge.Library
	index   *knowledge.Index
}

// indexed indexes a base into a new folder.
func indexed(t testing.TB, dir, root string, sources []ingest.Source) base {
	t.Helper()
	index, err := knowledge.Open(knowledge.Options{
		Sources: sources, Dir: dir, Companions: []knowledge.Companion{gap.Companion(), extract.QuestionTypes{}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := index.Refresh(t.Context()); err != nil {
		t.Fatal(errors.Join(err, index.Close()))
	}
	return base{root, index.Library(), index}
}

// shared is the example base, which every test may ask, in a folder that lasts as long as the tests.
var shared struct {
	once sync.Once
	dir  string
	base base
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.base.index != nil {
		shared.base.index.Close()
	}
	os.RemoveAll(shared.dir)
	os.Exit(code)
}

// clinic is the example base of guidelines and stored questions.
func clinic(t testing.TB) base {
	t.Helper()
	shared.once.Do(func() {
		dir, err := os.MkdirTemp("", "remote")
		if err != nil {
			t.Fatal(err)
		}
		shared.dir, shared.base = dir, example(t, dir)
	})
	if shared.base.index == nil {
		t.Fatal("the example could not be indexed")
	}
	return shared.base
}

func example(t testing.TB, dir string) base {
	t.Helper()
	root, err := filepath.Abs("../../examples/clinic/kb")
	if err != nil {
		t.Fatal(err)
	}
	return indexed(t, dir, root, []ingest.Source{
		{Name: "guidelines", Kind: passage.Text, Path: filepath.Join(root, "guidelines")},
		{Name: "history", Kind: passage.QA, Path: filepath.Join(root, "history.jsonl"), Fields: ingest.Fields{ID: "id", Question: "question", Answer: "answer", Also: "synonyms"}},
	})
}

func (b base) source(name string) remote.Source {
	return remote.Source{Name: name, Library: b.library, Relative: func(file string) string {
		within, err := filepath.Rel(b.root, file)
		if err != nil {
			panic(err)
		}
		return filepath.ToSlash(within)
	}}
}

func key(t testing.TB) *share.Key {
	t.Helper()
	k, _, err := share.OpenKey(filepath.Join(t.TempDir(), "publisher.key"), "ward")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

var today = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// pushed pushes a base into an engine and opens it again.
func pushed(t testing.TB, e engine.Engine, b base) *remote.Generation {
	t.Helper()
	k := key(t)
	if _, err := remote.Push(t.Context(), e, b.source("guide"), remote.Options{Key: k, Now: today, Dir: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	g, err := remote.Open(t.Context(), e, "guide", k.Public, filepath.Join(t.TempDir(), "mirror"), b.root)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func questions(t testing.TB, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for line := range strings.Lines(string(text)) {
		var q struct{ Question string }
		if err := json.Unmarshal([]byte(line), &q); err != nil {
			t.Fatal(err)
		}
		list = append(list, q.Question)
	}
	return list
}

// told is everything that a result says, with every digit.
func told(r answer.Result) string {
	r.Timings = answer.Timings{}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s missing %v, dropped %d, failure %v\n", r.State, r.Reason, r.MissingProbability, r.Dropped, r.Failure)
	for _, s := range r.Shown() {
		fmt.Fprintf(&b, "%+v\n", s)
	}
	for _, c := range r.Citations {
		fmt.Fprintf(&b, "[%d] %s %+v %+v %q\n", c.N, c.Passage.ID, c.Place(), c.Span, c.Quote)
	}
	for _, g := range r.Gaps {
		fmt.Fprintf(&b, "gap %s %q %q %v %s", g.ID, g.Text, g.Query, g.Probability, g.Status)
		for _, n := range g.Nearest {
			fmt.Fprintf(&b, " %s", n.ID)
		}
		fmt.Fprintln(&b)
	}
	for _, c := range r.Conflicts {
		fmt.Fprintf(&b, "conflict %q %q\n", c.A.Quote, c.B.Quote)
	}
	for _, hit := range r.Evidence {
		fmt.Fprintf(&b, "%d %s %v %v %v %v\n", hit.Rank, hit.Passage.ID, hit.Score, hit.BM25, hit.Cosine, hit.MaxSim)
	}
	return b.String()
}

func offline() answer.Strategy {
	o := &extract.Offline{Judge: gap.NewJudge()}
	return support.WithConflicts(o, o.Stands)
}

// times are how long answers took, from an engine and from the index, and in how many rounds.
type times struct {
	engine, index []time.Duration
	rounds        int
}

func (t times) String() string {
	at := func(list []time.Duration, percent int) time.Duration {
		list = slices.Sorted(slices.Values(list))
		return list[(len(list)-1)*percent/100].Round(time.Millisecond)
	}
	return fmt.Sprintf("half take up to %v from the engine and %v from the index, 95 of 100 up to %v and %v; %.1f rounds",
		at(t.engine, 50), at(t.index, 50), at(t.engine, 95), at(t.index, 95), float64(t.rounds)/float64(len(t.engine)))
}

// compare asks questions of a generation in an engine and of the index that it was made of. None may fail, and all must be
// equal.
func compare(t *testing.T, b base, g *remote.Generation, list []string) (took times) {
	t.Helper()
	whole, part := offline(), &counting{Strategy: offline()}
	differ, failed := 0, 0
	for _, q := range list {
		begin := time.Now()
		want, err := whole.Answer(t.Context(), b.library, answer.Question{Text: q})
		if err != nil {
			t.Fatal(err)
		}
		took.index = append(took.index, time.Since(begin))
		begin = time.Now()
		got, _, err := g.Answer(t.Context(), part, answer.Question{Text: q})
		took.engine = append(took.engine, time.Since(begin))
		if err != nil {
			failed++
			t.Errorf("%q: %v", q, err)
			continue
		}
		if told(got) != told(want) {
			if differ++; differ <= 3 {
				t.Errorf("%q\n%s\nbut of the whole index\n%s", q, told(got), told(want))
			}
		}
	}
	if differ > 0 || failed > 0 {
		t.Errorf("%d of %d answers differ, %d failed", differ, len(list), failed)
	}
	took.rounds = part.rounds
	return took
}

func TestAnswersAreThoseOfTheIndex(t *testing.T) {
	b := clinic(t)
	list, most := questions(t, "../../examples/clinic/questions.jsonl"), 60
	if os.Getenv("LACUNA_LONG") == "1" {
		most = 150
	}
	for _, p := range b.library.Passages() { // and what anybody may ask
		if p.Section != "" && len(list) < most {
			list = append(list, p.Section+" of "+p.Title+"?", "What about "+strings.ToLower(p.Title)+" when it is severe?")
		}
	}
	compare(t, b, pushed(t, &engine.Memory{}, b), list)
}

// altering is an engine that changes what it returns.
type altering struct {
	*engine.Memory
	change func(*engine.Object)
}

func (a altering) Search(ctx context.Context, collection string, q engine.Query) ([]engine.Object, error) {
	objects, err := a.Memory.Search(ctx, collection, q)
	for i := range objects {
		objects[i].Content, objects[i].Proof = slices.Clone(objects[i].Content), slices.Clone(objects[i].Proof)
	}
	if len(objects) > 0 {
		a.change(&objects[len(objects)/2])
	}
	return objects, err
}

func TestAlteredPassagesAreRefused(t *testing.T) {
	b := clinic(t)
	memory := &engine.Memory{}
	k := key(t)
	if _, err := remote.Push(t.Context(), memory, b.source("guide"), remote.Options{Key: k, Now: today, Dir: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*engine.Object){
		"a letter":         func(o *engine.Object) { o.Content[len(o.Content)-3] ^= 1 },
		"the position":     func(o *engine.Object) { o.Content[0] ^= 1 },
		"the file":         func(o *engine.Object) { o.Content[8] ^= 1 },
		"the proof":        func(o *engine.Object) { o.Proof[0] ^= 1 },
		"the end of it":    func(o *engine.Object) { o.Proof[len(o.Proof)-1] ^= 1 },
		"the passage":      func(o *engine.Object) { o.Content[len(o.Content)/2] ^= 1 },
		"no proof":         func(o *engine.Object) { o.Proof = nil },
		"half of it":       func(o *engine.Object) { o.Content = o.Content[:len(o.Content)/2] },
		"nothing of it":    func(o *engine.Object) { o.Content = nil },
		"something behind": func(o *engine.Object) { o.Content = append(o.Content, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			e := altering{memory, change}
			g, err := remote.Open(t.Context(), e, "guide", k.Public, filepath.Join(t.TempDir(), "mirror"), b.root)
			if err != nil {
				t.Fatal(err)
			}
			if r, _, err := g.Answer(t.Context(), offline(), answer.Question{Text: "What is the dose of metformin?"}); !errors.Is(err, remote.ErrAltered) {
				t.Errorf("%v: %s", err, told(r))
			}
		})
	}
}

// TestRememberedPassagesAreCompared: a passage that was verified before is not taken for verified when it comes altered.
func TestRememberedPassagesAreCompared(t *testing.T) {
	b := clinic(t)
	var altered atomic.Int32
	e := altering{&engine.Memory{}, func(*engine.Object) {}}
	g := pushed(t, &e, b)
	if _, _, err := g.Answer(t.Context(), offline(), answer.Question{Text: "What is the dose of metformin?"}); err != nil {
		t.Fatal(err)
	}
	e.change = func(o *engine.Object) {
		altered.Add(1)
		o.Content[len(o.Content)-3] ^= 1
	}
	if r, _, err := g.Answer(t.Context(), offline(), answer.Question{Text: "When is allopurinol stopped?"}); !errors.Is(err, remote.ErrAltered) || altered.Load() == 0 {
		t.Errorf("%d altered: %v: %s", altered.Load(), err, told(r))
	}
}

// recording is an engine that remembers what it was asked for.
type recording struct {
	engine.Memory
	mu   sync.Mutex
	list []engine.Query
}

func (r *recording) Search(ctx context.Context, collection string, q engine.Query) ([]engine.Object, error) {
	r.mu.Lock()
	r.list = append(r.list, q)
	r.mu.Unlock()
	return r.Memory.Search(ctx, collection, q)
}

// TestKinAreAskedForApart: an engine adds up what the words of a question and their kin earn, while here a word counts by
// the best of them, and kin for less. So it is asked for the words alone, too, and for kin less often: among the first of
// both is what counts here.
func TestKinAreAskedForApart(t *testing.T) {
	e := &recording{}
	g := pushed(t, e, clinic(t))
	if _, _, err := g.Search(t.Context(), knowledge.Query{Text: "weak kidneys", K: 10}); err != nil {
		t.Fatal(err)
	}
	var terms [][]string
	for _, q := range e.list {
		if q.Terms != nil {
			terms = append(terms, q.Terms)
		}
	}
	alone := slices.IndexFunc(terms, func(list []string) bool { return len(list) == 2 })
	if alone < 0 || !slices.ContainsFunc(terms, func(list []string) bool {
		return len(list) > 2 && slices.Contains(list, terms[alone][0]) && slices.Contains(list, terms[alone][1])
	}) {
		t.Errorf("asked for %q", terms)
	}
	times := make(map[string]int)
	for _, term := range slices.Concat(terms...) {
		times[term]++
	}
	for _, term := range terms[max(alone, 0)] {
		for other, n := range times {
			if n > times[term] {
				t.Errorf("%q is asked for %d times, and %q of the question %d times", other, n, term, times[term])
			}
		}
	}
}
