// Package enginetest has what every engine of package engine must do, as tests.
package enginetest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"lacuna/knowledge/engine"
)

// settleTime is how long an engine may take until counts are right.
const settleTime = 3 * time.Minute

// Run runs the conformance suite against the engines that open returns. They may share one cluster, because each test
// has a collection of its own, which it drops.
func Run(t *testing.T, open func(*testing.T) engine.Engine) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, base)
	}{
		{"create", create},
		{"put and get", putAndGet},
		{"contents byte for byte", contents},
		{"identities at the edges", identities},
		{"terms as they stand", terms},
		{"terms that are repeated", repeated},
		{"every object of a term", everyObject},
		{"terms after replacing", termsAfterReplacing},
		{"vectors", vectors},
		{"documents", documents},
		{"no terms and no vectors", bare},
		{"thousand in one put", thousand},
		{"counts", counts},
		{"delete", remove},
		{"drop", drop},
		{"nothing there", nothing},
		{"limits", limits},
		{"concurrent", concurrent},
		{"cancel", cancelled},
		{"names", names},
		{"status", status},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := open(t)
			t.Cleanup(func() {
				if err := e.Close(); err != nil {
					t.Error(err)
				}
			})
			b := base{T: t, Engine: e, name: fmt.Sprintf("t%08x-%s", rand.Uint32(), test.name)}
			t.Cleanup(func() { b.must(e.Drop(context.Background(), b.name)) })
			test.run(t, b)
		})
	}
}

// base is an engine with the collection of a test.
type base struct {
	*testing.T
	engine.Engine
	name string
}

var full = engine.Layout{Dim: 4, Terms: true}

func (b base) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b base) make(layout engine.Layout, objects ...engine.Object) {
	b.Helper()
	b.must(b.Create(b.Context(), b.name, layout))
	if len(objects) > 0 {
		b.must(b.Put(b.Context(), b.name, objects))
		settle(b, len(objects)) // a search may ask a replica that is not of the majority yet
	}
}

// eventually waits until a query proposes what is wanted, see [ids]: an engine may ask a replica that still has what was
// replaced.
func (b base) eventually(q engine.Query, want string) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), settleTime)
	defer cancel()
	poll := time.NewTicker(50 * time.Millisecond)
	defer poll.Stop()
	for {
		got := ids(b.find(q))
		if got == want {
			return
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			b.Fatalf("%+v proposes %q, want %q", q, got, want)
		}
	}
}

func (b base) find(q engine.Query) []engine.Object {
	b.Helper()
	objects, err := b.Search(b.Context(), b.name, q)
	b.must(err)
	return objects
}

