package knowledge

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"lacuna/knowledge/passage"
)

// full makes the disk full from the nth generation on, n counting from 1: as the generation begins, or
// when it comes to a folder in it.
func full(x *Index, n int, folder string) {
	made := 0
	x.begin = func(dir, passages string) (*generation, error) {
		if made++; made < n {
			return newGeneration(dir, passages)
		}
		if folder == "" {
			return nil, &os.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOSPC}
		}
		g, err := newGeneration(dir, passages)
		if err == nil { // a file cannot be written into as if it were a folder
			err = os.WriteFile(filepath.Join(g.dir, folder), nil, 0o400)
		}
		return g, err
	}
}

// notFolder is a path at which no folder can be made, by no user.
func notFolder(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(file, "index")
}

func temporaries(t *testing.T, parent string) []string {
	t.Helper()
	folders, err := filepath.Glob(filepath.Join(parent, temporaryPrefix+"*"))
	if err != nil {
		t.Fatal(err)
	}
	return folders
}

// If no index can be written and there is none, one in a temporary folder serves, which no other user
// can read and which is gone afterwards.
func TestIndexWithoutAFolderIsTemporary(t *testing.T) {
	for name, dir := range map[string]func(d *desk) string{
		"a file in the place of its folder": func(*desk) string { return notFolder(t) },
		"the folder itself is a file":       func(*desk) string { return filepath.Dir(notFolder(t)) },
		"the disk is full":                  func(d *desk) string { return d.options.Dir },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, tally{name: "first-1", fits: new(int)})
			d.addNotes(0, 60)
			spare := t.TempDir()
			d.options.Dir, d.options.Spare = dir(d), []string{notFolder(t), spare}
			x := d.open()
			x.begin = func(dir, passages string) (*generation, error) {
				if strings.HasPrefix(dir, spare) {
					return newGeneration(dir, passages)
				}
				return nil, &os.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOSPC}
			}
			for range 2 {
				d.refresh()
				if l := x.Library(); best(t, l, "zinc lozenges") != "zinc.md" || !l.Status().Encoder || !l.Status().Calibrated {
					t.Errorf("%+v after %s", l.Status(), d.stages())
				}
			}
			folders := temporaries(t, spare)
			if len(folders) != 1 {
				t.Fatalf("%d temporary folders", len(folders))
			}
			if info, err := os.Stat(folders[0]); err != nil || info.Mode().Perm()&0o077 != 0 {
				t.Errorf("others can read %v, %v", info.Mode(), err)
			}
			if err := x.Close(); err != nil || len(temporaries(t, spare)) > 0 {
				t.Errorf("closed: %v; %v is left", err, temporaries(t, spare))
			}
		})
	}
}

func TestTemporaryIndexIsSaidOnce(t *testing.T) {
	d := newDesk(t)
	d.options.Dir, d.options.Spare = notFolder(t), []string{t.TempDir()}
	d.open()
	d.refresh()
	if at := slices.IndexFunc(d.events, func(e Event) bool { return e.Stage == Provisional }); at < 0 || d.events[at].Note == "" || strings.Contains(d.stages(), string(Damaged)) {
		t.Errorf("%v", d.events)
	}
	d.refresh()
	if strings.Contains(d.stages(), string(Provisional)) {
		t.Errorf("said again: %s", d.stages())
	}
}

// Without a folder to go to, the error says why.
func TestNothingCanBeWrittenAnywhere(t *testing.T) {
	d := newDesk(t)
	d.options.Dir, d.options.Spare = notFolder(t), []string{notFolder(t)}
	if err := d.open().Refresh(t.Context()); !errors.As(err, new(unwritten)) || !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("refresh: %v", err)
	}
}

// A whole index serves on when what has changed since cannot be written, wherever that fails.
func TestWholeIndexServesWhenTheNextCannotBeWritten(t *testing.T) {
	for _, folder := range []string{"", "passage", "qa"} {
		t.Run("full at "+folder, func(t *testing.T) {
			d := newDesk(t, tally{name: "first-1", fits: new(int)})
			d.addNotes(0, 60)
			d.options.Spare = []string{t.TempDir()}
			x := d.open()
			d.refresh()
			before := x.Library()
			d.addNotes(60, 130)
			full(x, 1, folder)
			d.refresh()
			if l := x.Library(); l.Generation() != before.Generation() || best(t, l, "zinc lozenges") != "zinc.md" || l.Status().Building || !strings.Contains(d.stages(), string(Unwritten)) {
				t.Errorf("%+v after %s", l.Status(), d.stages())
			}
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			again := d.open()
			if l := again.Library(); l.Generation() != before.Generation() || again.damage != "" {
				t.Errorf("opened again with %+v, damage %q", l.Status(), again.damage)
			}
			d.refresh() // the disk has room again
			if n := len(again.Library().Passages()); n != 133 || strings.Contains(d.stages(), string(Unwritten)) {
				t.Errorf("%d passages after %s", n, d.stages())
			}
		})
	}
}

