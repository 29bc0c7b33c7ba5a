package knowledge

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"lacuna/knowledge/par"
	"lacuna/vecmath/mapped"
	"lacuna/vecmath/regular"
)

// ErrDamaged means that a file of the index could not be read while it was searched: somebody cut it
// off, or its disk fails. The next [Index.Refresh] builds the index anew.
var ErrDamaged = errors.New("the index was damaged while it was in use and has to be built anew; ask again in a moment")

// survived returns the error that work on the files of a generation ended with: [ErrDamaged] where
// one of them could not be read, which is noted with the generation. recovered is what the work
// panicked with, or nil; what is no fault of a file goes on as a panic. There need not be a
// generation.
func (g *generation) survived(recovered any, err error) error {
	switch {
	case recovered == nil && !mapped.IsFault(err):
		return err
	case recovered != nil && !mapped.IsFault(recovered):
		panic(recovered)
	}
	if g != nil {
		g.damaged(fmt.Errorf("%s could not be read", filepath.Base(g.dir)))
	}
	return ErrDamaged
}

// damaged notes the first reason why the files of the generation are not what they were.
func (g *generation) damaged(why error) { g.fault.CompareAndSwap(nil, &why) }

// Reading by [Index.Check]: so much at a time, and so long a rest after it, which makes at most 20 MB
// a second.
const (
	checkedAtOnce = 1 << 20
	checkRest     = 50 * time.Millisecond
)

// Scrub reads every byte of the files of the newest library, slowly and at low priority, and compares
// it with the checksums that were written with it. Opening an index does so, too; this is for those
// that stay open for days, of which a disk or the memory may lose a bit meanwhile. What differs is the
// error, and noted: [Index.Intact] is false then, and the next [Index.Refresh] builds the index anew.
// A file that is gone is left to Intact. The error is ctx's when that ends first. It is safe for
// concurrent use.
func (x *Index) Scrub(ctx context.Context) error {
	g := x.Library().on
	if g == nil {
		return nil
	}
	return par.LowPriority(func() error {
		buffer := make([]byte, checkedAtOnce)
		for _, file := range g.manifest.Contents {
			sum, err := x.checksum(ctx, filepath.Join(g.dir, filepath.FromSlash(file.Name)), buffer)
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case errors.Is(err, fs.ErrNotExist): // a newer generation may have taken its place
				continue
			case err == nil && sum != file.CRC32:
				err = fmt.Errorf("%s has changed on the disk", file.Name)
			}
			if err != nil {
				g.damaged(err)
				return err
			}
		}
		return nil
	})
}

// checksum is the CRC-32C of a file, read a buffer at a time.
func (x *Index) checksum(ctx context.Context, path string, buffer []byte) (uint32, error) {
	f, err := regular.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	sum := crc32.New(castagnoli)
	for {
		x.giveWay()
		n, err := f.Read(buffer)
		_, _ = sum.Write(buffer[:n]) // a checksum takes everything
		switch {
		case errors.Is(err, io.EOF):
			return sum.Sum32(), nil
		case err != nil:
			return 0, err
		case n < len(buffer):
			continue // it was the end, or the next read says so
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(checkRest):
		}
	}
}
