package knowledge

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"lacuna/knowledge/passage"
)

// inChild makes the test binary run one test in a process of its own, which a fault may end.
const inChild = "LACUNA_TEST_IN_CHILD"

// A file that is truncated while it is mapped costs some answers, never the session: reads of it
// fail, and the next refresh says what happened and rebuilds the index.
func TestFilesCutOffWhileInUse(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not cut off a mapped file")
	}
	if os.Getenv(inChild) != "" {
		t.Skip("is the child")
	}
	if testing.Short() {
		t.Skip("starts a process")
	}
	child := exec.Command(os.Args[0], "-test.run=^TestChildOfFilesCutOffWhileInUse$", "-test.v")
	child.Env = append(os.Environ(), inChild+"=1")
	output, err := child.CombinedOutput()
	if err != nil || !strings.Contains(string(output), "--- PASS") {
		t.Errorf("%v\n%s", err, output)
	}
}

func TestChildOfFilesCutOffWhileInUse(t *testing.T) {
	if os.Getenv(inChild) == "" {
		t.Skip("run by TestFilesCutOffWhileInUse")
	}
	d := newDesk(t, tally{name: "first-1", fits: new(int)})
	d.addNotes(0, 60)
	d.open()
	d.refresh()
	if d.index.Library().Collection(passage.Text).Encoder() == nil {
		t.Fatal("no encoder was trained")
	}
	names := []string{"passage/vectors", "passage/encoder", "passage/trained", "blobs/first-1", storeName}
	for _, name := range []string{"terms", "bounds", "ordinals", "part1/*.seg", "part1/*.snp"} {
		names = append(names, "passage/lexical/"+name)
	}
	for _, name := range names {
		files, err := filepath.Glob(filepath.Join(d.index.state.dir, filepath.FromSlash(name)))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no such file of the index: %v", name, err)
		}
		for _, file := range files {
			if err := os.Truncate(file, 0); err != nil {
				t.Fatal(err)
			}
		}
		useAll(t, name, d.index.Library())
		if d.index.Intact() {
			t.Errorf("%s cut off: the index calls itself intact", name)
		}
		d.refresh()
		if !strings.HasPrefix(d.stages(), "damaged reading indexing") || d.events[0].Note == "" {
			t.Errorf("%s cut off: refreshed with %s", name, d.stages())
		}
		if l := d.index.Library(); !d.index.Intact() || len(l.Passages()) != 63 || best(t, l, "zinc lozenges") == "" || !l.Status().Encoder {
			t.Errorf("%s cut off: built anew as %+v", name, l.Status())
		}
	}
	t.Log(len(names), "kinds of files were cut off")
}

// useAll reads a library in every way there is; what it cannot read is an error or a panic.
func useAll(t *testing.T, damaged string, l *Library) {
	t.Helper()
	for _, retriever := range []Retriever{BM25, Dense, Hybrid} {
		if _, err := l.Search(context.Background(), Query{Text: "iron tablets and zinc", Retriever: retriever}); err != nil && !errors.Is(err, ErrDamaged) {
			t.Errorf("%s cut off: %s search: %v", damaged, retriever, err)
		}
	}
	collection := l.Collection(passage.Text)
	for _, use := range []func(){
		func() { collection.DocFreq("iron") },
		func() { collection.Terms(3) },
		func() { collection.Nearest(collection.Vector(3), 5) },
		func() { collection.Encoder().Encode([]string{"iron", "zinc"}) },
		func() { collection.Encoder().MaxSim([]string{"iron"}, []string{"zinc"}) },
	} {
		func() {
			defer func() { _ = recover() }()
			use()
		}()
	}
}

