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
	"time"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
)

// desk is a folder of sources with an index beside it, and what the index said.
type desk struct {
	t       testing.TB
	sources string
	options Options
	index   *Index
	events  []Event
}

// newDesk has a source "notes" of files and a source "history" of pairs.
func newDesk(t testing.TB, companions ...Companion) *desk {
	t.Helper()
	d := &desk{t: t, sources: t.TempDir()}
	d.options = Options{
		Dir: filepath.Join(t.TempDir(), "index"),
		Sources: []ingest.Source{
			{Name: "notes", Kind: passage.Text, Path: filepath.Join(d.sources, "notes")},
			{Name: "history", Kind: passage.QA, Path: filepath.Join(d.sources, "history.jsonl")},
		},
		Companions: companions,
		Report:     func(e Event) { d.events = append(d.events, e) },
	}
	d.write("notes/iron.md", "# Iron\n\n## Dose\n\nIron tablets are taken on an empty stomach.\n")
	d.write("notes/zinc.md", "# Zinc\n\nZinc lozenges shorten a cold.\n")
	d.write("history.jsonl", `{"id":"h1","question":"May I take zinc with iron?","answer":"Some hours apart."}`+"\n")
	return d
}

// write writes a source file with a time long ago, so that its time can be relied on.
func (d *desk) write(name, content string) {
	d.t.Helper()
	file := filepath.Join(d.sources, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		d.t.Fatal(err)
	}
	old := time.Date(2020, 1, 1, 0, 0, len(content), 0, time.UTC)
	if err := os.Chtimes(file, old, old); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) open() *Index {
	d.t.Helper()
	x, err := Open(d.options)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = x.Close() })
	d.index = x
	return x
}

func (d *desk) refresh() {
	d.t.Helper()
	d.events = nil
	if err := d.index.Refresh(context.Background()); err != nil {
		d.t.Fatal(err)
	}
}

// stages returns the stages reported, each once in a row.
func (d *desk) stages() string {
	var names []string
	for _, e := range d.events {
		names = append(names, string(e.Stage))
	}
	return strings.Join(slices.Compact(names), " ")
}