// ids returns what stands in the contents, in order of the numbers.
func ids(objects []engine.Object) string {
	var all []string
	for _, o := range objects {
		all = append(all, string(o.Content))
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

func id(n int) (id engine.ID) {
	binary.BigEndian.PutUint64(id[8:], uint64(n))
	id[0] = byte(n)
	return id
}

// object returns object n, whose content is its number.
func object(n int, terms ...string) engine.Object {
	return engine.Object{
		ID: id(n), Document: fmt.Sprintf("doc/%d.md", n/3), Terms: terms, Vector: unit(n, 4),
		Content: fmt.Appendf(nil, "%04d", n), Proof: fmt.Appendf(nil, "proof %d", n),
	}
}

// unit returns a vector of unit length that depends on seed.
func unit(seed, dim int) []float32 {
	r := rand.New(rand.NewPCG(uint64(seed), 7))
	v, sum := make([]float32, dim), 0.
	for i := range v {
		v[i] = float32(r.NormFloat64())
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

func create(t *testing.T, b base) {
	b.must(b.Create(t.Context(), b.name, full))
	b.must(b.Create(t.Context(), b.name, full))
	for _, other := range []engine.Layout{{Dim: 8, Terms: true}, {Dim: 4}, {Terms: true}} {
		if err := b.Create(t.Context(), b.name, other); !errors.Is(err, engine.ErrLayout) {
			t.Errorf("layout %+v: %v, want ErrLayout", other, err)
		}
	}
	if got := b.find(engine.Query{Terms: []string{"a"}, Limit: 10}); len(got) != 0 {
		t.Errorf("an empty collection proposes %d objects", len(got))
	}
	if got := b.find(engine.Query{Vector: unit(1, 4), Limit: 10}); len(got) != 0 {
		t.Errorf("an empty collection proposes %d objects by vector", len(got))
	}
}

func putAndGet(t *testing.T, b base) {
	b.make(full, object(1, "one"), object(2, "two"))
	got, err := b.Get(t.Context(), b.name, id(1))
	b.must(err)
	same(t, got, object(1))
	replaced := object(1, "three")
	replaced.Content, replaced.Proof, replaced.Document = []byte("new"), nil, "other.md"
	b.must(b.Put(t.Context(), b.name, []engine.Object{replaced}))
	got, err = b.Get(t.Context(), b.name, id(1))
	b.must(err)
	same(t, got, replaced)
	if _, err = b.Get(t.Context(), b.name, id(3)); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("an identity that is not there: %v", err)
	}
	for term, want := range map[string]string{"one": "", "two": "0002", "three": "new"} {
		b.eventually(engine.Query{Terms: []string{term}, Limit: 10}, want)
	}
	b.eventually(engine.Query{Document: "doc/0.md", Limit: 10}, "0002") // a passage was moved out of it
}

// same compares what every call returns of an object.
func same(t *testing.T, got, want engine.Object) {
	t.Helper()
	if got.ID != want.ID || got.Document != want.Document || !bytes.Equal(got.Content, want.Content) || !bytes.Equal(got.Proof, want.Proof) {
		t.Errorf("got %x of %q with content %.40q (%d bytes) and proof %.40q (%d bytes)\nwant %x of %q with content %.40q (%d bytes) and proof %.40q (%d bytes)",
			got.ID, got.Document, got.Content, len(got.Content), got.Proof, len(got.Proof),
			want.ID, want.Document, want.Content, len(want.Content), want.Proof, len(want.Proof))
	}
}

func contents(t *testing.T, b base) {
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	large := make([]byte, 1<<20)
	rand.NewChaCha8([32]byte{1}).Read(large)
	objects := []engine.Object{object(1, "x"), object(2, "x"), object(3, "x"), object(4, "x"), object(5, "x"), object(6, "x"), object(7, "x")}
	objects[0].Content, objects[0].Proof = nil, nil
	objects[1].Content, objects[1].Proof = every, slices.Concat(every, every)
	objects[2].Content, objects[2].Proof = large, []byte{0}
	objects[3].Content = []byte("\xff\xfe not UTF-8 \x00 with a zero \u2028 <b>&amp; \"quotes\" \\ \ufeff")
	objects[4].Content = []byte("  spaces around \r\n\t ")
	objects[5].Document = "  a Folder/of \x00 Größe\u3000 100 %.md\n"
	objects[6].Document = strings.Repeat("deep/", 2000) + "file.md"
	b.make(full, objects...)
	found := make(map[engine.ID]engine.Object)
	for _, o := range b.find(engine.Query{Terms: []string{"x"}, Limit: 100}) {
		found[o.ID] = o
	}
	for _, want := range objects {
		got, err := b.Get(t.Context(), b.name, want.ID)
		b.must(err)
		same(t, got, want)
		same(t, found[want.ID], want)
		if of := b.find(engine.Query{Document: want.Document, Limit: 100}); !slices.ContainsFunc(of, func(o engine.Object) bool { return o.ID == want.ID }) {
			t.Errorf("document %.40q is found without %x", want.Document, want.ID)
		}
	}
}

func identities(t *testing.T, b base) {
	low, high := object(1, "x"), object(2, "x")
	low.ID, high.ID = engine.ID{}, engine.ID(bytes.Repeat([]byte{255}, 16))
	b.make(full, low, high)
	for _, want := range []engine.Object{low, high} {
		got, err := b.Get(t.Context(), b.name, want.ID)
		b.must(err)
		same(t, got, want)
	}
	if got := b.find(engine.Query{Terms: []string{"x"}, Limit: 9}); len(got) != 2 {
		t.Errorf("%d objects of 2", len(got))
	}
}

// strange are terms that an engine may split, fold, drop or mix up.
var strange = []string{
	"b12", "co2", "+", "-", "a", "A", "the", "The", "not", "é", "e\u0301", "ß", "SS", "ss", "ı", "i", "I",
	"高血", "血压", "压", "高血压", "ガ", "カ\u3099", "ﬁ", "fi", "²", "2", "½", "1/2", "0.5", "10", "1e1", "p<0.05", "a b", "a\tb", "a\u00a0b", "a\u3000b", " a", "a ", " ", "", "%", "%20", "%2520", "%25",
	"terms^2", "*", "a*", "?", "\"a\"", "'", "\\", "and", "AND", "or", "null", "true", "\x00", "\xff", "\ufffd", "\u200b", "\ufeff", "🩺", "👩\u200d⚕️", "https://example.org/a?b=c#d", "il-2", "il", "il-2rα", "\u2028", "\n",
	strings.Repeat("x", 300), strings.Repeat("x", 301), strings.Repeat("y", 20_000), strings.Repeat("长", 5000),
}

func terms(t *testing.T, b base) {
	var objects []engine.Object
	for i, term := range strange {
		objects = append(objects, object(i, term, "all", "all", "filler"))
	}
	b.make(full, objects...)
	for i, term := range strange {
		if got, want := ids(b.find(engine.Query{Terms: []string{term}, Limit: 100})), fmt.Sprintf("%04d", i); got != want {
			t.Errorf("term %.40q proposes %q, want %q", term, got, want)
		}
	}
	if got := b.find(engine.Query{Terms: []string{"all"}, Limit: 100}); len(got) != len(strange) {
		t.Errorf("the term of all objects proposes %d of %d", len(got), len(strange))
	}
	if got := b.find(engine.Query{Terms: slices.Concat(strange, strange), Limit: 100}); len(got) != len(strange) {
		t.Errorf("all terms propose %d of %d objects", len(got), len(strange))
	}
	if got := b.find(engine.Query{Terms: []string{"nowhere", "b12", "nowhere else"}, Limit: 100}); ids(got) != "0000" {
		t.Errorf("terms that nothing has change what others propose: %q", ids(got))
	}
	for _, o := range b.find(engine.Query{Terms: []string{"co2"}, Limit: 1}) {
		if o.Terms != nil || o.Vector != nil {
			t.Error("a candidate comes with terms or a vector")
		}
	}
}

func everyObject(t *testing.T, b base) {
	const n = 700
	var objects []engine.Object
	for i := range n {
		terms := []string{"common", fmt.Sprint("n", i), fmt.Sprint("m", i%7)}
		objects = append(objects, object(i, append(terms, slices.Repeat([]string{"long"}, i%50)...)...))
	}
	b.make(full, objects...)
	if got := b.find(engine.Query{Terms: []string{"common"}, Limit: n}); len(distinct(got)) != n {
		t.Errorf("%d objects of %d have the term", len(distinct(got)), n)
	}
	if got := b.find(engine.Query{Terms: []string{"m3", "n4"}, Limit: n}); len(distinct(got)) != n/7+1 {
		t.Errorf("%d objects of %d have one of two terms", len(distinct(got)), n/7+1)
	}
	if got := b.find(engine.Query{Terms: []string{"common", "n4"}, Limit: 10}); len(got) != 10 || string(got[0].Content) != "0004" {
		t.Errorf("the rarer term does not lead: %q", ids(got))
	}
}

func distinct(objects []engine.Object) map[engine.ID]bool {
	all := make(map[engine.ID]bool)
	for _, o := range objects {
		all[o.ID] = true
	}
	return all
}

// termsAfterReplacing holds that an object is found by the terms that it has now, however often it was put.
// repeated: a term counts as often as it stands in a query.
func repeated(t *testing.T, b base) {
	var objects []engine.Object
	for i := range 50 {
		objects = append(objects, object(2*i, "even", "filler"), object(2*i+1, "odd", "filler"))
	}
	b.make(full, objects...)
	for odd, often := range []string{"even", "odd"} {
		terms := append(slices.Repeat([]string{often}, 9), "even", "odd")
		for _, o := range b.find(engine.Query{Terms: terms, Limit: 20}) {
			if int(o.ID[15])%2 != odd {
				t.Fatalf("%q proposes %x", terms, o.ID)
			}
		}
	}
}

func termsAfterReplacing(t *testing.T, b base) {
	objects := []engine.Object{object(1, "x", "old"), object(2, "x", "old"), object(3, "y", "old")}
	b.make(full, objects...)
	for round := range 6 {
		for i := range objects {
			objects[i].Terms[1] = fmt.Sprint("round", round)
		}
		b.must(b.Put(t.Context(), b.name, objects))
		b.eventually(engine.Query{Terms: []string{"x"}, Limit: 10}, "0001 0002")
		b.eventually(engine.Query{Terms: []string{fmt.Sprint("round", round)}, Limit: 10}, "0001 0002 0003")
		b.eventually(engine.Query{Terms: []string{"old", fmt.Sprint("round", round-1)}, Limit: 10}, "")
	}
}

func vectors(t *testing.T, b base) {
	const n, dim = 400, 64
	var objects []engine.Object
	for i := range n {
		o := object(i)
		o.Vector = unit(i, dim)
		objects = append(objects, o)
	}
	b.make(engine.Layout{Dim: dim, Terms: true}, objects...)
	for seed := range 5 {
		question := unit(n+seed, dim)
		got := b.find(engine.Query{Vector: question, Limit: n})
		if len(distinct(got)) != n {
			t.Fatalf("%d objects of %d", len(distinct(got)), n)
		}
		last := -1.
		for i, o := range got {
			d := distance(question, unit(number(o), dim))
			if d < last-1e-5 {
				t.Fatalf("candidate %d is at %.6f, the one before at %.6f", i, d, last)
			}
			last = max(last, d)
		}
		few := b.find(engine.Query{Vector: question, Limit: 7})
		if len(few) != 7 || distance(question, unit(number(few[6]), dim)) > distance(question, unit(number(got[6]), dim))+1e-5 {
			t.Errorf("the nearest 7 are not the first of all")
		}
	}
	if got := b.find(engine.Query{Vector: unit(5, dim), Limit: 1}); ids(got) != "0005" {
		t.Errorf("the vector of object 5 proposes %q", ids(got))
	}
}

func number(o engine.Object) int {
	n, _ := strconv.Atoi(string(o.Content)) // see object
	return n
}

func distance(a, b []float32) (d float64) {
	for i := range a {
		d += float64(a[i]-b[i]) * float64(a[i]-b[i])
	}
	return d
}

func documents(t *testing.T, b base) {
	var objects []engine.Object
	for i := range 260 {
		o := object(i, "x")
		o.Document = "Long Document.md"
		if i >= 250 {
			o.Document = []string{"long document.md", "Long", "Document.md", "Long Document", "Long Document.md ", "long Document.md", "Long Document.md/1", "the", "Lon*", ""}[i-250]
		}
		objects = append(objects, o)
	}
	b.make(full, objects...)
	if got := b.find(engine.Query{Document: "Long Document.md", Limit: 1000}); len(distinct(got)) != 250 {
		t.Errorf("%d objects of 250", len(distinct(got)))
	}
	for _, o := range objects[250:259] {
		if got := b.find(engine.Query{Document: o.Document, Limit: 1000}); ids(got) != string(o.Content) {
			t.Errorf("document %q has %q", o.Document, ids(got))
		}
	}
	if got := b.find(engine.Query{Document: "nowhere", Limit: 10}); len(got) != 0 {
		t.Errorf("a document that is not there has %q", ids(got))
	}
}

// bare holds that a collection may do without.
func bare(t *testing.T, b base) {
	o := object(1)
	o.Vector = nil
	b.make(engine.Layout{}, o)
	got, err := b.Get(t.Context(), b.name, o.ID)
	b.must(err)
	same(t, got, o)
	if got := b.find(engine.Query{Document: o.Document, Limit: 10}); ids(got) != "0001" {
		t.Errorf("the document has %q", ids(got))
	}
	if got := b.find(engine.Query{Limit: 10}); len(got) != 0 {
		t.Errorf("a query for nothing proposes %q", ids(got))
	}
}

func thousand(t *testing.T, b base) {
	var objects []engine.Object
	for i := range 1000 {
		o := object(i, "x")
		o.Content = append(o.Content, bytes.Repeat([]byte{byte(i)}, 2000)...)
		objects = append(objects, o)
	}
	b.make(full, objects...)
	if got := b.find(engine.Query{Terms: []string{"x"}, Limit: 1000}); len(distinct(got)) != 1000 {
		t.Errorf("%d objects of 1000", len(distinct(got)))
	}
	if got := b.find(engine.Query{Vector: unit(1, 4), Limit: 1000}); len(distinct(got)) != 1000 {
		t.Errorf("%d objects of 1000 by vector", len(distinct(got)))
	}
}

func counts(t *testing.T, b base) {
	b.make(full)
	var objects []engine.Object
	for i := range 300 {
		objects = append(objects, object(i, "x"))
	}
	b.must(b.Put(t.Context(), b.name, objects[:200]))
	settle(b, 200)
	b.must(b.Put(t.Context(), b.name, objects[100:])) // 100 of them again
	settle(b, 300)
}

// settle waits until every replica has n objects, and fails if one ever seems to have more.
func settle(b base, n int) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), settleTime)
	defer cancel()
	poll := time.NewTicker(200 * time.Millisecond)
	defer poll.Stop()
	for {
		count, err := b.Count(ctx, b.name)
		switch {
		case err != nil:
			b.Fatal(err)
		case count.Most > n:
			b.Fatalf("count %+v, want %d", count, n)
		case count.Least == n && count.Most == n && count.Replicas > 0:
			return
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			b.Fatalf("count %+v, want %d", count, n)
		}
	}
}

