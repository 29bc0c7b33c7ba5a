//go:build unix

package knowledge

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
)

func init() {
	places["a pipe"] = func(path string) error { return syscall.Mkfifo(path, 0o600) }
	places["a device"] = func(path string) error { return os.Symlink("/dev/zero", path) }
}

// Root may write everywhere, so this is for ordinary users.
func TestFolderThatMayNotBeWritten(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	d := newDesk(t, tally{name: "first-1", fits: new(int)})
	d.addNotes(0, 60)
	d.options.Spare = []string{t.TempDir()}
	d.open()
	d.refresh()
	if err := errors.Join(d.index.Close(), os.Chmod(d.options.Dir, 0o500)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(d.options.Dir, 0o700) })
	x := d.open()
	d.refresh()
	if l := x.Library(); d.stages() != "reading ready" || best(t, l, "zinc lozenges") != "zinc.md" {
		t.Errorf("%+v after %s", l.Status(), d.stages())
	}
	d.write("notes/tin.md", "# Tin\n\nTin is not taken at all.\n")
	d.refresh()
	if l := x.Library(); !strings.Contains(d.stages(), string(Unwritten)) || best(t, l, "zinc lozenges") != "zinc.md" {
		t.Errorf("%+v after %s", l.Status(), d.stages())
	}
}