// best is the record found first for a query.
func best(t testing.TB, l *Library, query string) string {
	t.Helper()
	hits, err := l.Search(context.Background(), Query{Text: query, K: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(hits) == 0 {
		return ""
	}
	return hits[0].Passage.Record
}

func TestIndexFromNothingToReadyAndBack(t *testing.T) {
	d := newDesk(t)
	x := d.open()
	if l := x.Library(); l == nil || len(l.Passages()) != 0 || l.Status() != (Status{}) {
		t.Fatalf("an empty folder gives %+v", l.Status())
	}
	var building []bool
	x.options.Report = func(e Event) {
		d.events = append(d.events, e)
		if e.Stage == Ready && x.Library().Status().Building {
			t.Error("ready while building")
		}
	}
	cancel := x.Subscribe(func(l *Library) { building = append(building, l.Status().Building) })
	d.refresh()
	cancel()
	if diff := cmp.Diff("reading indexing ready", d.stages()); diff != "" {
		t.Error(diff)
	}
	if len(building) == 0 || !building[0] || building[len(building)-1] {
		t.Errorf("building was published as %v", building)
	}
	first := x.Library()
	want := Status{Passages: 2, Pairs: 1, Calibrated: true, Read: 3, Found: 3}
	if first.Status() != want || best(t, first, "empty stomach") != "iron.md" || best(t, first, "zinc with iron") != "h1" {
		t.Errorf("after the first refresh: %+v", first.Status())
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}

	again := d.open().Library()
	if again.Status() != want || again.Generation() != first.Generation() || best(t, again, "zinc with iron") != "h1" {
		t.Errorf("opened again: %+v", again.Status())
	}
	if diff := cmp.Diff(first.Passages(), again.Passages()); diff != "" {
		t.Errorf("passages changed on disk:\n%s", diff)
	}
	if diff := cmp.Diff(first.Files(), again.Files()); diff != "" {
		t.Errorf("reports changed on disk:\n%s", diff)
	}
	if best(t, first, "empty stomach") != "iron.md" {
		t.Error("a library does not outlive its index")
	}
}

func TestRefreshWithNothingChangedWritesNothing(t *testing.T) {
	d := newDesk(t)
	d.open()
	d.refresh()
	before := tree(t, d.options.Dir)
	published := 0
	d.index.Subscribe(func(*Library) { published++ })
	d.refresh()
	if diff := cmp.Diff(before, tree(t, d.options.Dir)); diff != "" || published != 0 || d.stages() != "reading ready" {
		t.Errorf("%d libraries published, stages %q, files:\n%s", published, d.stages(), diff)
	}
}

// tree lists the files of a folder with their sizes and times.
func tree(t testing.TB, dir string) []string {
	t.Helper()
	var list []string
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil {
			list = append(list, fmt.Sprintf("%s %s %d %s", path, info.Mode(), info.Size(), info.ModTime()))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestRefreshFollowsTheSources(t *testing.T) {
	d := newDesk(t)
	d.open()
	d.refresh()
	first := d.index.Library()

	d.write("notes/copper.md", "# Copper\n\nCopper bracelets do nothing for joints.\n")
	d.refresh()
	if got := best(t, d.index.Library(), "copper bracelets"); got != "copper.md" {
		t.Errorf("a new file gives %q", got)
	}
	if got := best(t, first, "copper bracelets"); got != "" {
		t.Errorf("the older library finds %q", got)
	}
	d.write("notes/copper.md", "# Copper\n\nCopper kettles look nice.\n")
	d.refresh()
	if l := d.index.Library(); best(t, l, "kettles") != "copper.md" || best(t, l, "bracelets") != "" {
		t.Error("a changed file is not followed")
	}
	if err := os.Remove(filepath.Join(d.sources, "notes", "copper.md")); err != nil {
		t.Fatal(err)
	}
	d.refresh()
	if l := d.index.Library(); best(t, l, "kettles") != "" || l.Generation() != first.Generation() {
		t.Error("a removed file is not followed")
	}
	if names := generationNames(d.options.Dir); len(names) != 1 {
		t.Errorf("generations left: %v", names)
	}

	d.write("notes/scan.xyz", "%")
	d.refresh()
	l := d.index.Library()
	if i := slices.IndexFunc(l.Files(), func(f ingest.FileReport) bool { return f.State == ingest.Skipped }); i < 0 || l.Generation() != first.Generation() {
		t.Errorf("a new file that cannot be read: %+v, generation %s after %s", l.Files(), l.Generation(), first.Generation())
	}
}

func TestFoldersAreTheUsersOwn(t *testing.T) {
	d := newDesk(t)
	d.open()
	d.refresh()
	for _, entry := range tree(t, d.options.Dir) {
		if mode := strings.Fields(entry)[1]; mode != "drwx------" && mode != "-rw-------" {
			t.Error(entry)
		}
	}
}

func TestSecondProcessSearchesOnly(t *testing.T) {
	d := newDesk(t)
	writer := d.open()
	d.refresh()
	reader := d.open()
	if got := best(t, reader.Library(), "empty stomach"); got != "iron.md" {
		t.Errorf("the second finds %q", got)
	}
	d.write("notes/copper.md", "Copper kettles look nice.\n")
	d.refresh()
	if d.stages() != "searchonly" || best(t, reader.Library(), "kettles") != "" {
		t.Errorf("the second says %q", d.stages())
	}
	if err := writer.Refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
	d.refresh()
	if got := best(t, reader.Library(), "kettles"); got != "copper.md" || d.stages() != "searchonly" {
		t.Errorf("after the writer's refresh the second finds %q and says %q", got, d.stages())
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	d.write("notes/copper.md", "Copper bracelets do nothing.\n")
	d.refresh()
	if got := best(t, reader.Library(), "bracelets"); got != "copper.md" {
		t.Errorf("after the writer closed, the second finds %q and says %q", got, d.stages())
	}
}

func TestCancelledRefreshLosesNothing(t *testing.T) {
	d := newDesk(t)
	d.open()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := d.index.Refresh(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled refresh returns %v", err)
	}
	if d.index.Library().Status().Building {
		t.Error("a cancelled refresh still builds")
	}
	d.refresh()
	if err := d.index.Close(); err != nil {
		t.Fatal(err)
	}
	if err := d.index.Refresh(context.Background()); !errors.Is(err, errClosed) {
		t.Errorf("a refresh of a closed index returns %v", err)
	}
}

// tally is a companion that counts its fits and learns how many passages there were.
type tally struct {
	name string
	fits *int
	err  error
}

func (c tally) Name() string { return c.name }

func (c tally) Fit(_ context.Context, l *Library) ([]byte, error) {
	*c.fits++
	return fmt.Append(nil, len(l.Passages()), " ", string(l.Blob("first-1"))), c.err
}

func TestCompanions(t *testing.T) {
	var first, second int
	d := newDesk(t, tally{name: "first-1", fits: &first}, tally{name: "second-1", fits: &second})
	d.open()
	d.refresh()
	if d.stages() != "reading indexing fitting ready" || first != 1 || second != 1 {
		t.Errorf("%s, %d and %d fits", d.stages(), first, second)
	}
	if l := d.index.Library(); string(l.Blob("second-1")) != "3 3 " || !l.Status().Calibrated || l.Blob("third") != nil {
		t.Errorf("learnt %q, %+v", l.Blob("second-1"), l.Status())
	}
	d.refresh()
	if err := d.index.Close(); err != nil {
		t.Fatal(err)
	}
	d.open()
	if l := d.index.Library(); string(l.Blob("first-1")) != "3 " || !l.Status().Calibrated {
		t.Errorf("opened again: %q, %+v", l.Blob("first-1"), l.Status())
	}
	d.refresh()
	if first != 1 || second != 1 {
		t.Errorf("%d and %d fits of an unchanged base", first, second)
	}
	d.write("notes/copper.md", "Copper kettles look nice.\n")
	d.refresh()
	if first != 2 || string(d.index.Library().Blob("second-1")) != "4 4 " {
		t.Errorf("after a change: %d fits, %q", first, d.index.Library().Blob("second-1"))
	}
}

func TestFailingCompanionIsSaidAndTheRestServes(t *testing.T) {
	var first, second int
	fault := errors.New("no luck")
	d := newDesk(t, tally{"first-1", &first, fault}, tally{name: "second-1", fits: &second})
	d.open()
	if err := d.index.Refresh(context.Background()); !errors.Is(err, fault) {
		t.Errorf("the refresh returns %v", err)
	}
	l := d.index.Library()
	if best(t, l, "lozenges") != "zinc.md" || l.Status().Calibrated || l.Blob("first-1") != nil || l.Blob("second-1") == nil {
		t.Errorf("%+v", l.Status())
	}
}

// addNotes writes n small notes on a few topics, enough for an encoder.
func (d *desk) addNotes(from, to int) {
	topics := []string{"iron tablets stomach", "zinc lozenges cold", "copper kettles kitchen", "tin roofs rain", "lead paint walls"}
	for i := from; i < to; i++ {
		words := strings.Fields(topics[i%len(topics)])
		d.write(fmt.Sprintf("notes/n%03d.md", i), fmt.Sprintf("# Note %d\n\nThe %s and the %s go with the %s in case %d.\n", i, words[0], words[1], words[2], i))
	}
}

func TestEncoderIsTrainedInheritedAndTrainedAgain(t *testing.T) {
	d := newDesk(t)
	d.addNotes(0, 60)
	d.open()
	var encoders []bool
	d.index.Subscribe(func(l *Library) { encoders = append(encoders, l.Status().Encoder) })
	d.refresh()
	if d.stages() != "reading indexing training writing ready" || len(encoders) == 0 || encoders[0] || !encoders[len(encoders)-1] {
		t.Fatalf("%s, encoders published: %v", d.stages(), encoders)
	}
	first := d.index.Library().Collection(passage.Text)

	d.addNotes(60, 65)
	encoders = nil
	d.refresh()
	second := d.index.Library().Collection(passage.Text)
	if d.stages() != "reading indexing ready" || slices.Contains(encoders, false) || second.Encoder() != first.Encoder() {
		t.Errorf("a few new notes: %s, encoders published: %v", d.stages(), encoders)
	}
	for ordinal, p := range d.index.Library().Passages() {
		if p.Kind != passage.Text {
			continue
		}
		want, _ := second.Encoder().Encode(second.Terms(ordinal))
		if !slices.Equal(second.Vector(ordinal), want) {
			t.Errorf("%s has a vector of another text", p.Record)
		}
	}

	if err := d.index.Close(); err != nil {
		t.Fatal(err)
	}
	d.open()
	third := d.index.Library().Collection(passage.Text)
	if third.Encoder() == nil || !slices.Equal(third.Vector(3), second.Vector(3)) {
		t.Error("the encoder does not come back from disk")
	}
	d.addNotes(65, 95)
	d.refresh()
	if fourth := d.index.Library().Collection(passage.Text); d.stages() != "reading indexing training writing ready" || fourth.Encoder() == third.Encoder() {
		t.Errorf("a third of the notes new: %s", d.stages())
	}
}

func TestRemovedIndexIsWrittenAgain(t *testing.T) {
	d := newDesk(t)
	d.open()
	d.refresh()
	for _, name := range append(generationNames(d.options.Dir), currentName) {
		if err := os.RemoveAll(filepath.Join(d.options.Dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	d.refresh()
	if !strings.HasPrefix(d.stages(), "damaged") {
		t.Errorf("the removal is not said: %s", d.stages())
	}
	if err := d.index.Close(); err != nil {
		t.Fatal(err)
	}
	if got := best(t, d.open().Library(), "lozenges"); got != "zinc.md" {
		t.Errorf("found %q", got)
	}
}