// A generation of words alone serves when its encoder cannot be written, and is not damaged by it.
func TestWordsServeWithoutTheirEncoder(t *testing.T) {
	d := newDesk(t)
	d.addNotes(0, 60)
	x := d.open()
	full(x, 2, "")
	d.refresh()
	if l := x.Library(); l.Status().Encoder || best(t, l, "zinc lozenges") != "zinc.md" || !strings.Contains(d.stages(), string(Unwritten)) {
		t.Errorf("%+v after %s", l.Status(), d.stages())
	}
}

// What killed processes have left goes, what others use stays.
func TestAbandonedTemporaryIndexesAreRemoved(t *testing.T) {
	spare := t.TempDir()
	use := func() *Index {
		d := newDesk(t)
		d.options.Dir, d.options.Spare = notFolder(t), []string{spare}
		x := d.open()
		d.refresh()
		return x
	}
	used, killed := use(), use()
	if err := killed.lock.Close(); err != nil { // as the end of a process does
		t.Fatal(err)
	}
	use()
	if left := temporaries(t, spare); len(left) != 2 || !slices.Contains(left, used.dir) || slices.Contains(left, killed.dir) {
		t.Errorf("%v is left; %s is used and %s is not", left, used.dir, killed.dir)
	}
}

// If nothing has changed nothing is written, and there is no message that nothing could be.
func TestUnchangedIndexNeedsNotBeWritten(t *testing.T) {
	d := newDesk(t, tally{name: "first-1", fits: new(int)})
	d.addNotes(0, 60)
	d.open()
	d.refresh()
	if err := d.index.Close(); err != nil {
		t.Fatal(err)
	}
	full(d.open(), 1, "")
	d.refresh()
	if d.stages() != "reading ready" {
		t.Error(d.stages())
	}
}

// The vectors of another index, whole in themselves, are damage like any other.
func TestVectorsOfAnotherIndexAreRefused(t *testing.T) {
	vectors := func(topic string) (d *desk, file string) {
		d = newDesk(t)
		for i := range 60 {
			d.write(fmt.Sprintf("notes/%s%02d.md", topic, i), fmt.Sprintf("# %s %d\n\n%s number %d is taken with water and %s.\n", topic, i, topic, i, topic))
		}
		d.open()
		d.refresh()
		if d.index.Library().Collection(passage.Text).Encoder() == nil {
			t.Fatal("no encoder was trained")
		}
		file = filepath.Join(d.index.state.dir, "passage", vectorsName)
		if err := d.index.Close(); err != nil {
			t.Fatal(err)
		}
		return d, file
	}
	d, file := vectors("Copper")
	_, foreign := vectors("Nickel")
	content, err := os.ReadFile(foreign)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(file), os.WriteFile(file, content, 0o600)); err != nil {
		t.Fatal(err)
	}
	if x := d.open(); x.damage == "" {
		t.Error("the vectors of another index serve")
	}
	d.refresh()
	if d.events[0].Stage != Damaged {
		t.Errorf("refreshed with %s", d.stages())
	}
}

// Whatever has the name of a file of the index, the index is rebuilt and nothing waits.
func TestPlacesOfFilesTaken(t *testing.T) {
	for _, name := range []string{currentName, currentName + ".new", lockName} {
		for what, put := range places {
			d := newDesk(t)
			d.options.Spare = []string{t.TempDir()}
			d.open()
			d.refresh()
			if err := d.index.Close(); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(d.options.Dir, name)
			if err := errors.Join(os.RemoveAll(path), put(path)); err != nil {
				t.Logf("%s: %v", what, err)
				continue
			}
			d.write("notes/tin.md", "# Tin\n\nTin is not taken at all.\n")
			for range 2 {
				x := d.open()
				d.refresh()
				if got := best(t, x.Library(), "tin"); got != "tin.md" {
					t.Errorf("%s is %s: found %q after %s", name, what, got, d.stages())
				}
				if err := x.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

var places = map[string]func(path string) error{
	"a folder":           func(path string) error { return os.MkdirAll(filepath.Join(path, "full"), 0o700) },
	"a link to itself":   func(path string) error { return os.Symlink(path, path) },
	"a link to a folder": func(path string) error { return os.Symlink(filepath.Dir(path), path) },
}