// A bit that turns over while an index is open is found by a check, which leaves an index alone that is
// as it was written; the next refresh says which file it is and rebuilds the index.
func TestFlippedBitsAreFoundWhileInUse(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not let a mapped file be written")
	}
	d := newDesk(t, tally{name: "first-1", fits: new(int)})
	d.addNotes(0, 60)
	d.open()
	d.refresh()
	for _, name := range []string{
		"passage/vectors", "passage/encoder", "blobs/first-1", storeName, "passage/lexical/terms", "passage/lexical/bounds",
	} {
		if err := d.index.Scrub(t.Context()); err != nil || !d.index.Intact() {
			t.Fatalf("before %s is damaged: %v, intact %t", name, err, d.index.Intact())
		}
		flipBit(t, filepath.Join(d.index.state.dir, filepath.FromSlash(name)))
		if err := d.index.Scrub(t.Context()); err == nil || !strings.Contains(err.Error(), name) || d.index.Intact() {
			t.Errorf("%s: %v, intact %t", name, err, d.index.Intact())
		}
		d.refresh()
		if !strings.HasPrefix(d.stages(), "damaged reading indexing") || !strings.Contains(d.events[0].Note, name) {
			t.Errorf("%s: refreshed with %s: %s", name, d.stages(), d.events[0].Note)
		}
		if l := d.index.Library(); len(l.Passages()) != 63 || best(t, l, "zinc lozenges") == "" || !l.Status().Encoder {
			t.Errorf("%s: built anew as %+v", name, l.Status())
		}
	}
}

// flipBit turns a bit in the middle of a file over where it lies: a mapping of it has it, too.
func flipBit(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err == nil {
		b := make([]byte, 1)
		_, err = f.ReadAt(b, info.Size()/2)
		b[0] ^= 4
		if err == nil {
			_, err = f.WriteAt(b, info.Size()/2)
		}
	}
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestCheckEnds(t *testing.T) {
	d := newDesk(t)
	d.open()
	if err := d.index.Scrub(t.Context()); err != nil {
		t.Errorf("an index that was never built: %v", err)
	}
	d.refresh()
	ended, end := context.WithCancel(t.Context())
	end()
	if err := d.index.Scrub(ended); !errors.Is(err, context.Canceled) || !d.index.Intact() {
		t.Errorf("checked after the end: %v, intact %t", err, d.index.Intact())
	}
	if err := os.RemoveAll(d.index.state.dir); err != nil {
		t.Fatal(err)
	}
	if err := d.index.Scrub(t.Context()); err != nil {
		t.Errorf("a generation that is gone: %v", err)
	}
}

// What else lies in the folder of the index, such as a gate, stays with every refresh.
func TestOtherFoldersStay(t *testing.T) {
	d := newDesk(t)
	d.open()
	d.refresh()
	for _, name := range []string{"gate", "g", "g1x", "accepted"} {
		if err := os.MkdirAll(filepath.Join(d.options.Dir, name, "inner"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(d.options.Dir, "g00000099"), 0o700); err != nil { // of a killed process
		t.Fatal(err)
	}
	d.refresh()
	d.write("notes/new.md", "Copper kettles look nice.\n")
	d.refresh()
	for name, stays := range map[string]bool{"gate": true, "g": true, "g1x": true, "accepted": true, "g00000099": false} {
		if there := exists(filepath.Join(d.options.Dir, name)); there != stays {
			t.Errorf("%s is there: %t, want %t", name, there, stays)
		}
	}
}

// What is removed from a folder that is in use, or cut off, is noticed by the next refresh although
// nothing has been searched since.
func TestLossIsNoticedByTheNextRefresh(t *testing.T) {
	d := newDesk(t)
	d.open()
	d.refresh()
	for name, damage := range map[string]func(file string) error{
		storeName:                os.Remove,
		"passage/lexical/bounds": func(file string) error { return os.Truncate(file, 10) },
		"qa":                     os.RemoveAll,
	} {
		if err := damage(filepath.Join(d.index.state.dir, filepath.FromSlash(name))); err != nil {
			t.Fatal(err)
		}
		d.refresh()
		if !strings.HasPrefix(d.stages(), "damaged") || best(t, d.index.Library(), "lozenges") != "zinc.md" {
			t.Errorf("%s: %s", name, d.stages())
		}
		if err := d.index.state.intact(); err != nil {
			t.Errorf("%s: %v after it was repaired", name, err)
		}
	}
}