// remove holds that what is deleted is neither got nor counted, and the rest is.
func remove(t *testing.T, b base) {
	b.make(full, object(1, "x"), object(2, "x"))
	for range 2 {
		b.must(b.Delete(t.Context(), b.name, []engine.ID{id(1), id(3)}))
	}
	if _, err := b.Get(t.Context(), b.name, id(1)); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("got what was deleted: %v", err)
	}
	if _, err := b.Get(t.Context(), b.name, id(2)); err != nil {
		t.Error(err)
	}
	b.eventually(engine.Query{Terms: []string{"x"}, Limit: 10}, "0002")
}

func drop(t *testing.T, b base) {
	b.make(full, object(1, "x"))
	b.must(b.Drop(t.Context(), b.name))
	b.must(b.Drop(t.Context(), b.name))
	gone(t, b)
	b.make(engine.Layout{Dim: 8, Terms: true}) // another layout is none of the old one's business
	if got := b.find(engine.Query{Terms: []string{"x"}, Limit: 10}); len(got) != 0 {
		t.Errorf("what was dropped is proposed: %q", ids(got))
	}
}

func nothing(t *testing.T, b base) { gone(t, b) }

func gone(t *testing.T, b base) {
	t.Helper()
	for what, call := range map[string]func() error{
		"search by terms": func() error {
			_, err := b.Search(t.Context(), b.name, engine.Query{Terms: []string{"x"}, Limit: 1})
			return err
		},
		"search by vector": func() error {
			_, err := b.Search(t.Context(), b.name, engine.Query{Vector: unit(1, 4), Limit: 1})
			return err
		},
		"search by document": func() error {
			_, err := b.Search(t.Context(), b.name, engine.Query{Document: "x", Limit: 1})
			return err
		},
		"get":    func() error { _, err := b.Get(t.Context(), b.name, id(1)); return err },
		"count":  func() error { _, err := b.Count(t.Context(), b.name); return err },
		"put":    func() error { return b.Put(t.Context(), b.name, []engine.Object{object(1, "x")}) },
		"delete": func() error { return b.Delete(t.Context(), b.name, []engine.ID{id(1)}) },
	} {
		if err := call(); !errors.Is(err, engine.ErrNotFound) {
			t.Errorf("%s without a collection: %v, want ErrNotFound", what, err)
		}
	}
}

