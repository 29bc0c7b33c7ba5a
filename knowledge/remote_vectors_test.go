package knowledge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge/lexical"
)

// faraway is an endpoint that knows of a few words that they mean the same.
type faraway struct {
	name     string
	dim      int
	sent     []string // passages
	asked    []string // queries
	failFrom int      // fails from so many passages on, if positive
	broken   bool     // fails for queries
	growing  bool     // its vectors are longer each time
}

var errFaraway = errors.New("the endpoint is down")

func (f *faraway) Name() string { return f.name }
func (f *faraway) Passages(_ context.Context, texts []string) ([][]float32, error) {
	if f.growing {
		f.dim++
	}
	if f.failFrom > 0 && len(f.sent)+len(texts) > f.failFrom {
		return nil, errFaraway
	}
	f.sent = append(f.sent, texts...)
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = f.vector(text)
	}
	return vectors, nil
}

func (f *faraway) Query(_ context.Context, text string) ([]float32, error) {
	f.asked = append(f.asked, text)
	if f.broken {
		return nil, errFaraway
	}
	return f.vector(text), nil
}

// vector has a component for each of a few meanings and one for everything.
func (f *faraway) vector(text string) []float32 {
	vector := make([]float32, f.dim)
	vector[0] = 1
	for _, term := range lexical.Terms(text) {
		switch term {
		case "iron", "haemoglobin", "pallor":
			vector[1] += 5
		case "zinc", "metallum":
			vector[2] += 5
		}
	}
	return vector
}

func (d *desk) mishaps() string {
	var notes []string
	for _, e := range d.events {
		if e.Stage == Unembedded {
			notes = append(notes, e.Note)
		}
	}
	return strings.Join(notes, ", ")
}

func TestEndpointFindsWhatHasNoWordOfTheQuery(t *testing.T) {
	far := &faraway{name: "far-1", dim: 3}
	d := newDesk(t)
	d.write("notes/secret.md", "---\nlacuna: private\n---\n\n# Zinc\n\nZinc for the director.\n")
	d.options.Remote = far
	d.open()
	d.refresh()
	for _, text := range far.sent {
		if strings.Contains(text, "director") {
			t.Errorf("what is private was sent: %s", text)
		}
	}
	search := func(q Query) []string {
		hits, err := d.index.Library().Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		return records(hits)
	}
	if found := search(Query{Text: "metallum", K: 1, Kind: "passage", Remote: true}); !slices.Equal(found, []string{"zinc.md"}) {
		t.Errorf("found %q", found)
	}
	for _, q := range []Query{
		{Text: "pallor"}, {Text: "pallor", Remote: true, Verbatim: true}, {Text: "pallor", Remote: true, Retriever: BM25},
	} {
		if found := search(q); len(found) > 0 {
			t.Errorf("%+v: found %q", q, found)
		}
	}
	search(Query{Text: "metallum", Remote: true})
	if diff := cmp.Diff([]string{"metallum"}, far.asked); diff != "" {
		t.Errorf("queries sent: %s", diff)
	}
	far.broken = true
	for range 2 {
		if found := search(Query{Text: "zinc lozenges", K: 1, Remote: true}); !slices.Equal(found, []string{"zinc.md"}) {
			t.Errorf("without the endpoint: found %q", found)
		}
	}
	if len(far.asked) != 2 {
		t.Errorf("an endpoint that fails is asked again at once: %q", far.asked)
	}
}

