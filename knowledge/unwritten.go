package knowledge

import (
	"context"
	"errors"
	"os"

	"github.com/gofrs/flock"

	"lacuna/vecmath/mapped"
	"lacuna/vecmath/regular"
)

// Where an index cannot be written, because its disk is full or may only be read, questions are
// answered all the same: from the whole index that is there, however old, and where there is none from
// one in a temporary folder.

// unwritten is the error of a step whose generation could not be written.
type unwritten struct{ err error }

func (u unwritten) Error() string { return "index: " + u.err.Error() }
func (u unwritten) Unwrap() error { return u.err }

// makeFolder makes a folder that nobody else can read, or makes one so that is there.
func makeFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		err = os.Chmod(dir, 0o700)
	}
	return err
}

// newLock returns the lock of a file, which it makes when it is taken. A pipe in its place is locked
// like a file.
func newLock(path string) *flock.Flock {
	return flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDONLY|regular.NonBlocking), flock.SetPermissions(0o600))
}

// claim reports whether this process is the one that updates the index. Where no lock can be had
// nothing can be written either, and whoever wants to know what has changed may look.
func (x *Index) claim() bool {
	x.barred = makeFolder(x.dir)
	if info, err := os.Lstat(x.lock.Path()); err == nil && !info.Mode().IsRegular() {
		_ = os.RemoveAll(x.lock.Path()) // no process has locked it
	}
	writer, err := x.lock.TryLock()
	if err != nil {
		x.barred = err
	}
	return writer || x.barred != nil
}

// probe is an error when nothing can be written into the index folder. It comes before work whose
// result would be lost.
func (x *Index) probe() error {
	if x.barred != nil {
		return unwritten{x.barred}
	}
	if err := probe(x.dir); err != nil {
		return unwritten{err}
	}
	return nil
}

func probe(dir string) error {
	made, err := os.MkdirTemp(dir, "probe-")
	if err == nil {
		_ = os.Remove(made)
	}
	return err
}

// Writable is an error where an index can be neither made nor changed in a folder.
func Writable(dir string) error {
	if err := makeFolder(dir); err != nil {
		return err
	}
	return probe(dir)
}

// withoutWriting makes the best of an update that has ended with an error. Its own error is nil where
// the index could not be written but something can be searched, which is reported.
func (x *Index) withoutWriting(ctx context.Context, err error) error {
	var failed unwritten
	if !errors.As(err, &failed) || ctx.Err() != nil || errors.Is(err, ErrDamaged) || mapped.IsFault(err) {
		return err
	}
	if x.state.generation != nil {
		x.report(Event{Stage: Unwritten, Note: failed.err.Error()})
		return nil
	}
	for _, parent := range x.options.Spare {
		if x.moveTo(parent) != nil {
			continue
		}
		again := x.update(ctx)
		if x.state.generation != nil && (again == nil || errors.As(again, new(unwritten))) {
			x.report(Event{Stage: Provisional, Note: failed.err.Error()})
			return nil
		}
		if !errors.As(again, new(unwritten)) {
			return again
		}
	}
	return err
}

// moveTo has the index written into a new folder below parent. There it stays until it is closed.
func (x *Index) moveTo(parent string) error {
	temporary, err := NewTempDir(parent)
	if err != nil {
		return err
	}
	// Another process may write where the index belongs; it need not wait for this one to end.
	_ = errors.Join(x.lock.Close(), x.temporary.Close())
	x.temporary, x.dir, x.lock, x.barred = temporary, temporary.dir, temporary.lock, nil
	x.state = &state{files: x.state.files} // there is nothing there to build upon
	return nil
}