func limits(t *testing.T, b base) {
	b.make(full, object(1, "x"), object(2, "x"))
	if _, err := b.Search(t.Context(), b.name, engine.Query{Terms: []string{"x"}, Limit: engine.MaxLimit + 1}); err == nil {
		t.Error("more candidates than an engine may be asked for are no error")
	}
	if got := b.find(engine.Query{Terms: []string{"x"}, Limit: engine.MaxLimit}); len(got) != 2 {
		t.Errorf("%d candidates of 2", len(got))
	}
	for _, q := range []engine.Query{{Terms: []string{"x"}}, {Vector: unit(1, 4)}, {Document: "doc/0.md"}} {
		if got := b.find(q); len(got) != 0 {
			t.Errorf("%+v proposes %d objects", q, len(got))
		}
		q.Limit = 1
		if got := b.find(q); len(got) != 1 {
			t.Errorf("%+v proposes %d objects", q, len(got))
		}
	}
}

func concurrent(t *testing.T, b base) {
	b.make(full)
	var all sync.WaitGroup
	for w := range 8 {
		all.Go(func() {
			for i := range 10 {
				o := object(w*100+i, "x", fmt.Sprint("w", w))
				if err := b.Put(t.Context(), b.name, []engine.Object{o}); err != nil {
					t.Error(err)
					return
				}
				got, err := b.Search(t.Context(), b.name, engine.Query{Terms: []string{fmt.Sprint("w", w)}, Limit: 100})
				if err != nil {
					t.Error(err)
					return
				}
				if len(got) > i+1 {
					t.Errorf("worker %d: %d objects after %d puts", w, len(got), i+1)
				}
				if _, err := b.Get(t.Context(), b.name, o.ID); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

func cancelled(t *testing.T, b base) {
	b.make(full, object(1, "x"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	past, cancel := context.WithDeadline(t.Context(), time.Unix(1, 0))
	defer cancel()
	for _, ctx := range []context.Context{ctx, past} {
		for what, call := range map[string]func() error{
			"search": func() error {
				_, err := b.Search(ctx, b.name, engine.Query{Terms: []string{"x"}, Limit: 1})
				return err
			},
			"get":    func() error { _, err := b.Get(ctx, b.name, id(1)); return err },
			"count":  func() error { _, err := b.Count(ctx, b.name); return err },
			"delete": func() error { return b.Delete(ctx, b.name, []engine.ID{id(3)}) },
			"put":    func() error { return b.Put(ctx, b.name, []engine.Object{object(2, "y")}) },
			"create": func() error { return b.Create(ctx, b.name, full) },
			"status": func() error { _, err := b.Status(ctx); return err },
			"drop":   func() error { return b.Drop(ctx, b.name+"-not") },
		} {
			if err := call(); !errors.Is(err, ctx.Err()) {
				t.Errorf("%s: %v, want %v", what, err, ctx.Err())
			}
		}
	}
}

// names holds that collections with similar names are apart.
func names(t *testing.T, b base) {
	similar := []string{b.name, strings.ToUpper(b.name), b.name + "_", b.name + "-", b.name + "%2d", b.name + "/ä", b.name + strings.Repeat("x", 300), b.name + strings.Repeat("x", 301)}
	for i, name := range similar {
		b.must(b.Create(t.Context(), name, full))
		t.Cleanup(func() { b.must(b.Drop(context.Background(), name)) })
		b.must(b.Put(t.Context(), name, []engine.Object{object(i, "x")}))
	}
	for i, name := range similar {
		b.name = name
		b.eventually(engine.Query{Terms: []string{"x"}, Limit: 100}, fmt.Sprintf("%04d", i))
	}
}

func status(t *testing.T, b base) {
	b.make(full, object(1, "x"))
	s, err := b.Status(t.Context())
	b.must(err)
	if s.Version == "" || len(s.Nodes) == 0 {
		t.Errorf("%+v", s)
	}
	for _, n := range s.Nodes {
		if n.Name == "" || !n.Healthy {
			t.Errorf("%+v", n)
		}
	}
}
