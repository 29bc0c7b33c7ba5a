package knowledge

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// disk mounts a disk of the given size in KiB, in memory; a test that may not mount is skipped.
func disk(t *testing.T, size int) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dk", size)); err != nil {
		t.Skip("needs the right to mount: ", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

// readOnly makes a folder read-only for every user.
func readOnly(t *testing.T, dir string) {
	t.Helper()
	if err := syscall.Mount(dir, dir, "", syscall.MS_BIND, ""); err != nil {
		t.Skip("needs the right to mount: ", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	if err := syscall.Mount("", dir, "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
}

// However small the disk of the cache is, questions are answered, and an index on it is whole.
func TestDiskOfAnySizeAnswers(t *testing.T) {
	for _, size := range []int{4, 16, 48, 96, 128, 192, 256, 384, 512, 768, 1024, 4096} {
		d := newDesk(t, tally{name: "first-1", fits: new(int)})
		d.addNotes(0, 60)
		d.options.Dir, d.options.Spare = filepath.Join(disk(t, size), "index"), []string{t.TempDir()}
		for turn := range 2 {
			x := d.open()
			d.refresh()
			l := x.Library()
			if best(t, l, "zinc lozenges") != "zinc.md" || l.Status().Building {
				t.Errorf("%d KiB, turn %d: %+v after %s", size, turn, l.Status(), d.stages())
			}
			if err := x.Close(); err != nil {
				t.Error(err)
			}
			t.Logf("%d KiB: %s", size, d.stages())
			d.write("notes/more.md", "# Tin\n\n"+strings.Repeat("Tin is not taken at all.\n\n", 1+turn))
		}
	}
}

// A disk that may only be read serves what is on it, and says nothing where nothing has changed.
func TestReadOnlyDisk(t *testing.T) {
	for _, lock := range []bool{true, false} {
		d := newDesk(t, tally{name: "first-1", fits: new(int)})
		d.addNotes(0, 60)
		d.options.Spare = []string{t.TempDir()}
		d.open()
		d.refresh()
		err := d.index.Close()
		if !lock {
			err = errors.Join(err, os.Remove(filepath.Join(d.options.Dir, lockName)))
		}
		if err != nil {
			t.Fatal(err)
		}
		readOnly(t, d.options.Dir)
		x := d.open()
		d.refresh()
		if l := x.Library(); d.stages() != "reading ready" || best(t, l, "zinc lozenges") != "zinc.md" || !l.Status().Encoder {
			t.Errorf("lock %t: %+v after %s", lock, l.Status(), d.stages())
		}
		d.write("notes/tin.md", "# Tin\n\nTin is not taken at all.\n")
		d.refresh()
		if l := x.Library(); !strings.Contains(d.stages(), string(Unwritten)) || best(t, l, "zinc lozenges") != "zinc.md" {
			t.Errorf("lock %t: %+v after %s", lock, l.Status(), d.stages())
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
}