func TestNothingIsSentTwice(t *testing.T) {
	far := &faraway{name: "far-1", dim: 3}
	d := newDesk(t)
	d.options.Remote = far
	d.open()
	d.refresh()
	first := len(far.sent)
	if first != 3 || d.mishaps() != "" {
		t.Fatalf("sent %q, %s", far.sent, d.mishaps())
	}
	reopen := func() {
		if err := d.index.Close(); err != nil {
			t.Fatal(err)
		}
		d.open()
	}
	reopen()
	if d.index.Library().collections[0].remote == nil {
		t.Error("what was encoded does not serve at once")
	}
	d.refresh()
	d.write("notes/copper.md", "# Copper\n\nCopper is a metal.\n")
	d.refresh()
	if fresh := far.sent[first:]; len(fresh) != 1 || !strings.Contains(fresh[0], "Copper") {
		t.Errorf("sent anew: %q", fresh)
	}

	// Another model begins from nothing and takes the place of the first once it is complete.
	other := &faraway{name: "far-2", dim: 4, failFrom: 1}
	d.options.Remote = other
	reopen()
	d.refresh()
	if d.mishaps() != errFaraway.Error() || d.index.Library().collections[0].remote != nil {
		t.Errorf("mishaps %q", d.mishaps())
	}
	if folders := entriesOf(filepath.Join(d.options.Dir, embeddingsName)); len(folders) != 2 {
		t.Errorf("the first model's vectors went before the other's were there: %v", folders)
	}
	other.failFrom = 0
	d.refresh()
	if len(other.sent) != 4 || d.index.Library().collections[0].remote.vectors.Dim() != 4 {
		t.Errorf("sent %q", other.sent)
	}
	if folders := entriesOf(filepath.Join(d.options.Dir, embeddingsName)); len(folders) != 1 {
		t.Errorf("vectors of other models stay: %v", folders)
	}

	// A model that answers with vectors of another length under the same name is another model.
	other.dim = 5
	d.write("notes/tin.md", "# Tin\n\nTin is a metal.\n")
	d.refresh()
	if len(other.sent) != 4+1+5 || d.index.Library().collections[0].remote.vectors.Dim() != 5 {
		t.Errorf("sent %q", other.sent)
	}
}

// TestOldVectorsServeUntilTheNewAreThere holds that a change of the sources does not take away what is
// encoded already, and that no model but the configured one is asked.
func TestOldVectorsServeUntilTheNewAreThere(t *testing.T) {
	far := &faraway{name: "far-1", dim: 3}
	d := newDesk(t)
	d.write("notes/copper.md", "# Copper\n\nCopper is a metal.\n")
	d.options.Remote = far
	d.open()
	d.refresh()
	serves := func(by *faraway) {
		t.Helper()
		query := fmt.Sprint("metallum ", len(by.asked)) // no query of before
		hits, err := d.index.Library().Search(t.Context(), Query{Text: query, K: 1, Kind: "passage", Remote: true})
		if err != nil || !slices.Equal(records(hits), []string{"zinc.md"}) || by.asked[len(by.asked)-1] != query {
			t.Errorf("%s: found %q, %v; asked %q", by.name, records(hits), err, by.asked)
		}
	}
	serves(far)
	far.failFrom = 1
	d.write("notes/arsenic.md", "# Arsenic\n\nArsenic is older than iron.\n")
	if err := os.Remove(filepath.Join(d.sources, "notes", "copper.md")); err != nil {
		t.Fatal(err)
	}
	d.refresh()
	if d.mishaps() != errFaraway.Error() {
		t.Fatalf("mishaps %q", d.mishaps())
	}
	serves(far)
	if found := best(t, d.index.Library(), "arsenic"); found != "arsenic.md" {
		t.Errorf("new text is not found: %q", found)
	}
	hits, err := d.index.Library().Search(t.Context(), Query{Text: "what is older", K: 1, Kind: "passage", Remote: true})
	if err != nil || !slices.Equal(records(hits), []string{"arsenic.md"}) {
		t.Errorf("new text is not found beside what is encoded: %q, %v", records(hits), err)
	}
	far.failFrom = 0
	d.refresh()
	serves(far)

	builtIn := func() {
		t.Helper()
		asked := len(far.asked)
		hits, err := d.index.Library().Search(t.Context(), Query{Text: "zinc", K: 1, Kind: "passage", Remote: true})
		if err != nil || !slices.Equal(records(hits), []string{"zinc.md"}) || hits[0].Remote || len(far.asked) > asked {
			t.Errorf("found %q, %v; asked %q", records(hits), err, far.asked[asked:])
		}
	}
	other := &faraway{name: "far-2", dim: 4, failFrom: 1}
	d.options.Remote = other
	if err := d.index.Close(); err != nil {
		t.Fatal(err)
	}
	d.open()
	builtIn()
	d.refresh()
	builtIn()
	d.write("notes/tin.md", "# Tin\n\nTin is a metal.\n")
	d.refresh()
	builtIn()
	other.failFrom = 0
	d.refresh()
	serves(other)
	if len(other.sent) != 5 || d.mishaps() != "" {
		t.Errorf("sent %q, %s", other.sent, d.mishaps())
	}
}

// TestProcessThatOnlySearchesSeesVectors has one process encode what another one searches.
func TestProcessThatOnlySearchesSeesVectors(t *testing.T) {
	far := &faraway{name: "far-1", dim: 3, failFrom: 1}
	d := newDesk(t)
	d.options.Remote = far
	writer := d.open()
	d.refresh()
	reader := d.open()
	d.refresh()
	if stages := d.stages(); stages != string(SearchOnly) {
		t.Fatalf("%s", stages)
	}
	published := 0
	defer reader.Subscribe(func(*Library) { published++ })()
	sees := func(words string, want ...string) {
		t.Helper()
		d.refresh()
		hits, err := reader.Library().Search(t.Context(), Query{Text: words, K: 1, Kind: "passage", Remote: true})
		if err != nil || !slices.Equal(records(hits), want) {
			t.Errorf("found %q, %v", records(hits), err)
		}
	}
	write := func() {
		t.Helper()
		if err := writer.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	sees("metallum")
	far.failFrom = 0
	write()
	sees("metallum", "zinc.md")
	sees("metallum", "zinc.md")
	if published != 1 {
		t.Errorf("%d libraries were published for one change", published)
	}
	// A new passage is not encoded yet.
	far.failFrom = 1
	d.write("notes/arsenic.md", "# Arsenic\n\nArsenic is older than iron.\n")
	write()
	sees("metallum", "zinc.md")
	sees("arsenic", "arsenic.md")
	// The model answers with vectors of another length.
	far.failFrom, far.dim = 0, 5
	write()
	sees("metallum in lozenges", "zinc.md")
	if dim := reader.Library().Collection("passage").remote.vectors.Dim(); dim != 5 {
		t.Errorf("vectors of %d components", dim)
	}
}

func TestEndpointWhoseVectorsNeverAgreeIsGivenUp(t *testing.T) {
	d := newDesk(t)
	var pairs strings.Builder
	for i := range 3 * encodeBatch {
		fmt.Fprintf(&pairs, `{"id":"q%d","question":"Question number %d?","answer":"Answer."}`+"\n", i, i)
	}
	d.write("history.jsonl", pairs.String())
	d.options.Remote = &faraway{name: "far-1", dim: 3, growing: true}
	d.open()
	d.refresh()
	if !strings.Contains(d.mishaps(), "length") {
		t.Errorf("mishaps %q", d.mishaps())
	}
}

func TestEncodingGoesOnWhereItWasInterrupted(t *testing.T) {
	far := &faraway{name: "far-1", dim: 3, failFrom: encodeBatch}
	d := newDesk(t)
	var pairs strings.Builder
	for i := range encodeBatch + 20 {
		fmt.Fprintf(&pairs, `{"id":"q%d","question":"Question number %d?","answer":"Answer."}`+"\n", i, i)
	}
	d.write("history.jsonl", pairs.String())
	d.options.Remote = far
	d.open()
	d.refresh()
	if len(far.sent) != encodeBatch || d.mishaps() != errFaraway.Error() {
		t.Fatalf("sent %d, %s", len(far.sent), d.mishaps())
	}
	// As after a crash: a record is cut off.
	log := d.index.embeddings(vectorLogName)
	info, err := os.Stat(log)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(log, info.Size()-3); err != nil {
		t.Fatal(err)
	}
	far.failFrom = 0
	d.refresh()
	again := slices.Clone(far.sent)
	slices.Sort(again)
	if twice := len(again) - len(slices.Compact(again)); twice != 1 {
		t.Errorf("%d texts were sent twice, not one", twice)
	}
	if d.index.Library().collections[0].remote == nil {
		t.Error("not all is encoded")
	}
}

// TestWhatIsEncodedDoesNotGrowForEver holds that vectors of texts that are gone do not stay for good.
func TestWhatIsEncodedDoesNotGrowForEver(t *testing.T) {
	far := &faraway{name: "far-1", dim: 3}
	d := newDesk(t)
	d.options.Remote = far
	d.open()
	for edit := range 20 {
		d.write("notes/zinc.md", "# Zinc\n\nZinc lozenges shorten a "+strings.Repeat("very ", edit)+"bad cold.\n")
		d.refresh()
		if d.mishaps() != "" {
			t.Fatal(d.mishaps())
		}
		kept, err := openVectorCache(d.index.embeddings(vectorLogName))
		if err != nil {
			t.Fatal(err)
		}
		if texts := len(d.index.Library().Passages()); len(kept.at) < texts || len(kept.at) > 2*texts {
			t.Errorf("edit %d: vectors of %d texts for %d", edit, len(kept.at), texts)
		}
		if err := kept.close(); err != nil {
			t.Fatal(err)
		}
	}
	if want := 3 + 19; len(far.sent) != want {
		t.Errorf("%d texts were sent, not %d", len(far.sent), want)
	}
	hits, err := d.index.Library().Search(t.Context(), Query{Text: "metallum", K: 1, Kind: "passage", Remote: true})
	if err != nil || !slices.Equal(records(hits), []string{"zinc.md"}) {
		t.Errorf("found %q, %v", records(hits), err)
	}
}

// TestWaitingRefreshGoesFirst holds that a change of the sources does not wait for an endpoint.
func TestWaitingRefreshGoesFirst(t *testing.T) {
	d := newDesk(t)
	d.options.Remote = &faraway{name: "far-1", dim: 3}
	d.open()
	d.index.waiting.Add(1)
	d.refresh()
	if d.index.Library().collections[0].remote != nil || !strings.HasSuffix(d.stages(), string(Ready)) {
		t.Errorf("%s", d.stages())
	}
	d.index.waiting.Add(-1)
	d.refresh()
	if d.index.Library().collections[0].remote == nil {
		t.Error("nobody went on")
	}
}

func FuzzVectorLog(f *testing.F) {
	whole := filepath.Join(f.TempDir(), "log")
	v, err := openVectorCache(whole)
	if err != nil {
		f.Fatal(err)
	}
	if err := v.add([]vectorKey{keyOf("a"), keyOf("b")}, [][]float32{{1, 2}, {3, 4}}); err != nil {
		f.Fatal(err)
	}
	if err := v.close(); err != nil {
		f.Fatal(err)
	}
	content, err := os.ReadFile(whole)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(content)
	f.Add(content[:len(content)-1])
	f.Add([]byte(vectorMagic))
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		v, err := openVectorCache(path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = v.close() }()
		for key := range v.at {
			if vector, err := v.read(key); err != nil || len(vector) != v.dim {
				t.Errorf("%v, %v", vector, err)
			}
		}
		added := make([]float32, max(1, v.dim))
		if err := v.add([]vectorKey{keyOf("new")}, [][]float32{added}); err != nil {
			t.Fatal(err)
		}
		if again, err := v.read(keyOf("new")); err != nil || !slices.Equal(again, added) {
			t.Errorf("%v, %v", again, err)
		}
	})
}
